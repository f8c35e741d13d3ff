// Poses compressed glTF files with three.js and the decoders that it comes with.
//
//     node three.mjs      # answers each line {"model", "clip", "time"} with the posed vertices of all meshes

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { resolveObjectURL } from "node:buffer";
import { createInterface } from "node:readline";
import { Worker as Thread } from "node:worker_threads";

// The loaders look for these, even where nothing is drawn.
globalThis.self = globalThis;
globalThis.ProgressEvent ??= class extends Event {};

// Only the answers go to the standard output.
console.log = console.warn = console.error;

const { AnimationMixer, LoopOnce, Matrix4, Quaternion, Vector3 } = await import("three");
const { DRACOLoader } = await import("three/examples/jsm/loaders/DRACOLoader.js");
const { GLTFLoader } = await import("three/examples/jsm/loaders/GLTFLoader.js");
const { MeshoptDecoder } = await import("three/examples/jsm/libs/meshopt_decoder.module.js");

// A web worker from a blob, as DRACOLoader starts one, on a thread.
const SCOPE = `
    const { parentPort } = require("node:worker_threads");
    globalThis.self = globalThis;
    self.postMessage = (message, transferred) => parentPort.postMessage(message, transferred);
    parentPort.on("message", (data) => self.onmessage({ data }));
`;
globalThis.Worker = class {
    constructor(url) {
        this.thread = resolveObjectURL(url).text().then((source) => {
            const thread = new Thread(SCOPE + source, { eval: true });
            thread.on("message", (data) => this.onmessage({ data }));
            return thread;
        });
    }

    postMessage(message, transferred) {
        this.thread.then((thread) => thread.postMessage(message, transferred));
    }

    terminate() {
        this.thread.then((thread) => thread.terminate());
    }
};

class LocalDracoLoader extends DRACOLoader {
    async _loadLibrary(path, type) {
        const file = await readFile(path);
        return type === "text" ? file.toString() : file;
    }
}

const three = createRequire(import.meta.url).resolve("three");
const draco = new LocalDracoLoader().setDecoderPath(three.replace(/build\/.*$/, "examples/jsm/libs/draco/gltf/"));
const loader = new GLTFLoader().setDRACOLoader(draco).setMeshoptDecoder(MeshoptDecoder);
loader.register(() => ({ name: "no textures", loadTexture: () => Promise.resolve(null) }));

// The last model: all poses of one come in a row.
let loaded = { model: null, gltf: null };

async function load(model) {
    if (loaded.model !== model) {
        const file = await readFile(model);
        const bytes = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
        loaded = { model, gltf: await loader.parseAsync(bytes, "") };
        loaded.gltf.animations.flatMap((clip) => clip.tracks).forEach(normalize);
    }
    return loaded.gltf;
}

// Rotations in normalized integers are unit quaternions up to a step, which three.js would scale vertices by.
function normalize(track) {
    if (track.ValueTypeName !== "quaternion" || track.getValueSize() !== 4) return;
    for (let key = 0; key < track.values.length; key += 4) {
        new Quaternion().fromArray(track.values, key).normalize().toArray(track.values, key);
    }
}

function play(gltf, clip, time) {
    const mixer = new AnimationMixer(gltf.scene);
    if (clip !== null) {
        const action = mixer.clipAction(gltf.animations.find((own) => own.name === clip));
        action.clampWhenFinished = true;
        action.setLoop(LoopOnce, 1);
        action.play();
        action.time = time;
        mixer.update(0);
    }
    gltf.scene.updateMatrixWorld(true);
    return mixer;
}

function vertices(mesh, worldFromMesh) {
    const positions = [];
    for (let index = 0; index < mesh.geometry.attributes.position.count; index += 1) {
        const vertex = mesh.getVertexPosition(index, new Vector3());
        positions.push(vertex.applyMatrix4(worldFromMesh).toArray());
    }
    return positions;
}

// One list per mesh in the order of the nodes, then one per copy; `null` for a mesh of which three.js blends only the first four
// influences.
function meshes(gltf) {
    const [own, copies] = [[], []];
    gltf.scene.traverse((object) => {
        if (!object.isMesh) return;
        if (object.isSkinnedMesh) object.skeleton.update();
        if (object.geometry.attributes.joints_1) {
            own.push(null);
        } else if (object.isInstancedMesh) {
            const matrix = new Matrix4();
            for (let copy = 0; copy < object.count; copy += 1) {
                object.getMatrixAt(copy, matrix);
                copies.push(vertices(object, matrix.premultiply(object.matrixWorld)));
            }
        } else {
            own.push(vertices(object, object.matrixWorld));
        }
    });
    return [...own, ...copies];
}

for await (const line of createInterface({ input: process.stdin })) {
    const { model, clip, time } = JSON.parse(line);
    const gltf = await load(model);
    const mixer = play(gltf, clip, time);
    const answer = JSON.stringify(meshes(gltf));
    mixer.stopAllAction();
    await new Promise((written) => process.stdout.write(`${answer}\n`, written));
}
draco.dispose();
