#!/usr/bin/env python3
"""Judges an engine's answers to the cases of this folder: which are held, and by how much.

    verify.py RESULTS        a folder with a file NAME.json for each case (README.md describes it)
    verify.py --exec CMD     a program that speaks the protocol of `skincheck laws --exec`

Exit codes: 0 all cases are held, 1 some are not, 2 an answer is missing or cannot be judged.
"""
import argparse
import json
import math
import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
MOST_BYTES = 16 << 20
SCHEMA = "skincheck/laws/2"
# A planted fault is named only if it explains this share of the failed cases, and fails this share of those that it should.
EXPLAINS = 0.75
# More causes that explain equally much are no explanation.
MOST_CAUSES = 3


class Bad(Exception):
    """An answer that cannot be judged."""


def parsed(text):
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Bad(f"it is not JSON: {error or 'nested too deeply'}") from None
    if not isinstance(answer, dict):
        raise Bad("expected a JSON object")
    return answer


def items(value, count, what):
    """A list of `count` entries."""
    if not isinstance(value, list):
        raise Bad(f"{what}: expected a list")
    if count is not None and len(value) != count:
        raise Bad(f"{what}: expected {count} entries, not {len(value)}")
    return value


def numbers(value, count, what):
    """A list of `count` finite numbers."""
    for number in items(value, count, what):
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            raise Bad(f"{what}: expected numbers, not {json.dumps(number)[:40]}")
        if not -1e300 < number < 1e300:
            raise Bad(f"{what}: a number is not finite")
    return value


def entry(value, what):
    if not isinstance(value, dict):
        raise Bad(f"{what}: expected an object")
    return value


class Worst:
    """The value that is farthest off, in units of what is allowed."""

    def __init__(self):
        self.share, self.text, self.compared = 0.0, "", set()

    def add(self, kind, off, allowed, what):
        self.compared.add(kind)
        share = off / allowed if allowed else (math.inf if off else 0.0)
        if share > self.share:
            self.share, self.text = share, f"{what} is off by {off:.2e}, allowed {allowed:.1e}"


def judged(case, expected, answer, engine):
    """The worst of the values that were compared. Nodes come first: wrong nodes are the cause of wrong vertices."""
    poses = items(answer.get("poses"), len(expected["poses"]), "poses")
    worst = Worst()
    for wanted, got in zip(expected["poses"], poses):
        time = entry(got, "a pose").get("time", wanted["time"])
        if abs(numbers([time], 1, "time")[0] - wanted["time"]) > 1e-6:
            raise Bad(f"a pose at {time} s where {wanted['time']} s is expected")
        if got.get("nodes") is not None:
            judge_nodes(wanted, got["nodes"], worst)
    if worst.share > 1:
        return worst
    for wanted, got in zip(expected["poses"], poses):
        if got.get("meshes") is not None:
            judge_meshes(*limited(wanted, engine), wanted["time"], got["meshes"], worst)
    if not worst.compared:
        raise Bad("it has neither nodes nor meshes")
    return worst


def limited(pose, engine):
    """The expected meshes, and their tolerance, of an engine with fewer influences or coarser weights."""
    meshes, tolerance = pose["meshes"], dict(pose["tolerance"])
    for fewer in pose.get("limited", []):
        if fewer["influences"] == engine.influences:
            meshes, tolerance = fewer["meshes"], dict(fewer["tolerance"])
    if engine.weights:
        tolerance["vertices"] += tolerance["per_weight_step"] / (2**engine.weights - 1)
    return meshes, tolerance


def judge_nodes(wanted, nodes, worst):
    time, allowed = wanted["time"], wanted["tolerance"]["nodes"]
    by_name = {str(entry(node, "a node").get("name")): node for node in items(nodes, None, "nodes")}
    for node in wanted["nodes"]:
        what = f"the global transform of node \"{node['name']}\" at {time} s"
        if node["name"] not in by_name:
            raise Bad(f"node \"{node['name']}\" is missing at {time} s")
        world = numbers(by_name[node["name"]].get("world"), 16, what)
        worst.add("nodes", max(abs(a - b) for a, b in zip(world, node["world"])), allowed, what)


def judge_meshes(wanted, tolerance, time, meshes, worst):
    key = lambda mesh: (str(entry(mesh, "a mesh").get("node")), str(mesh.get("primitive", 0)))
    by_key = {key(mesh): mesh for mesh in items(meshes, None, "meshes")}
    for mesh in wanted:
        name = f"primitive {mesh['primitive']} of node \"{mesh['node']}\""
        if key(mesh) not in by_key:
            raise Bad(f"{name} is missing at {time} s")
        got = by_key[key(mesh)]
        for kind, one in (("positions", "vertex"), ("normals", "normal")):
            if got.get(kind) is None and kind == "normals":
                continue
            vectors = items(got.get(kind), len(mesh[kind]), f"{kind} of {name} at {time} s")
            for index, (vector, right) in enumerate(zip(vectors, mesh[kind])):
                if right is not None:
                    what = f"{one} {index} of {name} at {time} s"
                    off = math.dist(numbers(vector, 3, what), right)
                    allowed = tolerance["vertices" if kind == "positions" else "normals"]
                    worst.add("vertices" if kind == "positions" else "normals", off, allowed, what)


