"""Rigs for `test_rigs.py`. Each shows one thing that exporters may lose.

Every function in RIGS builds its rig in an empty scene; the clip runs over the scene's frames. All numbers are fixed.
"""

import math

import bpy
from mathutils import Euler, Matrix, Quaternion

LENGTH = 24  # Frames of every clip, from the first to the last.
RIGS = {}


def rig(build):
    """Registers a rig under the name of its function, with hyphens."""
    RIGS[build.__name__.replace("_", "-")] = build
    return build


# Parts


def link(name, data=None, parent=None):
    thing = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(thing)
    thing.parent = parent
    return thing


def frames(fps=24.0, start=0, end=None):
    scene = bpy.context.scene
    scene.render.fps = round(fps)
    scene.render.fps_base = scene.render.fps / fps
    scene.frame_start, scene.frame_end = start, start + LENGTH if end is None else end


def armature(bones, name="Rig", parent=None):
    """An armature. `bones`: (name, parent's name or None, head, tail, roll) each, parents first."""
    data = bpy.data.armatures.new(name)
    thing = link(name, data, parent)
    bpy.context.view_layer.objects.active = thing
    bpy.ops.object.mode_set(mode="EDIT")
    for bone_name, above, head, tail, roll in bones:
        bone = data.edit_bones.new(bone_name)
        bone.head, bone.tail, bone.roll = head, tail, roll
        bone.parent = data.edit_bones.get(above) if above else None
    bpy.ops.object.mode_set(mode="OBJECT")
    return thing


def chain(count=3, height=3.0, roll=0.0):
    """Bones `Bone0` and so on, one above the other."""
    step = height / count
    return [
        (f"Bone{index}", f"Bone{index - 1}" if index else None, (0, 0, index * step), (0, 0, (index + 1) * step), roll)
        for index in range(count)
    ]


def tent(count, height=3.0):
    """Weights that fall off linearly to the middle of the next bone."""

    def weight(index, z):
        place = min(max(z * count / height - 0.5, 0), count - 1)
        return max(0.0, 1.0 - abs(place - index))

    return weight


def tube_mesh(name, height=3.0, rings=13, sides=8):
    """A tube along Z, not round, so that every vertex is somewhere else than its mirror image."""
    points, faces = [], []
    for ring in range(rings):
        for side in range(sides):
            angle = 2 * math.pi * side / sides
            radius = 0.3 + 0.05 * math.cos(angle + 0.3) + 0.01 * ring
            z = height * ring / (rings - 1)
            points.append((radius * math.cos(angle), radius * math.sin(angle), z))
    for ring in range(rings - 1):
        for side in range(sides):
            a, b = ring * sides + side, ring * sides + (side + 1) % sides
            faces.append((a, b, b + sides, a + sides))
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], faces)
    return mesh


def skin(body, thing, weight, names):
    """Binds a mesh to an armature. `weight`: of the index of a bone, at a height."""
    for index, name in enumerate(names):
        group = body.vertex_groups.new(name=name)
        for vertex in body.data.vertices:
            value = weight(index, vertex.co.z)
            if value > 0:
                group.add([vertex.index], value, "REPLACE")
    body.modifiers.new("Armature", "ARMATURE").object = thing


def tube(thing, count=3, name="Body", weight=None, parent=True, **shape):
    """A skinned tube around a chain of bones."""
    body = link(name, tube_mesh(name, **shape), thing if parent else None)
    skin(body, thing, weight or tent(count), [f"Bone{index}" for index in range(count)])
    return body


def key(owner, path, values, interpolation="BEZIER", first=None):
    """Keys a property: values by frames from the first."""
    first = bpy.context.scene.frame_start if first is None else first
    for frame, value in values.items():
        setattr(owner, path, value)
        owner.keyframe_insert(path, frame=first + frame)
    for curve in owner.id_data.animation_data.action.fcurves:
        if curve.data_path == owner.path_from_id(path):
            for point in curve.keyframe_points:
                point.interpolation = interpolation


def unkey(thing, bone, mode):
    """Gives a bone another rotation mode and no keys of the old one."""
    pose = thing.pose.bones[bone]
    curves = thing.animation_data.action.fcurves
    for curve in [curve for curve in curves if curve.data_path == pose.path_from_id("rotation_quaternion")]:
        curves.remove(curve)
    pose.rotation_mode = mode
    return pose


