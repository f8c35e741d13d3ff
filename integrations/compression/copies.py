"""Repaired copies, held against the models: glTF-Validator finds no more in them, and three.js poses all vertices alike but the repaired.

    copies.py SKINCHECK PACKED VALIDATE THREE

PACKED has NAME.MODE.glb with NAME.MODE.plain.glb, the same without compression; VALIDATE is `validate.mjs`, THREE `three.mjs`. The
other models are the fixtures of the rules, and those in $SKINCHECK_CORPUS.
"""

import base64
import json
import math
import os
import subprocess
import sys
import tempfile
import urllib.parse
from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"

# What these repair is the same model for every program but at the repaired vertices.
ALIKE = {"W103", "W104", "W109", "W112", "W114", "D602", "C513", "C521", "G804", "G805", "G817", "G818"}


def models(packed=None):
    """The models that may have a fault."""
    folders = [FIXTURES / "rules", Path(os.environ.get("SKINCHECK_CORPUS", "/nowhere"))] + ([Path(packed)] if packed else [])
    found = (path for folder in folders for path in sorted(folder.rglob("*.gl[bt]*")))
    return [path for path in found if ".plain" not in path.suffixes]


def fix(skincheck, model, *options):
    run = subprocess.run([skincheck, "fix", model, "--json", *options], capture_output=True, text=True)
    assert run.returncode in (0, 1, 2) and "panicked" not in run.stderr, f"{model}: {run.returncode}: {run.stderr}"
    return json.loads(run.stdout) if run.stdout.startswith("{") else None


def copies(skincheck, folder, packed=None):
    """The models with faults that are repaired, the copies, and what is proved of them."""
    for number, model in enumerate(models(packed)):
        offer = fix(skincheck, model, "--dry-run")
        if offer is None:
            continue
        codes = [own["code"] for own in offer["repaired"] + offer["undone"]] + offer["not_asked"]
        copy = Path(folder) / str(number) / model.name
        copy.parent.mkdir()
        proof = codes and fix(skincheck, model, "-o", copy, "--only", ",".join(codes))
        assert copy.exists() or not offer["repaired"], f"{model}: no copy is written"
        if proof and copy.exists():
            yield model, copy, proof


def repaired(proof):
    return {own["code"] for own in proof["repaired"]}


def most_moved(proof):
    """How many vertices may be elsewhere: none, if the proof says so."""
    changed = sum(own["changed"] for own in proof["repaired"] if own["code"] == "W104")
    return max(proof["moved"]["vertices"], changed)


def moved(before, after):
    """How many of these points are elsewhere."""
    assert len(before) == len(after), "there are other vertices"
    points = [point for point in before if all(map(math.isfinite, point))]
    sides = [max(axis) - min(axis) for axis in zip(*points)]
    limit = 1e-4 * math.hypot(*sides) if sides else 0.0
    # A distance that is NaN is no small one.
    return sum(all(map(math.isfinite, a)) and not math.dist(a, b) <= limit for a, b in zip(before, after))


def inlined(model, folder):
    """The model with its buffers inside, since nothing is fetched in Node."""
    if model.suffix != ".gltf":
        return model
    document = json.loads(model.read_text(encoding="utf-8-sig"))
    for buffer in document.get("buffers", []):
        if not buffer.get("uri", "data:").startswith("data:"):
            data = (model.parent / urllib.parse.unquote(buffer["uri"])).read_bytes()
            buffer["uri"] = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    path = Path(folder) / "inlined.gltf"
    path.write_text(json.dumps(document))
    return path


def posed(three, model, folder):
    """The points of all meshes at rest and in each clip; `None` if three.js cannot read the model."""
    path = inlined(model, folder)
    if path.suffix == ".gltf":
        clips = json.loads(path.read_text()).get("animations", [])
    else:
        data = path.read_bytes()
        clips = json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")]).get("animations", [])
    names = [clip.get("name") or f"animation_{index}" for index, clip in enumerate(clips)]
    asked = [(None, 0)] + [(name, time) for name in names for time in (0.1, 0.4)]
    lines = [json.dumps({"model": str(path), "clip": clip, "time": time}) for clip, time in asked]
    run = subprocess.run(["node", three], input="\n".join(lines), capture_output=True, text=True)
    poses = [json.loads(line) for line in run.stdout.splitlines()]
    if len(poses) != len(asked):
        return None
    return [[point for mesh in pose if mesh for point in mesh] for pose in poses]


def wrong(model, copy, proof, validate, three):
    """What is wrong with a copy, if anything; and whether three.js has read it."""
    # What a codec has compressed is not examined, but what was decoded is.
    plain = model.with_suffix(".plain.glb")
    seen = [model, plain] if plain.exists() and proof["plain"] else [model]
    run = subprocess.run(["node", validate, *seen, copy], capture_output=True, text=True)
    if run.returncode != 0:
        return run.stdout + run.stderr, False
    with tempfile.TemporaryDirectory() as folder:
        before = posed(three, model, folder)
        after = before and posed(three, copy, folder)
    if before is None:
        return None, False
    if after is None:
        return "three.js cannot read the copy", False
    if repaired(proof) <= ALIKE:
        worst = max(moved(a, b) for a, b in zip(before, after))
        if worst > most_moved(proof):
            return f"{worst} vertices moved in three.js, proved: {proof['proved']}", True
    return None, True


def main(skincheck, packed, validate, three):
    failures, checked, read = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for model, copy, proof in copies(skincheck, folder, packed):
            failure, is_read = wrong(model, copy, proof, validate, three)
            checked += 1
            read += is_read
            if failure:
                failures.append(f"{model} ({', '.join(sorted(repaired(proof)))}): {failure}")
    print(f"copies: {checked} by glTF-Validator, {read} by three.js", *failures, sep="\n")
    sys.exit(1 if failures or checked < 15 else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
