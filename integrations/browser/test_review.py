"""Opens the page of `skincheck test --report` in headless Chromium, by the WebDriver protocol of chromedriver.

    test_review.py SKINCHECK [FOLDER]

Screenshots go to FOLDER, if one is named.
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import walkers
from browser import DOWN, FIXTURES, HOME, LEFT, LOADED, RIGHT, SKINCHECK, UP, Browser, Opened
from test_page import moved_elbow

CONFIG = '[[test]]\nmodel = "*.gltf"\nsize = "160x160"\n'
HEADING = "return document.getElementById('heading').textContent"
SHOWN = "return [...document.querySelectorAll('#stage img')].map((image) => image.src)"
NOW = "return document.getElementById('now').value"
COMMAND = "return document.getElementById('command').value"
MODE = "return document.getElementById('stage').dataset.mode"
VISIBLE = ("return [...document.querySelectorAll('#stage figure')].filter((one) => "
           "getComputedStyle(one).display !== 'none' && getComputedStyle(one).visibility !== 'hidden').map((one) => one.className)")


class Review(Opened):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.root = root = Path(cls.temporary.name)
        (root / "skincheck.toml").write_text(CONFIG)
        (root / "arm.gltf").write_bytes((FIXTURES / "arm.gltf").read_bytes())
        cls.skincheck("accept")
        (root / "arm.gltf").write_text(moved_elbow())
        (root / "it's new.gltf").write_bytes((FIXTURES / "arm.gltf").read_bytes())
        (root / "torn.gltf").write_text("{")
        cls.skincheck("test", "--report", "html=report.html", code=2)
        cls.browser = Browser(root / "profile", graphics=True)
        cls.addClassCleanup(cls.browser.close)
        cls.url = (root / "report.html").as_uri()

    @classmethod
    def skincheck(cls, *arguments, code=0, folder="."):
        run = subprocess.run([SKINCHECK, *arguments], cwd=cls.root / folder, capture_output=True, text=True)
        assert run.returncode == code, run.stdout + run.stderr

    def press(self, *keys):
        for key in keys:
            self.browser.post("/actions", {"actions": [{"type": "key", "id": "keys", "actions": [
                {"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]}]})

    def click(self, selector, index=0):
        found = self.browser.post("/elements", {"using": "css selector", "value": selector})
        [element] = found[index].values()
        self.browser.post(f"/element/{element}/click", {})

    def choose(self, heading):
        """Steps down to a change."""
        for _ in range(20):
            if self.browser.run(HEADING) == heading:
                return
            self.press(DOWN)
        self.fail(f"no change {heading}")

    def test_the_documentation_has_a_picture_of_it(self):
        folder = self.root / "shown"
        folder.mkdir()
        (folder / "skincheck.toml").write_text(CONFIG.replace("*.gltf", "*.glb").replace("160", "320"))
        (folder / "scout.glb").write_bytes(walkers.whole())
        self.skincheck("accept", folder="shown")
        (folder / "scout.glb").write_bytes(walkers.stiff_knee())
        (folder / "guard.glb").write_bytes(walkers.heavy_arm())
        self.skincheck("test", "--report", "html=report.html", code=1, folder="shown")
        self.check_screenshot(folder / "report.html", "test")

    def test_every_change_is_listed(self):
        title = self.browser.request("GET", "/title")
        self.assertEqual(title, "skincheck test: 3 models: 1 changed, 1 not approved, 1 failed")
        rows = self.browser.run("return [...document.querySelectorAll('#items li')].map((row) => row.innerText)")
        text = "\n".join(rows)
        for part in ("arm.gltf", "it's new.gltf", "torn.gltf", "Bend", "changed", "not approved", "failed"):
            self.assertIn(part, text)
        usable = self.browser.run("return [...document.querySelectorAll('#items input')].filter((box) => !box.disabled).length")
        self.assertEqual(usable, len(rows) - 1, "what cannot be read cannot be approved")

    def test_expected_actual_and_difference_are_side_by_side(self):
        self.choose("arm.gltf: Bend")
        shown = self.browser.run(SHOWN)
        self.assertEqual(len(set(shown)), 3)
        self.assertTrue(self.browser.run(LOADED))
        self.assertEqual(self.browser.run(VISIBLE), ["expected", "actual", "difference"])
        lines = self.browser.run("return document.getElementById('lines').innerText")
        self.assertIn("elbow", lines)
        self.assertIn("4 images", lines)
        self.assertIn("pixels differ", self.browser.run("return document.getElementById('picture').textContent"))
        pixels, shown = self.browser.run("const { items } = JSON.parse(document.getElementById('review').textContent); "
                                         "const { frames } = items.find((item) => item.heading === 'arm.gltf: Bend'); "
                                         "return [frames.map((own) => own.pixels), frames.findIndex((own) => own.label === arguments[0])]",
                                         self.browser.run(NOW))
        self.assertEqual(pixels[shown], max(pixels), "it opens where it differs most")

    def test_the_approved_and_the_present_model_move_in_step(self):
        self.choose("arm.gltf: Bend")
        self.browser.post("/timeouts", {"script": 60000})
        self.browser.run("document.getElementById('move').click(); return document.querySelector('.moving').opening.then(() => true)")
        self.browser.frames(4)
        shown = ("return ['.moving:not(.led)', '.led'].map((one) => { const { player, model } = document.querySelector(one).page; "
                 "return [player.take.data.name, player.take.data.times[player.frame], model.caption]; })")
        (name, time, now), (other, approved_time, approved) = self.browser.run(shown)
        self.assertEqual([name, other, now, approved], ["Bend", "Bend", "Now", "Approved"])
        self.assertAlmostEqual(time, approved_time, places=5)
        legend = self.browser.run("return document.querySelector('.moving:not(.led)').shadowRoot.getElementById('legend').textContent")
        self.assertTrue(legend.startswith("distance from approved"), legend)
        self.keep("review-moving")
        for host in (".moving:not(.led)", ".led"):
            state, text = self.proved(host)
            self.assertEqual(state, "passed", text)
        self.choose("it's new.gltf: Bend")
        self.assertEqual(self.browser.run("return [document.querySelectorAll('.moving').length, document.getElementById('move').hidden]"), [0, True])

    def test_what_has_no_approval_has_no_expected_picture(self):
        self.choose("it's new.gltf: Bend")
        empty = self.browser.run("return [...document.querySelectorAll('#stage .empty')].map((one) => one.className)")
        self.assertEqual(empty, ["expected empty", "difference empty"])
        self.keep("review-new")

    def test_keys_step_through_changes_and_time(self):
        first = self.browser.run(HEADING)
        self.press(DOWN)
        self.assertNotEqual(self.browser.run(HEADING), first)
        self.press(UP)
        self.assertEqual(self.browser.run(HEADING), first)
        self.choose("arm.gltf: Twist")
        now, shown = self.browser.run(NOW), self.browser.run(SHOWN)
        self.press(RIGHT)
        self.assertNotEqual(self.browser.run(NOW), now)
        self.assertNotEqual(self.browser.run(SHOWN), shown)
        self.press(LEFT)
        self.assertEqual([self.browser.run(NOW), self.browser.run(SHOWN)], [now, shown])
        heading = self.browser.run(HEADING)
        self.press("j", "k", ".", ",")
        self.assertEqual([self.browser.run(HEADING), self.browser.run(NOW)], [heading, now], "the keys of other pages too")

    def test_the_slider_uncovers_the_expected_picture(self):
        self.choose("arm.gltf: Bend")
        self.press("2")
        self.assertEqual(self.browser.run(MODE), "slider")
        self.assertEqual(self.browser.run(VISIBLE), ["expected", "actual"])
        clip = "return getComputedStyle(document.querySelector('#stage .expected')).clipPath"
        self.browser.type("#slide", HOME)
        covered = self.browser.run(clip)
        self.browser.type("#slide", RIGHT * 40)
        self.assertNotEqual(self.browser.run(clip), covered)
        same = self.browser.run("const [a, b] = [...document.querySelectorAll('#stage figure')].map((one) => one.getBoundingClientRect());"
                                " return a.x === b.x && a.y === b.y && a.width === b.width")
        self.assertTrue(same, "both are in one place")
        self.keep("review-slider")

    def test_blink_shows_one_after_the_other(self):
        self.choose("arm.gltf: Bend")
        self.press("3")
        self.browser.post("/timeouts", {"script": 10000})
        seen = self.browser.post("/execute/async", {"args": [], "script": """
            const done = arguments[0], seen = new Set();
            setInterval(() => {
              const shown = [...document.querySelectorAll('#stage figure:not(.difference)')]
                .filter((one) => getComputedStyle(one).visibility !== 'hidden').map((one) => one.className);
              seen.add(shown.join());
              if (seen.size > 1) done([...seen].sort());
            }, 50);"""})
        self.assertEqual(seen, ["actual", "expected"])
        self.press("4")
        self.assertEqual(self.browser.run(VISIBLE), ["difference"])
        self.press("1")
        self.assertEqual(self.browser.run(VISIBLE), ["expected", "actual", "difference"])

    def test_play_runs_over_the_clip_and_stops(self):
        self.choose("arm.gltf: Bend")
        self.press(" ")
        self.assertEqual(self.browser.run("return document.getElementById('play').textContent"), "Pause")
        self.assertTrue(self.advances())
        self.press(" ")
        self.assertEqual(self.browser.run("return document.getElementById('play').textContent"), "Play")

    def test_the_command_approves_what_is_selected(self):
        self.assertEqual(self.browser.run(COMMAND), "")
        self.choose("it's new.gltf: Bend")
        self.press("a")
        expected = "skincheck accept 'it'\\''s new.gltf'"
        self.assertEqual(self.browser.run(COMMAND), expected)
        self.press(DOWN, "a")
        self.assertEqual(self.browser.run(COMMAND), "", "its clips are selected together")
        self.click("#all")
        lines = self.browser.run(COMMAND).split("\n")
        self.assertEqual(lines, ["skincheck accept arm.gltf", expected])
        self.keep("review-selected")
        self.click("#all")
        self.assertEqual(self.browser.run(COMMAND), "")
        # What it says is what a shell takes.
        environment = {**os.environ, "PATH": f"{Path(SKINCHECK).parent}:{os.environ['PATH']}"}
        subprocess.run(expected, shell=True, check=True, cwd=self.root, env=environment, capture_output=True)
        made = sorted(path.name for path in (self.root / "it's new.gltf.approved").iterdir())
        self.assertIn("poses.skref", made)

    def test_it_is_readable_in_light_and_dark(self):
        self.choose("arm.gltf: Bend")
        self.check_schemes("review-")

    def test_nothing_is_wider_than_a_narrow_window(self):
        self.choose("arm.gltf: Bend")
        self.check_narrow("review-")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
