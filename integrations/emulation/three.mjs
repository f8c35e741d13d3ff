// Poses a model with three.js.

import { serve } from "./model.mjs";

// GLTFLoader looks for these, even where nothing is drawn.
globalThis.self = globalThis;
globalThis.ProgressEvent ??= class extends Event {};

const { AnimationMixer, LoopOnce, Vector3 } = await import("three");
const { GLTFLoader } = await import("three/examples/jsm/loaders/GLTFLoader.js");

await serve(async (bytes, clip, time) => {
    const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const gltf = await new GLTFLoader().parseAsync(data, "");
    if (clip !== null) {
        const mixer = new AnimationMixer(gltf.scene);
        const action = mixer.clipAction(gltf.animations[clip]);
        action.clampWhenFinished = true;
        action.setLoop(LoopOnce, 1).play();
        action.time = time;
        mixer.update(0);
    }
    gltf.scene.updateMatrixWorld(true);
    const positions = [];
    gltf.scene.traverse((mesh) => {
        if (!mesh.isMesh) return;
        if (mesh.isSkinnedMesh) mesh.skeleton.update();
        for (let index = 0; index < mesh.geometry.attributes.position.count; index += 1) {
            const vertex = mesh.getVertexPosition(index, new Vector3());
            positions.push(vertex.applyMatrix4(mesh.matrixWorld).toArray());
        }
    });
    return positions;
});
