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

from browser import DOWN, FIXTURES, FOLDER, HOME, LOADED, RIGHT, SKINCHECK, Browser, Opened, with_changed_palette


def moved_elbow():
    """An arm whose elbow rests elsewhere."""
    model = json.loads((FIXTURES / "arm.gltf").read_text())
    elbow = next(node for node in model["nodes"] if node.get("name") == "elbow")
    elbow["translation"][0] += 0.2
    return json.dumps(model)


SHOWN = "return [...document.querySelectorAll('.pictures img')].map((image) => image.src)"
TAKES = "return [...document.querySelectorAll('[data-take]')].filter((one) => one.offsetHeight).map((one) => one.innerText)"


class Page(Opened):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        root = Path(cls.folder.name)
        (root / "after.gltf").write_text(moved_elbow())
        line = [SKINCHECK, "diff", FIXTURES / "arm.gltf", "after.gltf", "--report", "report"]
        run = subprocess.run(line, cwd=root, capture_output=True, text=True)
        assert run.returncode == 1, run.stderr
        cls.browser = Browser(root / "profile", graphics=True)
        cls.addClassCleanup(cls.browser.close)
        cls.url = (root / "report" / "index.html").as_uri()

    def test_the_title_names_both_files(self):
        title = self.browser.request("GET", "/title")
        self.assertEqual(title, "arm.gltf and after.gltf: different")

    def test_the_documentation_has_a_picture_of_it(self):
        root = Path(self.folder.name)
        (root / "before.gltf").write_bytes((FIXTURES / "arm.gltf").read_bytes())
        line = [SKINCHECK, "diff", "before.gltf", "after.gltf", "--report", "shown"]
        self.assertEqual(subprocess.run(line, cwd=root, capture_output=True).returncode, 1)
        self.check_screenshot(root / "shown/index.html", "diff", "document.querySelector('.pictures').scrollIntoView()")

    def test_all_pictures_are_drawn(self):
        shown = self.browser.run(SHOWN)
        self.assertEqual(len(shown), 5)
        before, after, overlaid_before, overlaid_after, heat = shown
        self.assertEqual([before, after], [overlaid_before, overlaid_after])
        self.assertEqual(len({before, after, heat}), 3)
        self.assertTrue(self.browser.run(LOADED))
        sides = self.browser.run("return [...document.images].map((image) => image.clientWidth / image.clientHeight)")
        for ratio in sides:
            self.assertAlmostEqual(ratio, 1, places=2)

    def test_the_scrubber_changes_pictures_and_cursor(self):
        self.browser.run("const c = document.getElementById('clip'); c.selectedIndex = "
                         "[...c.options].findIndex((o) => o.text === 'Bend'); c.dispatchEvent(new Event('change'))")
        cursor = "return document.querySelector('section:not([hidden]) svg.time .cursor').getAttribute('x1')"
        label = "return document.getElementById('now').value"
        self.browser.type("#time", HOME)
        first = [self.browser.run(script) for script in (SHOWN, cursor, label)]
        self.browser.type("#time", RIGHT)
        second = [self.browser.run(script) for script in (SHOWN, cursor, label)]
        for a, b in zip(first, second):
            self.assertNotEqual(a, b)
        self.assertEqual(first[2], "0 s")
        self.browser.type("#time", HOME)
        self.assertEqual([self.browser.run(script) for script in (SHOWN, cursor, label)], first)
        self.assertTrue(self.browser.run(LOADED))

    def test_a_clip_can_be_chosen_by_keyboard(self):
        names = self.browser.run("return [...document.getElementById('clip').options].map((option) => option.text)")
        self.assertEqual(sorted(names), ["Bend", "Nod", "Twist", "rest pose"])
        pictures = set()
        for name, key in zip(names, [HOME, DOWN, DOWN, DOWN]):
            self.browser.type("#clip", key)
            chosen = self.browser.run("return document.getElementById('clip').selectedOptions[0].text")
            self.assertEqual(chosen, name)
            [plots] = self.browser.run(TAKES)
            self.assertIn(f"Errors: {name}", plots)
            pictures.add(self.browser.run(SHOWN)[0])
        self.assertGreater(len(pictures), 2)

    def test_play_runs_and_stops(self):
        self.browser.type("#clip", "Twist")
        self.browser.type("#play", " ")
        self.assertEqual(self.browser.run("return document.getElementById('play').textContent"), "Pause")
        self.assertTrue(self.advances())
        self.browser.type("#play", " ")
        self.assertEqual(self.browser.run("return document.getElementById('play').textContent"), "Play")

    def see(self):
        self.browser.post("/timeouts", {"script": 60000})
        self.browser.run("document.getElementById('move').click(); return document.querySelector('.moving').opening.then(() => true)")
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

    def test_both_lie_over_each_other(self):
        self.see()
        boxes = ("return ['.moving:not(.led)', '.led'].map((one) => { const { x, y, width, height } = "
                 "document.querySelector(one).page.picture.getBoundingClientRect(); return [x, y, width, height]; })")
        before, after = self.browser.run(boxes)
        self.assertNotEqual(before[0], after[0])
        self.assertEqual(before[1:], after[1:])
        self.browser.run("document.querySelector('.moving:not(.led)').page.canvas.focus()")
        self.type_keys("o")
        self.browser.frames(3)
        self.keep("page-overlay")
        before, after = self.browser.run(boxes)
        self.assertEqual(before, after)

    def test_a_palette_that_was_changed_is_seen(self):
        page = Path(self.folder.name) / "report" / "index.html"
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
        for line in (["bake", FIXTURES / "arm.gltf", "--reference", "arm.skref"],
                     ["diff", "arm.skref", "after.gltf", "--report", "reference"]):
            subprocess.run([SKINCHECK, *line], cwd=root, capture_output=True)
        self.addCleanup(setattr, self, "url", self.url)
        self.url = (root / "reference" / "index.html").as_uri()
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
