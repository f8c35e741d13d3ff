"""Compares `--skinning dual-quaternion` with Blender's Armature modifier with "Preserve Volume", vertex by vertex.

    python test_dual_quaternions.py path/to/skincheck
"""

import json
import math
import os
import subprocess
import sys
import tempfile

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from rigs import armature, link, skin, tube_mesh  # noqa: E402

BONES = ["Hips", "Spine", "Head"]
# In parts of the length of the rig, 3: Blender computes in f32.
TOLERANCE = 2e-6


def build():
    """A tube of three bones whose weights overlap."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    above = [None, *BONES]
    rig = armature([
        (name, above[index], (0, 0, index), (0.1 * index, 0, index + 1), 0.3 * index) for index, name in enumerate(BONES)
    ])
    mesh = tube_mesh("Body", rings=25, sides=12)
    mesh.shade_smooth()
    body = link("Body", mesh, rig)
    skin(body, rig, lambda index, z: max(0.0, 1.5 - abs(z - index - 0.5)), BONES)
    body.modifiers["Armature"].use_deform_preserve_volume = True
    return rig, body


def pose(rig, turns, scales):
    """Turns bones, by axis and degrees, and scales them along their own axes."""
    for name in BONES:
        bone = rig.pose.bones[name]
        bone.rotation_mode = "AXIS_ANGLE"
        x, y, z, degrees = turns.get(name, (0, 1, 0, 0))
        length = math.sqrt(x * x + y * y + z * z)
        bone.rotation_axis_angle = (math.radians(degrees), x / length, y / length, z / length)
        bone.scale = scales.get(name, (1, 1, 1))
        bone.keyframe_insert("rotation_axis_angle", frame=0)
        bone.keyframe_insert("scale", frame=0)


def evaluated(body):
    """World positions of the deformed vertices, +Y up."""
    evaluated = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
    places = [evaluated.matrix_world @ vertex.co for vertex in evaluated.to_mesh().vertices]
    return [(p.x, p.z, -p.y) for p in places]


def baked(skincheck, path, *arguments):
    command = [skincheck, "bake", path, "-o", "-", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    [mesh] = json.loads(done.stdout)["meshes"]
    return mesh["positions"]


def worst(skincheck, method, turns, scales):
    """The largest distance between skincheck's vertices and Blender's."""
    rig, body = build()
    stored = [(v.co.x, v.co.z, -v.co.y) for v in body.data.vertices]
    pose(rig, turns, scales)
    bpy.context.scene.frame_set(0)
    expected = evaluated(body)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rig.glb")
        bpy.ops.export_scene.gltf(filepath=path, export_animations=True, export_force_sampling=True)
        bound = baked(skincheck, path, "--pose", "bind")
        found = baked(skincheck, path, "--time", "0", "--skinning", method)
    # The exporter may split and reorder vertices: each is found by where it was bound.
    index = {tuple(round(x, 4) for x in place): vertex for vertex, place in enumerate(stored)}
    vertices = [index[tuple(round(x, 4) for x in place)] for place in bound]
    assert len(set(vertices)) == len(stored)
    return max(math.dist(place, expected[vertex]) for vertex, place in zip(vertices, found))


CASES = {
    "a bend": ({"Spine": (1, 0, 0, 80), "Head": (1, 0, 0, 60)}, {}),
    "a twist": ({"Spine": (0, 1, 0, 120), "Head": (0, 1, 0, 50)}, {}),
    "a twist beyond half a turn": ({"Spine": (0, 1, 0, 100), "Head": (0, 1, 0, 100)}, {}),
    "bends and twists": ({"Hips": (1, 2, 3, 40), "Spine": (1, 1, 0, 100), "Head": (0, 1, 1, -70)}, {}),
    "a joint scaled evenly": ({"Spine": (1, 0, 0, 80)}, {"Head": (1.5, 1.5, 1.5)}),
    "a joint stretched": ({"Head": (1, 0, 0, 80)}, {"Head": (0.7, 1.6, 0.7)}),
    "the whole rig scaled": ({"Spine": (1, 0, 0, 80)}, {"Hips": (2, 2, 2)}),
}


def main(skincheck):
    for name, (turns, scales) in CASES.items():
        off = worst(skincheck, "dual-quaternion", turns, scales) / 3
        linear = worst(skincheck, "linear", turns, scales) / 3
        print(f"{name}: {off:.1e}, blended linearly {linear:.1e}")
        assert off < TOLERANCE, name
        # What is compared sees the difference.
        assert linear > 100 * TOLERANCE, name


main(os.path.realpath(sys.argv[1]))
