#!/usr/bin/env python3
"""Tests conformance/verify.py: with right answers, with an engine and its planted mistakes, and with hostile answers.

    python3 verify_test.py "python3 engine.py"
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

SET = Path(__file__).resolve().parents[2] / "conformance"
CASES = json.loads((SET / "manifest.json").read_text())["cases"]
COUNTED = sum(not case["informational"] for case in CASES)


def verify(*arguments):
    run = subprocess.run([sys.executable, str(SET / "verify.py"), *map(str, arguments)], capture_output=True, text=True, timeout=300)
    return run.returncode, run.stdout + run.stderr


def expect(code, words, *arguments):
    found, text = verify(*arguments)
    missing = [word for word in words if word not in text]
    if found != code or missing or "Traceback" in text:
        sys.exit(f"{arguments}: expected {code} and {missing}, got {found}:\n{text}")


def answers(folder, change=lambda name, answer: answer):
    """Writes the answers of a right engine, with a change."""
    folder.mkdir()
    for case in CASES:
        answer = json.loads((SET / f"{case['name']}.json").read_text())
        changed = change(case["name"], answer)
        if changed is not None:
            text = changed if isinstance(changed, (str, bytes)) else json.dumps(changed)
            (folder / f"{case['name']}.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def of(case, change):
    """A change of the answer to one case."""
    return lambda name, answer: change(answer) if name == case else answer


def mesh(answer):
    return answer["poses"][1]["meshes"][0]


def put(target, key, value):
    target[key] = value


def changed(edit):
    def change(answer):
        edit(answer)
        return answer

    return change


def folders(work):
    expect(0, [f"held {COUNTED} of {COUNTED} cases"], answers(work / "right"))
    expect(0, [f"held {COUNTED - 1} of {COUNTED} cases, unsupported 1", "unsupported step: no steps"],
           answers(work / "declared", of("step", lambda _: {"unsupported": "no steps"})))
    expect(2, ["no case was judged"], answers(work / "nothing", lambda *_: {"unsupported": "no glTF"}))
    without = lambda _, answer: {"poses": [{"time": pose["time"], "nodes": pose["nodes"]} for pose in answer["poses"]]}
    expect(0, [f"answers without vertices: {COUNTED}", f"answers without normals: {COUNTED}"], answers(work / "nodes", without))
    off = changed(lambda answer: put(mesh(answer)["positions"][3], 1, 9.0))
    expect(1, ['not held skin: vertex 3 of primitive 0 of node "body" at 0.25 s is off by', f"held {COUNTED - 1} of {COUNTED} cases"],
           answers(work / "off", of("skin", off)))
    leaning = changed(lambda answer: put(mesh(answer)["normals"], 0, [1.0, 0.0, 0.0]))
    expect(1, ["not held normals-mirrored: normal 0"], answers(work / "leaning", of("normals-mirrored", leaning)))
    # What an engine of four influences answers is what is expected of it, and of no other.
    four = lambda _, answer: {"poses": [limited(pose, 4) for pose in answer["poses"]]}
    expect(1, ["not held five-influences", "not held two-sets-of-joints"], answers(work / "four", four))
    expect(0, [f"held {COUNTED} of {COUNTED}"], work / "four", "--influences", 4)
    expect(1, ["not held five-influences"], work / "right", "--influences", 4)
    expect(0, [f"held {COUNTED} of {COUNTED}"], work / "right", "--weights", 8)
    expect(0, ["held 1 of 1 cases"], work / "right", "--case", "step")


def limited(pose, count):
    fewer = [own for own in pose.get("limited", []) if own["influences"] == count]
    return {**pose, "meshes": fewer[0]["meshes"] if fewer else pose["meshes"]}


def hostile(work):
    for number, (words, change) in enumerate([
        ("it is not JSON", lambda _: '{"poses": ['),
        ("it is not JSON", lambda _: "[" * 100_000),
        ("it is not JSON", lambda _: b"\xff\xfe"),
        ("expected a JSON object", lambda _: "[]"),
        ("has more than 16 MiB", lambda _: " " * ((16 << 20) + 1)),
        ("is missing", lambda _: None),
        ("poses: expected a list", lambda _: {}),
        ("poses: expected a list", lambda _: {"poses": 3}),
        ("expected 5 entries, not 0", lambda _: {"poses": []}),
        ("a pose: expected an object", lambda _: {"poses": [1] * 5}),
        ("neither nodes nor meshes", lambda _: {"poses": [{}] * 5}),
        ("a pose at 7.0 s", changed(lambda answer: put(answer["poses"][0], "time", 7.0))),
        ("a number is not finite", changed(lambda answer: put(mesh(answer)["positions"][3], 1, float("nan")))),
        ("a number is not finite", changed(lambda answer: put(mesh(answer)["positions"][3], 1, 10**400))),
        ("expected numbers, not null", changed(lambda answer: put(mesh(answer)["positions"][3], 1, None))),
        ("expected numbers, not \"x\"", changed(lambda answer: put(mesh(answer)["normals"][0], 1, "x"))),
        ("expected 3 entries, not 2", changed(lambda answer: mesh(answer)["positions"][3].pop())),
        ("expected 10 entries, not 9", changed(lambda answer: mesh(answer)["positions"].pop())),
        ("positions of primitive 0 of node \"body\" at 0.25 s: expected a list", changed(lambda answer: mesh(answer).pop("positions"))),
        ("primitive 0 of node \"body\" is missing", changed(lambda answer: answer["poses"][1]["meshes"].pop())),
        ("node \"root\" is missing", changed(lambda answer: answer["poses"][1]["nodes"].pop(1))),
        ("expected 16 entries, not 15", changed(lambda answer: answer["poses"][1]["nodes"][1]["world"].pop())),
        ("a node: expected an object", changed(lambda answer: put(answer["poses"][1]["nodes"], 0, [[]]))),
    ]):
        expect(2, [f"not judged skin: ", words], answers(work / f"hostile {number}", of("skin", change)))
    expect(2, ["expected a folder"], work / "nowhere")
    expect(2, ["is the folder of the cases"], SET)
    expect(2, ["no case is named stepp"], work / "right", "--case", "stepp")
    expect(2, ["--influences"], work / "right", "--influences", "many")
    expect(2, ["expected a number from 1 to 16"], work / "right", "--weights", 99)
    expect(2, ["expected a folder of answers, or --exec"])
    (work / "right" / "stepp.json").write_text("{}")
    expect(0, ["no case has the name of stepp.json"], work / "right")


def programs(engine):
    expect(0, [f"held {COUNTED} of {COUNTED} cases"], "--exec", engine)
    expect(0, [f"held {COUNTED} of {COUNTED} cases"], "--exec", f"{engine} four")
    for mistake, words in [
        ("rows", "(answer-by-rows)"),
        ("flat", "(flat)"),
        ("unbound", "(no-inverse-bind)"),
        ("nlerp", "(nlerp)"),
    ]:
        expect(1, ["looks like: ", words], "--exec", f"{engine} {mistake}")
    # It declares the four largest, and uses the first four.
    expect(1, ["not held two-sets-of-joints"], "--exec", f"{engine} first")
    expect(2, ["the program ended before it answered"], "--exec", "exit 3")
    expect(2, ["did not answer within 0.2 s"], "--exec", "sleep 9", "--timeout", 0.2)
    expect(2, ["its id is 9 instead of 0"], "--case", "step", "--exec", "read -r line; echo hello; echo '{\"id\": 9}'")
    expect(2, ["reports an error: no"], "--case", "step", "--exec", "read -r line; echo '{\"id\": 0, \"error\": \"no\"}'")


with tempfile.TemporaryDirectory() as folder:
    folders(Path(folder))
    hostile(Path(folder))
if len(sys.argv) > 1:
    programs(sys.argv[1])
print("verify.py: as expected")
