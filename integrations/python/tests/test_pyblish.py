"""The recipe for pyblish, run by pyblish."""

import importlib.util
import pathlib

import pyblish.api
import pyblish.util

RECIPE = pathlib.Path(__file__).parents[1] / "pyblish_skincheck.py"


def published(**data):
    """The errors of the validators."""
    spec = importlib.util.spec_from_file_location("pyblish_skincheck", RECIPE)
    recipe = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(recipe)
    context = pyblish.api.Context()
    context.create_instance("hero", family="rig", **data)
    plugins = [recipe.ValidateDeformation, recipe.ValidateExport]
    pyblish.util.validate(context, plugins=plugins)
    return [str(result["error"]) for result in context.data["results"] if result["error"]]


def test_a_right_model_is_published(assets):
    assert published(model=assets / "clean.gltf", source=assets / "clean.gltf") == []


def test_a_wrong_model_is_refused_with_its_findings(fixtures, tmp_path):
    errors = published(model=fixtures / "rules/B201.gltf", pictures=tmp_path)
    assert len(errors) == 1 and "B201" in errors[0], errors


def test_an_export_that_deforms_differently_is_refused(fixtures):
    (error,) = published(model=fixtures / "rules/bent.gltf", source=fixtures / "rules/clean.gltf")
    assert "DIFFERENT" in error
