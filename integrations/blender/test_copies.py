"""Imports models and their repaired copies, and compares joints and vertices: nothing is elsewhere but what the proof names.

    python test_copies.py path/to/skincheck
"""

import os
import sys
import tempfile

import bpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "compression"))
from copies import ALIKE, copies, most_moved, moved, repaired  # noqa: E402

# Of a joint that a vertex names twice, Blender keeps one weight.
SAME = ALIKE - {"W109"}


def poses(model):
    """The joints and the vertices in world space at some frames; `None` if Blender cannot read the model."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    try:
        bpy.ops.import_scene.gltf(filepath=str(model))
    except RuntimeError:
        return None
    found = []
    scene = bpy.context.scene
    for frame in (0, 5, 12):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        joints, points = [], []
        for own in sorted(bpy.data.objects, key=lambda own: own.name):
            if own.type == "ARMATURE":
                heads = (own.matrix_world @ bone.head for bone in own.pose.bones)
                joints += [tuple(head) for head in heads]
            elif own.type == "MESH":
                evaluated = own.evaluated_get(graph)
                points += [tuple(own.matrix_world @ vertex.co) for vertex in evaluated.data.vertices]
        found.append((joints, points))
    return found


def wrong(model, copy, proof):
    """What is wrong with a copy, if anything; and whether Blender has read the model."""
    before = poses(model)
    if before is None:
        return None, False
    after = poses(copy)
    if after is None:
        return "Blender cannot read the copy", True
    if repaired(proof) <= SAME:
        for (joints, points), (other_joints, other_points) in zip(before, after):
            if moved(joints, other_joints) > 0:
                return "a joint moved", True
            worst = moved(points, other_points)
            if worst > most_moved(proof):
                return f"{worst} vertices moved in Blender, proved: {proof['proved']}", True
    return None, True


def main(skincheck):
    failures, read = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for model, copy, proof in copies(skincheck, folder):
            failure, is_read = wrong(model, copy, proof)
            read += is_read
            if failure:
                failures.append(f"{model} ({', '.join(sorted(repaired(proof)))}): {failure}")
    print(f"copies: {read} read by Blender {bpy.app.version_string}", *failures, sep="\n")
    sys.exit(1 if failures or read < 15 else 0)


main(sys.argv[1])
