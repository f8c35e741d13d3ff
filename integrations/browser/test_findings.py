"""Opens the page of `skincheck check --report html` in headless Chromium.

    test_findings.py SKINCHECK [FOLDER]

Screenshots go to FOLDER, if one is named.
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import walkers
from browser import ESCAPE, FIXTURES, RIGHT, SKINCHECK, Browser, Opened, with_changed_palette

MODELS = ["rules/W103.gltf", "rules/D602.gltf", "rules/D610.gltf", "rules/B201.gltf", "walker.glb", "broken/empty.fbx"]

VISIBLE = "return [...document.querySelectorAll('.finding')].filter((one) => one.offsetHeight).map((one) => one.dataset.rule)"
SECTIONS = "return [...document.querySelectorAll('.model')].filter((one) => one.offsetHeight).length"
SHOWN = "return document.getElementById('shown').value"
FOCUSED = "return document.activeElement.dataset.rule || document.activeElement.id"
HASH = "return location.hash"

# Opens the viewer of a finding of a rule in a model, by its button; returns what skincheck stored of it.
SEE = """
const section = [...document.querySelectorAll('.model')].find((one) => one.textContent.includes(arguments[0]));
const button = section.querySelector(`.finding[data-rule=${arguments[1]}] .see button`), { model, finding } = button.dataset;
button.click();
const { sights, takes } = JSON.parse(document.getElementById(`model-${model}`).textContent);
return document.querySelector('.moving').opening.then(() => ({ ...sights[finding], clip: takes[sights[finding].take].name }));"""
# What an open viewer shows.
SEEN = """
const { player, mode, camera, painter, selected } = document.querySelector('.moving').page, { data } = player.take;
return { take: player.take.index, time: data.times[player.frame], mode: mode.name, target: camera.target, joint: selected,
  marks: painter.marks.map((mark) => mark.count), playing: player.playing };"""
HOSTS = "return document.querySelectorAll('.moving').length"


class Findings(Opened):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        root = Path(cls.folder.name)
        line = [SKINCHECK, "check", *(FIXTURES / model for model in MODELS), "--no-config", "--level", "info",
                "--range-of-motion", "always", "--report", "html=findings.html"]
        run = subprocess.run(line, cwd=root, capture_output=True, text=True)
        assert run.returncode == 2, run.stderr
        cls.browser = Browser(root / "profile", graphics=True)
        cls.addClassCleanup(cls.browser.close)
        cls.url = (root / "findings.html").as_uri()

    def choose(self, rule):
        self.browser.run("const r = document.getElementById('rule'); r.value = arguments[0]; "
                         "r.dispatchEvent(new Event('input', { bubbles: true }))", rule)

    def press(self, keys):
        strokes = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.browser.post("/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": strokes}]})

    def test_every_picture_is_drawn(self):
        self.browser.run("for (const image of document.images) image.loading = 'eager'")
        loaded = "return [...document.images].map((image) => image.naturalWidth > 0)"
        self.browser.run("return Promise.all([...document.images].map((image) => image.decode()))")
        pictures = self.browser.run(loaded)
        self.assertGreater(len(pictures), 3)
        self.assertTrue(all(pictures))

    def test_the_documentation_has_a_picture_of_it(self):
        root = Path(self.folder.name)
        (root / "guard.glb").write_bytes(walkers.heavy_arm())
        (root / "scout.glb").write_bytes(walkers.torn_hand())
        line = [SKINCHECK, "check", "guard.glb", "scout.glb", "--report", "html=shown.html"]
        self.assertEqual(subprocess.run(line, cwd=root, capture_output=True).returncode, 1)
        self.check_screenshot(root / "shown.html", "check")

    def test_only_the_page_s_own_script_runs(self):
        page = Path(self.folder.name) / "findings.html"
        stray = Path(self.folder.name) / "stray.html"
        injected = "<main><script>document.title = 'injected'</script><img src=x onerror=\"document.title = 'injected'\">"
        stray.write_text(page.read_text().replace("<main>", injected, 1))
        self.browser.post("/url", {"url": stray.as_uri()})
        self.assertNotEqual(self.browser.run("return document.title"), "injected")
        self.assertTrue(self.browser.run(SHOWN), "the page's own script has run")
        refused = [entry["message"] for entry in self.browser.log("browser")]
        self.assertTrue(any("Content Security Policy" in message for message in refused), refused)
        # The policy's messages are expected here, and only here.
        self.setUp()

    def test_a_rule_filters(self):
        every = self.browser.run(VISIBLE)
        self.choose("D602")
        self.assertEqual(set(self.browser.run(VISIBLE)), {"D602"})
        self.assertIn(f" of {len(every)} findings", self.browser.run(SHOWN))
        self.keep("findings-filtered")
        self.choose("")
        self.assertEqual(self.browser.run(VISIBLE), every)

    def test_a_level_filters(self):
        levels = "return [...document.querySelectorAll('.finding')].filter((one) => one.offsetHeight).map((one) => one.dataset.level)"
        before = set(self.browser.run(levels))
        self.assertEqual(before, {"error", "hint", "info"})
        self.browser.run("document.querySelector('[name=level][value=info]').click()")
        self.assertEqual(set(self.browser.run(levels)), {"error", "hint"})

    def test_text_filters_by_model_and_place(self):
        self.browser.type("#text", "w103 normal")
        self.assertEqual(set(self.browser.run(VISIBLE)), {"W103"})
        self.assertEqual(self.browser.run(SECTIONS), 1)
        self.browser.type("#text", "xyzzy")
        self.assertEqual(self.browser.run(VISIBLE), [])
        self.assertTrue(self.browser.run("return document.getElementById('none').offsetHeight > 0"))

    def test_the_keyboard_steps_through_findings(self):
        every = self.browser.run(VISIBLE)
        self.press("j")
        self.assertEqual(self.browser.run(FOCUSED), every[0])
        self.press("jj")
        self.assertEqual(self.browser.run(FOCUSED), every[2])
        self.press("k")
        self.assertEqual(self.browser.run(FOCUSED), every[1])
        seen = self.browser.run("const box = document.activeElement.getBoundingClientRect(); "
                                "return box.top < innerHeight && box.bottom > 0")
        self.assertTrue(seen)

    def test_the_overview_leads_to_models_and_rules(self):
        names = "return [...document.querySelectorAll('.models .name')].map((one) => one.textContent)"
        named = self.browser.run(names)
        self.assertEqual(named[0], "empty.fbx", "what cannot be read is the worst")
        self.assertIn("W103.gltf", named)
        pictured = self.browser.run("return [...document.querySelectorAll('.models img')].length")
        self.assertEqual(pictured, len(named) - 1)
        self.browser.run("document.querySelector('.rules a[href=\"#rule=D602\"]').click()")
        self.browser.frames(2)
        self.assertEqual(set(self.browser.run(VISIBLE)), {"D602"})
        shown = self.browser.run("return [...document.querySelectorAll('.models > ul > li')].filter((one) => one.offsetHeight).length")
        self.assertEqual(shown, self.browser.run(SECTIONS))

    def test_models_are_in_rows_the_worst_first(self):
        metrics = {"width": 900, "height": 700, "deviceScaleFactor": 1, "mobile": False}
        self.browser.post("/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": metrics})
        self.addCleanup(self.browser.post, "/goog/cdp/execute", {"cmd": "Emulation.clearDeviceMetricsOverride", "params": {}})
        first, second = self.browser.run("return [...document.querySelectorAll('.models > ul > li')].slice(0, 2)"
                                         ".map((one) => { const { x, y } = one.getBoundingClientRect(); return [x, y]; })")
        self.assertLess(first[0], second[0])
        self.assertEqual(first[1], second[1])

    def test_the_filter_is_in_the_address_and_comes_from_it(self):
        self.choose("D602")
        self.browser.type("#text", "d602.gltf")
        self.assertEqual(self.browser.run(HASH), "#text=d602.gltf&rule=D602")
        wanted = self.browser.run(VISIBLE)
        self.addCleanup(setattr, self, "url", self.url)
        self.url += "#rule=D602&level=error,hint&text=d602.gltf"
        self.browser.post("/url", {"url": "about:blank"})
        self.setUp()
        self.assertEqual(self.browser.run(VISIBLE), wanted)
        self.assertFalse(self.browser.run("return document.querySelector('[name=level][value=info]').checked"))

    def test_a_link_shows_its_finding_whatever_the_filter(self):
        link = self.browser.run("return [...document.querySelectorAll('.finding[data-rule=D610] .link')][0].getAttribute('href')")
        self.choose("D602")
        self.browser.run("location.hash = arguments[0]", link)
        self.browser.frames(3)
        seen = self.browser.run("const box = document.querySelector(arguments[0]).getBoundingClientRect(); "
                                "return box.height > 0 && box.top >= 0 && box.top < innerHeight", link)
        self.assertTrue(seen)
        self.assertEqual(self.browser.run(FOCUSED), "D610")

    def test_a_model_folds_and_a_link_to_its_finding_unfolds_it(self):
        folded = "document.querySelector('.model > details:has(.finding)')"
        first = self.browser.run(f"{folded}.querySelector('summary').click(); return {folded}.querySelector('.finding').id")
        self.assertFalse(self.browser.run(f"return {folded}.open"))
        self.browser.run(f"location.hash = '{first}'")
        self.assertTrue(self.browser.run(f"return {folded}.open"))

    def test_a_rule_is_explained_on_the_page(self):
        self.browser.run("document.querySelector('.finding[data-rule=W103] .rule').click()")
        text = self.browser.run("return document.querySelector(':popover-open').innerText")
        self.assertIn("W103", text)
        self.assertGreater(len(text), 300)
        self.keep("findings-rule")
        self.press(ESCAPE)
        self.assertIsNone(self.browser.run("return document.querySelector(':popover-open')"))

    def test_a_question_mark_lists_the_keys(self):
        self.press("?")
        self.assertIn("previous finding", self.browser.run("return document.querySelector(':popover-open').innerText"))
        self.press("?")
        self.assertIsNone(self.browser.run("return document.querySelector(':popover-open')"))

    def test_keys_reach_the_open_viewer_and_the_next_finding_is_the_next(self):
        self.see("D602.gltf", "D602")
        at = self.browser.run("return [...document.querySelectorAll('.finding')].filter((one) => one.offsetHeight)"
                              ".indexOf(document.querySelector('.finding.open'))")
        self.browser.run("document.activeElement.blur()")
        yaw = "return document.querySelector('.moving').page.camera.yaw"
        self.press("1")
        self.assertEqual(self.browser.run(yaw), 0)
        every = self.browser.run(VISIBLE)
        self.press("j")
        self.assertEqual(self.browser.run(FOCUSED), every[at + 1])

    def test_the_play_bar_of_an_open_viewer_is_in_view(self):
        metrics = {"width": 1400, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.browser.post("/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": metrics})
        self.addCleanup(self.browser.post, "/goog/cdp/execute", {"cmd": "Emulation.clearDeviceMetricsOverride", "params": {}})
        self.see("D602.gltf", "D602")
        self.browser.frames(3)
        box = self.browser.run("const { top, bottom } = document.querySelector('.moving').shadowRoot.getElementById('time')"
                               ".getBoundingClientRect(); return [top, bottom, innerHeight]")
        self.assertGreater(box[0], 0)
        self.assertLess(box[1], box[2])

    def test_slash_and_escape_begin_and_end_a_search(self):
        every = self.browser.run(VISIBLE)
        self.press("/")
        self.assertEqual(self.browser.run(FOCUSED), "text")
        self.browser.type("#text", "B201")
        self.assertLess(len(self.browser.run(VISIBLE)), len(every))
        self.browser.type("#text", ESCAPE)
        self.assertEqual(self.browser.run(VISIBLE), every)
        self.assertEqual(self.browser.run("return document.getElementById('text').value"), "")

    def see(self, model, rule):
        self.browser.post("/timeouts", {"script": 60000})
        sight = self.browser.run(SEE, model, rule)
        self.browser.frames(2)
        return sight, self.browser.run(SEEN)

    def test_a_finding_is_seen_at_its_time_by_its_camera(self):
        sight, seen = self.see("D602.gltf", "D602")
        self.assertEqual(seen["take"], sight["take"])
        self.assertAlmostEqual(seen["time"], sight["time"] or 0, places=5)
        self.assertFalse(seen["playing"])
        self.assertEqual(seen["mode"], "stretch")
        self.assertEqual(seen["marks"], [len(own) for _, own in sight["marks"]])
        self.assertGreater(len(sight["marks"]), 0)
        for own, wanted in zip(seen["target"], sight["camera"]["target"]):
            self.assertAlmostEqual(own, wanted, places=4)
        self.keep("findings-moving")
        state, text = self.proved()
        self.assertEqual(state, "passed", text)

    def test_the_next_finding_is_seen_in_the_same_viewer(self):
        self.see("D602.gltf", "D602")
        self.browser.run("document.querySelector('.moving').opened = true; "
                         "document.querySelector('.moving').closest('.finding').focus()")
        self.press("j")
        self.browser.frames(5)
        rule = self.browser.run("const host = document.querySelector('.moving'); return host.opened && host.closest('.finding').dataset.rule")
        self.assertEqual(rule, self.browser.run(FOCUSED))
        self.assertNotEqual(rule, "D602")
        self.assertEqual(self.browser.run(SEEN)["time"], 1)

    def test_one_viewer_is_open_at_a_time_and_closes(self):
        self.see("D602.gltf", "D602")
        self.see("D610.gltf", "D610")
        self.assertEqual(self.browser.run(HOSTS), 1)
        text = self.browser.run("const open = [...document.querySelectorAll('[aria-expanded=true]')]; return open.map((one) => one.textContent)")
        self.assertEqual(text, ["Close"])
        self.browser.run("document.querySelector('[aria-expanded=true]').click()")
        self.assertEqual(self.browser.run(HOSTS), 0)

    def test_the_viewer_is_used_by_keyboard(self):
        self.browser.run("document.querySelector('.finding .see button').focus()")
        self.press("\ue007")
        self.assertEqual(self.browser.run(HOSTS), 1)
        self.browser.run("return document.querySelector('.moving').opening.then((page) => page.canvas.focus())")
        yaw = "return document.querySelector('.moving').page.camera.yaw"
        before = self.browser.run(yaw)
        self.press(RIGHT)
        self.assertNotEqual(self.browser.run(yaw), before)
        # The page's own keys do not interfere.
        self.press("f")
        self.browser.run("document.querySelector('.moving').shadowRoot.getElementById('find').focus()")
        self.press("/j")
        self.assertEqual(self.browser.run("return document.querySelector('.moving').shadowRoot.getElementById('find').value"), "/j")
        self.assertEqual(self.browser.run(FOCUSED), "")

    def test_a_palette_that_was_changed_is_seen(self):
        page = (Path(self.folder.name) / "findings.html").read_text()
        model = self.browser.run("return document.querySelector('.see button').dataset.model")
        changed = Path(self.folder.name) / "changed.html"
        changed.write_text(with_changed_palette(page, model))
        self.addCleanup(setattr, self, "url", self.url)
        self.url = changed.as_uri()
        self.setUp()
        self.browser.run("document.querySelector('.see button').click()")
        state, text = self.proved()
        self.assertEqual(state, "failed", text)
        self.assertIn("Do not trust", text)

    def test_the_viewer_s_picture_is_that_of_render(self):
        self.browser.post("/timeouts", {"script": 60000})
        clip, time = self.browser.run("""
            const section = [...document.querySelectorAll('.model')].find((one) => one.textContent.includes('D602.gltf'));
            section.querySelector('.see button').click();
            return document.querySelector('.moving').opening.then(async (page) => {
              const take = page.model.takes.findIndex((own) => own.clip);
              await page.go({ take, paused: true });
              page.camera.fit(page.player.take.data);
              const { name, times } = page.model.takes[take];
              return [name, times.findLast((own) => own <= 0.25)];
            });""")
        self.proved()
        take = self.browser.run("return document.querySelector('.moving').page.player.take.index")
        start = {"take": take, "time": 0.25, "show": "lit", "joint": None, "paused": True}
        self.pictured(start, FIXTURES / "rules/D602.gltf", "--clip", clip, "--time", str(time), name="findings-viewer")

    def test_an_unreadable_file_is_listed_with_its_error(self):
        text = self.browser.run("return document.querySelector('.failure').textContent")
        self.assertGreater(len(text), 10)

    def test_it_is_readable_in_light_and_dark(self):
        self.check_schemes("findings-")

    def test_nothing_is_wider_than_a_narrow_window(self):
        self.check_narrow("findings-")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
