"""Walkers with faults, for the pictures of the documentation."""

import json
import struct

from browser import FIXTURES


def whole():
    return (FIXTURES / "walker.glb").read_bytes()


def stiff_knee():
    """The walk no longer moves a knee."""
    model, buffer = parts()
    knee = next(index for index, node in enumerate(model["nodes"]) if node["name"] == "LeftLowerLeg")
    channels = model["animations"][0]["channels"]
    channels[:] = [channel for channel in channels if channel["target"]["node"] != knee]
    return joined(model, buffer)


def torn_hand():
    """The fingers of a hand follow a toe."""
    def follow_toe(position, joints, weights):
        return ((13, 0, 0, 0), (255, 0, 0, 0)) if position[0] > 0.57 else (joints, weights)
    return weighted(follow_toe)


def heavy_arm():
    """Where two joints share an arm, their weights are twice as large."""
    def double(position, joints, weights):
        shared = position[0] < -0.2 and weights[1] > 0
        return joints, tuple(min(255, 2 * weight) for weight in weights) if shared else weights
    return weighted(double)


def weighted(change):
    """With other joints and weights of each vertex."""
    model, buffer = parts()
    attributes = model["meshes"][0]["primitives"][0]["attributes"]

    def values(name, form):
        accessor = model["accessors"][attributes[name]]
        start, size = model["bufferViews"][accessor["bufferView"]]["byteOffset"], struct.calcsize(form)
        return range(start, start + size * accessor["count"], size)

    for at, joint_at, weight_at in zip(values("POSITION", "<3f"), values("JOINTS_0", "4B"), values("WEIGHTS_0", "4B")):
        stored = [struct.unpack_from(form, buffer, place) for form, place in [("<3f", at), ("4B", joint_at), ("4B", weight_at)]]
        joints, weights = change(*stored)
        struct.pack_into("4B", buffer, joint_at, *joints)
        struct.pack_into("4B", buffer, weight_at, *weights)
    return joined(model, buffer)


def parts():
    """The JSON and the buffer."""
    stored = whole()
    length = int.from_bytes(stored[12:16], "little")
    return json.loads(stored[20:20 + length]), bytearray(stored[28 + length:])


def joined(model, buffer):
    text = json.dumps(model).encode()
    text += b" " * (-len(text) % 4)
    head = struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(buffer))
    return head + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(buffer), b"BIN\0") + buffer
