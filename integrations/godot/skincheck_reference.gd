# Writes what Godot 4 makes of an imported scene as a reference for `skincheck diff`. Not run yet: skincheck's tests cannot start
# Godot. Reviewed against the class reference of Godot 4.4 and scene/main/scene_tree.cpp.
#
#     godot --headless --path PROJECT --script skincheck_reference.gd -- res://hero.glb hero.skref
#
# The reference holds all skinned meshes and bones, at every frame of every animation (30 per second). Vertices are computed as in
# Godot's skeleton shader, from the weights that Godot has stored and from the poses of its skeletons. docs/reference.md describes
# the file.
extends SceneTree

const FPS := 30.0

var nodes: Array[Dictionary] = []
var matrices: Array[Callable] = []
var skeletons := {}
var meshes: Array[Dictionary] = []
var body := PackedByteArray()


# Not in _initialize, where the root is not in the tree yet and nodes have no global transforms.
func _process(_delta: float) -> bool:
	quit(write(OS.get_cmdline_user_args()))
	return true


# Returns the exit code.
func write(arguments: PackedStringArray) -> int:
	if arguments.size() != 2:
		printerr("expected a scene and a file: -- res://hero.glb hero.skref")
		return 2
	var packed := load(arguments[0]) as PackedScene
	if packed == null:
		printerr("%s: this is no scene of the project" % arguments[0])
		return 2
	var scene := packed.instantiate()
	root.add_child(scene)
	for skeleton: Skeleton3D in scene.find_children("*", "Skeleton3D", true, false):
		add_bones(skeleton)
	for instance: MeshInstance3D in scene.find_children("*", "MeshInstance3D", true, false):
		add_meshes(instance)
	for mesh in meshes:
		write_mesh(mesh)
	var clips: Array[Dictionary] = []
	for player: AnimationPlayer in scene.find_children("*", "AnimationPlayer", true, false):
		for title in player.get_animation_list():
			if title != "RESET":
				clips.append(write_clip(player, title))
	var header := {
		"schema": "skincheck/reference/1",
		"generator": "Godot %s" % Engine.get_version_info().string,
		"up": "+Y",
		"front": "+Z",
		"metres_per_unit": 1.0,
		"nodes": nodes,
		"meshes": meshes.map(func(mesh: Dictionary) -> Dictionary: return mesh.header),
		"clips": clips,
	}
	var file := FileAccess.open(arguments[1], FileAccess.WRITE)
	if file == null:
		printerr("%s: %s" % [arguments[1], error_string(FileAccess.get_open_error())])
		return 2
	file.store_line(JSON.stringify(header, "", false, true))
	file.store_buffer(body)
	file.close()
	return 0


# Adds the bones of a skeleton, parents before their children.
func add_bones(skeleton: Skeleton3D) -> void:
	var indices := {}
	skeletons[skeleton] = indices
	var left := range(skeleton.get_bone_count())
	while not left.is_empty():
		var bone: int = left.pop_front()
		var parent := skeleton.get_bone_parent(bone)
		if parent >= 0 and not indices.has(parent):
			left.push_back(bone)
			continue
		indices[bone] = nodes.size()
		var rest := skeleton.global_transform * skeleton.get_bone_global_rest(bone)
		nodes.append({
			"name": skeleton.get_bone_name(bone),
			"parent": indices[parent] if parent >= 0 else null,
			"joint": false,
			"rest": columns(rest),
		})
		matrices.append(
			func() -> Transform3D: return skeleton.global_transform * skeleton.get_bone_global_pose(bone)
		)


