"""Writes references of scenes whose parts are not plain objects with actions of their own: slots of one action, instances
of collections, geometry nodes. Each agrees with its glTF export, and differs from one with a planted fault.

    python test_scenes.py path/to/skincheck
"""

import math
import os
import sys
import tempfile

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import skincheck_reference  # noqa: E402
from rigs import armature, chain, link, tube, tube_mesh  # noqa: E402
from test_reference import WHOLE_SCENE, diff  # noqa: E402


def bend(rig, bone, degrees):
    """Bends a bone from frame 0 to 24."""
    bone = rig.pose.bones[bone]
    bone.rotation_mode = "QUATERNION"
    for frame, part in ((0, 0.0), (24, 1.0)):
        half = math.radians(degrees * part) / 2
        bone.rotation_quaternion = (math.cos(half), math.sin(half), 0, 0)
        bone.keyframe_insert("rotation_quaternion", frame=frame)


def rigs(*names):
    """Armatures with a tube each, side by side."""
    for index, name in enumerate(names):
        rig = armature(chain(), name)
        rig.location.x = 2.0 * index
        body = tube(rig, name=name + " body")
        yield rig, body


def slots():
    """One action bends two rigs, each another way, and swells a shape key of the second."""
    (first, _), (second, body) = rigs("First", "Second")
    bend(first, "Bone1", 40)
    action = first.animation_data.action
    action.name = "Both"
    body.shape_key_add(name="Basis")
    swell = body.shape_key_add(name="Swell")
    for vertex, point in zip(body.data.vertices, swell.data):
        point.co = (1.5 * vertex.co.x, 1.5 * vertex.co.y, vertex.co.z)
    keys = body.data.shape_keys
    keys.name = "Second keys"
    for owner, kind in ((second, "OBJECT"), (keys, "KEY")):
        owner.animation_data_create().action = action
        owner.animation_data.action_slot = action.slots.new(kind, owner.name)
    bend(second, "Bone1", -60)
    for frame in (0, 24):
        swell.value = frame / 24
        swell.keyframe_insert("value", frame=frame)


def collection_instances():
    """Two instances of a collection with a rig and a mesh, which is not in the scene itself."""
    [(rig, body)] = rigs("Rig")
    bend(rig, "Bone1", 50)
    stone = link("Stone", tube_mesh("Stone", height=0.5))
    stone.location.y = 1.0
    parts = bpy.data.collections.new("Parts")
    for thing in (rig, body, stone):
        parts.objects.link(thing)
        bpy.context.scene.collection.objects.unlink(thing)
    for index, name in enumerate(("Left", "Right")):
        empty = link(name)
        empty.instance_type, empty.instance_collection = "COLLECTION", parts
        empty.location.x, empty.rotation_euler.z = 3.0 * index, 0.5 * index


def geometry_nodes():
    """Nodes that subdivide a mesh and move it before the armature bends it."""
    [(rig, body)] = rigs("Rig")
    bend(rig, "Bone1", 50)
    tree = bpy.data.node_groups.new("Offset", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    steps = [tree.nodes.new(kind) for kind in (
        "NodeGroupInput", "GeometryNodeSubdivideMesh", "GeometryNodeSetPosition", "NodeGroupOutput",
    )]
    for before, after in zip(steps, steps[1:]):
        tree.links.new(before.outputs[0], after.inputs[0])
    steps[2].inputs["Offset"].default_value = (0.1, 0.0, 0.0)
    body.modifiers.new("Nodes", "NODES").node_group = tree
    body.modifiers.move(1, 0)


SCENES = {
    "slots of an action": (slots, {"all_actions": True}, {}),
    "instances of a collection": (collection_instances, {}, WHOLE_SCENE),
    "geometry nodes": (geometry_nodes, {}, {"export_apply": True, **WHOLE_SCENE}),
}


def fault():
    """Bends every rig by another angle at the end."""
    for action in bpy.data.actions:
        for slot in action.slots:
            for strip in action.layers[0].strips:
                for curve in strip.channelbag(slot).fcurves:
                    curve.keyframe_points[-1].co.y *= 0.9


def main(skincheck):
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        reference, model = (os.path.join(folder, name) for name in ("scene.skref", "scene.glb"))
        for name, (build, how, options) in SCENES.items():
            for is_wrong in (False, True):
                bpy.ops.wm.read_factory_settings(use_empty=True)
                bpy.context.scene.frame_start, bpy.context.scene.frame_end = 0, 24
                build()
                bpy.ops.export_scene.gltf(filepath=model, **options)
                if is_wrong:
                    fault()
                skincheck_reference.write(reference, **how)
                report, told = diff(skincheck, reference, model)
                print(f"{name}, Blender {bpy.app.version_string}: {told}")
                if bool(told) != is_wrong or not report["takes"]:
                    failures.append(name)
    if failures:
        raise SystemExit("failed: " + ", ".join(failures))


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
