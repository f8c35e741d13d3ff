"""Compares what `skincheck bake --engine ENGINE` says of models with what the engine itself makes of them.

    python3 compare.py SKINCHECK ENGINE 'node ENGINE.mjs' MODEL...

Each model is posed in its first clips, and at rest without one. Prints a line per model and a summary. A model whose vertices are farther
than 1e-5 of its diagonal from the engine's fails, unless `differs.json` names it with a cause. If it names "clips" for an engine, models
are compared at rest only, and if it names "fps", at frames of that rate only.
"""

import json
import subprocess
import sys
from pathlib import Path

LIMIT = 1e-5
# Models compared; each model has one mesh, so that vertices have the same order on both sides.
MOST_CLIPS = 2
KNOWN = json.loads((Path(__file__).parent / "differs.json").read_text())


def chunk(path):
    """The JSON of a glTF file."""
    data = Path(path).read_bytes()
    if data[:4] == b"glTF":
        size = int.from_bytes(data[12:16], "little")
        data = data[20 : 20 + size]
    return json.loads(data)


def is_comparable(path):
    """Whether it is a plain glTF file with one skinned primitive, which is used once."""
    try:
        gltf = chunk(path)
    except ValueError:
        return False
    meshes = gltf.get("meshes", [])
    users = [node for node in gltf.get("nodes", []) if "mesh" in node]
    return (
        len(meshes) == 1
        and len(meshes[0]["primitives"]) == 1
        and meshes[0]["primitives"][0].get("mode", 4) == 4
        and len(users) == 1
        and "skin" in users[0]
        and not gltf.get("extensionsRequired")
    )


def bake(skincheck, engine, model, clip, time):
    pose = ["--pose", "rest"] if clip is None else ["--clip", str(clip), "--time", repr(time)]
    command = [skincheck, "bake", model, *pose, "--engine", engine, "-o", "-"]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    if done.returncode != 0:
        return None
    return json.loads(done.stdout)["meshes"][0]["positions"]


def times(model, known):
    """The poses: clip and time."""
    gltf = chunk(model)
    poses = [(None, 0.0)]
    for index, clip in enumerate(gltf.get("animations", [])[:MOST_CLIPS]):
        inputs = [gltf["accessors"][sampler["input"]] for sampler in clip["samplers"]]
        end = max((accessor.get("max", [0])[0] for accessor in inputs), default=0)
        fps = known.get("fps", {}).get("rate")
        at = [end * part for part in (0.37, 0.5)]
        poses += [(index, int(time * fps) / fps if fps else time) for time in at]
    return poses[:1] if "clips" in known else poses


def main(skincheck, engine, command, *models):
    known = KNOWN.get(engine, {})
    adapter = subprocess.Popen(command, shell=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    compared, worst, failed = 0, 0.0, []
    for model in filter(is_comparable, models):
        farthest = -1.0
        for clip, time in times(model, known):
            ours = bake(skincheck, engine, model, clip, time)
            adapter.stdin.write(json.dumps({"model": model, "clip": clip, "time": time}) + "\n")
            adapter.stdin.flush()
            # A library may print a banner.
            answer = json.loads(next(line for line in adapter.stdout if line.startswith("{")))
            theirs = answer.get("positions")
            if ours is None or theirs is None or len(ours) != len(theirs):
                continue
            flat = [number for vertex in ours for number in vertex]
            if None in flat or any(number is None for vertex in theirs for number in vertex):
                continue
            sides = [max(axis) - min(axis) for axis in zip(*ours)]
            diagonal = sum(side * side for side in sides) ** 0.5 or 1.0
            apart = max(
                (sum((a - b) ** 2 for a, b in zip(one, other)) ** 0.5 for one, other in zip(ours, theirs)), default=0.0
            )
            farthest = max(farthest, apart / diagonal)
        if farthest < 0.0:
            continue
        name = Path(model).name
        cause = known.get(name)
        compared += 1
        if farthest > LIMIT and not cause:
            failed.append(name)
        if farthest <= LIMIT:
            worst = max(worst, farthest)
        print(f"{engine}: {name}: {farthest:.1e}{' known: ' + cause if cause else ''}")
    adapter.stdin.close()
    adapter.wait()
    print(f"{engine}: {compared} models compared, at most {worst:.1e} of the diagonal apart")
    if failed or compared < 20:
        sys.exit(f"{engine}: too far apart: {', '.join(failed) or 'none'}; 20 models are needed")


if __name__ == "__main__":
    main(*sys.argv[1:])
