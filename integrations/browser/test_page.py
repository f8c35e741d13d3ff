"""Opens the page of `skincheck diff --report` in headless Chromium, by the WebDriver protocol of chromedriver.

    test_page.py SKINCHECK [FOLDER]

Screenshots go to FOLDER, if one is named.
"""

import base64
import json
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--window-size=1280,1700",
]
HOME, RIGHT, DOWN = "\ue011", "\ue014", "\ue015"
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    """A session of chromedriver."""

    def __init__(self, profile):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        for line in self.driver.stdout:
            if found := re.search(r"started successfully on port (\d+)", line):
                break
        else:
            raise RuntimeError("chromedriver does not start")
        self.session = f"http://127.0.0.1:{found[1]}/session"
        options = {"args": [*ARGUMENTS, f"--user-data-dir={profile}"]}
        capabilities = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        answer = self.post("", {"capabilities": {"alwaysMatch": capabilities}})
        self.session += "/" + answer["sessionId"]

    def request(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.session + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def post(self, path, body):
        return self.request("POST", path, body)

    def run(self, script, *arguments):
        return self.post("/execute/sync", {"script": script, "args": arguments})

    def type(self, element, keys):
        found = self.post("/element", {"using": "css selector", "value": element})
        self.post(f"/element/{found[ELEMENT]}/value", {"text": keys})

    def log(self, kind):
        return self.post("/se/log", {"type": kind})

    def media(self, **features):
        listed = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.post("/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"features": listed}})

    def screenshot(self):
        return base64.b64decode(self.request("GET", "/screenshot"))

    def close(self):
        try:
            self.request("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()


def moved_elbow():
    """An arm whose elbow rests elsewhere."""
    model = json.loads((FIXTURES / "arm.gltf").read_text())
    elbow = next(node for node in model["nodes"] if node.get("name") == "elbow")
    elbow["translation"][0] += 0.2
    return json.dumps(model)


SHOWN = "return [...document.querySelectorAll('.pictures img')].map((image) => image.src)"
LOADED = "return [...document.images].every((image) => image.complete && image.naturalWidth > 0)"
TAKES = "return [...document.querySelectorAll('[data-take]')].filter((one) => one.offsetHeight).map((one) => one.innerText)"


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        root = Path(cls.folder.name)
        (root / "after.gltf").write_text(moved_elbow())
        line = [SKINCHECK, "diff", FIXTURES / "arm.gltf", "after.gltf", "--report", "report"]
        run = subprocess.run(line, cwd=root, capture_output=True, text=True)
        assert run.returncode == 1, run.stderr
        cls.browser = Browser(root / "profile")
        cls.addClassCleanup(cls.browser.close)
        cls.url = (root / "report" / "index.html").as_uri()

    def setUp(self):
        self.browser.media(prefers_color_scheme="light")
        self.browser.log("browser")
        self.browser.log("performance")
        self.browser.post("/url", {"url": self.url})

    def tearDown(self):
        messages = [entry["message"] for entry in self.browser.log("browser")]
        self.assertEqual(messages, [], "the console is empty")
        events = [json.loads(entry["message"])["message"] for entry in self.browser.log("performance")]
        sent = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
        self.assertIn(self.url, sent)
        others = [url for url in sent if url != self.url and not url.startswith("data:")]
        self.assertEqual(others, [], "nothing is loaded")

    def keep(self, name):
        if FOLDER:
            Path(FOLDER).mkdir(parents=True, exist_ok=True)
            (Path(FOLDER) / f"{name}.png").write_bytes(self.browser.screenshot())

    def test_the_title_names_both_files(self):
        title = self.browser.request("GET", "/title")
        self.assertEqual(title, "arm.gltf and after.gltf: different")

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
        self.browser.post("/timeouts", {"script": 10000})
        waited = self.browser.post("/execute/async", {"args": [], "script": """
            const done = arguments[0], now = document.getElementById('now'), seen = new Set();
            setInterval(() => { seen.add(now.value); if (seen.size > 2) done(true); }, 20);"""})
        self.assertTrue(waited)
        self.browser.type("#play", " ")
        self.assertEqual(self.browser.run("return document.getElementById('play').textContent"), "Play")

    def test_it_is_readable_in_light_and_dark(self):
        colors = ("const style = getComputedStyle(document.body); "
                  "return [style.color, style.backgroundColor].map((c) => c.match(/\\d+/g).slice(0, 3).map(Number))")
        contrast = []
        for scheme in ("light", "dark"):
            self.browser.media(prefers_color_scheme=scheme)
            text, page = (luminance(color) for color in self.browser.run(colors))
            self.keep(scheme)
            self.assertGreater((max(text, page) + 0.05) / (min(text, page) + 0.05), 7, scheme)
            contrast.append(text > page)
        self.assertEqual(contrast, [False, True])

    def test_nothing_is_wider_than_a_narrow_window(self):
        metrics = {"width": 390, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.browser.post("/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": metrics})
        width = self.browser.run("return document.documentElement.scrollWidth")
        self.keep("narrow")
        self.browser.post("/goog/cdp/execute", {"cmd": "Emulation.clearDeviceMetricsOverride", "params": {}})
        self.assertLessEqual(width, 390)

    def test_it_prints(self):
        pdf = base64.b64decode(self.browser.post("/print", {}))
        self.assertTrue(pdf.startswith(b"%PDF"))
        if FOLDER:
            Path(FOLDER).mkdir(parents=True, exist_ok=True)
            (Path(FOLDER) / "print.pdf").write_bytes(pdf)


def luminance(color):
    """Relative luminance of an sRGB colour, as the Web Content Accessibility Guidelines define it."""
    linear = [code / 255 / 12.92 if code / 255 <= 0.04045 else ((code / 255 + 0.055) / 1.055) ** 2.4 for code in color]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


if __name__ == "__main__":
    SKINCHECK, FOLDER = (sys.argv + ["", ""])[1:3]
    unittest.main(argv=sys.argv[:1], verbosity=2)
