"""Writes what Blender makes of a scene as a reference for `skincheck diff`.

    blender -b scene.blend -P skincheck_reference.py -- scene.skref [--steps 2] [--clip NAME] [--start F] [--end F] [--all-actions]

The reference holds the evaluated meshes (modifiers, constraints, drivers, shape keys) and all armatures' bones at every
frame, or at STEPS times a frame. Times count from frame 0, as exporters count them. docs/reference.md describes the file.
"""

import argparse
import json
import sys

import bpy
import numpy as np


def deforming_armatures(mesh_object):
    """Armatures whose bones move the vertices of a mesh."""
    modifiers = (m for m in mesh_object.modifiers if m.type == "ARMATURE" and m.object)
    return [modifier.object for modifier in modifiers]


def columns(matrix):
    """The 16 numbers of a matrix by columns."""
    return [matrix[row][column] for column in range(4) for row in range(4)]


def evaluated_objects(graph):
    """Evaluated objects and their world matrices, by original object and instance: () for an object of the scene, else
    what tells the instances of a collection apart."""
    found, left_out = {}, set()
    for one in graph.object_instances:
        if not one.is_instance:
            found[(one.object.original, ())] = (one.object, one.matrix_world.copy())
        elif one.parent.original.instance_type == "COLLECTION":
            # The first number counts the objects of a collection, the others the collections that it is nested in.
            instance = (one.parent.original.name, *one.persistent_id[1:])
            found[(one.instance_object.original, instance)] = (one.instance_object, one.matrix_world.copy())
        else:
            left_out.add(one.parent.original.name)
    return found, sorted(left_out)


class Scene:
    """Objects and bones in the order of the file: parents before their children."""

    def __init__(self, scene, graph):
        self.scene = scene
        found, left_out = evaluated_objects(graph)
        for name in left_out:
            print(f"{name}: its instances are left out; realize them to compare them", file=sys.stderr)
        visible = [o for o in scene.objects if o.visible_get() and not o.hide_render]
        self.nodes = []  # (object, instance, bone or None)
        self.index = {}
        self.parents = []
        self.meshes = []  # (object, instance)
        for thing in self._sorted(visible):
            self._add_object(thing, (), None)
        instances = sorted({instance for _, instance in found if instance})
        for instance in instances:
            instancer = self.index.get((bpy.data.objects[instance[0]], (), None))
            own = [thing for thing, at in found if at == instance and not thing.hide_render]
            if instancer is not None:
                for thing in self._sorted(own):
                    self._add_object(thing, instance, instancer)

    def _sorted(self, objects):
        def depth(thing):
            return 0 if thing.parent is None else 1 + depth(thing.parent)

        return sorted(objects, key=lambda thing: (depth(thing), thing.name))

    def _add_object(self, thing, instance, above):
        """`above`: the node of an object without a parent."""
        if thing.parent:
            above = self.index.get((thing.parent, instance, None), above)
            if thing.parent_type == "BONE":
                above = self.index.get((thing.parent, instance, thing.parent_bone), above)
        own = self._add((thing, instance, None), above)
        if thing.type == "MESH":
            self.meshes.append((thing, instance))
        if thing.type == "ARMATURE":
            for bone in thing.data.bones:  # Parents come first.
                parent = self.index[(thing, instance, bone.parent.name)] if bone.parent else own
                self._add((thing, instance, bone.name), parent)

    def _add(self, key, parent):
        self.index[key] = len(self.nodes)
        self.nodes.append(key)
        self.parents.append(parent)
        return self.index[key]

    def objects(self):
        """All objects, those of instanced collections too."""
        return list(dict.fromkeys(thing for thing, _, _ in self.nodes))

    def matrices(self, found):
        """Of all nodes, as evaluated, 16 numbers each."""
        numbers = []
        for thing, instance, bone in self.nodes:
            evaluated, world = found[(thing, instance)]
            numbers += columns(world if bone is None else world @ evaluated.pose.bones[bone].matrix)
        return np.array(numbers, "<f4")

    def header_nodes(self, found):
        """With `rest`: where a node is while meshes are bound, with armatures in rest position."""
        bound = {
            (armature, instance, bone.name)
            for mesh, instance in self.meshes
            for armature in deforming_armatures(mesh)
            for bone in armature.data.bones
            if bone.use_deform
        }

        def rest(thing, instance, bone):
            _, world = found[(thing, instance)]
            return world if bone is None else world @ thing.data.bones[bone].matrix_local

        return [
            {
                "name": key[2] or key[0].name,
                "parent": self.parents[index],
                "joint": key in bound,
                "rest": columns(rest(*key)),
            }
            for index, key in enumerate(self.nodes)
        ]


