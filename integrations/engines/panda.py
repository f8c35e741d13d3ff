#!/usr/bin/env python3
"""Panda3D with panda3d-gltf as an engine for `skincheck laws --exec`, on the CPU:

    pip install panda3d panda3d-gltf
    skincheck laws hero.glb --exec 'python3 integrations/engines/panda.py'

panda3d-gltf plays clips on the joints of skins and on morph targets only, so the nodes of a rig without a skin become joints. Without
a clip its joints are in the pose of the inverse bind matrices: they are moved to where the nodes are.
"""
import array
import base64
import json
import os
import sys
import tempfile

from panda3d.core import loadPrcFileData

# The axes of glTF.
loadPrcFileData("", "coordinate-system yup-right")

import gltf
from panda3d.core import (
    AnimControlCollection,
    CharacterJoint,
    Filename,
    GeomVertexReader,
    LMatrix4,
    LQuaternion,
    NodePath,
    PandaSystem,
    PartGroup,
    Thread,
    TransformState,
    auto_bind,
    invert,
)

CAPABILITIES = {
    "engine": f"Panda3D {PandaSystem.get_version_string()}, panda3d-gltf {gltf.__version__}",
    "influences": 4,
    "resampled_fps": 30,
    "interpolations": ["step", "linear"],
}

# The loader prints warnings: answers only are for standard output.
answers, sys.stdout = sys.stdout, sys.stderr


def numbers(matrix):
    """Panda multiplies rows, glTF columns: the order in memory is the same."""
    return [matrix.get_cell(row, column) for row in range(4) for column in range(4)]


def joints(part):
    """The joints below a part of a character."""
    if isinstance(part, CharacterJoint):
        yield part
    for child in part.get_children():
        yield from joints(child)


def local(node):
    if "matrix" in node:
        return LMatrix4(*node["matrix"])
    x, y, z, w = node.get("rotation", [0, 0, 0, 1])
    turn = LMatrix4()
    LQuaternion(w, x, y, z).extract_to_matrix(turn)
    scale = LMatrix4.scale_mat(*node.get("scale", [1, 1, 1]))
    return scale * turn * LMatrix4.translate_mat(*node.get("translation", [0, 0, 0]))


def rest(root, characters, document):
    """Moves all joints to where their nodes are."""
    found = {}

    def visit(index, above):
        node = document["nodes"][index]
        found[node["name"]] = local(node) * above
        for child in node.get("children", []):
            visit(child, found[node["name"]])

    for index in document["scenes"][0]["nodes"]:
        visit(index, LMatrix4.ident_mat())

    def freeze(bundle, part, above):
        for child in part.get_children():
            world = above
            if isinstance(child, CharacterJoint):
                world = found[child.name]
                bundle.freeze_joint(child.name, TransformState.make_mat(world * invert(above)))
            freeze(bundle, child, world)

    for character in characters:
        bundle = character.get_bundle(0)
        freeze(bundle, bundle, NodePath(character).get_mat(root))


def global_transforms(root, nodes):
    found = {}
    for character in root.find_all_matches("**/+Character"):
        for joint in joints(character.node().get_bundle(0)):
            net = LMatrix4()
            joint.get_net_transform(net)
            found[joint.name] = net * character.get_mat(root)
    transforms = []
    for node in nodes:
        matrix = found.get(node["name"])
        if matrix is None:
            path = root.find(f"**/{node['name']}")
            if path.is_empty():
                return None
            matrix = path.get_mat(root)
        transforms.append(numbers(matrix))
    return transforms


def positions(root, name):
    """The vertices of a mesh, morphed and skinned."""
    mesh = next(path for path in root.find_all_matches("**/+GeomNode") if path.name == name)
    data = mesh.node().get_geom(0).get_vertex_data().animate_vertices(True, Thread.get_current_thread())
    reader = GeomVertexReader(data, "vertex")
    found = []
    while not reader.is_at_end():
        found.append(list(mesh.get_mat(root).xform_point(reader.get_data3())))
    return found


def with_skin(document):
    """The document with a skin of all its nodes, and a triangle that it moves."""
    positions, joints, weights = array.array("f", [0] * 9), bytes(12), array.array("f", [1, 0, 0, 0] * 3)
    buffers, views, accessors = (list(document.get(name, [])) for name in ("buffers", "bufferViews", "accessors"))
    attributes = {}
    for name, kind, width, data in (
        ("POSITION", 5126, "VEC3", positions.tobytes()),
        ("JOINTS_0", 5121, "VEC4", joints),
        ("WEIGHTS_0", 5126, "VEC4", weights.tobytes()),
    ):
        attributes[name] = len(accessors)
        accessors.append({"bufferView": len(views), "componentType": kind, "type": width, "count": 3})
        views.append({"buffer": len(buffers), "byteLength": len(data)})
        uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
        buffers.append({"byteLength": len(data), "uri": uri})
    count = len(document["nodes"])
    return {
        **document,
        "buffers": buffers,
        "bufferViews": views,
        "accessors": accessors,
        "meshes": [{"name": "skinned", "primitives": [{"attributes": attributes}]}],
        "nodes": [*document["nodes"], {"name": "skinned", "mesh": 0, "skin": 0}],
        "scenes": [{"nodes": [*document["scenes"][0]["nodes"], count]}],
        "skins": [{"joints": list(range(count))}],
    }


def answer(request):
    document = request["gltf"]
    nodes = document["nodes"]
    shown = [document["meshes"][node["mesh"]]["name"] for node in nodes if "mesh" in node]
    if "meshes" not in document:
        document = with_skin(document)
    if request["clip"] is not None and "skins" not in document:
        return {"unsupported": "clips of a rig without a skin"}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rig.gltf")
        with open(path, "w") as file:
            json.dump(document, file)
        try:
            root = NodePath(gltf.load_model(Filename.from_os_specific(path)))
        except IndexError:
            return {"unsupported": "a track that ends before its clip does"}
    controls = AnimControlCollection()
    auto_bind(root.node(), controls, PartGroup.HMF_ok_wrong_root_name)
    characters = [path.node() for path in root.find_all_matches("**/+Character")]
    if request["clip"] is None:
        rest(root, characters, document)
    poses = []
    for time in request["times"]:
        for index in range(controls.get_num_anims()):
            control = controls.get_anim(index)
            # Frames outside of the clip are those of its repetition, so the first and the last frame are held here.
            control.pose(min(max(time * control.frame_rate, 0), control.get_num_frames() - 1))
        for character in characters:
            character.get_bundle(0).set_frame_blend_flag(True)
            character.force_update()
        transforms = global_transforms(root, nodes)
        if transforms is None:
            return {"unsupported": "the loader drops a node"}
        poses.append({"nodes": transforms, "meshes": [positions(root, mesh) for mesh in shown]})
    return {"poses": poses}


if __name__ == "__main__":
    for line in sys.stdin:
        request = json.loads(line)
        reply = {"id": request["id"], "capabilities": CAPABILITIES, **answer(request)}
        print(json.dumps(reply), file=answers, flush=True)
