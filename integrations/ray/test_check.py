"""Runs check.py on this machine; the first worker of a shard is killed in the middle of it."""

import json
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
FIXTURES = HERE.parent.parent / "fixtures"
SKINCHECK = pathlib.Path(sys.argv[1]).resolve()
SHARDS = 4

# Checks its shard, loses its last results, and takes its worker along.
KILLER = """#!/bin/sh
case "$*" in
*"--shard 2/4"*)
    if ! [ -e {folder}/killed ]; then
        touch {folder}/killed
        {skincheck} "$@"
        truncate -s -20 {folder}/results/shard-2-of-4.jsonl
        kill -9 $PPID
    fi
esac
exec {skincheck} "$@"
"""


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        models, results = folder / "models", folder / "results"
        for copy in range(8):
            (models / str(copy)).mkdir(parents=True)
            for name in ["arm.gltf", "walker.glb"]:
                shutil.copy(FIXTURES / name, models / str(copy))
        killer = folder / "skincheck"
        killer.write_text(KILLER.format(folder=folder, skincheck=SKINCHECK))
        killer.chmod(killer.stat().st_mode | stat.S_IXUSR)
        options = ["--skincheck", killer, "--shards", str(SHARDS), "--cpus", "1", "--no-cache"]
        run = subprocess.run([sys.executable, HERE / "check.py", models, results, *options], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        assert run.stdout.count(f" of {SHARDS}: ") == SHARDS, run.stdout
        assert (folder / "killed").exists(), "no worker was killed"
        merged = subprocess.run([SKINCHECK, "merge", results, "--format", "json"], capture_output=True, text=True)
        whole = subprocess.run([SKINCHECK, "check", models, "--no-cache", "--format", "json"], capture_output=True, text=True)
        assert json.loads(merged.stdout) == json.loads(whole.stdout), merged.stderr
        print(f"ray: {SHARDS} shards, one worker killed, the merged report is that of one run")


main()
