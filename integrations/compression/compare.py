"""Compares how skincheck reads compressed models with how other decoders do.

    compare.py SKINCHECK FOLDER

FOLDER has NAME.MODE.glb, and NAME.MODE.plain.glb as `decode.mjs` and `textures.mjs` write them. All posed vertices and all joints
must agree. Where only textures are compressed, the images must be the same to the bit.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Decoders round what a filter or a dequantization makes of stored numbers, by up to one step of 16 bits.
TOLERANCE = 1 / 32767
# Modes in which only textures are compressed.
TEXTURES = (".etc1s", ".uastc")


def poses(skincheck, model):
    """The posed vertices and the world matrices at several times of every clip, and at rest, as lists of numbers."""
    for options in (["--pose", "rest"], ["--all-clips", "--times", "5"]):
        command = [skincheck, "bake", model, *options, "-o", "-"]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"{model}: {run.stderr}")
        for line in run.stdout.splitlines():
            pose = json.loads(line)
            meshes, nodes = pose["meshes"], pose["nodes"]
            yield [
                [number for mesh in meshes for point in mesh["positions"] for number in point],
                [number for node in nodes for number in node["world"]],
            ]


def difference(packed, plain):
    """The largest difference of two poses, relative to the largest number of each list."""
    worst = 0.0
    for own, other in zip(packed, plain, strict=True):
        if len(own) != len(other):
            return float("inf")
        size = max((abs(number) for number in other), default=0.0) or 1.0
        worst = max([worst] + [abs(a - b) / size for a, b in zip(own, other)])
    return worst


def drawn(skincheck, model):
    """The image of a model, as a PNG file, which names the model."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(model, Path(folder) / "model.glb")
        subprocess.run([skincheck, "render", "model.glb", "-o", "image.png"], check=True, capture_output=True, cwd=folder)
        return (Path(folder) / "image.png").read_bytes()


def main(skincheck, folder):
    found = {}
    models = [path for path in Path(folder).glob("*.glb") if not path.name.endswith(".plain.glb")]
    for packed in sorted(models):
        plain = packed.with_suffix(".plain.glb")
        pairs = zip(poses(skincheck, packed), poses(skincheck, plain), strict=True)
        worst = max(difference(*pair) for pair in pairs)
        if not worst <= TOLERANCE:
            sys.exit(f"{packed.name}: vertices or joints differ by {worst:.2g}")
        if packed.suffixes[0].startswith(TEXTURES) and drawn(skincheck, packed) != drawn(skincheck, plain):
            sys.exit(f"{packed.name}: its texture is not what Basis Universal's own transcoder makes of it")
        found.setdefault(packed.suffixes[0], []).append(worst)
    for mode, differences in sorted(found.items()):
        print(f"{mode[1:]:12} {len(differences):3} models, at most {max(differences):.2g}")


main(*sys.argv[1:])
