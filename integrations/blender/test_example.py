"""Runs the example of docs/reference.md, and lets `skincheck diff` find one fault in what it writes.

    python test_example.py path/to/skincheck
"""

import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def main(skincheck):
    with open(os.path.join(HERE, "..", "..", "docs", "reference.md"), encoding="utf-8") as file:
        blocks = re.findall(r"```python\n(.*?)```", file.read(), re.DOTALL)
    example = "\n".join(blocks)
    moved = example.replace("[np.eye(4)]", "[np.eye(4) + 0.1 * frame * np.eye(4, k=3)]")
    moved = moved.replace('[body["positions"]]', '[body["positions"] + 0.1 * frame * np.eye(3)[0]]')
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        exec(example, {})
        os.rename("engine.skref", "still.skref")
        exec(moved, {})
        for after, code, text in (("still.skref", 0, ": same"), ("engine.skref", 1, "`Hips` is moved by up to 3000 mm")):
            run = subprocess.run([skincheck, "diff", "still.skref", after], capture_output=True, text=True, check=False)
            assert run.returncode == code and text in run.stdout, run.stdout + run.stderr
    print("the example of docs/reference.md runs")


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
