"""Engines that are Python functions, held against the laws: skincheck itself, and mistakes planted in it."""

import json

import numpy as np
import pytest
import skincheck
from conftest import FIXTURES

ARM = FIXTURES / "arm.gltf"


@pytest.fixture
def answer(tmp_path):
    """Answers a request with skincheck's own poses, changed by a function of the matrices and the time."""

    def answer(request, changed=lambda matrices, time: matrices, **options):
        path = tmp_path / "rig.gltf"
        path.write_text(json.dumps(request["gltf"]))
        model = skincheck.load(path, isolate=False)
        # The protocol has the order of the file; skincheck sorts nodes, parents first.
        nodes = request["gltf"]["nodes"]
        own = {model.joints[mesh.node].name: mesh for mesh in model.meshes}
        poses = []
        for time in request["times"]:
            # A clip holds its first key before it.
            at = {} if request["clip"] is None else {"clip": request["clip"], "time": max(time, 0)}
            pose = model.pose(**at, **options)
            matrices = np.array([pose.joint_matrix(node["name"]) for node in nodes])
            meshes = [pose.positions(own[node["name"]]) for node in nodes if "mesh" in node]
            poses.append({"nodes": changed(matrices, time), "meshes": meshes})
        return {"poses": poses}

    return answer


def test_skincheck_keeps_every_law(answer):
    report = skincheck.laws(answer, ARM, cases=12)
    assert report.hold and not report.broken and not report.looks_like
    assert {"rotation", "vector", "rig", "skinning"} <= {law.subject for law in report.laws if law.applied}
    assert "holds" in str(report)
    assert json.loads(report.to_text("json"))["passes"]


def test_a_planted_mistake_breaks_laws_with_a_rig_that_shows_it(answer, tmp_path):
    def stepped(request):
        def changed(matrices, time):
            matrices[:, :3, 3] += 0.25 * np.floor(time * 8)
            return matrices

        return answer(request, changed)

    report = skincheck.laws(stepped, skincheck.load(ARM), cases=12)
    assert not report.hold
    broken = {law.name for law in report.broken}
    assert "straight" in broken
    law = next(law for law in report.broken if law.rig)
    assert law.broken and law.statement
    rig = tmp_path / "broken.gltf"
    rig.write_text(law.rig)
    assert skincheck.load(rig).joints


def test_an_engine_is_judged_by_what_it_declares(answer):
    def four(request):
        return answer(request, max_influences=4)

    eight = FIXTURES / "eight_influences.gltf"
    undeclared = skincheck.laws(four, eight, cases=12)
    assert "reference-skin" in {law.name for law in undeclared.broken}
    assert skincheck.laws(four, eight, cases=12, capabilities={"influences": 4}).hold


def test_lists_in_the_order_of_the_protocol_are_answers_too(answer):
    def lists(request):
        poses = answer(request)["poses"]
        for pose in poses:
            pose["nodes"] = [matrix.T.ravel().tolist() for matrix in pose["nodes"]]
            pose["meshes"] = [mesh.tolist() for mesh in pose["meshes"]]
        return {"poses": poses}

    assert skincheck.laws(lists, [ARM], cases=4, law="bind-pose").hold


def test_an_exception_of_the_engine_is_raised_as_it_is():
    def fails(request):
        raise ZeroDivisionError("no time")

    with pytest.raises(ZeroDivisionError, match="no time"):
        skincheck.laws(fails, ARM)


def test_wrong_answers_and_arguments_are_errors(answer):
    with pytest.raises(skincheck.EngineError, match="0 poses for 1 times"):
        skincheck.laws(lambda request: {"poses": []}, ARM)
    with pytest.raises(skincheck.EngineError, match="no law was tested"):
        skincheck.laws(lambda request: {"unsupported": "nothing works"}, ARM, cases=2)
    with pytest.raises(TypeError, match="not set"):
        skincheck.laws(lambda request: {"poses": [{"nodes": [], "meshes": [{1}]}]}, ARM)
    with pytest.raises(skincheck.ConfigError, match="is no law; expected one of key-time"):
        skincheck.laws(answer, ARM, law="gravity")
    with pytest.raises(skincheck.LoadError):
        skincheck.laws(answer, "no-such.glb")
