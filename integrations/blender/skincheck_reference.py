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


class Scene:
    """Objects and bones in the order of the file: parents before their children."""

    def __init__(self, scene):
        self.scene = scene
        visible = [o for o in scene.objects if o.visible_get() and not o.hide_render]
        self.nodes = []  # (object, bone or None)
        self.index = {}
        self.parents = []
        for thing in self._sorted(visible):
            self._add_object(thing)
        self.meshes = [o for o in self._sorted(visible) if o.type == "MESH"]

    def _sorted(self, objects):
        def depth(thing):
            return 0 if thing.parent is None else 1 + depth(thing.parent)

        return sorted(objects, key=lambda thing: (depth(thing), thing.name))

    def _add_object(self, thing):
        parent = self.index.get((thing.parent, None)) if thing.parent else None
        if thing.parent and thing.parent_type == "BONE":
            parent = self.index.get((thing.parent, thing.parent_bone), parent)
        own = self._add((thing, None), parent)
        if thing.type == "ARMATURE":
            for bone in thing.data.bones:  # Parents come first.
                above = self.index[(thing, bone.parent.name)] if bone.parent else own
                self._add((thing, bone.name), above)

    def _add(self, key, parent):
        self.index[key] = len(self.nodes)
        self.nodes.append(key)
        self.parents.append(parent)
        return self.index[key]

    def rest_matrix(self, key):
        """Where a node is while meshes are bound: with its armature in rest position."""
        thing, bone = key
        world = thing.matrix_world
        return world if bone is None else world @ thing.data.bones[bone].matrix_local

    def matrices(self, graph):
        """Of all nodes, as evaluated, 16 numbers each."""
        numbers = []
        for thing, bone in self.nodes:
            evaluated = thing.evaluated_get(graph)
            world = evaluated.matrix_world
            numbers += columns(world if bone is None else world @ evaluated.pose.bones[bone].matrix)
        return np.array(numbers, "<f4")

    def header_nodes(self):
        bound = {
            (armature, bone.name)
            for mesh in self.meshes
            for armature in deforming_armatures(mesh)
            for bone in armature.data.bones
            if bone.use_deform
        }
        return [
            {
                "name": key[1] or key[0].name,
                "parent": self.parents[index],
                "joint": key in bound,
                "rest": columns(self.rest_matrix(key)),
            }
            for index, key in enumerate(self.nodes)
        ]


def positions(thing, graph):
    """The evaluated vertices of an object in the world."""
    evaluated = thing.evaluated_get(graph)
    mesh = evaluated.to_mesh()
    numbers = np.empty(3 * len(mesh.vertices), "f4")
    mesh.vertices.foreach_get("co", numbers)
    world = np.array(evaluated.matrix_world, "f8")
    points = numbers.reshape(-1, 3).astype("f8") @ world[:3, :3].T + world[:3, 3]
    evaluated.to_mesh_clear()
    return points.astype("<f4")


def triangles(thing, graph):
    mesh = thing.evaluated_get(graph).to_mesh()
    mesh.calc_loop_triangles()
    numbers = np.empty(3 * len(mesh.loop_triangles), "i4")
    mesh.loop_triangles.foreach_get("vertices", numbers)
    thing.evaluated_get(graph).to_mesh_clear()
    return numbers.astype("<u4")


def influences(scene, thing, graph):
    """Nodes and weights of each vertex, as many for all; none without an armature."""
    armatures = deforming_armatures(thing)
    evaluated = thing.evaluated_get(graph)
    mesh = evaluated.to_mesh()
    names = [group.name for group in thing.vertex_groups]

    def node(group):
        keys = ((armature, names[group]) for armature in armatures if group < len(names))
        found = (scene.index[key] for key in keys if key in scene.index and deforms(key))
        return next(found, None)

    def deforms(key):
        return key[0].data.bones[key[1]].use_deform

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


def with_armatures_at_rest(scene, work):
    """What `work` returns while every armature is in rest position and no shape key is applied."""
    armatures = [thing.data for thing in scene.objects if thing.type == "ARMATURE"]
    meshes = [thing for thing in scene.objects if thing.type == "MESH"]
    before = [data.pose_position for data in armatures]
    shapes = [(thing.show_only_shape_key, thing.active_shape_key_index) for thing in meshes]
    for data in armatures:
        data.pose_position = "REST"
    for thing in meshes:
        thing.show_only_shape_key, thing.active_shape_key_index = True, 0
    bpy.context.view_layer.update()
    result = work(bpy.context.evaluated_depsgraph_get())
    for data, position in zip(armatures, before):
        data.pose_position = position
    for thing, (only, active) in zip(meshes, shapes):
        thing.show_only_shape_key, thing.active_shape_key_index = only, active
    bpy.context.view_layer.update()
    return result


def play(action, armatures):
    """Assigns an action to the armatures whose bones it moves, from their rest pose on."""
    for thing in armatures:
        for bone in thing.pose.bones:
            bone.matrix_basis.identity()
        paths = [curve.data_path for curve in action.fcurves]
        if any(path.startswith(bone.path_from_id()) for bone in thing.pose.bones for path in paths):
            thing.animation_data_create().action = action


def clips(scene, name, start, end, all_actions):
    """Names, first and last frames of the clips, and what plays them."""
    armatures = [thing for thing in scene.objects if thing.type == "ARMATURE"]
    if not all_actions:
        return [(name or scene.name, start, end, lambda: None)]
    return [
        (action.name, *map(int, action.frame_range), lambda action=action: play(action, armatures))
        for action in bpy.data.actions
        if action.frame_range[1] > action.frame_range[0]
    ]


def write(path, clip=None, steps=1, start=None, end=None, all_actions=False):
    """Writes the current scene from frame `start` to `end`, or all actions of armatures, at `steps` times a frame."""
    bpy_scene = bpy.context.scene
    scene = Scene(bpy_scene)
    start = bpy_scene.frame_start if start is None else start
    end = bpy_scene.frame_end if end is None else end
    rate = bpy_scene.render.fps / bpy_scene.render.fps_base
    takes = [
        (name, [first + index / steps for index in range((last - first) * steps + 1)], play)
        for name, first, last, play in clips(bpy_scene, clip, start, end, all_actions)
    ]
    bpy_scene.frame_set(start)

    def rest(graph):
        shapes = []
        for thing in scene.meshes:
            shapes.append(
                (positions(thing, graph), triangles(thing, graph), influences(scene, thing, graph))
            )
        return shapes, scene.header_nodes()

    shapes, nodes = with_armatures_at_rest(bpy_scene, rest)
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
                "node": scene.index[(thing, None)],
                "vertices": len(points),
                "triangles": len(corners) // 3,
                "influences": pulls[0],
            }
            for thing, (points, corners, pulls) in zip(scene.meshes, shapes)
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
    graph = bpy.context.evaluated_depsgraph_get()
    file.write(scene.matrices(graph).tobytes())
    for thing, (points, _, _) in zip(scene.meshes, shapes):
        now = positions(thing, graph)
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
    parser.add_argument("--all-actions", action="store_true", help="a clip for each action of an armature")
    options = parser.parse_args(arguments)
    if options.steps < 1:
        parser.error("--steps must be at least 1")
    write(options.path, options.clip, options.steps, options.start, options.end, options.all_actions)


if __name__ == "__main__":
    main(sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else [])