def turn(thing, bone, degrees, axis=(1, 0, 0), step=6, interpolation="BEZIER"):
    """A bone turns to and fro about one of its axes."""
    pose = thing.pose.bones[bone]
    pose.rotation_mode = "QUATERNION"
    swing = [math.sin(2 * math.pi * frame / LENGTH + 0.4) for frame in range(0, LENGTH + 1, step)]
    values = [Quaternion(axis, math.radians(degrees) * size) for size in swing]
    key(pose, "rotation_quaternion", dict(zip(range(0, LENGTH + 1, step), values)), interpolation)
    return pose


def sway(thing, count=3):
    """All bones of a chain turn, each in its own way."""
    for index in range(count):
        axis = [(1, 0, 0), (0.6, 0, 0.8), (0, 0.6, 0.8)][index % 3]
        turn(thing, f"Bone{index}", [12, 30, -35][index % 3], axis)


def standard(roll=0.0, **options):
    """Three bones, a tube, and a clip; frames 0 to 24."""
    frames(**options)
    thing = armature(chain(roll=roll))
    body = tube(thing)
    sway(thing)
    return thing, body


# Bones and their rest pose


@rig
def plain():
    """Three bones and blended weights; the measure of all others."""
    standard()


@rig
def bone_roll():
    """Bones with different rolls."""
    frames()
    bones = [(*bone[:4], roll) for bone, roll in zip(chain(), [0.5, -1.2, 3.0])]
    thing = armature(bones)
    tube(thing)
    sway(thing)


@rig
def leaning_bones():
    """Connected bones that lean and a branch that points down and back."""
    frames()
    thing = armature(
        [
            ("Bone0", None, (0, 0, 0), (0.1, 0.2, 1), 0.3),
            ("Bone1", "Bone0", (0.1, 0.2, 1), (-0.1, 0.1, 2), 0),
            ("Bone2", "Bone1", (-0.1, 0.1, 2), (0.2, -0.2, 1.5), -0.7),
        ]
    )
    for bone in ("Bone1", "Bone2"):
        thing.data.bones[bone].select = True
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in ("Bone1", "Bone2"):
        thing.data.edit_bones[bone].use_connect = True
    bpy.ops.object.mode_set(mode="OBJECT")
    tube(thing)
    sway(thing)


@rig
def disconnected():
    """Bones away from their parents' tails, one of which moves."""
    frames()
    bones = [(*bone[:2], (0.1 * index, 0.05, bone[2][2] + 0.1), bone[3], 0) for index, bone in enumerate(chain())]
    thing = armature(bones)
    tube(thing)
    sway(thing)
    key(thing.pose.bones["Bone1"], "location", {0: (0, 0, 0), 12: (0.2, 0.1, -0.1), 24: (0, 0, 0)})


@rig
def long_chain():
    """Forty bones."""
    frames()
    thing = armature(chain(40))
    tube(thing, 40, rings=41)
    for index in range(40):
        turn(thing, f"Bone{index}", 5 if index % 2 else 3, (1, 0, 0) if index % 3 else (0, 0, 1))


@rig
def root_in_motion():
    """The first bone travels."""
    thing, _ = standard()
    key(thing.pose.bones["Bone0"], "location", {0: (0, 0, 0), 24: (1, 0.3, 2)}, "LINEAR")


# Scale


def inherit(mode):
    """A parent that is stretched and a child that is turned under it."""
    thing, _ = standard()
    key(thing.pose.bones["Bone0"], "scale", {0: (1, 1, 1), 12: (1.3, 0.8, 1.1), 24: (1, 1, 1)})
    key(thing.pose.bones["Bone1"], "scale", {0: (1, 1, 1), 12: (1, 1.2, 1), 24: (1, 1, 1)})
    for name in ("Bone1", "Bone2"):
        thing.data.bones[name].inherit_scale = mode


@rig
def inherit_full():
    """Scale along the axes of a stretched parent shears its turned children."""
    inherit("FULL")


@rig
def inherit_fix_shear():
    """As inherit-full, with Fix Shear."""
    inherit("FIX_SHEAR")


