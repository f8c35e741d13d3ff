"""Builds a rig in bpy, writes its reference, exports it, and compares the two with `skincheck diff`.

    python test_reference.py path/to/skincheck
"""

import json
import math
import os
import subprocess
import sys
import tempfile

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import skincheck_reference  # noqa: E402


def build(roll=0.0):
    """A bending tube of three bones with blended weights, animated over a second."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    data = bpy.data.armatures.new("Rig")
    rig = bpy.data.objects.new("Rig", data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    parent = None
    for index, name in enumerate(["Hips", "Spine", "Head"]):
        bone = data.edit_bones.new(name)
        bone.head, bone.tail, bone.roll = (0, 0, index), (0, 0, index + 1), roll
        bone.parent = parent
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")

    rings, sides = 13, 8
    points, faces = [], []
    for ring in range(rings):
        for side in range(sides):
            angle = 2 * math.pi * side / sides
            # Not round, so that every vertex is somewhere else than its mirror image.
            radius = 0.3 + 0.05 * math.cos(angle + 0.3) + 0.01 * ring
            points.append((radius * math.cos(angle), radius * math.sin(angle), 3 * ring / (rings - 1)))
    for ring in range(rings - 1):
        for side in range(sides):
            a, b = ring * sides + side, ring * sides + (side + 1) % sides
            faces.append((a, b, b + sides, a + sides))
    mesh = bpy.data.meshes.new("Body")
    mesh.from_pydata(points, [], faces)
    body = bpy.data.objects.new("Body", mesh)
    bpy.context.scene.collection.objects.link(body)
    for index, name in enumerate(["Hips", "Spine", "Head"]):
        group = body.vertex_groups.new(name=name)
        for vertex, (_, _, z) in enumerate(points):
            weight = max(0.0, 1.0 - abs(z - index - 0.5))
            if (index, z < 0.5) == (0, True) or (index, z > 2.5) == (2, True):
                weight = 1.0
            if weight > 0.0:
                group.add([vertex], weight, "REPLACE")
    body.parent = rig
    body.modifiers.new("Armature", "ARMATURE").object = rig

    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = 24, 0, 24
    for frame in range(25):
        for name, size in [("Hips", 10), ("Spine", 25), ("Head", -30)]:
            bone = rig.pose.bones[name]
            bone.rotation_mode = "QUATERNION"
            angle = math.radians(size) * math.sin(2 * math.pi * frame / 24)
            bone.rotation_quaternion = (math.cos(angle / 2), math.sin(angle / 2), 0, 0)
            bone.keyframe_insert("rotation_quaternion", frame=frame)
    rig.animation_data.action.name = "Sway"


def export(path, **options):
    if path.endswith(".glb"):
        bpy.ops.export_scene.gltf(filepath=path, **options)
    elif path.endswith(".fbx"):
        bpy.ops.export_scene.fbx(filepath=path, **options)


def diff(skincheck, before, after, *options):
    command = [skincheck, "diff", before, after, "--json", "-q", *options]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode in (0, 1), run.stderr
    report = json.loads(run.stdout)
    told = [f"{f['kind']}: {f['message']}" for f in report["findings"] if f["difference"]]
    return report, told


def main(skincheck):
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        reference = os.path.join(folder, "scene.skref")
        for name, roll, extension, options in [
            ("glTF", 0.0, "glb", {}),
            ("glTF, bones rolled", 1.0, "glb", {}),
            ("FBX", 0.0, "fbx", {"add_leaf_bones": False}),
            ("FBX, bones rolled", 1.0, "fbx", {"add_leaf_bones": False}),
        ]:
            build(roll)
            skincheck_reference.write(reference, clip="Sway")
            model = os.path.join(folder, "scene." + extension)
            export(model, **options)
            report, told = diff(skincheck, reference, model)
            largest = max(take["max"] for take in report["takes"]) / report["diagonal"]
            print(f"{name}: {largest:.1e} of the diagonal {told}")
            if told or not report["takes"] or report["matched"]["vertices_before"] == 0:
                failures.append(name)
        # An export of another motion is told from the scene's own.
        bpy.data.objects["Rig"].pose.bones["Head"].constraints.new("LIMIT_ROTATION").use_limit_x = True
        skincheck_reference.write(reference, clip="Sway")
        _, told = diff(skincheck, reference, model)
        print(f"a constraint that the export lacks: {told}")
        if not any("Head" in message for message in told):
            failures.append("constraint")
    if failures:
        raise SystemExit("failed: " + ", ".join(failures))


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
