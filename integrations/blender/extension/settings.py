"""The user's settings of Blender's exporters."""

import os

OPERATORS = {"GLTF": "export_scene.gltf", "FBX": "export_scene.fbx"}

# What belongs to the dialog, not to the export.
_OF_DIALOG = {"filepath", "check_existing", "filter_glob", "ui_tab", "will_save_settings", "rna_type"}


def of_operator(operator):
    """The properties of an exporter that are set, for JSON."""
    names = [one.identifier for one in operator.bl_rna.properties if one.identifier not in _OF_DIALOG]
    values = {name: getattr(operator, name) for name in names if operator.is_property_set(name)}
    plain = {name: sorted(value) if isinstance(value, set) else value for name, value in values.items()}
    return {name: value for name, value in plain.items() if isinstance(value, (str, bool, int, float, list))}


def last(context, format):
    """The settings that the scene remembers, else those of the last export in this session, else Blender's."""
    remembered = context.scene.get("glTF2ExportSettings") if format == "GLTF" else None
    if remembered:
        return remembered.to_dict()
    operator = context.window_manager.operator_properties_last(OPERATORS[format])
    return of_operator(operator) if operator else {}


def configuration(path):
    """The nearest skincheck.toml in the folder of a .blend file, or above; `None` without one."""
    folder = os.path.dirname(os.path.abspath(path)) if path else None
    while folder:
        found = os.path.join(folder, "skincheck.toml")
        if os.path.exists(found):
            return found
        above = os.path.dirname(folder)
        folder = above if above != folder else None
    return None