class Folder:
    """Answers in files."""

    def __init__(self, path):
        self.path = Path(path)
        if not self.path.is_dir():
            raise Bad(f"cannot read {path}: expected a folder with a file NAME.json for each case")
        if self.path.resolve() == HERE:
            raise Bad(f"{path} is the folder of the cases; name that of the engine's answers")

    def answer(self, case, gltf):
        path = self.path / f"{case['name']}.json"
        try:
            if path.exists() and not path.is_file():
                raise Bad("it is not a file")
            with open(path, "rb") as file:
                text = file.read(MOST_BYTES + 1)
        except FileNotFoundError:
            raise Bad(f"{path} is missing") from None
        except OSError as error:
            raise Bad(f"cannot read {path}: {error.strerror}") from None
        if len(text) > MOST_BYTES:
            raise Bad(f"{path} has more than 16 MiB")
        return parsed(text)

    def strangers(self, cases):
        known = {case["name"] for case in cases}
        return sorted(path.name for path in self.path.glob("*.json") if path.stem not in known)

    def close(self):
        pass


class Program:
    """Answers of a program, one line each."""

    def __init__(self, command, timeout):
        self.timeout, self.asked, self.capabilities = timeout, 0, {}
        self.process = subprocess.Popen(
            command, shell=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=os.name == "posix"
        )
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def answer(self, case, gltf):
        request = {"schema": SCHEMA, "id": self.asked, "clip": 0, "times": case["times"], "gltf": gltf}
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            raise SystemExit(fail(f"{case['name']}: the program ended before it answered")) from None
        self.asked += 1
        while True:
            try:
                line = self.lines.get(timeout=self.timeout)
            except queue.Empty:
                raise SystemExit(fail(f"{case['name']}: the program did not answer within {self.timeout:g} s")) from None
            if line is None:
                raise SystemExit(fail(f"{case['name']}: the program ended before it answered"))
            # Other lines are the banner of a library.
            if line.lstrip().startswith(b"{"):
                break
        answer = parsed(line)
        if answer.get("id") != request["id"]:
            raise Bad(f"its id is {json.dumps(answer.get('id'))[:40]} instead of {request['id']}")
        if answer.get("error") is not None:
            raise Bad(f"the program reports an error: {str(answer['error'])[:200]}")
        self.capabilities.update(entry(answer.get("capabilities") or {}, "capabilities"))
        return named(answer, gltf)

    def strangers(self, cases):
        return []

    def close(self):
        try:
            self.process.stdin.close()
            self.process.wait(timeout=2)
        except (OSError, subprocess.TimeoutExpired):
            pass
        if os.name == "posix":
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        else:
            self.process.kill()


def named(answer, gltf):
    """The answer of a program in the format of the files: with the names of nodes, and with numbers of primitives."""
    if answer.get("unsupported") is not None:
        return answer
    nodes, shown = gltf["nodes"], []
    for node in nodes:
        if "mesh" in node:
            primitives = gltf["meshes"][node["mesh"]]["primitives"]
            shown += [(node["name"], primitive) for primitive in range(len(primitives))]
    poses = []
    for pose in items(answer.get("poses"), None, "poses"):
        worlds = items(entry(pose, "a pose").get("nodes"), len(nodes), "nodes")
        named_pose = {"nodes": [{"name": node["name"], "world": world} for node, world in zip(nodes, worlds)]}
        if pose.get("meshes") is not None:
            positions = items(pose["meshes"], len(shown), "meshes")
            normals = items(pose.get("normals") or [None] * len(shown), len(shown), "normals")
            named_pose["meshes"] = [
                {"node": node, "primitive": primitive, "positions": vertices, "normals": unit}
                for (node, primitive), vertices, unit in zip(shown, positions, normals)
            ]
        poses.append(named_pose)
    return {"poses": poses}


class Engine:
    """What an engine is judged by: what its user says, or else what it declares."""

    def __init__(self, options, declared):
        self.declared = declared
        self.influences = self.number("influences", options.influences, 255)
        self.weights = self.number("weight_bits", options.weights, 16)

    def number(self, name, given, most):
        value = given if given is not None else self.declared.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most):
            raise Bad(f"capabilities: expected a number from 1 to {most} as `{name}`")
        return value

    def lacks(self, needs):
        """What a case needs and the engine declares to lack."""
        known = self.declared.get("interpolations")
        if isinstance(known, list):
            missing = [kind for kind in needs["interpolations"] if kind[:5].lower() not in [str(own)[:5] for own in known]]
            if missing:
                return f"it does not support {missing[0]}"
        if self.declared.get("morphs") is False and needs["morphs"]:
            return "it does not support morph targets"
        if self.declared.get("dual_quaternions") is True and needs["influences"] > 1:
            return "it skins by dual quaternions"
        return None


