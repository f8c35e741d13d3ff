"""The examples of docs/python.md run, in order, and print what the page shows. Every public name is described."""

import contextlib
import inspect
import io
import os
import re
import shutil

import pytest
import reference
import skincheck
from conftest import FIXTURES, ROOT

PAGE = ROOT / "docs/python.md"
MODELS = {
    "hero.glb": "walker.glb",
    "hero.fbx": "arm.fbx",
    "before.gltf": "rules/clean.gltf",
    "after.gltf": "rules/bent.gltf",
    "assets/stretched.gltf": "rules/D602.gltf",
}


def blocks():
    return re.findall(r"^```(python|text)\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def test_the_examples_run_and_print_what_the_page_shows(tmp_path, monkeypatch):
    (tmp_path / "assets").mkdir()
    for name, fixture in MODELS.items():
        shutil.copy(FIXTURES / fixture, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    names, printed, count = {"__name__": "example"}, "", 0
    for kind, text in blocks():
        if kind == "text":
            missing = [line for line in text.splitlines() if line.strip() not in printed]
            assert not missing, f"the page shows {missing}, and its example prints:\n{printed}"
            continue
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(text, f"{PAGE.name}, example {count + 1}", "exec"), names)
        printed, count = output.getvalue(), count + 1
    assert count >= 8
    # Tests of the page, which pytest would call.
    tests = [value for name, value in names.items() if name.startswith("test_")]
    assert tests
    for test in tests:
        test(**{name: names[name] for name in inspect.signature(test).parameters if name in names})
    assert not os.path.exists("skincheck")


def public():
    for name in skincheck.__all__:
        own = getattr(skincheck, name)
        if name == "__version__":
            continue
        yield name, own
        if inspect.isclass(own) and not issubclass(own, Exception):
            for member, value in vars(own).items():
                if not member.startswith("_"):
                    yield f"{name}.{member}", value


@pytest.mark.parametrize("name, own", list(public()), ids=lambda value: value if isinstance(value, str) else "")
def test_each_name_has_a_docstring(name, own):
    documentation = inspect.getdoc(own)
    assert documentation and not documentation.startswith("Initialize self"), name


def test_the_version_is_that_of_the_library():
    manifest = (ROOT / "Cargo.toml").read_text()
    assert f'\nversion = "{skincheck.__version__}"\n' in manifest


def test_the_reference_is_what_the_docstrings_say():
    assert reference.PAGE.read_text(encoding="utf-8") == reference.page(), "python integrations/python/reference.py writes it"
