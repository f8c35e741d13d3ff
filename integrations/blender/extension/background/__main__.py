"""The script of the second Blender: `blender --background --python background/__main__.py -- JOB`."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from background import worker  # noqa: E402

worker.main(sys.argv[sys.argv.index("--") + 1])
