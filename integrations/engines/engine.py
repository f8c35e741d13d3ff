#!/usr/bin/env python3
"""An engine for `skincheck laws --exec`: poses glTF rigs with numpy.

    skincheck laws hero.glb --exec 'python3 integrations/engines/engine.py'

With the argument `nlerp` it blends rotations linearly, with `flat` nodes do not follow their parents, with `unscaled` it plays
no scale tracks, with `unbound` it ignores inverse bind matrices, with `undivided` it uses weights as they are: the laws catch each.
With `rows` it answers transforms row by row. With `four` it declares that it uses the four largest influences, and does; with `first`
it declares the same, and uses the first four.
"""
import base64
import json
import sys

import numpy as np

KINDS = {5120: np.int8, 5121: np.uint8, 5122: np.int16, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}
NLERP = "nlerp" in sys.argv[1:]
FLAT = "flat" in sys.argv[1:]
UNSCALED = "unscaled" in sys.argv[1:]
UNBOUND = "unbound" in sys.argv[1:]
UNDIVIDED = "undivided" in sys.argv[1:]
ROWS = "rows" in sys.argv[1:]
FOUR = "four" in sys.argv[1:]
FIRST = "first" in sys.argv[1:]


def rows(gltf, buffers, part, kind, count, width):
    """The rows of a part of an accessor: its own, or those of its sparse indices or values."""
    view = gltf["bufferViews"][part["bufferView"]]
    start = view.get("byteOffset", 0) + part.get("byteOffset", 0)
    size = np.dtype(kind).itemsize
    stride = view.get("byteStride", width * size)
    return np.ndarray((count, width), kind, buffers[view["buffer"]], start, (stride, size))


def accessor(gltf, buffers, index):
    """The numbers of an accessor, one row per element."""
    accessor = gltf["accessors"][index]
    kind, width = KINDS[accessor["componentType"]], WIDTHS[accessor["type"]]
    numbers = np.zeros((accessor["count"], width), kind)
    if "bufferView" in accessor:
        numbers = rows(gltf, buffers, accessor, kind, accessor["count"], width).copy()
    if "sparse" in accessor:
        sparse = accessor["sparse"]
        indices = rows(gltf, buffers, sparse["indices"], KINDS[sparse["indices"]["componentType"]], sparse["count"], 1)
        numbers[indices[:, 0]] = rows(gltf, buffers, sparse["values"], kind, sparse["count"], width)
    numbers = numbers.astype(np.float64)
    if accessor.get("normalized"):
        numbers = np.maximum(numbers / np.iinfo(kind).max, -1)
    return numbers


def slerp(a, b, t):
    if a @ b < 0:
        b = -b
    angle = np.arccos(min(a @ b, 1.0))
    if NLERP or angle < 1e-6:
        q = a * (1 - t) + b * t
    else:
        q = a * np.sin((1 - t) * angle) + b * np.sin(t * angle)
    return q / np.linalg.norm(q)


def sample(gltf, buffers, sampler, time, rotation):
    times = accessor(gltf, buffers, sampler["input"])[:, 0]
    values = accessor(gltf, buffers, sampler["output"])
    return interpolate(times, values, sampler.get("interpolation", "LINEAR"), time, rotation)


def interpolate(times, values, kind, time, rotation):
    cubic = kind == "CUBICSPLINE"
    value = (lambda i: values[3 * i + 1]) if cubic else (lambda i: values[i])
    after = int(np.searchsorted(times, time, side="right"))
    if after == 0 or after == len(times):
        result = value(min(after, len(times) - 1) if after == 0 else len(times) - 1)
    else:
        i, span = after - 1, times[after] - times[after - 1]
        t = (time - times[i]) / span
        if kind == "STEP":
            result = value(i)
        elif cubic:
            leave, arrive = values[3 * i + 2] * span, values[3 * i + 3] * span
            result = (
                value(i) * (2 * t**3 - 3 * t**2 + 1)
                + leave * (t**3 - 2 * t**2 + t)
                + value(i + 1) * (3 * t**2 - 2 * t**3)
                + arrive * (t**3 - t**2)
            )
        elif rotation:
            unit = lambda q: q / np.linalg.norm(q)
            result = slerp(unit(value(i)), unit(value(i + 1)), t)
        else:
            result = value(i) * (1 - t) + value(i + 1) * t
    return result / np.linalg.norm(result) if rotation else result


def sample_weights(gltf, buffers, sampler, time, targets):
    """The weights of a mesh's morph targets: as `sample`, with rows of several numbers."""
    times = accessor(gltf, buffers, sampler["input"])[:, 0]
    values = accessor(gltf, buffers, sampler["output"]).reshape(-1, targets)
    return interpolate(times, values, sampler.get("interpolation", "LINEAR"), time, False)


