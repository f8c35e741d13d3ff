"""The process that reads a model, so that a damaged file can do no harm.

Run as a script, this file is that process. It imports nothing but the
extension next to it: the process must be small, and have one thread.
"""

import os
import sys


def host_workers() -> None:
    """Lets the library start this file as its worker."""
    from . import _native

    python = _interpreter()
    if python:
        # No variables of the environment, no site packages.
        _native.host_workers(python, ["-E", "-s", "-S", "-B", os.path.abspath(__file__)])


def _interpreter() -> str:
    """The interpreter, also inside a program that embeds it, such as Maya."""
    name = os.path.basename(sys.executable or "").lower()
    if name.startswith(("python", "pypy", "mayapy", "hython")):
        return sys.executable
    names = ["python.exe"] if os.name == "nt" else ["bin/python3", "bin/python"]
    for folder in (sys.prefix, sys.exec_prefix):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                return path
    return ""


if __name__ == "__main__":
    # The interpreter sets it; the worker gets no variables that it does not need.
    os.environ.pop("LC_CTYPE", None)
    # The folder of this file is the first of sys.path.
    import _native  # type: ignore[import-not-found]

    _native.run_worker(sys.argv[2:])