def positions(evaluated, world):
    """The vertices of an evaluated object in the world."""
    mesh = evaluated.to_mesh()
    numbers = np.empty(3 * len(mesh.vertices), "f4")
    mesh.vertices.foreach_get("co", numbers)
    world = np.array(world, "f8")
    points = numbers.reshape(-1, 3).astype("f8") @ world[:3, :3].T + world[:3, 3]
    evaluated.to_mesh_clear()
    return points.astype("<f4")


def triangles(evaluated):
    mesh = evaluated.to_mesh()
    mesh.calc_loop_triangles()
    numbers = np.empty(3 * len(mesh.loop_triangles), "i4")
    mesh.loop_triangles.foreach_get("vertices", numbers)
    evaluated.to_mesh_clear()
    return numbers.astype("<u4")


def influences(scene, thing, instance, evaluated):
    """Nodes and weights of each vertex, as many for all; none without an armature."""
    armatures = deforming_armatures(thing)
    mesh = evaluated.to_mesh()
    # Geometry nodes may add and remove groups.
    names = [group.name for group in evaluated.vertex_groups]

    def node(group):
        keys = ((armature, instance, names[group]) for armature in armatures if group < len(names))
        found = (scene.index[key] for key in keys if key in scene.index and deforms(key))
        return next(found, None)

    def deforms(key):
        return key[0].data.bones[key[2]].use_deform

    lists = []
    for vertex in mesh.vertices:
        pairs = ((node(entry.group), entry.weight) for entry in vertex.groups)
        lists.append([pair for pair in pairs if pair[0] is not None and pair[1] > 0.0])
    evaluated.to_mesh_clear()
    most = max(map(len, lists), default=0) if armatures else 0
    padded = [own + [(0, 0.0)] * (most - len(own)) for own in lists] if most else []
    nodes = np.array([node for own in padded for node, _ in own], "<u4")
    weights = np.array([weight for own in padded for _, weight in own], "<f4")
    return most, nodes, weights


def moving_shape_keys(thing):
    """Names of the shape keys that move vertices."""
    keys = thing.data.shape_keys
    if keys is None:
        return []

    def points(key):
        numbers = np.empty(3 * len(key.data), "f4")
        key.data.foreach_get("co", numbers)
        return numbers

    moving = (key for key in keys.key_blocks[1:] if not key.mute)
    return [key.name for key in moving if (points(key) != points(key.relative_key)).any()]


def with_armatures_at_rest(scene, work):
    """What `work` returns while every armature is in rest position and no shape key is applied."""
    armatures = [thing.data for thing in scene.objects() if thing.type == "ARMATURE"]
    meshes = [thing for thing in scene.objects() if thing.type == "MESH"]
    before = [data.pose_position for data in armatures]
    shapes = [(thing.show_only_shape_key, thing.active_shape_key_index) for thing in meshes]
    for data in armatures:
        data.pose_position = "REST"
    for thing in meshes:
        thing.show_only_shape_key, thing.active_shape_key_index = True, 0
    bpy.context.view_layer.update()
    result = work(evaluated_objects(bpy.context.evaluated_depsgraph_get())[0])
    for data, position in zip(armatures, before):
        data.pose_position = position
    for thing, (only, active) in zip(meshes, shapes):
        thing.show_only_shape_key, thing.active_shape_key_index = only, active
    bpy.context.view_layer.update()
    return result


def slots(action):
    """What an action animates: its slots, or, before Blender 4.4, one thing of any name."""
    return list(action.slots) if hasattr(action, "slots") else [None]


def paths(action, slot):
    """What the curves of a slot animate."""
    if slot is None:
        return [curve.data_path for curve in action.fcurves]
    bags = [strip.channelbag(slot) for layer in action.layers for strip in layer.strips]
    return [curve.data_path for bag in bags if bag for curve in bag.fcurves]


def parts(owner):
    """The bones of an armature, or the shape keys of a mesh but the first."""
    return owner.pose.bones if isinstance(owner, bpy.types.Object) else owner.key_blocks[1:]


def slot_of(action, owner, owners):
    """The slot that animates parts of `owner`, in a list; empty if there is none. One of its name comes first, and one of
    another owner's name is not taken."""
    own = tuple(part.path_from_id() for part in parts(owner))
    moving = [slot for slot in slots(action) if any(path.startswith(own) for path in paths(action, slot))]
    if moving == [None]:
        return moving
    others = {other.name for other in owners if type(other) is type(owner)} - {owner.name}
    moving = [slot for slot in moving if slot.target_id_type in ("UNSPECIFIED", owner.id_type)]
    named = [slot for slot in moving if slot.name_display == owner.name]
    return (named + [slot for slot in moving if slot.name_display not in others])[:1]


