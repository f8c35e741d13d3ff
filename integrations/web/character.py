"""A character of any size: a tube around a chain of joints that bends."""

import json
import math
import struct
from array import array

JOINTS = 30
SIDES = 100


def write_character(path, vertices):
    """Writes a GLB file with about this many vertices, four influences each, and a clip that rotates every joint."""
    rings = vertices // SIDES
    positions, normals, joints, weights, indices = array("f"), array("f"), array("B"), array("f"), array("I")
    for ring in range(rings):
        height = ring / (rings - 1) * (JOINTS - 1)
        lower = min(int(height), JOINTS - 2)
        share = height - lower
        for side in range(SIDES):
            angle = 2 * math.pi * side / SIDES
            around = (math.cos(angle), math.sin(angle))
            positions.extend((0.5 * around[0], height, 0.5 * around[1]))
            normals.extend((around[0], 0.0, around[1]))
            joints.extend((lower, lower + 1, 0, 0))
            weights.extend((1 - share, share, 0.0, 0.0))
    for ring in range(rings - 1):
        for side in range(SIDES):
            a, b = ring * SIDES + side, ring * SIDES + (side + 1) % SIDES
            indices.extend((a, a + SIDES, b, b, a + SIDES, b + SIDES))
    times = array("f", [frame / 30 for frame in range(31)])
    bends = array("f")
    for time in times:
        half = 0.05 * math.sin(2 * math.pi * time)
        bends.extend((0.0, 0.0, math.sin(half), math.cos(half)))
    binds = array("f")
    for joint in range(JOINTS):
        binds.extend((1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -joint, 0, 1))

    count = rings * SIDES
    bounds = {"min": [-0.5, 0.0, -0.5], "max": [0.5, JOINTS - 1.0, 0.5]}
    listed = [
        (positions, 5126, "VEC3", count, bounds), (normals, 5126, "VEC3", count, {}), (joints, 5121, "VEC4", count, {}),
        (weights, 5126, "VEC4", count, {}), (indices, 5125, "SCALAR", len(indices), {}),
        (times, 5126, "SCALAR", len(times), {"min": [times[0]], "max": [times[-1]]}), (bends, 5126, "VEC4", len(times), {}),
        (binds, 5126, "MAT4", JOINTS, {}),
    ]
    buffer, views, accessors = bytearray(), [], []
    for index, (values, component, kind, length, more) in enumerate(listed):
        content = values.tobytes()
        views.append({"buffer": 0, "byteOffset": len(buffer), "byteLength": len(content)})
        accessors.append({"bufferView": index, "componentType": component, "type": kind, "count": length, **more})
        buffer += content
    chain = [{"name": f"joint{joint}", "translation": [0, 1 if joint else 0, 0]} for joint in range(JOINTS)]
    for joint in range(JOINTS - 1):
        chain[joint]["children"] = [joint + 1]
    attributes = {"POSITION": 0, "NORMAL": 1, "JOINTS_0": 2, "WEIGHTS_0": 3}
    document = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, JOINTS]}],
        "nodes": [*chain, {"name": "body", "mesh": 0, "skin": 0}],
        "meshes": [{"primitives": [{"attributes": attributes, "indices": 4}]}],
        "skins": [{"joints": list(range(JOINTS)), "inverseBindMatrices": 7, "skeleton": 0}],
        "animations": [{
            "name": "Bend", "samplers": [{"input": 5, "output": 6}],
            "channels": [{"sampler": 0, "target": {"node": joint, "path": "rotation"}} for joint in range(JOINTS)],
        }],
        "buffers": [{"byteLength": len(buffer)}], "bufferViews": views, "accessors": accessors,
    }
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(buffer), b"BIN\0") + buffer
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)