@rig
def inherit_aligned():
    """As inherit-full, with Aligned."""
    inherit("ALIGNED")


@rig
def inherit_average():
    """As inherit-full, with Average."""
    inherit("AVERAGE")


@rig
def inherit_none():
    """As inherit-full, with None."""
    inherit("NONE")


@rig
def inherit_none_legacy():
    """As inherit-full, with None (Legacy)."""
    inherit("NONE_LEGACY")


@rig
def no_inherited_rotation():
    """A child that keeps its orientation."""
    thing, _ = standard()
    thing.data.bones["Bone1"].use_inherit_rotation = False


@rig
def uniform_scale():
    """Bones that grow and shrink alike in all directions."""
    thing, _ = standard()
    for index, size in enumerate([1.4, 0.7, 1.2]):
        key(thing.pose.bones[f"Bone{index}"], "scale", {0: (1, 1, 1), 12: (size,) * 3, 24: (1, 1, 1)})


@rig
def negative_bone_scale():
    """A bone that is mirrored throughout."""
    thing, _ = standard()
    thing.pose.bones["Bone2"].scale = (-1, 1, 1)


@rig
def scale_through_zero():
    """A bone that shrinks to nothing and comes back."""
    thing, _ = standard()
    key(thing.pose.bones["Bone2"], "scale", {0: (1, 1, 1), 12: (0, 0, 0), 24: (1, 1, 1)}, "LINEAR")


@rig
def armature_scale():
    """An armature scaled by 0.01 over bones a hundred times as large, as from centimetres."""
    frames()
    bones = chain(height=300.0)
    thing = armature(bones)
    body = link("Body", tube_mesh("Body"), thing)
    body.data.transform(Matrix.Scale(100, 4))
    skin(body, thing, tent(3, 300.0), [bone[0] for bone in bones])
    thing.scale = (0.01, 0.01, 0.01)
    sway(thing)
    key(thing.pose.bones["Bone1"], "location", {0: (0, 0, 0), 12: (20, 0, 0), 24: (0, 0, 0)})


@rig
def negative_scale():
    """An armature that is mirrored along X."""
    thing, _ = standard()
    thing.scale = (-1, 1, 1)


@rig
def uneven_scale():
    """An armature that is scaled differently along its axes."""
    thing, _ = standard()
    thing.scale = (1.5, 0.8, 1.1)


@rig
def scaled_parents():
    """An armature below a turned parent below a stretched one: sheared."""
    thing, _ = standard()
    above = link("Stretched")
    above.scale = (1.5, 1, 0.8)
    turned = link("Turned", parent=above)
    turned.rotation_euler = (0.4, 0.6, 0.2)
    thing.parent = turned


@rig
def unit_centimetres():
    """A scene whose unit is a centimetre."""
    standard()
    bpy.context.scene.unit_settings.scale_length = 0.01


# Objects


@rig
def armature_placed():
    """An armature that is moved and turned, with a mesh that is not its child."""
    frames()
    thing = armature(chain())
    body = tube(thing, parent=False)
    thing.location, thing.rotation_euler = (1, 2, 0.5), (0.3, -0.2, 0.8)
    body.matrix_world = Matrix.LocRotScale((1, 2, 0.5), Euler((0.3, -0.2, 0.8)), None)
    sway(thing)


@rig
def armature_in_motion():
    """An armature whose object is animated."""
    thing, _ = standard()
    key(thing, "location", {0: (0, 0, 0), 24: (2, 1, 0)}, "LINEAR")
    key(thing, "rotation_euler", {0: (0, 0, 0), 24: (0, 0, 1.5)}, "LINEAR")


@rig
def mesh_in_motion():
    """A skinned mesh whose own object is animated; the armature stays."""
    frames()
    thing = armature(chain())
    body = tube(thing, parent=False)
    sway(thing)
    key(body, "location", {0: (0, 0, 0), 24: (0.5, 0.2, 0)}, "LINEAR")


@rig
def parent_inverse():
    """A mesh attached to its armature with an inverse matrix and a transform of its own."""
    thing, body = standard()
    thing.location, thing.rotation_euler = (1, 0, 0), (0, 0, 0.7)
    bpy.context.view_layer.update()
    body.matrix_parent_inverse = thing.matrix_world.inverted()
    body.location = (0.9, 0.1, 0)
    body.rotation_euler = (0, 0, 0.6)


