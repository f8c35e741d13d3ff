// three.js as an engine for `skincheck laws --exec`, headless:
//
//     npm install three
//     skincheck laws hero.glb --exec 'node integrations/engines/three.mjs'
import { createInterface } from 'node:readline';

// GLTFLoader looks for these even where nothing is drawn.
globalThis.self = globalThis;
globalThis.ProgressEvent ??= class extends Event {};

const { AnimationMixer, LoopOnce, Vector3 } = await import('three');
const { GLTFLoader } = await import('three/examples/jsm/loaders/GLTFLoader.js');

const loader = new GLTFLoader();

async function answer(request) {
  const gltf = await loader.parseAsync(JSON.stringify(request.gltf), '');
  const count = request.gltf.nodes?.length ?? 0;
  const nodes = [];
  for (let index = 0; index < count; index += 1) nodes.push(await gltf.parser.getDependency('node', index));
  if (request.clip !== null) {
    const mixer = new AnimationMixer(gltf.scene);
    const action = mixer.clipAction(gltf.animations[request.clip]);
    action.clampWhenFinished = true;
    action.setLoop(LoopOnce, 1);
    action.play();
    action.time = request.time;
    mixer.update(0);
  }
  gltf.scene.updateMatrixWorld(true);
  const vertices = [];
  gltf.scene.traverse((object) => {
    const position = object.geometry?.attributes.position;
    if (!position || vertices.length > 0) return;
    if (object.isSkinnedMesh) object.skeleton.update();
    for (let index = 0; index < position.count; index += 1) {
      const vertex = new Vector3().fromBufferAttribute(position, index);
      if (object.isSkinnedMesh) object.applyBoneTransform(index, vertex);
      vertices.push(vertex.applyMatrix4(object.matrixWorld).toArray());
    }
  });
  return { id: request.id, nodes: nodes.map((node) => node.matrixWorld.elements), vertices };
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
