#!/usr/bin/env python3
"""raylib as an engine for `skincheck laws --exec`, skinning on the CPU, without a display:

    pip install raylib_software
    skincheck laws hero.glb --exec 'python3 integrations/engines/raylib_engine.py'

raylib keeps no nodes but the joints of the first skin, so nodes are those of a copy of the document in which every node is a joint.
It skins in clips only, and ignores the matrix of a joint there: a rig at rest is posed by a clip in which nothing moves, and matrices
become translations, rotations and scales.
"""
import json
import math
import os
import sys
import tempfile

# SDL's driver without a display.
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
# The library's log goes to standard output: answers only are for that.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

import pyray
import raylib

FPS = 60
CAPABILITIES = {
    "engine": f"raylib {raylib.RAYLIB_VERSION}",
    "influences": 4,
    "resampled_fps": FPS,
    "morphs": False,
    "normalizes": False,
}

pyray.set_trace_log_level(raylib.LOG_ERROR)
pyray.init_window(16, 16, "skincheck")


# A time and a translation, both 0.
ZEROS = "data:application/octet-stream;base64," + "A" * 16


def still(document):
    """The document with a clip in which nothing moves."""
    buffers, views, accessors = (document.get(list, []) for list in ("buffers", "bufferViews", "accessors"))
    view, accessor = len(views), len(accessors)
    numbers = {"bufferView": view, "componentType": 5126, "count": 1}
    accessors = [*accessors, {**numbers, "type": "SCALAR", "min": [0], "max": [0]}, {**numbers, "type": "VEC3"}]
    nodes = [*document["nodes"], {"name": "still"}]
    target = {"node": len(nodes) - 1, "path": "translation"}
    clip = {"channels": [{"sampler": 0, "target": target}], "samplers": [{"input": accessor, "output": accessor + 1}]}
    return {
        **document,
        "buffers": [*buffers, {"byteLength": 12, "uri": ZEROS}],
        "bufferViews": [*views, {"buffer": len(buffers), "byteLength": 12}],
        "accessors": accessors,
        "nodes": nodes,
        "animations": [clip],
    }


class Sheared(Exception):
    """A matrix is no product of a translation, a rotation and a scale."""


def parts(node):
    """The node with parts instead of a matrix."""
    if "matrix" not in node:
        return node
    rest = {key: value for key, value in node.items() if key != "matrix"}
    m = node["matrix"]
    axes = [m[0:3], m[4:7], m[8:11]]
    scale = [math.hypot(*axis) for axis in axes]
    dot = lambda a, b: sum(x * y for x, y in zip(a, b))
    if min(scale) == 0 or any(abs(dot(axes[i], axes[j])) > 1e-6 * scale[i] * scale[j] for i, j in ((0, 1), (0, 2), (1, 2))):
        raise Sheared
    (a, b, c), (d, e, f), (g, h, i) = axes
    if a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0:
        scale[0] = -scale[0]
    (a, b, c), (d, e, f), (g, h, i) = ([entry / size for entry in axis] for axis, size in zip(axes, scale))
    # Each row is the quaternion (x, y, z, w), scaled by four times one of its components.
    rows = (
        [1 + a - e - i, b + d, c + g, f - h],
        [b + d, 1 - a + e - i, f + h, g - c],
        [c + g, f + h, 1 - a - e + i, b - d],
        [f - h, g - c, b - d, 1 + a + e + i],
    )
    longest = max(rows, key=lambda row: math.hypot(*row))
    rotation = [component / math.hypot(*longest) for component in longest]
    return {**rest, "translation": m[12:15], "rotation": rotation, "scale": scale}


def of_joints(document):
    """The nodes and clips of a document, with a skin of all nodes instead of its meshes."""
    plain = lambda node: {key: value for key, value in node.items() if key not in ("mesh", "skin", "weights")}
    nodes = [plain(node) for node in document["nodes"]]
    copy = {key: value for key, value in document.items() if key != "meshes"}
    return {**copy, "nodes": nodes, "skins": [{"joints": list(range(len(nodes)))}]}


def trs(transform):
    """The matrix of a raylib transform, column by column."""
    t, r, s = transform.translation, transform.rotation, transform.scale
    x, y, z, w = r.x, r.y, r.z, r.w
    axes = [
        [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
        [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
        [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
    ]
    columns = [[scale * entry for entry in axis] + [0] for axis, scale in zip(axes, (s.x, s.y, s.z))]
    return [*columns[0], *columns[1], *columns[2], t.x, t.y, t.z, 1]


class Loaded:
    """A document in raylib."""

    def __init__(self, document):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rig.gltf")
            with open(path, "w") as file:
                json.dump(document, file)
            self.model = pyray.load_model(path)
            self.count = pyray.ffi.new("int *")
            self.clips = pyray.load_model_animations(path, self.count)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pyray.unload_model_animations(self.clips, self.count[0])
        pyray.unload_model(self.model)

    def pose(self, clip, time):
        if self.count[0] > 0:
            # The player repeats clips, so the last frame is held here.
            frame = min(max(time * FPS, 0), self.clips[clip].keyframeCount - 1)
            pyray.update_model_animation(self.model, self.clips[clip], frame)

    def joints(self, count):
        return [trs(self.model.currentPose[joint]) for joint in range(count)]

    def positions(self):
        """Of each mesh."""
        found = []
        for index in range(self.model.meshCount):
            mesh = self.model.meshes[index]
            numbers = mesh.vertices if mesh.animVertices == pyray.ffi.NULL else mesh.animVertices
            found.append([[numbers[3 * vertex + axis] for axis in range(3)] for vertex in range(mesh.vertexCount)])
        return found


def poses(document, clip, times):
    count = len(document["nodes"])
    document = {**document, "nodes": [parts(node) for node in document["nodes"]]}
    if clip is None:
        document, clip = still(document), 0
    with Loaded(of_joints(document)) as joints, Loaded(document) as model:
        for time in times:
            for loaded in (joints, model):
                loaded.pose(clip, time)
            yield {"nodes": joints.joints(count), "meshes": model.positions()}


def answer(request):
    try:
        return {"poses": list(poses(request["gltf"], request["clip"], request["times"]))}
    except Sheared:
        return {"unsupported": "a matrix with shear"}


if __name__ == "__main__":
    for line in sys.stdin:
        request = json.loads(line)
        reply = {"id": request["id"], "capabilities": CAPABILITIES, **answer(request)}
        print(json.dumps(reply), file=answers, flush=True)
