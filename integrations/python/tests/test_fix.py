"""Repaired copies."""

import pytest
import skincheck


def test_a_copy_is_written_with_the_proof(fixtures, tmp_path):
    copy = tmp_path / "copy.gltf"
    proof = skincheck.fix(fixtures / "rules/W103.gltf", copy, only=["weights-not-normalized"])
    assert proof.is_fixed and not proof.undone
    (repair,) = proof.repaired
    assert repair.code == "W103" and repair.before > repair.after == 0
    # skincheck divides by the sum of the weights before it skins.
    assert proof.moved == 0 and proof.plain == [] and proof.sentence.startswith("no vertex moved")
    assert not [own for own in skincheck.check(copy, config=False).findings if own.code == "W103"]
    again = skincheck.fix(copy)
    assert not again.is_fixed and again.sentence is None


def test_the_configuration_says_what_is_a_fault(fixtures, tmp_path):
    off = {"rules": {"W103": "off"}}
    assert not skincheck.fix(fixtures / "rules/W103.gltf", config=off).is_fixed
    assert skincheck.fix(fixtures / "rules/W103.gltf", config=off, only=["W103"]).is_fixed


def test_what_cannot_be_repaired_is_an_exception(fixtures):
    with pytest.raises(skincheck.FixError, match="only glTF"):
        skincheck.fix(fixtures / "arm.fbx")
    with pytest.raises(skincheck.ConfigError, match="W101"):
        skincheck.fix(fixtures / "arm.gltf", only=["W101"])
