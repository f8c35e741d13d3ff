"""Opens pages of `skincheck view` in headless Chromium.

    test_viewer.py SKINCHECK [FOLDER]

Screenshots go to FOLDER, if one is named. If SKINCHECK_CORPUS names a folder of models, they are shown too.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from browser import DOWN, FIXTURES, HOME, RIGHT, SIDE, SKINCHECK, Browser, Opened, with_changed_palette

MODELS = [
    "alpha.gltf", "arm.dae", "arm_binary.fbx", "arm.gltf", "arm.iqm", "bent_cylinder.glb", "curves.dae",
    "eight_influences.gltf", "figure.md5mesh", "instanced.gltf", "joints_outside_scene.gltf", "many_joints.gltf",
    "mirrored_joint.gltf", "missing_texture.gltf", "morph.gltf", "morph_and_skin.gltf", "no_weight_vertices.gltf",
    "nonuniform_scale.gltf", "quantized.gltf", "rotated_root.gltf", "segmented_arm.gltf", "shared_mesh.gltf",
    "sheared_matrix.gltf", "walker.glb",
]
EXTENSIONS = {".glb", ".gltf", ".fbx", ".dae", ".iqm", ".md5mesh"}
PROOF = "const proof = document.getElementById('proof'); return [proof.dataset.state, proof.textContent, " \
    "document.getElementById('trouble').textContent]"
# A model and one of its takes. Their pictures differ in how edges are smoothed, in textures that the page compresses, and in the
# shadows of contacts, which only `render` draws.
PICTURED = [
    ("walker.glb", "Walk"), ("bent_cylinder.glb", "Bend"), ("alpha.gltf", "rest pose"), ("mirrored_joint.gltf", "rest pose"),
    ("morph_and_skin.gltf", "rest pose"),
]
# The edges of vivid colours, which both smooth in their own way, count most.
MODES = [
    ("lit", 0.9), ("texture", 0.9), ("normals", 0.95), ("uv", 0.95), ("joints", 0.92), ("influences", 0.95), ("stretch", 0.95),
]
# Shows the middle of a take, and says its time; null for a pose without a clip.
HALFWAY = """
const [index] = arguments, { times, clip } = page.model.takes[index], frame = times.length >> 1;
page.player.play(false);
return page.player.choose(index, frame).then(() => clip ? times[frame] : null);"""
# The canvas as large as an image, and nothing over it.
ALONE = f"""
const picture = document.getElementById('picture');
picture.style.cssText = 'width: {SIDE}px; height: {SIDE}px; min-height: 0; border-radius: 0';
for (const id of ['legend', 'readout']) document.getElementById(id).style.display = 'none';
page.player.play(false);
page.choose(arguments[0]);
page.draw();"""


def view(model, page, *more):
    run = subprocess.run([SKINCHECK, "view", model, "-o", page, *more], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return page.as_uri()


def models():
    """The fixtures, and those of the corpus that every build reads."""
    listed = [FIXTURES / name for name in MODELS]
    if corpus := os.environ.get("SKINCHECK_CORPUS"):
        files = (next((file for file in sorted(folder.iterdir()) if file.suffix in EXTENSIONS), None)
                 for folder in sorted(Path(corpus).iterdir()) if folder.is_dir())
        listed += [file for file in files if file]
    return listed


class Viewer(Opened):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = Path(cls.folder.name)
        cls.browser = Browser(cls.root / "profile", graphics=True)
        cls.addClassCleanup(cls.browser.close)
        cls.url = view(FIXTURES / "walker.glb", cls.root / "walker.html")

    def show(self, url):
        self.url = url
        self.setUp()

    def pointer(self, *steps):
        """Moves from the middle of the canvas by pixels, and presses and releases."""
        found = self.browser.post("/element", {"using": "css selector", "value": "#canvas"})
        actions = []
        for step in steps:
            if isinstance(step, tuple):
                actions.append({"type": "pointerMove", "duration": 50, "origin": found, "x": step[0], "y": step[1]})
            else:
                actions.append({"type": f"pointer{step.capitalize()}", "button": 0})
        pointer = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}
        self.browser.post("/actions", {"actions": [pointer]})

    def proof(self):
        """Waits for the comparison in the footer."""
        for _ in range(600):
            state, text, trouble = self.browser.run(PROOF)
            if state != "none" or trouble:
                return state, text + trouble
            time.sleep(0.1)
        self.fail(f"there is no proof: {text}")

    def screenshot_of(self, mode):
        self.browser.run(ALONE, mode)
        self.browser.frames(2)
        return self.browser.screenshot_of("#canvas")

    def press(self, keys):
        strokes = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.browser.post("/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": strokes}]})

    def test_every_model_is_skinned_as_skincheck_skins_it(self):
        for model in models():
            with self.subTest(model=model.name):
                self.show(view(model, self.root / "model.html"))
                state, text = self.proof()
                self.assertEqual(state, "passed", text)

    def test_a_palette_that_was_changed_is_seen(self):
        page = (self.root / "walker.html").read_text()
        (self.root / "changed.html").write_text(with_changed_palette(page))
        self.show((self.root / "changed.html").as_uri())
        state, text = self.proof()
        self.keep("viewer-failed")
        self.assertEqual(state, "failed", text)
        self.assertIn("Do not trust", text)

    def test_pictures_are_those_of_render(self):
        for model, clip in PICTURED:
            self.show(view(FIXTURES / model, self.root / "model.html"))
            self.proof()
            index = self.browser.run("return page.model.takes.findIndex((take) => take.name === arguments[0])", clip)
            time = self.browser.run(HALFWAY, index)
            self.browser.frames(3)
            for mode, least in MODES:
                with self.subTest(model=model, mode=mode):
                    if not self.browser.run("return page.model.modes.some((mode) => mode.name === arguments[0])", mode):
                        continue
                    shown = self.screenshot_of(mode)
                    pose = ["--pose", "rest"] if time is None else ["--clip", clip, "--time", str(time)]
                    line = [FIXTURES / model, *pose, "--show", mode]
                    self.resembles(shown, line, least, f"viewer-{model}-{mode}")

    def test_the_keyboard_plays_and_steps(self):
        self.proof()
        self.browser.run("page.player.play(false); page.player.show(0); canvas.focus()")
        frame = "return page.player.frame"
        self.press("...")
        self.assertEqual(self.browser.run(frame), 3)
        self.press(",")
        self.assertEqual(self.browser.run(frame), 2)
        self.press(" ")
        self.assertTrue(self.advances())
        self.press(" ")
        self.assertEqual(self.browser.run("return document.getElementById('play').textContent"), "Play")
        name = "return document.getElementById('take').selectedOptions[0].textContent"
        before = self.browser.run(name)
        self.press("]")
        self.browser.frames(10)
        self.assertNotEqual(self.browser.run(name), before)

    def test_the_keyboard_turns_moves_and_zooms(self):
        self.proof()
        self.browser.run("page.player.play(false); canvas.focus()")
        camera = "const { yaw, pitch, distance, target } = page.camera; return [yaw, pitch, distance, ...target]"
        before = self.browser.run(camera)
        self.press([RIGHT, "+"])
        after = self.browser.run(camera)
        self.assertGreater(after[0], before[0])
        self.assertLess(after[2], before[2])
        self.press("1")
        self.assertEqual(self.browser.run(camera)[:2], [0, 0])
        self.press([HOME])
        for home, first in zip(self.browser.run(camera), before):
            self.assertAlmostEqual(home, first, places=4)

    def test_the_pointer_turns_and_selects(self):
        self.proof()
        self.browser.run("page.player.play(false); page.choose('weights')")
        yaw = self.browser.run("return page.camera.yaw")
        self.pointer((0, 0), "down", (60, 0), "up")
        self.assertNotEqual(self.browser.run("return page.camera.yaw"), yaw)
        self.pointer((0, 0), "down", "up")
        self.browser.frames(3)
        self.keep("viewer-selected")
        joint = self.browser.run("return page.selected !== null && page.model.nodes[page.selected].name")
        self.assertTrue(joint)
        row = "return document.querySelector('#tree [aria-selected=true]').innerText"
        self.assertIn(joint, self.browser.run(row))
        self.assertIn(joint, self.browser.run("return document.getElementById('legend').textContent"))
        self.assertIn("vertex", self.browser.run("return document.getElementById('readout').value"))

    def test_the_tree_is_used_by_keyboard(self):
        self.proof()
        self.browser.run("document.querySelector('#tree [tabindex=\"0\"]').focus()")
        focused = "return document.activeElement.dataset.node"
        first = self.browser.run(focused)
        self.press([DOWN, DOWN])
        self.assertNotEqual(self.browser.run(focused), first)
        self.press("\n")
        self.assertEqual(str(self.browser.run("return page.selected")), self.browser.run(focused))
        self.browser.type("#find", "xyzzy")
        self.assertEqual(self.browser.run("return document.querySelectorAll('#tree li').length"), 0)

    def test_the_address_says_what_is_shown(self):
        self.proof()
        self.browser.run("location.hash = 'clip=Walk&frame=7&show=uv&camera=90,10'")
        self.browser.frames(10)
        shown = self.browser.run("return [page.player.take.data.name, Number(page.player.take.data.numbers[page.player.frame].toFixed(3)), "
                                 "page.mode.name, page.camera.yaw, page.camera.pitch, page.player.playing]")
        self.assertEqual(shown, ["Walk", 7, "uv", 90, 10, False])

    def test_a_link_stops_at_its_frame_and_the_address_follows(self):
        link = "#clip=Walk&frame=7&show=uv&camera=90,10"
        self.addCleanup(setattr, self, "url", self.url)
        self.url += link
        self.browser.post("/url", {"url": "about:blank"})
        self.setUp()
        self.proof()
        shown = "return [Number(page.player.take.data.numbers[page.player.frame].toFixed(3)), page.player.playing, page.camera.yaw]"
        self.assertEqual(self.browser.run(shown), [7, False, 90])
        self.browser.run("page.player.step(1); page.camera.zoom(2); page.camera.move(0.1, 0)")
        time.sleep(1)
        address = self.browser.run("return location.href")
        self.assertIn("frame=8", address)
        seen = "const { yaw, pitch, distance, target } = page.camera; return [yaw, pitch, distance, ...target]"
        before = self.browser.run(seen)
        self.browser.post("/url", {"url": "about:blank"})
        self.browser.post("/url", {"url": address})
        self.proof()
        for now, wanted in zip(self.browser.run(seen), before):
            self.assertAlmostEqual(now, wanted, places=3)
        self.assertEqual(self.browser.run(shown)[:2], [8, False])

    def test_a_morph_target_is_set_by_hand(self):
        self.show(view(FIXTURES / "morph.gltf", self.root / "morph.html"))
        self.proof()
        self.browser.run("page.player.play(false); document.getElementById('morphs').open = true")
        self.browser.frames(3)
        vertices = ("page.draw(); return [...page.rig.instances].flatMap((own) => [...page.rig.read(own)])")
        before = self.browser.run(vertices)
        self.browser.run("const slider = document.querySelector('#targets input'); slider.value = slider.value > 0.5 ? 0 : 1; "
                         "slider.dispatchEvent(new Event('input'))")
        moved, address = self.browser.run(vertices), self.browser.run("return page.hash()")
        self.assertNotEqual(moved, before)
        self.assertRegex(address, r"&morph=[a-z]+,[01]&")
        self.browser.run("document.getElementById('posed').click()")
        self.assertEqual(self.browser.run(vertices), before)
        self.assertNotIn("morph", self.browser.run("return page.hash()"))
        self.browser.run("return page.go({ address: `#${arguments[0]}` }).then(() => true)", address)
        self.assertEqual(self.browser.run(vertices), moved)

    def test_a_model_without_a_mesh_has_nothing_to_prove(self):
        self.show(view(FIXTURES / "arm.bvh", self.root / "motion.html"))
        self.proof()
        shown = self.browser.run("return [document.querySelector('header p').textContent, document.getElementById('proof').offsetHeight, "
                                 "document.querySelectorAll('#tree li').length]")
        self.assertEqual(shown, ["4 nodes, no mesh, 1 clip", 0, 4])

    def test_a_joint_is_named_by_its_end(self):
        model = json.loads((FIXTURES / "arm.gltf").read_text())
        for node in model["nodes"]:
            node["name"] = f"mixamorig:{'Long' * 20}{node.get('name', '')}"
        (self.root / "long.gltf").write_text(json.dumps(model))
        self.show(view(self.root / "long.gltf", self.root / "long.html"))
        self.proof()
        rows = self.browser.run("return [...document.querySelectorAll('#tree .name')].map((one) => [one.textContent, one.title, "
                                "one.querySelector('bdi').getBoundingClientRect().right <= one.getBoundingClientRect().right + 1])")
        self.assertTrue(all(text.startswith("Long") and title.startswith("mixamorig:") and fits for text, title, fits in rows), rows)
        self.keep("viewer-names")

    def test_nothing_plays_by_itself_where_less_motion_is_wanted(self):
        for wish, plays in [("reduce", False), ("no-preference", True)]:
            self.browser.media(prefers_reduced_motion=wish)
            self.browser.post("/url", {"url": self.url})
            self.proof()
            self.assertEqual(self.browser.run("return page.player.playing"), plays, wish)

    def test_names_of_the_model_are_text(self):
        name = "<img src=x onerror=\"document.title = 'injected'\">"
        model = json.loads((FIXTURES / "arm.gltf").read_text())
        for part in [*model["nodes"], *model["meshes"], *model["animations"]]:
            part["name"] = name
        (self.root / "hostile.gltf").write_text(json.dumps(model))
        self.show(view(self.root / "hostile.gltf", self.root / "hostile.html"))
        self.proof()
        for mode in ["joints", "weights", "lit"]:
            self.browser.run("page.choose(arguments[0]); page.select(1)", mode)
        self.assertEqual(self.browser.run("return document.querySelectorAll('img').length"), 0)
        self.assertEqual(self.browser.request("GET", "/title"), "hostile.gltf")
        self.assertIn(name, self.browser.run("return document.getElementById('tree').textContent"))

    def test_without_webgl_there_is_a_still_picture(self):
        bare = Browser(self.root / "bare", extra=["--disable-3d-apis"])
        self.addCleanup(bare.close)
        bare.post("/url", {"url": self.url})
        shown = bare.run("const still = document.getElementById('still'); return [still.naturalWidth, still.offsetHeight > 0, "
                         "document.getElementById('trouble').textContent, document.getElementById('panel').offsetHeight]")
        self.assertEqual(shown[:2], [640, True])
        self.assertIn("WebGL 2", shown[2])
        self.assertEqual(shown[3], 0)

    def test_it_is_readable_in_light_and_dark(self):
        self.proof()
        self.check_schemes("viewer-")

    def test_nothing_is_wider_than_a_phone(self):
        self.proof()
        self.browser.run("page.choose('joints')")
        self.check_narrow("viewer-", 360)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
