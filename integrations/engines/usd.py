#!/usr/bin/env python3
"""UsdSkel of OpenUSD as an engine for `skincheck laws --exec`:

    pip install usd-core numpy
    skincheck laws hero.glb --exec 'python3 integrations/engines/usd.py'

USD reads no glTF, so each document becomes a stage: all nodes are the joints of a skeleton, one skeleton for each skin, because a
skeleton holds the bind pose. A mesh without a skin has one joint, its node. USD interpolates all joints between the same times and by one
rule per stage, so keys at other times are added on the tracks, and documents whose tracks both step and are linear are unsupported.
"""
import base64
import json
import sys

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom, UsdSkel, Vt

CAPABILITIES = {
    "engine": f"OpenUSD {'.'.join(map(str, Usd.GetVersion()))}",
    "interpolations": ["step", "linear"],
    "morphs": False,
    "normalizes": False,
}
KINDS = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}
PARTS = {"translation": [0, 0, 0], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1]}


class Unsupported(Exception):
    """What UsdSkel cannot say."""


class Document:
    def __init__(self, gltf):
        self.gltf = gltf
        self.nodes = gltf["nodes"]
        buffers = gltf.get("buffers", [])
        self.buffer = base64.b64decode(buffers[0]["uri"].split(",", 1)[1]) if buffers else b""
        self.parents = {child: index for index, node in enumerate(self.nodes) for child in node.get("children", [])}

    def accessor(self, index):
        """Its numbers, one row per element."""
        accessor = self.gltf["accessors"][index]
        start = self.gltf["bufferViews"][accessor["bufferView"]].get("byteOffset", 0)
        width = WIDTHS[accessor["type"]]
        count = accessor["count"] * width
        return np.frombuffer(self.buffer, KINDS[accessor["componentType"]], count, start).reshape(-1, width)

    def path(self, index):
        """The path of a node as a joint."""
        own = f"n{index}"
        return f"{self.path(self.parents[index])}/{own}" if index in self.parents else own


def local(node):
    """USD multiplies rows, glTF columns: the order of a matrix in memory is the same."""
    if "matrix" in node:
        return Gf.Matrix4d(*node["matrix"])
    x, y, z, w = node.get("rotation", PARTS["rotation"])
    matrix = Gf.Matrix4d().SetScale(Gf.Vec3d(*node.get("scale", PARTS["scale"])))
    matrix *= Gf.Matrix4d().SetRotate(Gf.Quatd(w, x, y, z))
    return matrix * Gf.Matrix4d().SetTranslate(Gf.Vec3d(*node.get("translation", PARTS["translation"])))


def value(path, row):
    numbers = [float(number) for number in row]
    if path == "rotation":
        return Gf.Quatf(numbers[3], *numbers[:3])
    return Gf.Vec3f(*numbers) if path == "translation" else Gf.Vec3h(*numbers)


def between(path, times, rows, steps, time):
    """A track at a time between the keys of another."""
    after = int(np.searchsorted(times, time, side="right"))
    before = max(after - 1, 0)
    if after in (0, len(times)) or steps:
        return value(path, rows[before])
    phase = float((time - times[before]) / (times[after] - times[before]))
    if path == "rotation":
        a, b = (Gf.Quatd(float(w), float(x), float(y), float(z)) for x, y, z, w in rows[before : after + 1])
        return Gf.Quatf(Gf.Slerp(phase, a, b))
    return value(path, rows[before] * (1 - phase) + rows[after] * phase)


def animate(stage, document, clip):
    """The clip as an animation of the joints that it drives."""
    animation = document.gltf["animations"][clip]
    tracks, kinds = {}, set()
    for channel in animation["channels"]:
        sampler, target = animation["samplers"][channel["sampler"]], channel["target"]
        times = document.accessor(sampler["input"])[:, 0].astype(np.float64)
        if len(times) > 1:
            kinds.add(sampler.get("interpolation", "LINEAR"))
        tracks[target["node"], target["path"]] = times, document.accessor(sampler["output"]).astype(np.float64)
    if len(kinds) > 1:
        raise Unsupported("tracks that step and others that do not")
    steps = kinds == {"STEP"}
    stage.SetInterpolationType(Usd.InterpolationTypeHeld if steps else Usd.InterpolationTypeLinear)
    driven = sorted({node for node, _ in tracks})
    skel = UsdSkel.Animation.Define(stage, "/root/clip")
    skel.CreateJointsAttr([document.path(node) for node in driven])
    attributes = {
        "translation": (skel.CreateTranslationsAttr(), Vt.Vec3fArray),
        "rotation": (skel.CreateRotationsAttr(), Vt.QuatfArray),
        "scale": (skel.CreateScalesAttr(), Vt.Vec3hArray),
    }
    for path, (attribute, array) in attributes.items():
        own = {node: tracks[node, path] for node in driven if (node, path) in tracks}
        rest = {node: value(path, document.nodes[node].get(path, PARTS[path])) for node in driven}
        for time in sorted({time for times, _ in own.values() for time in times}) or [Usd.TimeCode.Default()]:
            at = lambda node: between(path, *own[node], steps, time) if node in own else rest[node]
            attribute.Set(array([at(node) for node in driven]), time)
    return skel


