"""Writes what Unreal Engine makes of a skeletal mesh as a reference for `skincheck diff`.

    UnrealEditor-Cmd PROJECT.uproject -run=pythonscript -script="skincheck_reference.py hero.skref /Game/Hero /Game/Walk /Game/Run"

Needs the plugins Python Editor Script and Geometry Script. Not run yet: skincheck's tests cannot start Unreal. Reviewed against the
Unreal Python API 5.4 and 5.7: AnimPoseExtensions, AnimPoseEvaluationOptions, AnimationLibrary, GeometryScript_AssetUtils,
GeometryScript_BoneWeights, GeometryScript_MeshQueries, GeometryScript_List.

The reference holds the first level of detail and all bones, at every frame of the animations, as they are compressed. Vertices are
computed by the engine's formula from the weights of its mesh and the poses of its bones: the API has no skinned positions. Unreal is
left-handed: y is mirrored back, as its importer mirrors it. docs/reference.md describes the file.
"""

import array
import json
import sys

import unreal


def numbers(transform):
    """The 16 numbers of a transform by columns, with y mirrored on both sides."""
    move, turn, scale = transform.translation, transform.rotation, transform.scale3d
    x, y, z, w = turn.x, turn.y, turn.z, turn.w
    columns = [
        [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
        [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
        [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
    ]
    scaled = [[size * entry for entry in column] + [0] for column, size in zip(columns, (scale.x, scale.y, scale.z))]
    matrix = [*scaled[0], *scaled[1], *scaled[2], move.x, move.y, move.z, 1]
    return [-entry if (index % 4 == 1) != (index // 4 == 1) else entry for index, entry in enumerate(matrix)]


def product(a, b):
    """The product of two matrices by columns."""
    return [sum(a[4 * k + row] * b[4 * column + k] for k in range(4)) for column in range(4) for row in range(4)]


def inverse(m):
    """The inverse of an affine matrix by columns."""
    a, b, c = m[0:3], m[4:7], m[8:11]
    cross = lambda u, v: [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    dot = lambda u, v: sum(p * q for p, q in zip(u, v))
    rows = [cross(b, c), cross(c, a), cross(a, b)]
    volume = dot(a, rows[0])
    rows = [[entry / volume for entry in row] for row in rows]
    columns = [[row[index] for row in rows] + [0] for index in range(3)]
    return [*columns[0], *columns[1], *columns[2], *(-dot(row, m[12:15]) for row in rows), 1]


def moved(m, point):
    x, y, z = point
    return [m[row] * x + m[4 + row] * y + m[8 + row] * z + m[12 + row] for row in range(3)]


def dynamic_mesh(asset):
    """The mesh as it is rendered, or else as it was imported, before its weights are stored in 8 or 16 bits."""
    options = unreal.GeometryScriptCopyMeshFromAssetOptions()
    for kind in (unreal.GeometryScriptLODType.RENDER_DATA, unreal.GeometryScriptLODType.SOURCE_MODEL):
        level = unreal.GeometryScriptMeshReadLOD(kind, 0)
        mesh, outcome = unreal.GeometryScript_AssetUtils.copy_mesh_from_skeletal_mesh(
            asset, unreal.DynamicMesh(), options, level
        )
        if outcome == unreal.GeometryScriptOutcomePins.SUCCESS:
            return mesh
        unreal.log_warning(f"{asset.get_name()}: there is no {kind.name}")
    raise SystemExit(f"{asset.get_name()}: its mesh cannot be read")


class Hero:
    """A skeletal mesh."""

    def __init__(self, asset):
        self.asset = asset
        mesh = dynamic_mesh(asset)
        _, bones = unreal.GeometryScript_BoneWeights.get_all_bones_info(mesh)
        # Parents come before their children.
        self.bones = sorted(bones, key=lambda bone: bone.index)
        self.rests = [numbers(bone.world_transform) for bone in self.bones]
        _, positions, _ = unreal.GeometryScript_MeshQueries.get_all_vertex_positions(mesh, False)
        _, triangles, _ = unreal.GeometryScript_MeshQueries.get_all_triangle_indices(mesh, True)
        positions = unreal.GeometryScript_List.convert_vector_list_to_array(positions)
        self.positions = [(point.x, -point.y, point.z) for point in positions]
        # Front faces of Unreal are clockwise in its left-handed space, and mirroring y makes them counterclockwise.
        self.triangles = unreal.GeometryScript_List.convert_triangle_list_to_array(triangles)
        self.influences = [self.of(mesh, vertex) for vertex in range(len(self.positions))]
        self.most = max(map(len, self.influences), default=0)

    @staticmethod
    def of(mesh, vertex):
        _, weights, is_valid = unreal.GeometryScript_BoneWeights.get_vertex_bone_weights(mesh, vertex)
        return [(own.bone_index, own.weight) for own in weights if own.weight > 0] if is_valid else []

    def header(self):
        deforming = {bone for own in self.influences for bone, _ in own}
        nodes = [
            {
                "name": str(bone.name),
                "parent": bone.parent_index if bone.parent_index >= 0 else None,
                "joint": bone.index in deforming,
                "rest": rest,
            }
            for bone, rest in zip(self.bones, self.rests)
        ]
        sizes = {"vertices": len(self.positions), "triangles": len(self.triangles), "influences": self.most}
        return {"nodes": nodes, "meshes": [{"name": self.asset.get_name(), **sizes}]}

    def write(self, file):
        """The shape at rest: positions, triangles, influences."""
        padded = [own + [(0, 0.0)] * (self.most - len(own)) for own in self.influences]
        write(file, "f", [number for point in self.positions for number in point])
        write(file, "I", [corner for triangle in self.triangles for corner in (triangle.x, triangle.y, triangle.z)])
        write(file, "I", [bone for own in padded for bone, _ in own])
        write(file, "f", [weight for own in padded for _, weight in own])

    def write_frame(self, file, animation, time):
        options = unreal.AnimPoseEvaluationOptions(
            evaluation_type=unreal.AnimDataEvalType.COMPRESSED,
            optional_skeletal_mesh=self.asset,
            should_retarget=True,
            extract_root_motion=False,
            incorporate_root_motion_into_pose=True,
            retrieve_additive_as_full_pose=True,
        )
        pose = unreal.AnimPoseExtensions.get_anim_pose_at_time(animation, time, options)
        world = unreal.AnimPoseSpaces.WORLD
        matrices = [numbers(unreal.AnimPoseExtensions.get_bone_pose(pose, bone.name, world)) for bone in self.bones]
        palette = [product(matrix, inverse(rest)) for matrix, rest in zip(matrices, self.rests)]
        write(file, "f", [number for matrix in matrices for number in matrix])
        skinned = []
        for point, own in zip(self.positions, self.influences):
            images = [(weight, moved(palette[bone], point)) for bone, weight in own]
            skinned += [sum(weight * image[axis] for weight, image in images) for axis in range(3)] if own else point
        write(file, "f", skinned)


def write(file, kind, values):
    """Four bytes each, little-endian as all of Unreal's platforms are."""
    file.write(array.array(kind, values).tobytes())


def load(path, kind):
    asset = unreal.load_asset(path)
    if not isinstance(asset, kind):
        raise SystemExit(f"{path}: expected an asset of the class {kind.__name__}")
    return asset


def main(reference, mesh, *paths):
    hero = Hero(load(mesh, unreal.SkeletalMesh))
    animations = [load(path, unreal.AnimSequence) for path in paths]
    clips = []
    for animation in animations:
        frames, length = unreal.AnimationLibrary.get_num_frames(animation), animation.get_play_length()
        times = [length * frame / max(frames, 1) for frame in range(frames + 1)]
        clips.append({"name": animation.get_name(), "times": times})
    header = {
        "schema": "skincheck/reference/1",
        "generator": f"Unreal Engine {unreal.SystemLibrary.get_engine_version()}",
        "up": "+Z",
        "front": "-Y",
        "metres_per_unit": 0.01,
        **hero.header(),
        "clips": clips,
    }
    with open(reference, "wb") as file:
        file.write(json.dumps(header, separators=(",", ":")).encode() + b"\n")
        hero.write(file)
        for animation, clip in zip(animations, clips):
            for time in clip["times"]:
                hero.write_frame(file, animation, time)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit("expected a file, a skeletal mesh and animations: hero.skref /Game/Hero /Game/Walk")
    main(*sys.argv[1:])
