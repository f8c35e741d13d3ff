// Answers the conformance cases with three.js, headless:
//
//     npm install three
//     node integrations/engines/conformance-three.mjs conformance results
//     python3 conformance/verify.py results
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

// GLTFLoader looks for these even where nothing is drawn.
globalThis.self = globalThis;
globalThis.ProgressEvent ??= class extends Event {};

const { AnimationMixer, LoopOnce, Vector3 } = await import('three');
const { GLTFLoader } = await import('three/examples/jsm/loaders/GLTFLoader.js');

const [set, results] = process.argv.slice(2);
mkdirSync(results, { recursive: true });
const { cases } = JSON.parse(readFileSync(`${set}/manifest.json`, 'utf8'));
for (const { name, times } of cases) {
  const text = readFileSync(`${set}/${name}.gltf`, 'utf8');
  writeFileSync(`${results}/${name}.json`, JSON.stringify(await answer(text, times)));
}

async function answer(text, times) {
  const { nodes } = JSON.parse(text);
  let file;
  try {
    file = await new GLTFLoader().parseAsync(text, '');
  } catch (error) {
    return { unsupported: String(error) };
  }
  const objects = await Promise.all(nodes.map((_, index) => file.parser.getDependency('node', index)));
  const mixer = new AnimationMixer(file.scene);
  const action = mixer.clipAction(file.animations[0]);
  action.clampWhenFinished = true;
  action.setLoop(LoopOnce, 1).play();
  const poses = times.map((time) => {
    action.paused = false;
    action.enabled = true;
    action.time = time;
    mixer.update(0);
    file.scene.updateMatrixWorld(true);
    return {
      time,
      nodes: objects.map((object, index) => ({ name: nodes[index].name, world: [...object.matrixWorld.elements] })),
      meshes: objects.flatMap((object, index) => primitives(file, object, nodes[index])),
    };
  });
  return { poses };
}

// A node with one primitive is its mesh; with several ones, they are its first children.
function primitives(file, object, { name, mesh }) {
  if (mesh === undefined) return [];
  const { length } = file.parser.json.meshes[mesh].primitives;
  const meshes = length === 1 ? [object] : object.children.slice(0, length);
  return meshes.map((own, primitive) => ({ node: name, primitive, positions: vertices(own) }));
}

// With its morph targets, skinned.
function vertices(mesh) {
  if (mesh.isSkinnedMesh) mesh.skeleton.update();
  const { count } = mesh.geometry.attributes.position;
  const position = (_, index) => mesh.getVertexPosition(index, new Vector3()).applyMatrix4(mesh.matrixWorld).toArray();
  return Array.from({ length: count }, position);
}
