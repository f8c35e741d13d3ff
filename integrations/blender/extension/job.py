"""A second Blender, which works on a copy of the scene."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

import bpy

from . import colours

# Of what the second Blender printed, in a message about its end.
LAST_LINES = 3


class Job:
    """A job in the background: `poll` it, and take its `result`."""

    def __init__(self, context, kind, **options):
        import skincheck

        self.folder = tempfile.mkdtemp(prefix="skincheck-")
        try:
            scene = os.path.join(self.folder, "scene.blend")
            bpy.ops.wm.save_as_mainfile(filepath=scene, copy=True, compress=False)
            job = {
                "kind": kind,
                "scene": scene,
                "scene_name": context.scene.name,
                "view_layer": context.view_layer.name,
                "use_scripts": not bpy.app.autoexec_fail,
                "colours": colours.NAME,
                "modules": [os.path.dirname(os.path.dirname(skincheck.__file__))],
                **options,
            }
            path = os.path.join(self.folder, "job.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(job, file)
            script = os.path.join(os.path.dirname(__file__), "background", "__main__.py")
            # Blender as a Python module has no program.
            program = [bpy.app.binary_path, "--background", "--python"] if bpy.app.binary_path else [sys.executable]
            with open(os.path.join(self.folder, "log"), "wb") as log:
                self._process = subprocess.Popen(
                    [*program, script, "--", path],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
        except BaseException:
            self.remove()
            raise

    def progress(self):
        """A share from 0 to 1, and a word."""
        try:
            with open(os.path.join(self.folder, "progress"), encoding="utf-8") as file:
                share, word = file.read().split(" ", 1)
            return float(share), word
        except (OSError, ValueError):
            return 0.0, "Starting"

    def is_running(self):
        return self._process.poll() is None

    def wait(self):
        self._process.wait()

    def result(self):
        """The texts, and the path of the vertices. Without a result the texts are an error."""
        try:
            with open(os.path.join(self.folder, "result.json"), encoding="utf-8") as file:
                return json.load(file), os.path.join(self.folder, "result.npz")
        except (OSError, ValueError):
            with open(os.path.join(self.folder, "log"), encoding="utf-8", errors="replace") as log:
                said = " ".join(log.read().split("\n")[-LAST_LINES - 1 :]).strip()
            return {"error": f"Blender ended with code {self._process.returncode} in the background: {said}"}, None

    def cancel(self):
        """Ends the second Blender, and what it has started."""
        if self.is_running():
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
            self._process.wait()
        self.remove()

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)
