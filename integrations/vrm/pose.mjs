// Poses VRM models with three-vrm.
//
//     node pose.mjs      # answers each line {"model", "animation", "expressions", "time"} with the posed vertices of all meshes

import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";

// The loaders look for these, even where nothing is drawn.
globalThis.self = globalThis;
globalThis.ProgressEvent ??= class extends Event {};

// Only the answers go to the standard output.
console.log = console.warn = console.error;

const { AnimationMixer, Vector3 } = await import("three");
const { GLTFLoader } = await import("three/examples/jsm/loaders/GLTFLoader.js");
const { VRMLoaderPlugin } = await import("@pixiv/three-vrm");
const { VRMAnimationLoaderPlugin, createVRMAnimationClip } = await import("@pixiv/three-vrm-animation");

const loader = new GLTFLoader();
loader.register((parser) => new VRMLoaderPlugin(parser));
loader.register((parser) => new VRMAnimationLoaderPlugin(parser));

async function load(path) {
    const file = await readFile(path);
    return loader.parseAsync(file.toString(), "");
}

async function pose({ model, animation, expressions, time }) {
    const gltf = await load(model);
    const vrm = gltf.userData.vrm;
    const clips = animation
        ? [createVRMAnimationClip((await load(animation)).userData.vrmAnimations[0], vrm)]
        : gltf.animations;
    const mixer = new AnimationMixer(gltf.scene);
    mixer.clipAction(clips[0]).play();
    mixer.setTime(time);
    for (const [name, weight] of Object.entries(expressions)) {
        vrm.expressionManager.setValue(name, weight);
    }
    vrm.update(0);
    gltf.scene.updateMatrixWorld(true);
    const meshes = [];
    gltf.scene.traverse((object) => {
        if (!object.isMesh) return;
        if (object.isSkinnedMesh) object.skeleton.update();
        const positions = [];
        for (let index = 0; index < object.geometry.attributes.position.count; index += 1) {
            const vertex = object.getVertexPosition(index, new Vector3());
            positions.push(vertex.applyMatrix4(object.matrixWorld).toArray());
        }
        meshes.push(positions);
    });
    return meshes;
}

for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(JSON.stringify(await pose(JSON.parse(line))) + "\n");
}
