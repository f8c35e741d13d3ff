"""The plugin for pytest: models as tests, and assertions on deformation.

``pytest --skincheck assets`` checks each model of a folder as a test of its
own. :func:`assert_same_deformation` and :func:`assert_passes` are for tests
that you write.
"""

from __future__ import annotations

import os
import pathlib
from typing import TYPE_CHECKING, Any, Iterator, Optional, Union

import pytest

if TYPE_CHECKING:
    import skincheck

    Path = Union[str, "os.PathLike[str]"]
    Source = Union[Path, skincheck.Model, skincheck.Reference]

__tracebackhide__ = True


def assert_same_deformation(before: Source, after: Source, tolerance: str = "0.1%", **options: Any) -> None:
    """Fails with the differences unless both models deform alike.

    :param before: A path, a :class:`skincheck.Model` or :class:`skincheck.Reference`.
    :param after: The same, of the version that may have changed.
    :param tolerance: The largest difference that is ignored, such as ``"1mm"``.
    :param options: As for :func:`skincheck.diff`.
    """
    __tracebackhide__ = True
    import skincheck

    difference = skincheck.diff(before, after, tolerance=tolerance, **options)
    if not difference.is_same:
        pytest.fail(difference.to_text().rstrip(), pytrace=False)


def assert_passes(
    model: Union[Path, skincheck.Model], *, pictures: Optional[Path] = None, **settings: Any
) -> None:
    """Fails with the findings unless a model passes its check.

    :param model: A path or a :class:`skincheck.Model`.
    :param pictures: A folder for pictures of the findings, whose paths the message lists.
    :param settings: As for :func:`skincheck.check`.
    """
    __tracebackhide__ = True
    import skincheck

    report = skincheck.check(model, **settings)
    if not report.passes:
        pytest.fail(skincheck.describe(report, pictures), pytrace=False)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("skincheck")
    group.addoption(
        "--skincheck",
        action="append",
        default=[],
        metavar="PATH",
        help="check each model of this folder, or this model, as a test; may be given several times",
    )
    group.addoption(
        "--skincheck-pictures", metavar="DIR", help="draw the findings of models that fail to PNG files in this folder"
    )
    group.addoption("--skincheck-preset", metavar="NAME", help="the preset of these checks")
    group.addoption("--skincheck-engine", metavar="NAME", help="the target engine or format of these checks")
    group.addoption("--skincheck-config", metavar="FILE", help="the configuration of these checks")


@pytest.fixture(name="assert_same_deformation", scope="session")
def _assert_same_deformation() -> Any:
    """:func:`skincheck.pytest_plugin.assert_same_deformation`"""
    return assert_same_deformation


@pytest.fixture(name="assert_passes", scope="session")
def _assert_passes() -> Any:
    """:func:`skincheck.pytest_plugin.assert_passes`"""
    return assert_passes


class ModelItem(pytest.Item):
    """The check of a model."""

    def __init__(self, *, model: pathlib.Path, **options: Any) -> None:
        super().__init__(**options)
        self.model = model

    def runtest(self) -> None:
        options = self.config.option
        settings = {
            "preset": options.skincheck_preset,
            "engine": options.skincheck_engine,
            "config": options.skincheck_config,
        }
        assert_passes(self.model, pictures=options.skincheck_pictures, **settings)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        import skincheck

        # A model that cannot be read is a failure of the model, not of the test's code.
        if isinstance(excinfo.value, skincheck.Error):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[pathlib.Path, Optional[int], str]:
        return self.model, None, f"skincheck {self.model}"


def _items(session: pytest.Session) -> Iterator[ModelItem]:
    import skincheck

    paths = session.config.getoption("skincheck")
    try:
        models = skincheck.find_models(paths) if paths else []
    except skincheck.Error as error:
        raise pytest.UsageError(f"--skincheck: {error}") from error
    for model in map(pathlib.Path, models):
        yield ModelItem.from_parent(
            session, name=model.as_posix(), nodeid=f"{model.as_posix()}::skincheck", model=model
        )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Adds the models, before ``-k`` and others choose from the items."""
    items.extend(_items(session))
