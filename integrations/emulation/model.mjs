// What the adapters of this folder share: models with their buffers inside, and the protocol.

import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { createInterface } from "node:readline";

// The JSON of a .gltf whose buffers are data URIs, or the bytes of a .glb. Images are left out.
export async function read(path) {
    const bytes = await readFile(path);
    if (!path.endsWith(".gltf")) return bytes;
    const gltf = JSON.parse(bytes);
    for (const buffer of gltf.buffers ?? []) {
        if (buffer.uri?.startsWith("data:")) continue;
        const content = await readFile(resolve(dirname(path), decodeURIComponent(buffer.uri)));
        buffer.uri = `data:application/octet-stream;base64,${content.toString("base64")}`;
    }
    for (const list of ["images", "textures", "samplers", "materials"]) delete gltf[list];
    for (const primitive of gltf.meshes?.flatMap((mesh) => mesh.primitives) ?? []) delete primitive.material;
    return Buffer.from(JSON.stringify(gltf));
}

// Answers each line {"model", "clip", "time"} with the world positions of the model's only mesh, as {"positions"} or {"error"}.
export async function serve(pose) {
    const say = console.log;
    console.log = console.warn = console.error;
    for await (const line of createInterface({ input: process.stdin })) {
        const { model, clip, time } = JSON.parse(line);
        let answer;
        try {
            answer = { positions: await pose(await read(model), clip, time, model) };
        } catch (error) {
            answer = { error: String(error?.stack ?? error) };
        }
        say(JSON.stringify(answer));
    }
    process.exit(0);
}
