// Compresses the textures of a model with the encoder of Basis Universal, and decodes them with its transcoder.
//
//     node textures.mjs MODEL OUT      # writes OUT.MODE.glb with KTX textures, and OUT.MODE.plain.glb with PNG

import { NodeIO } from "@gltf-transform/core";
import { ALL_EXTENSIONS } from "@gltf-transform/extensions";
import { ktx2 } from "ktx2-encoder/gltf-transform";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import sharp from "sharp";

const MODES = {
    etc1s: { isUASTC: false, generateMipmap: false },
    "etc1s-mips": { isUASTC: false, generateMipmap: true },
    uastc: { isUASTC: true, generateMipmap: false, needSupercompression: false },
    "uastc-zstd": { isUASTC: true, generateMipmap: true, needSupercompression: true },
};
const RGBA32 = 13;

const [model, out] = process.argv.slice(2);
const io = new NodeIO().registerExtensions(ALL_EXTENSIONS);
const load = createRequire(import.meta.url);
const wasmBinary = readFileSync("node_modules/three/examples/jsm/libs/basis/basis_transcoder.wasm");
const basis = await load("./basis_transcoder.cjs")({ wasmBinary });
basis.initializeBasis();

const imageDecoder = async (file) => {
    const { data, info } = await sharp(file).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    return { data: new Uint8Array(data), width: info.width, height: info.height };
};

function texels(file) {
    const texture = new basis.KTX2File(file);
    const [width, height] = [texture.getWidth(), texture.getHeight()];
    const data = new Uint8Array(texture.getImageTranscodedSizeInBytes(0, 0, 0, RGBA32));
    if (!texture.startTranscoding() || !texture.transcodeImage(data, 0, 0, 0, RGBA32, 0, -1, -1)) {
        throw new Error("the transcoder refuses the encoder's file");
    }
    texture.delete();
    return sharp(data, { raw: { width, height, channels: 4 } }).png().toBuffer();
}

for (const [mode, options] of Object.entries(MODES)) {
    const document = await io.read(model);
    await document.transform(ktx2({ ...options, enableDebug: false, imageDecoder }));
    await io.write(`${out}.${mode}.glb`, document);
    for (const texture of document.getRoot().listTextures()) {
        const png = await texels(texture.getImage());
        texture.setMimeType("image/png").setImage(new Uint8Array(png));
    }
    const extensions = document.getRoot().listExtensionsUsed();
    extensions.find((own) => own.extensionName === "KHR_texture_basisu").dispose();
    await io.write(`${out}.${mode}.plain.glb`, document);
}
