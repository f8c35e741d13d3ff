#!/usr/bin/env python3
"""Panda3D with panda3d-gltf as an engine for `skincheck laws --exec`, on the CPU:

    pip install panda3d panda3d-gltf
    skincheck laws hero.glb --exec 'python3 integrations/engines/panda.py'

panda3d-gltf plays clips on the joints of skins and on morph targets only, so clips of a rig without a skin are unsupported.
"""
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
    NodePath,
    PandaSystem,
    PartGroup,
    Thread,
    auto_bind,
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


def answer(request):
    document = request["gltf"]
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
    poses = []
    for time in request["times"]:
        for index in range(controls.get_num_anims()):
            control = controls.get_anim(index)
            control.pose(time * control.frame_rate)
        for character in characters:
            character.get_bundle(0).set_frame_blend_flag(True)
            character.force_update()
        nodes = global_transforms(root, document.get("nodes", []))
        if nodes is None:
            return {"unsupported": "the loader drops a node"}
        meshes = [document["meshes"][node["mesh"]]["name"] for node in document["nodes"] if "mesh" in node]
        poses.append({"nodes": nodes, "meshes": [positions(root, mesh) for mesh in meshes]})
    return {"poses": poses}


for line in sys.stdin:
    request = json.loads(line)
    reply = {"id": request["id"], "capabilities": CAPABILITIES, **answer(request)}
    print(json.dumps(reply), file=answers, flush=True)
