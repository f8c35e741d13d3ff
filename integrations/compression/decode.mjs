// Decodes compressed glTF files with the decoders of meshoptimizer and Draco for JavaScript, and writes them uncompressed.
//
//     node decode.mjs FOLDER      # each NAME.MODE.glb becomes NAME.MODE.plain.glb

import { NodeIO } from "@gltf-transform/core";
import { ALL_EXTENSIONS } from "@gltf-transform/extensions";
import draco3d from "draco3dgltf";
import { MeshoptDecoder } from "meshoptimizer";
import { readdirSync } from "node:fs";
import { join } from "node:path";

const CODECS = ["EXT_meshopt_compression", "KHR_draco_mesh_compression"];

await MeshoptDecoder.ready;
const io = new NodeIO().registerExtensions(ALL_EXTENSIONS).registerDependencies({
    "draco3d.decoder": await draco3d.createDecoderModule(),
    "meshopt.decoder": MeshoptDecoder,
});
const folder = process.argv[2];
for (const name of readdirSync(folder)) {
    if (!name.endsWith(".glb") || name.endsWith(".plain.glb")) continue;
    // The library does not know the newer name of the same streams.
    const { json, resources } = await io.readAsJSON(join(folder, name));
    const renamed = JSON.stringify(json).replaceAll("KHR_meshopt", "EXT_meshopt");
    const document = await io.readJSON({ json: JSON.parse(renamed), resources });
    const root = document.getRoot();
    const codecs = root.listExtensionsUsed().filter((own) => CODECS.includes(own.extensionName));
    for (const codec of codecs) codec.dispose();
    // A GLB has one buffer.
    const [buffer, ...others] = root.listBuffers();
    for (const accessor of root.listAccessors()) accessor.setBuffer(buffer);
    for (const other of others) other.dispose();
    await io.write(join(folder, name.replace(/glb$/, "plain.glb")), document);
}