@rig
def rigid_parts():
    """Meshes that hang on bones, without weights."""
    thing, _ = standard()
    for index in (1, 2):
        part = link(f"Part{index}", tube_mesh(f"Part{index}", height=0.6, rings=3), thing)
        part.parent_type, part.parent_bone = "BONE", f"Bone{index}"
        part.location, part.rotation_euler, part.scale = (0.5, -0.4, 0.1), (0.3, 0.2, 0.1), (0.5, 0.6, 0.5)


@rig
def two_armatures():
    """Two characters, whose bones have the same names."""
    frames()
    for index, angle in enumerate((0.0, 1.1)):
        thing = armature(chain(), f"Rig{index}")
        tube(thing, name=f"Body{index}", rings=11 + index)
        thing.location, thing.rotation_euler = (2.0 * index, 0, 0), (0, 0, angle)
        sway(thing)
        turn(thing, "Bone2", 20 + 20 * index, (0, 0, 1))


@rig
def two_armatures_on_one_mesh():
    """A mesh with two Armature modifiers, half of it bound to each."""
    frames()
    lower, upper = armature(chain(), "Lower"), armature([("Top", None, (0, 0, 2), (0, 0, 3), 0)], "Upper")
    body = tube(lower)
    weights = tent(3)
    top = body.vertex_groups.new(name="Top")
    old = body.vertex_groups["Bone2"]
    for vertex in body.data.vertices:
        value = weights(2, vertex.co.z)
        old.remove([vertex.index])
        if value > 0:
            top.add([vertex.index], value, "REPLACE")
    body.modifiers.new("Second", "ARMATURE").object = upper
    sway(lower, 2)
    turn(upper, "Top", 30)


# Weights


def many_influences(count):
    frames()
    thing = armature(chain(12))

    def weight(index, z):
        near = sorted(range(12), key=lambda other: (abs(z * 4 - 0.5 - other), other))[:count]
        return math.exp(-((z * 4 - 0.5 - index) ** 2) / 40) if index in near else 0.0

    body = tube(thing, 12, weight=weight)
    for vertex in body.data.vertices:
        total = sum(group.weight for group in vertex.groups)
        for group in vertex.groups:
            group.weight /= total
    for index in range(12):
        turn(thing, f"Bone{index}", 12 - 2 * (index % 4), (1, 0, 0) if index % 2 else (0, 0, 1))


@rig
def influences_1():
    """One bone for each vertex."""
    many_influences(1)


@rig
def influences_4():
    """Four bones for each vertex."""
    many_influences(4)


@rig
def influences_5():
    """Five bones for each vertex."""
    many_influences(5)


@rig
def influences_12():
    """Twelve bones for each vertex."""
    many_influences(12)


@rig
def unnormalized_weights():
    """Weights that sum to 0.5, which Blender normalizes as it deforms."""
    frames()
    thing = armature(chain())
    tent_of_three = tent(3)
    tube(thing, weight=lambda index, z: 0.5 * tent_of_three(index, z))
    sway(thing)


@rig
def unweighted_vertices():
    """Vertices without any weight at the lower end."""
    frames()
    thing = armature(chain())
    tent_of_three = tent(3)
    tube(thing, weight=lambda index, z: tent_of_three(index, z) if z > 0.6 else 0.0)
    sway(thing)


@rig
def empty_groups():
    """A bone whose vertex group is empty and one without a vertex group."""
    thing, body = standard()
    body.vertex_groups.remove(body.vertex_groups["Bone2"])
    body.vertex_groups.new(name="Bone2")
    for vertex in body.data.vertices:
        if not vertex.groups:
            body.vertex_groups["Bone1"].add([vertex.index], 1.0, "REPLACE")
    turn(thing, "Bone2", 40)


@rig
def group_without_bone():
    """A vertex group that no bone has the name of, with weights."""
    _, body = standard()
    group = body.vertex_groups.new(name="Selection")
    group.add(range(0, 50), 0.7, "REPLACE")


@rig
def deform_off():
    """A bone that does not deform, above one that does, with a vertex group of its own."""
    thing, _ = standard()
    thing.data.bones["Bone1"].use_deform = False


