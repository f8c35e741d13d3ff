"""The command ``skincheck``: ``python -m skincheck`` runs it too."""

import sys
from typing import NoReturn

from . import _native


def main() -> NoReturn:
    """Runs the command with the arguments of this process."""
    sys.exit(_native.run_command(["skincheck", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
