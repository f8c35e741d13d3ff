"""Which vertex of the scene each vertex of an export comes from.

Exporters split vertices at seams, drop unused ones, and apply modifiers. A mark on each vertex, in a copy of the scene, survives all
of that: it is a pair of whole numbers, the index of the vertex and a hash of it. Modifiers interpolate marks for the vertices they
make; such a pair does not fit together any more, and the vertex comes from none.
"""

import numpy as np

NAME = "skincheck vertices"

# Whole numbers to this size, and their distances from 1, are exact in a float of 32 bits.
_HASHES = 1 << 22
_VERTICES = 1 << 24
# Odd, so that the number of the mesh can be divided out of the second number again.
_PER_MESH = 2654435
_INVERSE = pow(_PER_MESH, -1, _HASHES)


def _hash(vertices):
    """As MurmurHash3 ends: that of a mean is not the mean of hashes."""
    mixed = vertices.astype(np.uint64)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor) % np.uint64(1 << 32)
    return (mixed ^ (mixed >> np.uint64(16))).astype(np.int64) % _HASHES


def encode(mesh, count):
    """The marks of the vertices of the mesh with this number: count × 2."""
    vertices = np.arange(count, dtype=np.int64)
    return np.stack([vertices, (_hash(vertices) + mesh * _PER_MESH) % _HASHES], 1).astype("f4")


def decode(marks, meshes):
    """The number of the mesh, below `meshes`, and the index of the vertex that each mark names; -1 and -1 if it names none."""
    whole = (marks == np.rint(marks)) & (marks >= 0) & (marks < _VERTICES)
    numbers = np.where(whole, marks, 0).astype(np.int64)
    mesh = (numbers[:, 1] - _hash(numbers[:, 0])) * _INVERSE % _HASHES
    names = whole.all(1) & (mesh < meshes)
    return np.where(names[:, None], np.stack([mesh, numbers[:, 0]], 1), -1)


def mark(meshes):
    """Marks the vertices of all meshes: for exporters as the last UV map, for the evaluated scene as an attribute."""
    for number, mesh in enumerate(meshes):
        marks = encode(number, len(mesh.vertices))
        mesh.attributes.new(NAME, "FLOAT2", "POINT").data.foreach_set("vector", marks.ravel())
        corners = np.empty(len(mesh.loops), "i4")
        mesh.loops.foreach_get("vertex_index", corners)
        # Blender has eight at most.
        while len(mesh.uv_layers) > 7:
            mesh.uv_layers.remove(mesh.uv_layers[-1])
        mesh.uv_layers.new(name=NAME + " of corners", do_init=False).uv.foreach_set("vector", marks[corners].ravel())


def keep_marks(objects):
    """Prevents modifiers from changing the texture coordinates of vertices that they keep."""
    for modifier in (modifier for thing in objects for modifier in thing.modifiers):
        for name, value in (("uv_smooth", "NONE"), ("use_mirror_u", False), ("use_mirror_v", False)):
            if hasattr(modifier, name):
                setattr(modifier, name, value)
        for name in ("offset_u", "offset_v", "mirror_offset_u", "mirror_offset_v"):
            if hasattr(modifier, name):
                setattr(modifier, name, 0.0)


def of_evaluated(mesh, meshes):
    """What `decode` returns, of an evaluated mesh."""
    attribute = mesh.attributes.get(NAME)
    if attribute is None or attribute.domain != "POINT" or attribute.data_type != "FLOAT2":
        return np.full((len(mesh.vertices), 2), -1)
    marks = np.empty(2 * len(attribute.data), "f4")
    attribute.data.foreach_get("vector", marks)
    return decode(marks.reshape(-1, 2), meshes)


def trace(exported, marked, meshes):
    """What `decode` returns, for each mesh of an export; `None` if the two exports differ in more than marks.

    exported, marked -- the same scene exported without and with marks
    """
    if len(exported.meshes) != len(marked.meshes):
        return None
    traced = []
    for own, twin in zip(exported.meshes, marked.meshes):
        corners, twins = own.triangles.ravel(), twin.triangles.ravel()
        same = len(corners) == len(twins) and np.array_equal(own.positions[corners], twin.positions[twins], equal_nan=True)
        if not same:
            return None
        vertices = np.full((own.vertex_count, 2), -1)
        # In files, v grows downwards.
        of_sets = [decode(np.float32([0, 1]) + np.float32([1, -1]) * uvs, meshes) for uvs in twin.uv_sets]
        if of_sets:
            vertices[corners] = max(of_sets, key=lambda one: np.count_nonzero(one[:, 0] >= 0))[twins]
        traced.append(vertices)
    return traced