@rig
def preserve_volume():
    """Dual quaternions."""
    thing, body = standard()
    body.modifiers["Armature"].use_deform_preserve_volume = True
    turn(thing, "Bone1", 100, (0, 1, 0))


@rig
def bendy_bones():
    """A bone of four segments."""
    thing, _ = standard()
    thing.data.bones["Bone1"].bbone_segments = 4


@rig
def masked():
    """An Armature modifier that a vertex group limits to the upper half."""
    _, body = standard()
    group = body.vertex_groups.new(name="Mask")
    upper = [vertex.index for vertex in body.data.vertices if vertex.co.z > 1.4]
    group.add(upper, 1.0, "REPLACE")
    body.modifiers["Armature"].vertex_group = "Mask"


# Shapes


def swell(body):
    body.shape_key_add(name="Basis")
    shape = body.shape_key_add(name="Swell")
    for vertex, point in zip(body.data.vertices, shape.data):
        x, y, z = vertex.co
        size = 1 + 0.4 * math.exp(-((z - 1.5) ** 2) * 4)
        point.co = (x * size, y * size, z)
    return shape


@rig
def shape_key():
    """A shape key that is animated."""
    _, body = standard()
    key(swell(body), "value", {0: 0.0, 12: 1.0, 24: 0.2})


@rig
def shape_key_driven():
    """A shape key that a bone's rotation drives."""
    thing, body = standard()
    pose = unkey(thing, "Bone1", "XYZ")
    key(pose, "rotation_euler", {0: (0, 0, 0), 12: (0.8, 0, 0.2), 24: (0, 0, 0)})
    driver = swell(body).driver_add("value").driver
    driver.type = "SUM"
    variable = driver.variables.new()
    variable.type = "TRANSFORMS"
    target = variable.targets[0]
    target.id, target.bone_target, target.transform_type = thing, "Bone1", "ROT_X"
    target.transform_space = "LOCAL_SPACE"


@rig
def shape_keys_relative():
    """Two shape keys at once, one relative to the other, and a value above 1."""
    _, body = standard()
    first = swell(body)
    second = body.shape_key_add(name="Twist")
    for vertex, point in zip(body.data.vertices, second.data):
        x, y, z = first.data[vertex.index].co
        point.co = (x - 0.1 * z, y, z + 0.05 * x)
    second.relative_key = first
    first.slider_max = 2.0
    key(first, "value", {0: 0.0, 12: 1.6, 24: 0.2})
    key(second, "value", {0: 1.0, 12: 0.3, 24: 0.8})


@rig
def shape_key_without_armature():
    """A shape key on a mesh that no bone moves."""
    frames()
    body = link("Body", tube_mesh("Body"))
    key(swell(body), "value", {0: 0.0, 12: 1.0, 24: 0.2})


@rig
def subdivision():
    """A Subdivision Surface above the armature."""
    _, body = standard()
    modifier = body.modifiers.new("Subdivision", "SUBSURF")
    modifier.levels = modifier.render_levels = 1
    body.modifiers.move(1, 0)


@rig
def subdivision_of_the_posed_mesh():
    """A Subdivision Surface below the armature."""
    _, body = standard()
    modifier = body.modifiers.new("Subdivision", "SUBSURF")
    modifier.levels = modifier.render_levels = 1


@rig
def mirror():
    """A Mirror modifier above the armature, with groups for both sides."""
    frames()
    thing = armature(
        [("Root", None, (0, 0, 0), (0, 0, 1), 0)]
        + [(f"Arm.{side}", "Root", (sign * 0.2, 0, 1), (sign * 1.5, 0.1, 1.4), 0) for side, sign in (("L", 1), ("R", -1))]
    )
    mesh = bpy.data.meshes.new("Body")
    points = [(0.1 + 0.15 * x, 0.3 * y + 0.02 * x, 0.8 + 0.05 * x + 0.03 * y) for x in range(9) for y in range(4)]
    faces = [(a, a + 1, a + 5, a + 4) for x in range(8) for a in range(4 * x, 4 * x + 3)]
    mesh.from_pydata(points, [], faces)
    body = link("Body", mesh, thing)
    modifier = body.modifiers.new("Mirror", "MIRROR")
    modifier.use_mirror_merge = False
    groups = [body.vertex_groups.new(name=name) for name in ("Root", "Arm.L", "Arm.R")]
    for vertex in mesh.vertices:
        weight = min(max(vertex.co.x - 0.1, 0.0), 1.0)
        groups[0].add([vertex.index], 1.0 - weight, "REPLACE")
        groups[1].add([vertex.index], weight, "REPLACE")
    body.modifiers.new("Armature", "ARMATURE").object = thing
    turn(thing, "Arm.L", 40)
    turn(thing, "Arm.R", 25, (0, 0, 1))