# Adds each surface of a skinned instance as a mesh.
func add_meshes(instance: MeshInstance3D) -> void:
	var skeleton := instance.get_node_or_null(instance.skeleton) as Skeleton3D
	if skeleton == null or instance.skin == null or instance.mesh == null:
		return
	var skin := instance.skin
	var binds: Array[Transform3D] = []
	var bones: Array[int] = []
	for bind in skin.get_bind_count():
		var bone := skin.get_bind_bone(bind)
		if bone < 0:
			bone = skeleton.find_bone(skin.get_bind_name(bind))
		bones.append(bone)
		binds.append(skin.get_bind_pose(bind))
		var node: Dictionary = nodes[skeletons[skeleton][bone]]
		node.joint = true
		node.rest = columns(skeleton.global_transform * skin.get_bind_pose(bind).affine_inverse())
	for surface in instance.mesh.get_surface_count():
		var arrays := instance.mesh.surface_get_arrays(surface)
		if arrays[Mesh.ARRAY_BONES] == null or arrays[Mesh.ARRAY_INDEX] == null:
			continue
		var positions: PackedVector3Array = arrays[Mesh.ARRAY_VERTEX]
		var weights: PackedFloat32Array = arrays[Mesh.ARRAY_WEIGHTS]
		var slots: PackedInt32Array = arrays[Mesh.ARRAY_BONES]
		var triangles: PackedInt32Array = arrays[Mesh.ARRAY_INDEX]
		var each := weights.size() / maxi(positions.size(), 1)
		var header := {
			"name": instance.name,
			"vertices": positions.size(),
			"triangles": triangles.size() / 3,
			"influences": each,
		}
		meshes.append({
			"header": header,
			"skeleton": skeleton,
			"bones": bones,
			"binds": binds,
			"positions": positions,
			"weights": weights,
			"slots": slots,
			"triangles": triangles,
			"each": each,
		})


# The shape at rest: positions, triangles, influences.
func write_mesh(mesh: Dictionary) -> void:
	var positions := PackedVector3Array()
	for position: Vector3 in mesh.positions:
		positions.append(mesh.skeleton.global_transform * position)
	body.append_array(floats(positions))
	# Front faces of Godot are clockwise.
	var triangles: PackedInt32Array = mesh.triangles.duplicate()
	for corner in range(0, triangles.size() - 2, 3):
		var second := triangles[corner + 1]
		triangles[corner + 1] = triangles[corner + 2]
		triangles[corner + 2] = second
	body.append_array(triangles.to_byte_array())
	var joints := PackedInt32Array()
	for slot: int in mesh.slots:
		joints.append(skeletons[mesh.skeleton][mesh.bones[slot]])
	body.append_array(joints.to_byte_array())
	body.append_array(mesh.weights.to_byte_array())


func write_clip(player: AnimationPlayer, title: String) -> Dictionary:
	var length := player.get_animation(title).length
	var times: Array[float] = []
	for frame in int(floor(length * FPS)) + 1:
		times.append(frame / FPS)
	# Bones that the clip does not drive would stay where the clip before has left them.
	for skeleton: Skeleton3D in skeletons:
		skeleton.reset_bone_poses()
	player.play(title)
	for time in times:
		player.seek(time, true)
		for matrix in matrices:
			body.append_array(PackedFloat32Array(columns(matrix.call())).to_byte_array())
		for mesh in meshes:
			body.append_array(floats(skinned(mesh)))
	player.stop()
	return {"name": title, "times": times}


# servers/rendering/renderer_rd/shaders/skeleton.glsl: the sum of weight * pose * bind, which is not divided by the sum of weights.
func skinned(mesh: Dictionary) -> PackedVector3Array:
	var skeleton: Skeleton3D = mesh.skeleton
	var palette: Array[Transform3D] = []
	for bind in mesh.bones.size():
		palette.append(skeleton.get_bone_global_pose(mesh.bones[bind]) * mesh.binds[bind])
	var result := PackedVector3Array()
	for vertex in mesh.positions.size():
		var sum := Vector3.ZERO
		for slot in range(vertex * mesh.each, (vertex + 1) * mesh.each):
			sum += mesh.weights[slot] * (palette[mesh.slots[slot]] * mesh.positions[vertex])
		result.append(skeleton.global_transform * sum)
	return result


func floats(vectors: PackedVector3Array) -> PackedByteArray:
	var numbers := PackedFloat32Array()
	for vector in vectors:
		numbers.append_array(PackedFloat32Array([vector.x, vector.y, vector.z]))
	return numbers.to_byte_array()


# The 16 numbers of a matrix by columns.
func columns(matrix: Transform3D) -> Array:
	var numbers := []
	for column: Vector3 in [matrix.basis.x, matrix.basis.y, matrix.basis.z]:
		numbers.append_array([column.x, column.y, column.z, 0.0])
	numbers.append_array([matrix.origin.x, matrix.origin.y, matrix.origin.z, 1.0])
	return numbers