def play(action, owners):
    """Assigns an action to what it animates; everything else rests."""
    for owner in owners:
        data = owner.animation_data_create()
        data.action = None
        for part in parts(owner):
            if isinstance(owner, bpy.types.Object):
                part.matrix_basis.identity()
            else:
                part.value = 0.0
        for slot in slot_of(action, owner, owners):
            data.action = action
            if slot is not None:
                data.action_slot = slot


def clips(scene, name, start, end, all_actions):
    """Names, first and last frames of the clips, and what plays them."""
    if not all_actions:
        return [(name or scene.scene.name, start, end, lambda: None)]
    objects = scene.objects()
    armatures = [thing for thing in objects if thing.type == "ARMATURE"]
    keys = [thing.data.shape_keys for thing in objects if thing.type == "MESH" and thing.data.shape_keys]
    owners = armatures + list(dict.fromkeys(keys))
    actions = [action for action in bpy.data.actions if action.frame_range[1] > action.frame_range[0]]
    # Shape keys that no action animates stay as they are.
    owners = [owner for owner in owners if any(slot_of(action, owner, owners) for action in actions)]
    return [
        (action.name, *map(int, action.frame_range), lambda action=action: play(action, owners))
        for action in actions
        if any(slot_of(action, owner, owners) for owner in owners)
    ]


def write(path, clip=None, steps=1, start=None, end=None, all_actions=False):
    """Writes the current scene from frame `start` to `end`, or all actions of armatures and shape keys, at `steps` times a frame."""
    bpy_scene = bpy.context.scene
    scene = Scene(bpy_scene, bpy.context.evaluated_depsgraph_get())
    start = bpy_scene.frame_start if start is None else start
    end = bpy_scene.frame_end if end is None else end
    rate = bpy_scene.render.fps / bpy_scene.render.fps_base
    takes = [
        (name, [first + index / steps for index in range((last - first) * steps + 1)], play)
        for name, first, last, play in clips(scene, clip, start, end, all_actions)
    ]
    bpy_scene.frame_set(start)

    def rest(found):
        shapes = []
        for thing, instance in scene.meshes:
            evaluated, world = found[(thing, instance)]
            pulls = influences(scene, thing, instance, evaluated)
            shapes.append((positions(evaluated, world), triangles(evaluated), pulls))
        return shapes, scene.header_nodes(found)

    shapes, nodes = with_armatures_at_rest(scene, rest)
    header = {
        "schema": "skincheck/reference/1",
        "generator": "Blender " + bpy.app.version_string,
        "up": "+Z",
        "front": "-Y",
        "metres_per_unit": bpy_scene.unit_settings.scale_length,
        "nodes": nodes,
        "meshes": [
            {
                "name": thing.data.name,
                "node": scene.index[(thing, instance, None)],
                "vertices": len(points),
                "triangles": len(corners) // 3,
                "influences": pulls[0],
                "shape_keys": moving_shape_keys(thing),
            }
            for (thing, instance), (points, corners, pulls) in zip(scene.meshes, shapes)
        ],
        "clips": [
            {"name": name, "times": [frame / rate for frame in frames]} for name, frames, _ in takes
        ],
    }
    with open(path, "wb") as file:
        file.write(json.dumps(header, separators=(",", ":")).encode() + b"\n")
        for points, corners, (_, nodes, weights) in shapes:
            for numbers in (points, corners, nodes, weights):
                file.write(numbers.tobytes())
        for _, frames, play in takes:
            play()
            for frame in frames:
                write_frame(file, scene, shapes, frame)


def write_frame(file, scene, shapes, frame):
    scene.scene.frame_set(int(frame // 1), subframe=frame % 1)
    found, _ = evaluated_objects(bpy.context.evaluated_depsgraph_get())
    file.write(scene.matrices(found).tobytes())
    for (thing, instance), (points, _, _) in zip(scene.meshes, shapes):
        now = positions(*found[(thing, instance)])
        if len(now) != len(points):
            raise SystemExit(
                f"{thing.name}: {len(now)} vertices at frame {frame}, {len(points)} at rest; "
                "a modifier changes the number of vertices, and a reference cannot hold that"
            )
        file.write(now.tobytes())


def main(arguments):
    parser = argparse.ArgumentParser(prog="skincheck_reference.py")
    parser.add_argument("path", help="the file to write, usually named .skref")
    parser.add_argument("--clip", help="name of the clip (default: the scene's)")
    parser.add_argument("--steps", type=int, default=1, help="times a frame (default: 1)")
    parser.add_argument("--start", type=int, help="first frame (default: the scene's)")
    parser.add_argument("--end", type=int, help="last frame (default: the scene's)")
    parser.add_argument("--all-actions", action="store_true", help="a clip for each action of armatures and shape keys")
    options = parser.parse_args(arguments)
    if options.steps < 1:
        parser.error("--steps must be at least 1")
    write(options.path, options.clip, options.steps, options.start, options.end, options.all_actions)


if __name__ == "__main__":
    main(sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else [])
