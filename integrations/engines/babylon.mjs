// Babylon.js as an engine for `skincheck laws --exec`, without a display:
//
//     npm install @babylonjs/core @babylonjs/loaders
//     skincheck laws hero.glb --exec 'node integrations/engines/babylon.mjs'
import { createInterface } from 'node:readline';

// Warnings of the loader go to standard output otherwise.
console.log = console.warn = console.error;

const { AbstractEngine, ImportMeshAsync, NullEngine, Scene, Vector3 } = await import('@babylonjs/core');
const { registerGLTFExtension } = await import('@babylonjs/loaders/glTF/2.0/glTFLoaderExtensionRegistry.js');
await import('@babylonjs/loaders/glTF/2.0/index.js');

// The loader knows which nodes of the document became which objects.
let loader;
registerGLTFExtension('skincheck', false, (created) => {
  loader = created;
  return { name: 'skincheck', enabled: true, dispose() {} };
});

const engine = new NullEngine();
const capabilities = { engine: `Babylon.js ${AbstractEngine.Version}`, influences: 8 };
const FPS = 60;

async function answer(request) {
  const scene = new Scene(engine);
  scene.useRightHandedSystem = true;
  const options = { pluginExtension: '.gltf', pluginOptions: { gltf: { targetFps: FPS, animationStartMode: 0 } } };
  const { animationGroups } = await ImportMeshAsync(`data:${JSON.stringify(request.gltf)}`, scene, options);
  const poses = request.times.map((time) => {
    const group = request.clip === null ? undefined : animationGroups[request.clip];
    if (group) {
      group.start(false, 1, group.from, group.to);
      group.pause();
      group.goToFrame(time * FPS);
    }
    return pose(loader.gltf.nodes ?? []);
  });
  scene.dispose();
  return { id: request.id, capabilities, poses };
}

function pose(nodes) {
  // The node of a skinned mesh is kept apart from the mesh.
  const world = (node) => [...(node._babylonTransformNodeForSkin ?? node._babylonTransformNode).computeWorldMatrix(true).asArray()];
  const transforms = nodes.map(world);
  return { nodes: transforms, meshes: nodes.filter((node) => node.mesh !== undefined).map(vertices) };
}

// With its morph targets, skinned.
function vertices(node) {
  const [mesh] = node._primitiveBabylonMeshes;
  mesh.skeleton?.prepare(true);
  const positions = mesh.getPositionData(true, true);
  const world = mesh.computeWorldMatrix(true);
  const position = (_, index) => Vector3.TransformCoordinates(Vector3.FromArray(positions, 3 * index), world).asArray();
  return Array.from({ length: positions.length / 3 }, position);
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  let reply;
  try {
    reply = await answer(request);
  } catch (error) {
    reply = { id: request.id, error: String(error.stack ?? error) };
  }
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
process.exit(0);