def skeletons(stage, document, animation):
    """A skeleton per skin, and one for the nodes."""
    paths = [document.path(index) for index in range(len(document.nodes))]
    for number, skin in enumerate([*document.gltf.get("skins", []), None]):
        skeleton = UsdSkel.Skeleton.Define(stage, f"/root/skeleton{number}")
        skeleton.CreateJointsAttr(paths)
        skeleton.CreateRestTransformsAttr(Vt.Matrix4dArray([local(node) for node in document.nodes]))
        binds = [Gf.Matrix4d(1)] * len(paths)
        if skin:
            for joint, matrix in zip(skin["joints"], document.accessor(skin["inverseBindMatrices"])):
                binds[joint] = Gf.Matrix4d(*map(float, matrix)).GetInverse()
        skeleton.CreateBindTransformsAttr(Vt.Matrix4dArray(binds))
        if animation:
            UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets([animation.GetPath()])
        yield skeleton


def add_mesh(stage, document, index, skeletons):
    node = document.nodes[index]
    primitive = document.gltf["meshes"][node["mesh"]]["primitives"][0]
    attributes = primitive["attributes"]
    points = document.accessor(attributes["POSITION"])
    mesh = UsdGeom.Mesh.Define(stage, f"/root/mesh{index}")
    mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(points))
    binding = UsdSkel.BindingAPI.Apply(mesh.GetPrim())
    binding.CreateGeomBindTransformAttr(Gf.Matrix4d(1))
    sets = [number for number in range(8) if f"JOINTS_{number}" in attributes]
    if "skin" in node and sets:
        skin = document.gltf["skins"][node["skin"]]
        joints = np.hstack([document.accessor(attributes[f"JOINTS_{number}"]) for number in sets])
        weights = np.hstack([document.accessor(attributes[f"WEIGHTS_{number}"]) for number in sets])
        names, skeleton = [document.path(joint) for joint in skin["joints"]], skeletons[node["skin"]]
    else:
        joints, weights = np.zeros((len(points), 1)), np.ones((len(points), 1))
        names, skeleton = [document.path(index)], skeletons[-1]
    count = joints.shape[1]
    binding.CreateJointsAttr(names)
    binding.CreateJointIndicesPrimvar(False, count).Set(Vt.IntArray.FromNumpy(joints.astype(np.int32).ravel()))
    binding.CreateJointWeightsPrimvar(False, count).Set(Vt.FloatArray.FromNumpy(weights.astype(np.float32).ravel()))
    binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
    return mesh


def poses(request):
    document = Document(request["gltf"])
    stage = Usd.Stage.CreateInMemory()
    root = UsdSkel.Root.Define(stage, "/root")
    animation = None if request["clip"] is None else animate(stage, document, request["clip"])
    all_skeletons = list(skeletons(stage, document, animation))
    meshes = [
        add_mesh(stage, document, index, all_skeletons)
        for index, node in enumerate(document.nodes)
        if "mesh" in node
    ]
    cache = UsdSkel.Cache()
    cache.Populate(root, Usd.PrimDefaultPredicate)
    for time in request["times"]:
        joints = cache.GetSkelQuery(all_skeletons[-1]).ComputeJointSkelTransforms(time)
        skinned = []
        for mesh in meshes:
            binding = UsdSkel.BindingAPI(mesh.GetPrim())
            skeleton = UsdSkel.Skeleton(stage.GetPrimAtPath(binding.GetSkeletonRel().GetTargets()[0]))
            transforms = cache.GetSkelQuery(skeleton).ComputeSkinningTransforms(time)
            points = Vt.Vec3fArray(mesh.GetPointsAttr().Get())
            if not cache.GetSkinningQuery(mesh.GetPrim()).ComputeSkinnedPoints(transforms, points, time):
                raise Unsupported("ComputeSkinnedPoints failed")
            skinned.append(np.array(points).tolist())
        yield {"nodes": [np.array(joint).ravel().tolist() for joint in joints], "meshes": skinned}


def answer(request):
    try:
        return {"poses": list(poses(request))}
    except Unsupported as reason:
        return {"unsupported": str(reason)}


if __name__ == "__main__":
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps({"id": request["id"], "capabilities": CAPABILITIES, **answer(request)}), flush=True)
