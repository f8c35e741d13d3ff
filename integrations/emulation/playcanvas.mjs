// Poses a model with PlayCanvas: its animation and its palette, and the formula of its vertex shader, which no device runs here.

import { serve } from "./model.mjs";

const pc = await import("playcanvas");

// Enough of a canvas for the device that draws nothing.
const canvas = { id: "", width: 1, height: 1, style: {}, addEventListener() {}, removeEventListener() {}, getBoundingClientRect: () => ({}) };

await serve(async (bytes, clip, time, model) => {
    const device = new pc.NullGraphicsDevice(canvas, {});
    const options = new pc.AppOptions();
    options.graphicsDevice = device;
    options.componentSystems = [pc.RenderComponentSystem, pc.AnimComponentSystem];
    options.resourceHandlers = [pc.ContainerHandler, pc.AnimClipHandler];
    const app = new pc.AppBase(canvas);
    app.init(options);
    const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const asset = new pc.Asset("model", "container", { url: model, filename: model, contents: data });
    await new Promise((resolve, reject) => {
        asset.on("load", resolve);
        asset.on("error", (error) => reject(new Error(error)));
        app.assets.add(asset);
        app.assets.load(asset);
    });
    const entity = asset.resource.instantiateRenderEntity();
    app.root.addChild(entity);
    if (clip !== null) {
        entity.addComponent("anim", { activate: false });
        entity.anim.assignAnimation("clip", asset.resource.animations[clip].resource, undefined, 1, false);
        entity.anim.activate = true;
        entity.anim.baseLayer.play("clip");
        entity.anim.baseLayer.activeStateCurrentTime = time;
        entity.anim.update(0);
    }
    app.root.syncHierarchy();
    const positions = [];
    for (const render of entity.findComponents("render")) {
        for (const instance of render.meshInstances) positions.push(...skin(instance));
    }
    app.destroy();
    return positions;
});

// scene/shader-lib/glsl/chunks/common/vert/skin.js, in numbers.
function skin(instance) {
    const [places, weights, indices] = [[], [], []];
    const { mesh, skinInstance, node } = instance;
    if (instance.morphInstance) throw new Error("morph targets are in textures, which are not read here");
    mesh.getPositions(places);
    mesh.getVertexStream(pc.SEMANTIC_BLENDWEIGHT, weights);
    mesh.getVertexStream(pc.SEMANTIC_BLENDINDICES, indices);
    skinInstance.updateMatrices(node, 1);
    skinInstance.updateMatrixPalette(node, 2);
    const palette = skinInstance.matrixPalette;
    const skinned = [];
    const world = node.getWorldTransform();
    for (let vertex = 0; 3 * vertex < places.length; vertex += 1) {
        const [x, y, z] = places.slice(3 * vertex, 3 * vertex + 3);
        const sum = [0, 0, 0, 0];
        for (let slot = 4 * vertex; slot < 4 * vertex + 4; slot += 1) {
            for (let row = 0; row < 3; row += 1) {
                const [a, b, c, d] = palette.subarray(12 * indices[slot] + 4 * row, 12 * indices[slot] + 4 * row + 4);
                sum[row] += weights[slot] * (a * x + b * y + c * z + d);
            }
            sum[3] += weights[slot];
        }
        const local = new pc.Vec3(sum[0] / sum[3], sum[1] / sum[3], sum[2] / sum[3]);
        const place = world.transformPoint(local);
        skinned.push([place.x, place.y, place.z]);
    }
    return skinned;
}