def causes(faults, failed, tested):
    """The planted faults that explain most of what failed, if they are few."""
    found = []
    for fault in faults:
        predicted = tested.intersection(fault["caught_by"])
        explained = len(predicted & failed)
        if explained and explained >= EXPLAINS * len(failed) and explained >= EXPLAINS * len(predicted):
            found.append((2 * explained - len(predicted), explained, fault))
    best = max((score for score, _, _ in found), default=0)
    found = [(explained, fault) for score, explained, fault in found if score == best]
    return found if len(found) <= MOST_CAUSES else []


def fail(message):
    print(f"verify.py: {message}", file=sys.stderr)
    return 2


def load(path):
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise Bad(f"the set is damaged: {path}: {error}") from None


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], epilog="Exit codes: " + __doc__.split("Exit codes: ")[1])
    parser.add_argument("results", nargs="?", metavar="RESULTS", help="a folder with a file NAME.json for each case")
    parser.add_argument("--exec", dest="command", metavar="CMD", help="a program that answers requests")
    parser.add_argument("--case", action="append", metavar="NAME", help="judge this case only; may be repeated")
    parser.add_argument("--influences", type=int, metavar="N", help="the engine uses the N largest influences of a vertex")
    parser.add_argument("--weights", type=int, metavar="BITS", help="the engine stores weights in so many bits")
    parser.add_argument("--timeout", type=float, default=60.0, metavar="SECONDS", help="for an answer of the program (60)")
    options = parser.parse_args()
    if (options.results is None) == (options.command is None):
        parser.error("expected a folder of answers, or --exec CMD")
    return options


def run(options):
    manifest = load(HERE / "manifest.json")
    cases = manifest["cases"]
    unknown = set(options.case or []) - {case["name"] for case in cases}
    if unknown:
        raise Bad(f"no case is named {', '.join(sorted(unknown))}")
    source = Program(options.command, options.timeout) if options.command else Folder(options.results)
    try:
        for name in source.strangers(cases)[:3]:
            print(f"verify.py: no case has the name of {name}", file=sys.stderr)
        wanted = [case for case in cases if not options.case or case["name"] in options.case]
        return report(manifest, wanted, source, options)
    finally:
        source.close()


def report(manifest, cases, source, options):
    counts = {"held": 0, "not held": 0, "unsupported": 0, "not judged": 0}
    failed, tested, without = set(), set(), {"nodes": 0, "vertices": 0, "normals": 0}
    for case in cases:
        name, counted = case["name"], not case["informational"]
        expected = load(HERE / f"{name}.json")
        try:
            answer = source.answer(case, load(HERE / f"{name}.gltf"))
            engine = Engine(options, getattr(source, "capabilities", {}))
            lacks = answer.get("unsupported")
            lacks = engine.lacks(case["needs"]) if lacks is None else str(lacks)
            if lacks is not None:
                verdict, text = "unsupported", lacks
            else:
                worst = judged(case, expected, answer, engine)
                verdict = "held" if worst.share <= 1 else "not held"
                text = f"within {100 * worst.share:.0f} % of the allowed errors" if worst.share <= 1 else worst.text
                for kind in set(without) - worst.compared:
                    without[kind] += counted
        except Bad as error:
            verdict, text = "not judged", str(error)
        if counted:
            counts[verdict] += 1
            if verdict in ("held", "not held"):
                tested.add(name)
            if verdict == "not held":
                failed.add(name)
        elif verdict == "not judged":
            counts[verdict] += 1
        print(f"{verdict} {name}{'' if counted else ' (informational)'}: {text}")
        if verdict in ("not held", "not judged"):
            print(f"  {case['tests']}\n  {case['a_wrong_engine']}")
    for explained, fault in causes(manifest["faults"], failed, tested):
        print(f"looks like: {fault['mistake']} ({fault['name']}), explains {explained} of {len(failed)} failed cases")
    for kind, count in without.items():
        if count:
            print(f"answers without {kind}: {count}")
    total = sum(counts[verdict] for verdict in ("held", "not held", "unsupported")) + counts["not judged"]
    others = [f"{verdict} {counts[verdict]}" for verdict in ("not held", "unsupported", "not judged") if counts[verdict]]
    print(", ".join([f"held {counts['held']} of {total} cases", *others]))
    if counts["not judged"]:
        return fail(f"answers that are missing or cannot be judged: {counts['not judged']}")
    if not tested:
        return fail("no case was judged")
    return 1 if failed else 0


def main():
    options = arguments()
    try:
        return run(options)
    except Bad as error:
        return fail(str(error))
    except BrokenPipeError:
        # Whoever read the report has seen enough of it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2


if __name__ == "__main__":
    sys.exit(main())
