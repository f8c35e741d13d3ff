"""Poses models with the adapters of ../engines that are written in Python: panda and raylib_engine.

    python3 posed.py ADAPTER

Answers each line {"model", "clip", "time"} with the world positions of the model's only mesh, as {"positions"} or {"error"}.
"""

import base64
import importlib
import json
import os
import sys
from pathlib import Path
from urllib.parse import unquote

sys.path.insert(0, str(Path(__file__).parent.parent / "engines"))

BINARY_CHUNK = 0x004E4942


def uri(data):
    return "data:application/octet-stream;base64," + base64.b64encode(data).decode()


def read(path):
    """The JSON of a glTF file with its buffers inside, without images. Nodes and meshes get names of their own."""
    data = Path(path).read_bytes()
    chunks = {}
    if data[:4] == b"glTF":
        at = 12
        while at < len(data):
            size, kind = int.from_bytes(data[at : at + 4], "little"), int.from_bytes(data[at + 4 : at + 8], "little")
            chunks[kind] = data[at + 8 : at + 8 + size]
            at += 8 + size
        data = next(iter(chunks.values()))
    gltf = json.loads(data)
    for buffer in gltf.get("buffers", []):
        if "uri" not in buffer:
            buffer["uri"] = uri(chunks[BINARY_CHUNK])
        elif not buffer["uri"].startswith("data:"):
            buffer["uri"] = uri((Path(path).parent / unquote(buffer["uri"])).read_bytes())
    for name in ("images", "textures", "samplers", "materials"):
        gltf.pop(name, None)
    for primitive in gltf["meshes"][0]["primitives"]:
        primitive.pop("material", None)
    for what in ("nodes", "meshes"):
        for index, item in enumerate(gltf[what]):
            item["name"] = f"{what} {index}"
    return gltf


def main(adapter):
    # Libraries print to standard output.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    engine = importlib.import_module(adapter)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = engine.answer({"gltf": read(request["model"]), "clip": request["clip"], "times": [request["time"]]})
            reply = {"positions": answer["poses"][0]["meshes"][0]} if "poses" in answer else {"error": answer["unsupported"]}
        except Exception as error:
            reply = {"error": repr(error)}
        print(json.dumps(reply), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
