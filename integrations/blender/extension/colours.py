"""The colour attribute of the extension."""

import bpy
import numpy as np

NAME = "skincheck"

# Of vertices without a fault, with one, and without a counterpart. Linear.
GOOD, BAD, NONE = (0.2, 0.2, 0.2, 1.0), (0.9, 0.05, 0.02, 1.0), (0.02, 0.02, 0.02, 1.0)

# From no distance to the largest.
RAMP = np.array([(0.05, 0.1, 0.4), (0.02, 0.45, 0.35), (0.85, 0.6, 0.05), (0.9, 0.05, 0.02)])

# The name of a mesh to that of the colours that were active before.
_before = {}


def paint(mesh, colours):
    """Colours the vertices of a mesh in object mode: vertices × 4."""
    attribute = mesh.color_attributes.get(NAME)
    if attribute is None:
        active = mesh.color_attributes.active_color
        _before[mesh.name] = active.name if active else None
        attribute = mesh.color_attributes.new(NAME, "FLOAT_COLOR", "POINT")
    attribute.data.foreach_set("color", np.asarray(colours, "f4").ravel())
    mesh.color_attributes.active_color = attribute
    mesh.update()


def of_vertices(count, chosen):
    """Some of the vertices stand out."""
    colours = np.tile(np.float32(GOOD), (count, 1))
    colours[chosen] = BAD
    return colours


def of_distances(distances, largest):
    """By distance; NaN where a vertex has no counterpart."""
    shares = np.clip(np.nan_to_num(distances) / (largest or 1.0), 0, 1)
    stops = np.linspace(0, 1, len(RAMP))
    colours = np.ones((len(distances), 4), "f4")
    for channel in range(3):
        colours[:, channel] = np.interp(shares, stops, RAMP[:, channel])
    colours[np.isnan(distances)] = NONE
    return colours


def clear():
    """Removes the attribute from all meshes; what was active is active again."""
    for mesh in bpy.data.meshes:
        attribute = mesh.color_attributes.get(NAME)
        if attribute is None:
            continue
        mesh.color_attributes.remove(attribute)
        before = mesh.color_attributes.get(_before.get(mesh.name) or "")
        if before is not None:
            mesh.color_attributes.active_color = before
    _before.clear()
