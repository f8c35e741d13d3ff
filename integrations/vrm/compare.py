"""Compares how skincheck and three-vrm pose VRM models.

    compare.py SKINCHECK FIXTURES POSE.MJS

All vertices must agree, and must move from where the file alone puts them.
"""

import json
import subprocess
import sys
from pathlib import Path

# Of the models, which are two to three units tall: three.js keeps matrices and quaternions in f64, and bakes are in f32.
TOLERANCE = 1e-5
# The end of the clip is left out: the mixer starts over there.
TIMES = [0.0, 0.25, 0.9]

CASES = [
    ("face.gltf", None, {}),
    ("face.gltf", None, {"happy": 1.0}),
    ("face.gltf", None, {"happy": 0.5, "blink": 0.8}),
    ("face.gltf", None, {"puff": 0.6}),
    ("face.gltf", None, {"puff": 0.4, "blink": 1.0}),
    ("face_0.gltf", None, {"happy": 0.7}),
    ("face_0.gltf", None, {"Puff": 1.0, "happy": 0.2}),
    ("avatar.gltf", "wave.gltf", {}),
    ("avatar_0.gltf", "wave.gltf", {}),
    ("face.gltf", "smile.gltf", {}),
]


def own(skincheck, folder, model, animation, expressions):
    """The posed vertices at each time: one list of points per time."""
    command = [skincheck, "bake", folder / model, "--times", ",".join(map(str, TIMES)), "-o", "-"]
    command += ["--animation", folder / animation] if animation else []
    command += [f"--expression={name}={weight}" for name, weight in expressions.items()]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{model}: {run.stderr}")
    poses = [json.loads(line) for line in run.stdout.splitlines()]
    return [[point for mesh in pose["meshes"] for point in mesh["positions"]] for pose in poses]


def theirs(program, folder, model, animation, expressions):
    asked = [
        {
            "model": str(folder / model),
            "animation": animation and str(folder / animation),
            "expressions": expressions,
            "time": time,
        }
        for time in TIMES
    ]
    lines = "".join(json.dumps(line) + "\n" for line in asked)
    run = subprocess.run(["node", program], input=lines, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{model}: {run.stderr}")
    poses = [json.loads(line) for line in run.stdout.splitlines()]
    return [[point for mesh in pose for point in mesh] for pose in poses]


def apart(some, others):
    """The largest difference of a coordinate."""
    pairs = [(a, b) for pose, other in zip(some, others, strict=True) for a, b in zip(pose, other, strict=True)]
    return max(abs(x - y) for a, b in pairs for x, y in zip(a, b, strict=True))


def main(skincheck, folder, program):
    failed = False
    for model, animation, expressions in CASES:
        posed = own(skincheck, folder, model, animation, expressions)
        off = apart(posed, theirs(program, folder, model, animation, expressions))
        moved = apart(posed, [posed[0]] * len(posed))
        failed |= not off < TOLERANCE or (animation is not None and moved < 0.01)
        print(f"{model} {animation or ''} {expressions or ''}: {off:.1e} apart")
    sys.exit(failed)


main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
