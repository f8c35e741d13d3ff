"""Opens the page of `skincheck diff --report` in headless Chromium.

    test_page.py SKINCHECK [FOLDER]

Screenshots go to FOLDER, if one is named.
"""

import base64
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import walkers
from browser import FIXTURES, FOLDER, LOADED, RIGHT, SKINCHECK, Browser, Opened, with_changed_palette


def moved_elbow():
    """An arm whose elbow rests elsewhere."""
    model = json.loads((FIXTURES / "arm.gltf").read_text())
    elbow = next(node for node in model["nodes"] if node.get("name") == "elbow")
    elbow["translation"][0] += 0.2
    return json.dumps(model)


TAKES = "return [...document.querySelectorAll('.take')].map((one) => one.querySelector('h2').textContent)"


class Page(Opened):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        root = Path(cls.folder.name)
        (root / "after.gltf").write_text(moved_elbow())
        line = [SKINCHECK, "diff", FIXTURES / "arm.gltf", "after.gltf", "--report", "html=report.html"]
        run = subprocess.run(line, cwd=root, capture_output=True, text=True)
        assert run.returncode == 1, run.stderr
        cls.browser = Browser(root / "profile", graphics=True)
        cls.addClassCleanup(cls.browser.close)
        cls.url = (root / "report.html").as_uri()

    def test_the_title_names_both_files(self):
        title = self.browser.request("GET", "/title")
        self.assertEqual(title, "arm.gltf and after.gltf: different")

    def test_the_documentation_has_a_picture_of_it(self):
        root = Path(self.folder.name)
        (root / "scout-1.glb").write_bytes(walkers.whole())
        (root / "scout-2.glb").write_bytes(walkers.stiff_knee())
        line = [SKINCHECK, "diff", "scout-1.glb", "scout-2.glb", "--report", "html=shown.html"]
        self.assertEqual(subprocess.run(line, cwd=root, capture_output=True).returncode, 1)
        self.check_screenshot(root / "shown.html", "diff", ".plot")

    def test_all_pictures_are_drawn(self):
        self.assertEqual(sorted(self.browser.run(TAKES)), ["Bend", "Nod", "Twist", "rest pose"])
        pictures = self.browser.run("return [...document.querySelectorAll('.pictures img')].map((image) => image.src)")
        self.assertEqual(len(pictures), 3 * 4)
        self.assertEqual(len(set(pictures[:3])), 3)
        self.assertTrue(self.browser.run(LOADED))

    def test_one_pair_is_open_at_a_time_and_closes(self):
        self.see()
        shown = ("return [...document.querySelectorAll('.take')].map((one) => "
                 "[one.querySelector('.moving') !== null, one.querySelector('.pictures').hidden, one.querySelector('button').textContent])")
        opened, closed = [True, True, "Close"], [False, False, "See both move"]
        self.assertEqual(self.browser.run(shown), [opened, closed, closed, closed])
        self.browser.run("document.querySelectorAll('.take .see button')[2].click()")
        self.assertEqual(self.browser.run(shown), [closed, closed, opened, closed])
        take = self.browser.run("return document.querySelector('.moving:not(.led)').opening.then((page) => page.player.take.index)")
        self.assertEqual(take, 2)
        self.browser.run("document.querySelectorAll('.take .see button')[2].click()")
        self.assertEqual(self.browser.run(shown), [closed] * 4)

    def see(self):
        self.browser.post("/timeouts", {"script": 60000})
        self.browser.run("document.querySelector('.take .see button').click(); return document.querySelector('.moving').opening.then(() => true)")
        self.browser.frames(4)

    def test_both_move_in_step(self):
        self.see()
        shown = ("return ['.moving:not(.led)', '.led'].map((one) => { const { player, camera } = document.querySelector(one).page; "
                 "return [player.take.index, player.take.data.times[player.frame], camera.yaw, camera.distance]; })")
        lead, led = self.browser.run(shown)
        self.assertEqual(lead, led)
        lead = "document.querySelector('.moving:not(.led)').page"
        worst = self.browser.run(f"const {{ player }} = {lead}, {{ kept, worst }} = player.take.data; return [kept[player.frame], worst]")
        self.assertEqual(worst[0], worst[1], "it opens at the worst frame")
        self.keep("page-moving")
        before = self.browser.run(shown)
        self.browser.run(f"{lead}.canvas.focus()")
        self.type_keys(RIGHT, ".", "]")
        self.browser.frames(6)
        after = self.browser.run(shown)
        self.assertNotEqual(after[0], before[0])
        self.assertEqual(*after)

    def test_the_distances_are_shown_and_both_prove_themselves(self):
        self.see()
        mode = "return document.querySelector('.moving:not(.led)').page.mode.name"
        self.assertEqual(self.browser.run(mode), "distance")
        for host in (".moving:not(.led)", ".led"):
            state, text = self.proved(host)
            self.assertEqual(state, "passed", text)
        # The colour of the worst vertex is the hottest.
        share = self.browser.run("const { player, model } = document.querySelector('.moving:not(.led)').page; "
                                 "const mode = model.modes.find((own) => own.name === 'distance'); "
                                 "return Math.max(...[...player.take.numbers(player.frame, mode.numbers)].filter((own) => own < 255))")
        self.assertEqual(share, 254)

    def test_the_play_bar_is_in_view_and_the_legend_and_one_proof_are_below_it(self):
        metrics = {"width": 900, "height": 700, "deviceScaleFactor": 1, "mobile": False}
        self.browser.post("/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": metrics})
        self.addCleanup(self.browser.post, "/goog/cdp/execute", {"cmd": "Emulation.clearDeviceMetricsOverride", "params": {}})
        self.see()
        for host in (".moving:not(.led)", ".led"):
            self.proved(host)
        self.browser.frames(3)
        bar, legend, proof, led = self.browser.run(
            "const box = (host, id) => { const { top, bottom } = document.querySelector(host).shadowRoot.getElementById(id)"
            ".getBoundingClientRect(); return [top, bottom]; }; "
            "return [...['time', 'legend', 'proof'].map((id) => box('.moving:not(.led)', id)), box('.led', 'proof')]")
        self.assertTrue(0 < bar[0] < bar[1] < 700, bar)
        self.assertTrue(bar[1] < legend[0] < legend[1] < proof[0] < proof[1], [bar, legend, proof])
        self.assertEqual(led[0], led[1])

    def test_both_lie_over_each_other(self):
        self.see()
        boxes = ("return ['.moving:not(.led)', '.led'].map((one) => { const { x, y, width, height } = "
                 "document.querySelector(one).page.picture.getBoundingClientRect(); return [x, y, width, height]; })")
        before, after = self.browser.run(boxes)
        self.assertNotEqual(before[0], after[0])
        self.assertEqual(before[1:], after[1:])
        self.type_keys("o")
        self.browser.frames(3)
        self.keep("page-overlay")
        before, after = self.browser.run(boxes)
        self.assertEqual(before, after)

    def test_a_palette_that_was_changed_is_seen(self):
        page = Path(self.folder.name) / "report.html"
        changed = page.with_name("changed.html")
        changed.write_text(with_changed_palette(page.read_text(), 1))
        self.addCleanup(setattr, self, "url", self.url)
        self.url = changed.as_uri()
        self.setUp()
        self.see()
        self.assertEqual(self.proved(".moving:not(.led)")[0], "failed")
        self.assertEqual(self.proved(".led")[0], "passed")

    def test_a_reference_moves_too(self):
        root = Path(self.folder.name)
        for line in (["bake", FIXTURES / "arm.gltf", "-o", "arm.skref"],
                     ["diff", "arm.skref", "after.gltf", "--report", "html=reference.html"]):
            subprocess.run([SKINCHECK, *line], cwd=root, capture_output=True)
        self.addCleanup(setattr, self, "url", self.url)
        self.url = (root / "reference.html").as_uri()
        self.setUp()
        self.see()
        for host in (".moving:not(.led)", ".led"):
            state, text = self.proved(host)
            self.assertEqual(state, "passed", text)

    def type_keys(self, *keys):
        strokes = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.browser.post("/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": strokes}]})

    def test_it_is_readable_in_light_and_dark(self):
        self.check_schemes()

    def test_nothing_is_wider_than_a_narrow_window(self):
        self.check_narrow()

    def test_it_prints(self):
        pdf = base64.b64decode(self.browser.post("/print", {}))
        self.assertTrue(pdf.startswith(b"%PDF"))
        if FOLDER:
            Path(FOLDER).mkdir(parents=True, exist_ok=True)
            (Path(FOLDER) / "print.pdf").write_bytes(pdf)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
