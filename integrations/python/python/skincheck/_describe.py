"""Reports with pictures, for the messages of tests and pipelines."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike
    from typing import Optional, Union

    from ._native import Report


def describe(report: Report, pictures: Optional[Union[str, PathLike[str]]] = None) -> str:
    """The findings of a model as text, and the paths of their pictures.

    :param report: Of :func:`check`.
    :param pictures: A folder, which is created, for a PNG file per finding that
        has a location; no pictures without it.
    """
    text = report.to_text().rstrip()
    if pictures is None or report.failure:
        return text
    import pathlib
    import re

    folder = pathlib.Path(pictures)
    folder.mkdir(parents=True, exist_ok=True)
    stem = re.sub(r"[^\w.-]", "-", pathlib.Path(report.path).stem)
    for number, (finding, image) in enumerate(report.pictures(), start=1):
        path = folder / f"{stem}-{number:02}-{finding.code}.png"
        image.save(path)
        text += f"\n  picture of {finding.code}: {path}"
    return text