@rig
def triangulate():
    """A Triangulate modifier above the armature."""
    _, body = standard()
    body.modifiers.new("Triangulate", "TRIANGULATE")
    body.modifiers.move(1, 0)


@rig
def displaced():
    """A Cast modifier below the armature, which changes with the pose."""
    _, body = standard()
    modifier = body.modifiers.new("Cast", "CAST")
    modifier.factor = 0.3


# Constraints and drivers


@rig
def copy_rotation():
    """A bone that copies half of another's rotation."""
    thing, _ = standard()
    constraint = thing.pose.bones["Bone2"].constraints.new("COPY_ROTATION")
    constraint.target, constraint.subtarget, constraint.influence = thing, "Bone0", 0.5


@rig
def inverse_kinematics():
    """Three bones that reach for an animated object outside the armature."""
    frames()
    thing = armature(chain())
    tube(thing)
    goal = link("Goal")
    key(goal, "location", {0: (0.5, 0.3, 2.6), 12: (1.5, -0.5, 1.5), 24: (0.5, 0.3, 2.6)})
    thing.pose.bones["Bone1"].rotation_quaternion = Quaternion((1, 0, 0), 0.2)
    thing.pose.bones["Bone2"].constraints.new("IK").target = goal


@rig
def limit_rotation():
    """A bone that a constraint stops."""
    thing, _ = standard()
    constraint = thing.pose.bones["Bone1"].constraints.new("LIMIT_ROTATION")
    constraint.use_limit_x, constraint.min_x, constraint.max_x = True, -0.1, 0.2
    constraint.owner_space = "LOCAL"


@rig
def stretch_to():
    """A bone that stretches to an animated object and keeps its volume."""
    thing, _ = standard()
    goal = link("Goal")
    key(goal, "location", {0: (0.2, 0.1, 3), 12: (0.6, 0.2, 3.6), 24: (0.2, 0.1, 3)})
    constraint = thing.pose.bones["Bone2"].constraints.new("STRETCH_TO")
    constraint.target = goal


@rig
def child_of_bone():
    """An object with weights that a constraint hangs on a bone of another armature."""
    thing, _ = standard()
    other = armature([("Tip", None, (0, 0, 0), (0, 0, 0.6), 0)], "Other")
    body = link("Flag", tube_mesh("Flag", height=0.6, rings=4), other)
    skin(body, other, lambda index, z: 1.0, ["Tip"])
    constraint = other.constraints.new("COPY_TRANSFORMS")
    constraint.target, constraint.subtarget = thing, "Bone2"
    turn(other, "Tip", 30)


@rig
def driven_bone():
    """A bone whose location and rotation follow a property that is animated."""
    thing, _ = standard()
    thing["open"] = 0.0
    for frame, value in ((0, 0.0), (12, 1.0), (24, 0.3)):
        thing["open"] = value
        thing.keyframe_insert('["open"]', frame=frame)
    pose = unkey(thing, "Bone2", "XYZ")
    for path, index in (("location", 0), ("rotation_euler", 2)):
        driver = pose.driver_add(path, index).driver
        driver.type = "SUM"
        variable = driver.variables.new()
        variable.targets[0].id, variable.targets[0].data_path = thing, '["open"]'


# Curves


@rig
def euler():
    """Euler angles in another order, through more than a full turn."""
    thing, _ = standard()
    pose = unkey(thing, "Bone1", "ZXY")
    key(pose, "rotation_euler", {0: (0, 0, 0), 12: (0.8, 0.4, 3), 24: (0.2, -0.5, 8)})


