"""Point caches of a rig in bpy, which Blender's own Mesh Cache modifier plays, are references for `skincheck diff`.

    python test_caches.py path/to/skincheck

Blender plays PC2 and MDD but writes neither, so the files are written here from meshes as Blender evaluates them.
"""

import os
import struct
import sys
import tempfile

import bpy
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import test_reference  # noqa: E402

FRAMES = range(25)
FPS = 24.0


def points():
    """The vertices of the body as evaluated in the current frame."""
    evaluated = bpy.data.objects["Body"].evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    numbers = np.empty(3 * len(mesh.vertices), "f4")
    mesh.vertices.foreach_get("co", numbers)
    evaluated.to_mesh_clear()
    return numbers.reshape(-1, 3)


def played():
    """The vertices of all frames."""
    frames = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        frames.append(points())
    return np.array(frames)


def write_pc2(path, frames):
    with open(path, "wb") as file:
        file.write(struct.pack("<12siiffi", b"POINTCACHE2", 1, frames.shape[1], 0.0, 1.0, len(frames)))
        file.write(frames.astype("<f4").tobytes())


def write_mdd(path, frames):
    with open(path, "wb") as file:
        file.write(struct.pack(">ii", len(frames), frames.shape[1]))
        file.write((np.array(FRAMES) / FPS).astype(">f4").tobytes())
        file.write(frames.astype(">f4").tobytes())


WRITERS = {"PC2": write_pc2, "MDD": write_mdd}


def assert_blender_plays(path, format, expected):
    """The body moves by the cache alone as it did by its armature."""
    body = bpy.data.objects["Body"]
    armature = body.modifiers["Armature"]
    armature.show_viewport = False
    cache = body.modifiers.new("Cache", "MESH_CACHE")
    cache.cache_format, cache.filepath, cache.frame_start = format, path, 0
    cache.forward_axis, cache.up_axis = "POS_Y", "POS_Z"
    farthest = np.abs(played() - expected).max()
    assert farthest < 1e-5, (format, farthest)
    body.modifiers.remove(cache)
    armature.show_viewport = True


def main(skincheck):
    with tempfile.TemporaryDirectory() as folder:
        test_reference.build()
        frames = played()
        models = {extension: os.path.join(folder, "scene." + extension) for extension in ("glb", "fbx")}
        for model in models.values():
            test_reference.export(model)
        for format, write in WRITERS.items():
            path = os.path.join(folder, "scene." + format.lower())
            write(path, frames)
            assert_blender_plays(path, format, frames)
            for extension, model in models.items():
                report, told = test_reference.diff(skincheck, path, model, "--align", "time")
                largest = max(take["max"] for take in report["takes"]) / report["diagonal"]
                print(f"{format} and {extension}: {largest:.1e} of the diagonal {told}")
                assert not told and report["takes"][0]["samples"] == len(FRAMES), (format, extension, told)
        # What the cache has and an export lacks is found.
        test_reference.add_shape_key()
        frames = played()
        for format, write in WRITERS.items():
            path = os.path.join(folder, "shape_key." + format.lower())
            write(path, frames)
            _, told = test_reference.diff(skincheck, path, models["glb"])
            print(f"{format}, a shape key that the export lacks: {told}")
            assert told, format


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
