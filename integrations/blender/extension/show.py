"""Shows a finding or a moment in the scene: selects vertices and bones, goes to the frame, and colours vertices.

Nothing else changes.
"""

import bpy
import numpy as np

from . import colours


class Failure(Exception):
    """Why it cannot be shown, in a sentence."""


def finding(context, result, index):
    """Selects what a finding concerns. Returns remarks, in sentences."""
    found = result.findings[index]
    by_object = objects_of(context, result, result.vertices(index))
    armatures = armatures_of(context, found["joints"], by_object)
    remarks = []
    if found["made_by_modifiers"]:
        remarks.append(f"{found['made_by_modifiers']} vertices are made by modifiers and cannot be selected.")
    before = leave_mode(context)
    if found["frame"] is not None:
        go_to(context, found["frame"])
        remarks += plays(armatures, found["clip"])
    for thing in context.view_layer.objects.selected:
        thing.select_set(False)
    for thing, vertices in by_object.items():
        select_vertices(thing.data, vertices)
        colours.paint(thing.data, colours.of_vertices(len(thing.data.vertices), vertices))
        if found["joints"] and found["joints"][0] in thing.vertex_groups:
            thing.vertex_groups.active_index = thing.vertex_groups[found["joints"][0]].index
        hidden = np.empty(len(thing.data.vertices), bool)
        thing.data.vertices.foreach_get("hide", hidden)
        if hidden[vertices].any():
            remarks.append(f"{np.count_nonzero(hidden[vertices])} of the vertices of {thing.name} are hidden.")
    for armature in armatures:
        select_bones(armature, found["joints"])
    enter_mode(context, list(by_object), armatures, before)
    return remarks


def moment(context, result, index):
    """Goes to a moment of the timeline, and colours vertices by their distance."""
    by_object = objects_of(context, result, result.distances(index))
    before = leave_mode(context)
    go_to(context, result.moments[index]["frame"])
    for thing, distances in by_object.items():
        colours.paint(thing.data, colours.of_distances(distances, result.largest))
    set_mode(before)


def objects_of(context, result, by_name):
    """The objects that have an array, as long as their meshes are those of the result."""
    found = {}
    for name, array in by_name.items():
        thing = context.view_layer.objects.get(name)
        if thing is None:
            raise Failure(f"{name} is not in this view layer.")
        if not thing.visible_get():
            raise Failure(f"{name} is hidden.")
        # Only then do the vertices of edit mode count.
        thing.update_from_editmode()
        if len(thing.data.vertices) != result.counts.get(name):
            raise Failure(f"{name} has been edited since; check again.")
        found[thing] = array
    return found


def armatures_of(context, joints, meshes):
    """The armatures with bones of these names: those that deform the meshes, else any."""
    named = [thing for thing in context.view_layer.objects if thing.type == "ARMATURE" and thing.visible_get()]
    named = [thing for thing in named if any(joint in thing.data.bones for joint in joints)]
    deforming = [modifier.object for thing in meshes for modifier in thing.modifiers if modifier.type == "ARMATURE"]
    return [thing for thing in named if thing in deforming] or named


def plays(armatures, clip):
    """A remark if the armatures play another action than the clip is of."""
    action = bpy.data.actions.get(clip) or bpy.data.actions.get(clip.split("|")[-1])
    playing = [thing.animation_data.action for thing in armatures if thing.animation_data]
    if action is None or not playing or action in playing:
        return []
    return [f"It is in the action {action.name}; make that the active one to see it."]


def leave_mode(context):
    """Enters object mode. Returns the mode before."""
    active = context.view_layer.objects.active
    mode = active.mode if active is not None else "OBJECT"
    if mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    return mode


def set_mode(mode):
    """Enters a mode from object mode. Undo in edit mode takes back only what was done there, so what precedes is a step of its own."""
    if mode != "OBJECT":
        bpy.ops.ed.undo_push(message="skincheck")
        bpy.ops.object.mode_set(mode=mode)


def enter_mode(context, meshes, armatures, before):
    """Weight paint stays weight paint; else vertices are shown in edit mode, and bones without vertices in pose mode."""
    for thing in armatures:
        thing.select_set(True)
    if not meshes:
        if armatures:
            context.view_layer.objects.active = armatures[0]
            set_mode("POSE")
        return
    for thing in meshes:
        thing.select_set(True)
    context.view_layer.objects.active = meshes[0]
    if before == "WEIGHT_PAINT":
        meshes[0].data.use_paint_mask_vertex = True
        set_mode("WEIGHT_PAINT")
    else:
        context.tool_settings.mesh_select_mode = (True, False, False)
        set_mode("EDIT")


def go_to(context, frame):
    context.scene.frame_set(int(frame // 1), subframe=frame % 1)


def select_vertices(mesh, vertices):
    """Selects exactly these, in object mode."""
    chosen = np.zeros(len(mesh.vertices), bool)
    chosen[vertices] = True
    mesh.vertices.foreach_set("select", chosen)
    # Without these, none is selected. Blender 5.0 crashes when it sets the property of all edges.
    for name in (".select_edge", ".select_poly"):
        attribute = mesh.attributes.get(name)
        if attribute is not None:
            mesh.attributes.remove(attribute)
    mesh.update()


def select_bones(armature, names):
    """Selects exactly these, and makes the first active."""
    chosen = [name for name in names if name in armature.data.bones]
    for pose in armature.pose.bones:
        # Blender 5.0 selects bones of poses, and before it bones of armatures.
        owner = pose if hasattr(pose, "select") else pose.bone
        owner.select = pose.name in chosen
    if chosen:
        armature.data.bones.active = armature.data.bones[chosen[0]]