@rig
def axis_angle():
    """An axis and an angle."""
    thing, _ = standard()
    pose = unkey(thing, "Bone1", "AXIS_ANGLE")
    key(pose, "rotation_axis_angle", {0: (0, 1, 0, 0), 12: (1.4, 0.8, 0.6, 0), 24: (0.3, 1, 0, 0)})


@rig
def fast_turn():
    """A bone that turns by 170° from frame to frame."""
    thing, _ = standard()
    pose = unkey(thing, "Bone2", "XYZ")
    key(pose, "rotation_euler", {0: (0, 0, 0), 24: (0, math.radians(170 * 24), 0)}, "LINEAR")


@rig
def stepped():
    """Constant interpolation."""
    thing, _ = standard()
    turn(thing, "Bone1", 40, interpolation="CONSTANT")
    key(thing.pose.bones["Bone2"], "location", {0: (0, 0, 0), 7: (0.2, 0, 0), 17: (0, 0, 0.2)}, "CONSTANT")


@rig
def linear():
    """Linear interpolation between few keys."""
    thing, _ = standard()
    turn(thing, "Bone1", 60, (0.6, 0.8, 0), 12, "LINEAR")


@rig
def cyclic():
    """A curve of 8 frames that a modifier repeats."""
    thing, _ = standard()
    pose = unkey(thing, "Bone1", "XYZ")
    key(pose, "rotation_euler", {0: (0, 0, 0), 4: (0.6, 0, 0.2), 8: (0, 0, 0)})
    for curve in thing.animation_data.action.fcurves:
        if "rotation_euler" in curve.data_path:
            curve.modifiers.new("CYCLES")


@rig
def elastic():
    """Elastic and bouncing easing, and noise."""
    thing, _ = standard()
    pose = thing.pose.bones["Bone2"]
    key(pose, "location", {0: (0, 0, 0), 24: (0.5, 0, 0)}, "ELASTIC")
    turn(thing, "Bone1", 40, interpolation="BOUNCE")
    curve = next(c for c in thing.animation_data.action.fcurves if "Bone0" in c.data_path)
    noise = curve.modifiers.new("NOISE")
    noise.strength, noise.scale = 0.1, 5.0


@rig
def keys_between_frames():
    """Keys at fractions of frames."""
    thing, _ = standard()
    key(thing.pose.bones["Bone1"], "location", {0: (0, 0, 0), 7.5: (0.3, 0, 0), 8.25: (0, 0, 0.2), 24: (0, 0, 0)})


@rig
def ntsc():
    """29.97 frames a second."""
    standard(fps=30000 / 1001)


@rig
def late_start():
    """Frames 10 to 34."""
    standard(start=10)


@rig
def negative_start():
    """Frames -7 to 17."""
    standard(start=-7)


@rig
def keys_beyond_the_scene():
    """A scene that shows only frames 6 to 18 of a longer action."""
    standard()
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 6, 18


@rig
def strips():
    """Two strips of the NLA editor that blend into each other, one of them slowed down."""
    thing, _ = standard()
    data = thing.animation_data
    sway_action = data.action
    data.action = None
    turn(thing, "Bone1", 50, (0, 0, 1), 12)
    twist = data.action
    data.action = None
    for name, action, start in (("Sway", sway_action, 0), ("Twist", twist, 6)):
        strip = data.nla_tracks.new().strips.new(name, start, action)
        strip.frame_end = 24
    strip.scale = 18 / 24
    strip.blend_in = 8


@rig
def strip_on_top():
    """An action over a strip, added to it."""
    thing, _ = standard()
    data = thing.animation_data
    base = data.action
    data.action = None
    data.nla_tracks.new().strips.new("Sway", 0, base)
    turn(thing, "Bone2", 50, (0, 0, 1), 12)
    data.action_blend_type = "COMBINE"


@rig
def several_actions():
    """Three actions, of which one leaves bones alone that others move."""
    thing, _ = standard()
    data = thing.animation_data
    data.action.name = "Sway"
    for name, bone, axis in (("Nod", "Bone2", (1, 0, 0)), ("Twist", "Bone1", (0, 0, 1))):
        data.action = None
        for pose in thing.pose.bones:
            pose.matrix_basis = Matrix()
        turn(thing, bone, 50, axis)
        data.action.name = name
    for action in bpy.data.actions:
        action.use_fake_user = True
