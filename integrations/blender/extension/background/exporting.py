"""Blender's exporters, with the user's settings."""

import os

import bpy

# The operator, the extension, and the settings with which marks are exported: only geometry matters then.
FORMATS = {
    "GLTF": (
        "gltf",
        "glb",
        {
            "export_texcoords": True,
            "export_animations": False,
            "export_image_format": "NONE",
            "export_draco_mesh_compression_enable": False,
            "export_use_gltfpack": False,
        },
    ),
    "FBX": ("fbx", "fbx", {"bake_anim": False, "path_mode": "AUTO", "embed_textures": False}),
}


def export(format, settings, folder, marked=False):
    """Exports the current scene, and returns the path of the file.

    settings -- properties of the operator; sets of words may be lists
    marked -- whether vertices are marked
    """
    name, extension, for_marks = FORMATS[format]
    operator = getattr(bpy.ops.export_scene, name)
    known = operator.get_rna_type().properties
    if marked:
        settings = {**settings, **for_marks}
    if name == "fbx":
        settings = {**settings, "batch_mode": "OFF"}
    elif settings.get("export_format", "GLB") != "GLB":
        extension = "gltf"
    settings = {
        key: set(value) if known[key].type == "ENUM" and known[key].is_enum_flag else value
        for key, value in settings.items()
        if key in known
    }
    path = os.path.join(folder, f"{'marked' if marked else 'scene'}.{extension}")
    operator(**{**settings, "filepath": path})
    return path
