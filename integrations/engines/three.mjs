// three.js as an engine for `skincheck laws --exec`, headless:
//
//     npm install three
//     skincheck laws hero.glb --exec 'node integrations/engines/three.mjs'
import { createInterface } from 'node:readline';

// GLTFLoader looks for these even where nothing is drawn.
globalThis.self = globalThis;
globalThis.ProgressEvent ??= class extends Event {};

const { AnimationMixer, LoopOnce, REVISION, Vector3 } = await import('three');
const { GLTFLoader } = await import('three/examples/jsm/loaders/GLTFLoader.js');

const loader = new GLTFLoader();

// GLTFLoader reads the first set of joints and weights.
const capabilities = { engine: `three.js r${REVISION}`, influences: 4 };

async function answer(request) {
  const gltf = await loader.parseAsync(JSON.stringify(request.gltf), '');
  const count = request.gltf.nodes?.length ?? 0;
  const nodes = [];
  for (let index = 0; index < count; index += 1) nodes.push(await gltf.parser.getDependency('node', index));
  const poses = request.times.map((time) => pose(gltf, nodes, request.clip, time));
  return { id: request.id, capabilities, poses };
}

function pose(gltf, nodes, clip, time) {
  if (clip !== null) {
    const mixer = new AnimationMixer(gltf.scene);
    const action = mixer.clipAction(gltf.animations[clip]);
    action.clampWhenFinished = true;
    action.setLoop(LoopOnce, 1);
    action.play();
    action.time = time;
    mixer.update(0);
  }
  gltf.scene.updateMatrixWorld(true);
  return { nodes: nodes.map((node) => [...node.matrixWorld.elements]), meshes: nodes.filter((node) => node.isMesh).map(vertices) };
}

// With its morph targets, skinned.
function vertices(mesh) {
  const { count } = mesh.geometry.attributes.position;
  if (mesh.isSkinnedMesh) mesh.skeleton.update();
  const position = (_, index) => mesh.getVertexPosition(index, new Vector3()).applyMatrix4(mesh.matrixWorld).toArray();
  return Array.from({ length: count }, position);
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  let reply;
  try {
    reply = await answer(request);
  } catch (error) {
    reply = { id: request.id, error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
