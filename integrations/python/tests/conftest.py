import pathlib
import shutil
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
FIXTURES = ROOT / "fixtures"

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(ROOT / "integrations/python")]
pytest_plugins = ["pytester"]


@pytest.fixture
def fixtures():
    return FIXTURES


@pytest.fixture
def assets(tmp_path):
    """A folder with a correct model and a wrong one."""
    folder = tmp_path / "assets"
    folder.mkdir()
    shutil.copy(FIXTURES / "rules/clean.gltf", folder / "clean.gltf")
    shutil.copy(FIXTURES / "rules/D602.gltf", folder / "stretched.gltf")
    return folder