def matrix(translation, rotation, scale):
    x, y, z, w = rotation
    m = np.eye(4)
    m[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    m[:3, :3] *= scale
    m[:3, 3] = translation
    return m


def worlds(gltf, buffers, clip, time):
    """world_from_node of each node, and the weights that the clip gives to morph targets, by node."""
    nodes = gltf.get("nodes", [])
    driven = {}
    if clip is not None:
        animation = gltf["animations"][clip]
        for channel in animation["channels"]:
            target, sampler = channel["target"], animation["samplers"][channel["sampler"]]
            if target["path"] == "weights":
                mesh = gltf["meshes"][nodes[target["node"]]["mesh"]]
                targets = len(mesh["primitives"][0]["targets"])
                value = sample_weights(gltf, buffers, sampler, time, targets)
            else:
                value = sample(gltf, buffers, sampler, time, target["path"] == "rotation")
            if not (UNSCALED and target["path"] == "scale"):
                driven[target["node"], target["path"]] = value
    result = [None] * len(nodes)

    def visit(index, parent):
        node = nodes[index]
        part = lambda path, rest: driven.get((index, path), np.array(node.get(path, rest), float))
        if "matrix" in node:
            local = np.array(node["matrix"], float).reshape(4, 4).T
        else:
            local = matrix(part("translation", [0, 0, 0]), part("rotation", [0, 0, 0, 1]), part("scale", [1, 1, 1]))
        result[index] = local if FLAT else parent @ local
        for child in node.get("children", []):
            visit(child, result[index])

    for root in gltf["scenes"][0]["nodes"]:
        visit(root, np.eye(4))
    return result, {node: value for (node, path), value in driven.items() if path == "weights"}


def meshes(gltf, buffers, world, weights):
    """The positions and normals of each primitive of each node's mesh."""
    result = []
    for index, node in enumerate(gltf.get("nodes", [])):
        if "mesh" in node:
            mesh = gltf["meshes"][node["mesh"]]
            morphs = weights.get(index, node.get("weights", mesh.get("weights", [])))
            result += [vertices(gltf, buffers, world, node, world[index], primitive, morphs) for primitive in mesh["primitives"]]
    return result


def vertices(gltf, buffers, world, node, of_node, primitive, morphs):
    attributes = primitive["attributes"]
    positions = accessor(gltf, buffers, attributes["POSITION"])
    normals = accessor(gltf, buffers, attributes["NORMAL"]) if "NORMAL" in attributes else np.zeros((0, 3))
    for weight, target in zip(morphs, primitive.get("targets", [])):
        positions = positions + weight * accessor(gltf, buffers, target["POSITION"])
        if "NORMAL" in target:
            normals = normals + weight * accessor(gltf, buffers, target["NORMAL"])
    positions = np.c_[positions, np.ones(len(positions))]
    matrices = np.array([of_node] * len(positions))
    sets = [s for s in range(8) if f"JOINTS_{s}" in attributes]
    if "skin" in node and sets:
        skin = gltf["skins"][node["skin"]]
        binds = [np.eye(4)] * len(skin["joints"])
        if "inverseBindMatrices" in skin and not UNBOUND:
            binds = [bind.T for bind in accessor(gltf, buffers, skin["inverseBindMatrices"]).reshape(-1, 4, 4)]
        palette = np.array([world[joint] @ bind for joint, bind in zip(skin["joints"], binds)])
        joints = np.hstack([accessor(gltf, buffers, attributes[f"JOINTS_{s}"]) for s in sets]).astype(int)
        influences = np.hstack([accessor(gltf, buffers, attributes[f"WEIGHTS_{s}"]) for s in sets])
        if FOUR or FIRST:
            order = np.argsort(influences, axis=1, kind="stable")
            dropped = np.arange(influences.shape[1])[None, 4:].repeat(len(influences), 0) if FIRST else order[:, :-4]
            np.put_along_axis(influences, dropped, 0, axis=1)
        for vertex, sum in enumerate(influences.sum(axis=1)):
            if abs(sum) > np.abs(influences[vertex]).sum() / 1024:
                weights = influences[vertex] / (1 if UNDIVIDED else sum)
                matrices[vertex] = np.tensordot(weights, palette[joints[vertex]], 1)
    moved = np.einsum("nij,nj->ni", matrices, positions)[:, :3]
    across = [unit(np.linalg.pinv(matrix[:3, :3]).T @ normal) for matrix, normal in zip(matrices, normals)]
    return moved.tolist(), [normal.tolist() for normal in across]


def unit(vector):
    length = np.linalg.norm(vector)
    return vector / length if length else vector


for line in sys.stdin:
    request = json.loads(line)
    gltf = request["gltf"]
    buffers = [base64.b64decode(buffer["uri"].split(",", 1)[1]) for buffer in gltf.get("buffers", [])]
    poses = []
    for time in request["times"]:
        world, weights = worlds(gltf, buffers, request["clip"], time)
        shown = meshes(gltf, buffers, world, weights)
        poses.append({
            "nodes": [(w if ROWS else w.T).flatten().tolist() for w in world],
            "meshes": [positions for positions, _ in shown],
            "normals": [normals for _, normals in shown],
        })
    answer = {"id": request["id"], "poses": poses}
    if FOUR or FIRST:
        answer["capabilities"] = {"influences": 4}
    print(json.dumps(answer), flush=True)
