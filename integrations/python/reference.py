"""Writes docs/python-api.md, the reference of the module, from its docstrings: ``python reference.py``.

The test fails while the page is not what this writes.
"""

import inspect
import pathlib
import re

import skincheck

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/python-api.md"
BEGINNING = """# Python: reference

The docstrings of the module, by `integrations/python/reference.py`; [Python](python.md) shows how to use it. Arrays are NumPy's; *read-only*
ones are memory of the library. Paths may be strings or `pathlib` paths.
"""


def markdown(docstring: str) -> str:
    """A docstring with its fields as a list, and its roles and literals as code."""
    text = re.sub(r":\w+:`([^`]*)`", r"`\1`", docstring)
    text = text.replace("``", "`")
    # A field continues on indented lines.
    text = re.sub(r"\n +", " ", text)
    text = re.sub(r"^:param (\w+): ", r"- `\1`: ", text, flags=re.MULTILINE)
    text = re.sub(r"^:returns: ", "- returns ", text, flags=re.MULTILINE)
    return re.sub(r"^:raises (\w+): ", r"- raises `\1`: ", text, flags=re.MULTILINE)


def signature(own: object) -> str:
    """Its parameters; the types are in the stubs."""
    parameters = inspect.signature(own).parameters.values()  # type: ignore[arg-type]
    shown = [one.replace(annotation=one.empty) for one in parameters if one.name != "self"]
    return str(inspect.Signature(shown))


def members(own: type) -> "list[str]":
    lines = []
    for name, member in sorted(vars(own).items()):
        if name.startswith("_"):
            continue
        is_method = callable(member) or isinstance(member, staticmethod)
        head = f"`{name}{signature(getattr(own, name))}`" if is_method else f"`{name}`"
        first, *rest = markdown(inspect.getdoc(getattr(own, name)) or "").split("\n")
        lines.append(f"- {head}: {first}")
        lines += [f"  {line}".rstrip() for line in rest]
    return lines


def page() -> str:
    functions, classes, errors = [], [], []
    for name in skincheck.__all__:
        own = getattr(skincheck, name)
        text = markdown(inspect.getdoc(own) or "")
        if not callable(own):
            continue
        if not inspect.isclass(own):
            functions += [f"## {name}", "", f"`{name}{signature(own)}`", "", text, ""]
        elif issubclass(own, Exception):
            errors.append(f"- `{name}`: {text}")
        else:
            head = [f"`{name}{signature(own)}`", ""] if name == "Reference" else []
            classes += [f"## {name}", "", *head, text, "", *members(own), ""]
    return "\n".join([BEGINNING, *functions, *classes, "## Exceptions", "", *errors, ""])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
