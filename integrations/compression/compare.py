"""Compares how skincheck reads compressed models with how other decoders do.

    compare.py SKINCHECK FOLDER THREE

FOLDER has NAME.MODE.glb, and NAME.MODE.plain.glb as `decode.mjs` and `textures.mjs` write them. All posed vertices and all joints
must agree. Where only textures are compressed, the images must be the same to the bit; otherwise THREE, which is `three.mjs`, must
also pose the vertices of NAME.MODE.glb as skincheck does.
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
    """The poses at several times of every clip, and at rest, as `bake` writes them."""
    for options in (["--pose", "rest"], ["--all-clips", "--times", "5"]):
        command = [skincheck, "bake", model, *options, "-o", "-"]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"{model}: {run.stderr}")
        for line in run.stdout.splitlines():
            yield json.loads(line)


def vertices(pose):
    """The numbers of all positions."""
    return [number for mesh in pose["meshes"] for point in mesh["positions"] for number in point]


def joints(pose):
    """The numbers of all world matrices."""
    return [number for node in pose["nodes"] for number in node["world"]]


def difference(*pairs):
    """The largest difference of two lists, relative to the largest number of the second."""
    worst = 0.0
    for own, other in pairs:
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


class Three:
    """three.js, which poses models with the decoders that it comes with."""

    def __init__(self, program):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(["node", program], **pipes)

    def difference(self, model, poses):
        """How far its vertices are from those of `poses` of the file `model`; `None` if it poses none of them."""
        worst, count = 0.0, 0
        for pose in poses:
            asked = {"model": str(model), "clip": pose["clip"], "time": pose["time"]}
            print(json.dumps(asked), file=self.process.stdin, flush=True)
            answer = self.process.stdout.readline()
            if not answer:
                sys.exit(f"{model.name}: three.js cannot read it")
            for own, other in zip(pose["meshes"], json.loads(answer), strict=True):
                # It blends the first four influences only.
                if other is not None:
                    pair = [[number for point in points for number in point] for points in (own["positions"], other)]
                    worst = max(worst, difference(pair))
                    count += 1
        return worst if count > 0 or not poses[0]["meshes"] else None


def main(skincheck, folder, three):
    found = {}
    three = Three(three)
    models = [path for path in Path(folder).glob("*.glb") if not path.name.endswith(".plain.glb")]
    for packed in sorted(models):
        plain = packed.with_suffix(".plain.glb")
        own = list(poses(skincheck, packed))
        pairs = zip(own, poses(skincheck, plain), strict=True)
        worst = max(difference([vertices(a), vertices(b)], [joints(a), joints(b)]) for a, b in pairs)
        if not worst <= TOLERANCE:
            sys.exit(f"{packed.name}: vertices or joints differ by {worst:.2g}")
        second = None
        if not packed.suffixes[0].startswith(TEXTURES):
            second = three.difference(packed, own)
            if second is not None and not second <= TOLERANCE:
                sys.exit(f"{packed.name}: vertices differ from those of three.js by {second:.2g}")
        elif drawn(skincheck, packed) != drawn(skincheck, plain):
            sys.exit(f"{packed.name}: its texture is not what Basis Universal's own transcoder makes of it")
        found.setdefault(packed.suffixes[0], []).append((worst, second))
    for mode, differences in sorted(found.items()):
        line = f"{mode[1:]:12} {len(differences):3} models, at most {max(worst for worst, _ in differences):.2g}"
        seconds = [second for _, second in differences if second is not None]
        if seconds:
            line += f"; {len(seconds)} posed by three.js, at most {max(seconds):.2g}"
        print(line)


main(*sys.argv[1:])
