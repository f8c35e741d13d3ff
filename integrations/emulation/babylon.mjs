// Poses a model with Babylon.js and its NullEngine.

import { serve } from "./model.mjs";

const { NullEngine } = await import("@babylonjs/core/Engines/nullEngine.js");
const { Scene } = await import("@babylonjs/core/scene.js");
const { LoadAssetContainerAsync } = await import("@babylonjs/core/Loading/sceneLoader.js");
const { Vector3 } = await import("@babylonjs/core/Maths/math.vector.js");
await import("@babylonjs/core/Animations/animatable.js");
await import("@babylonjs/loaders/glTF/2.0/index.js");

// The loader's animations have this many frames per second.
const FPS = 60;

await serve(async (bytes, clip, time, model) => {
    const engine = new NullEngine();
    const scene = new Scene(engine);
    // Without this, the loader mirrors the model.
    scene.useRightHandedSystem = true;
    const pluginExtension = model.endsWith(".glb") ? ".glb" : ".gltf";
    const pluginOptions = { gltf: { targetFps: FPS } };
    const source = pluginExtension === ".glb" ? new Uint8Array(bytes) : `data:${bytes}`;
    const container = await LoadAssetContainerAsync(source, scene, { pluginExtension, pluginOptions });
    container.addAllToScene();
    container.animationGroups.forEach((group) => group.stop());
    if (clip !== null) {
        const group = container.animationGroups[clip];
        group.start(false);
        group.goToFrame(time * FPS);
        group.pause();
    }
    const positions = [];
    for (const mesh of container.meshes.filter((mesh) => mesh.getTotalVertices() > 0)) {
        for (let node = mesh; node; node = node.parent) node.computeWorldMatrix(true);
        container.transformNodes.forEach((node) => node.computeWorldMatrix(true));
        mesh.skeleton?.prepare(true);
        const data = mesh.getPositionData(true, true);
        for (let index = 0; index < data.length; index += 3) {
            const vertex = Vector3.TransformCoordinates(Vector3.FromArray(data, index), mesh.computeWorldMatrix(true));
            positions.push(vertex.asArray());
        }
    }
    engine.dispose();
    return positions;
});
