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
from rigs import armature, link, skin, tent, tube_mesh  # noqa: E402

BONES = ["Hips", "Spine", "Head"]


def build(roll=0.0, fps=24.0, start=0):
    """A bending tube of three bones with blended weights, animated over 24 frames."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    above = [None, *BONES]
    rig = armature([(name, above[index], (0, 0, index), (0, 0, index + 1), roll) for index, name in enumerate(BONES)])
    body = link("Body", tube_mesh("Body"), rig)
    skin(body, rig, tent(len(BONES)), BONES)

    scene = bpy.context.scene
    scene.render.fps = round(fps)
    scene.render.fps_base = scene.render.fps / fps
    scene.frame_start, scene.frame_end = start, start + 24
    for frame in range(start, start + 25):
        for name, size in [("Hips", 10), ("Spine", 25), ("Head", -30)]:
            bone = rig.pose.bones[name]
            bone.rotation_mode = "QUATERNION"
            angle = math.radians(size) * math.sin(2 * math.pi * frame / 24)
            bone.rotation_quaternion = (math.cos(angle / 2), math.sin(angle / 2), 0, 0)
            bone.keyframe_insert("rotation_quaternion", frame=frame)
    rig.animation_data.action.name = "Sway"


def add_shape_key():
    """A key that swells the middle of the body and back within the clip."""
    body = bpy.data.objects["Body"]
    body.shape_key_add(name="Basis")
    key = body.shape_key_add(name="Swell")
    for vertex, point in zip(body.data.vertices, key.data):
        x, y, z = vertex.co
        swell = 1 + 0.4 * math.exp(-((z - 1.5) ** 2) * 4)
        point.co = (x * swell, y * swell, z)
    for frame, value in [(0, 0.0), (12, 1.0), (24, 0.0)]:
        key.value = value
        key.keyframe_insert("value", frame=frame)


def add_constraint():
    """The head no longer turns; exporters bake that."""
    head = bpy.data.objects["Rig"].pose.bones["Head"]
    head.constraints.new("LIMIT_ROTATION").use_limit_x = True


def export(path, **options):
    if path.endswith(".glb"):
        bpy.ops.export_scene.gltf(filepath=path, **options)
    elif path.endswith(".fbx"):
        bpy.ops.export_scene.fbx(filepath=path, **options)


# Else each action is a clip of its own, and the body and its shape keys have one each.
WHOLE_SCENE = {"export_animation_mode": "SCENE", "export_anim_scene_split_object": False}


def diff(skincheck, before, after, *options):
    command = [skincheck, "diff", before, after, "--format", "json", "-q", *options]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode in (0, 1), run.stderr
    report = json.loads(run.stdout)["models"][0]
    told = [f"{f['code']}: {f['message']}" for f in report["findings"] if f["level"] == "error"]
    return report, told


def main(skincheck):
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        reference = os.path.join(folder, "scene.skref")
        for name, scene, change, extension, options in [
            ("glTF", {}, None, "glb", {}),
            ("glTF, bones rolled", {"roll": 1.0}, None, "glb", {}),
            ("glTF, 29.97 fps from frame 10", {"fps": 29.97, "start": 10}, None, "glb", {}),
            ("glTF, shape key", {}, add_shape_key, "glb", WHOLE_SCENE),
            ("glTF, constraint", {}, add_constraint, "glb", {}),
            ("FBX", {}, None, "fbx", {}),
            ("FBX, bones rolled", {"roll": 1.0}, None, "fbx", {}),
            ("FBX, 29.97 fps from frame 10", {"fps": 29.97, "start": 10}, None, "fbx", {}),
            ("FBX, shape key", {}, add_shape_key, "fbx", {}),
            ("FBX, constraint", {}, add_constraint, "fbx", {}),
        ]:
            build(**scene)
            if change:
                change()
            skincheck_reference.write(reference, clip="Scene" if options else "Sway")
            model = os.path.join(folder, "scene." + extension)
            export(model, **options)
            report, told = diff(skincheck, reference, model, "--align", "time")
            largest = max(take["max"] for take in report["takes"]) / report["diagonal"]
            print(f"{name}: {largest:.1e} of the diagonal {told}")
            if told or not report["takes"] or report["matched"]["vertices"][0] == 0:
                failures.append(name)
        # What an export lacks is found.
        build()
        export(model)
        add_constraint()
        skincheck_reference.write(reference, clip="Sway")
        _, told = diff(skincheck, reference, model)
        print(f"a constraint that the export lacks: {told}")
        if not any("`Head`" in message for message in told):
            failures.append("a constraint that the export lacks")
    if failures:
        raise SystemExit("failed: " + ", ".join(failures))


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
