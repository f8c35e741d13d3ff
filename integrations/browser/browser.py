"""Headless Chromium, by the WebDriver protocol of chromedriver, and what every page of skincheck must do in it."""

import base64
import json
import math
import os
import re
import subprocess
import sys
import time
import unittest
import urllib.request
import zlib
from pathlib import Path

SKINCHECK, FOLDER = (sys.argv[1:] + ["", ""])[:2]
FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--window-size=1280,1700",
]
# WebGL on machines without a graphics card.
GRAPHICS = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
ESCAPE, HOME, LEFT, UP, RIGHT, DOWN = "\ue00c", "\ue011", "\ue012", "\ue013", "\ue014", "\ue015"
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
LOADED = "return [...document.images].every((image) => image.complete && image.naturalWidth > 0)"

# What an embedded viewer proves, by the selector of its host.
PROVED = "const root = document.querySelector(arguments[0])?.shadowRoot; if (!root) return ['none', '', '']; " \
    "const proof = root.getElementById('proof'); return [proof.dataset.state, proof.textContent, root.getElementById('trouble').textContent]"
# The mean structural similarity of 8 x 8 blocks (Wang et al., 2004), and the mean difference of channels, of 255.
COMPARE = """
const [done, ...pictures] = [arguments[2], arguments[0], arguments[1]];
const pixels = async (base64) => {
  const image = new Image();
  image.src = `data:image/png;base64,${base64}`;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, image.width, image.height);
};
Promise.all(pictures.map(pixels)).then(([a, b]) => {
  if (a.width !== b.width || a.height !== b.height) throw new Error(`${a.width}x${a.height}, ${b.width}x${b.height}`);
  const light = (p, x, y) => { const i = 4 * (y * p.width + x); return 0.3 * p.data[i] + 0.59 * p.data[i + 1] + 0.11 * p.data[i + 2]; };
  let sum = 0, blocks = 0;
  for (let y = 0; y + 8 <= a.height; y += 8) for (let x = 0; x + 8 <= a.width; x += 8) {
    let [ma, mb, aa, bb, ab] = [0, 0, 0, 0, 0];
    for (let k = 0; k < 64; ++k) {
      const [p, q] = [light(a, x + k % 8, y + (k >> 3)), light(b, x + k % 8, y + (k >> 3))];
      ma += p / 64; mb += q / 64; aa += p * p / 64; bb += q * q / 64; ab += p * q / 64;
    }
    const [c1, c2] = [6.5, 58.5];
    const own = (2 * ma * mb + c1) * (2 * (ab - ma * mb) + c2) / ((ma * ma + mb * mb + c1) * (aa - ma * ma + bb - mb * mb + c2));
    // An even background says nothing.
    if (aa - ma * ma + bb - mb * mb > 1) { sum += own; ++blocks; }
  }
  let difference = 0;
  for (let i = 0; i < a.data.length; ++i) difference += Math.abs(a.data[i] - b.data[i]);
  done([blocks ? sum / blocks : 1, difference / a.data.length]);
}).catch((error) => done(String(error)));"""

SCREENSHOTS = Path(__file__).resolve().parents[2] / "docs/screenshots"
# The mean differences of channels, of 255, that fonts and versions of Chromium may make, after reduction to this width.
REDUCED, SAME = 60, 10
# Reduces two pictures, and returns their mean difference.
COARSE = """
const [done, reduced, ...pictures] = [arguments[3], arguments[2], arguments[0], arguments[1]];
const pixels = async (base64) => {
  const image = new Image();
  image.src = `data:image/png;base64,${base64}`;
  await image.decode();
  const canvas = new OffscreenCanvas(reduced, reduced), context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, reduced, reduced);
  return [image.width, image.height, context.getImageData(0, 0, reduced, reduced).data];
};
Promise.all(pictures.map(pixels)).then(([[wa, ha, a], [wb, hb, b]]) => {
  if (wa !== wb || ha !== hb) throw new Error(`${wa}x${ha}, ${wb}x${hb}`);
  done(a.reduce((sum, channel, index) => sum + Math.abs(channel - b[index]), 0) / a.length);
}).catch((error) => done(String(error)));"""

SIDE = 384
# The picture of an embedded viewer, by the selector of its host, as large as an image of `render` and with its camera.
PICTURE = f"""
const host = document.querySelector(arguments[0]), {{ page }} = host;
page.picture.style.cssText = 'width: {SIDE}px; height: {SIDE}px; border-radius: 0';
return page.go(arguments[1]).then(() => {{
  page.draw();
  return page.canvas.toDataURL('image/png').split(',')[1];
}});"""


class Browser:
    """A session of chromedriver."""

    def __init__(self, profile, graphics=False, extra=()):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        for line in self.driver.stdout:
            if found := re.search(r"started successfully on port (\d+)", line):
                break
        else:
            raise RuntimeError("chromedriver does not start")
        self.session = f"http://127.0.0.1:{found[1]}/session"
        arguments = [*ARGUMENTS, *(GRAPHICS if graphics else []), *extra, f"--user-data-dir={profile}"]
        options = {"args": [one for one in arguments if not (graphics and one == "--disable-gpu")]}
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

    def screenshot_of(self, element):
        found = self.post("/element", {"using": "css selector", "value": element})
        return base64.b64decode(self.request("GET", f"/element/{found[ELEMENT]}/screenshot"))

    def frames(self, count):
        """Waits until the page has been drawn so many times."""
        self.post("/execute/async", {"args": [count], "script": """
            const [count, done] = arguments, wait = (left) => left ? requestAnimationFrame(() => wait(left - 1)) : done();
            wait(count);"""})

    def close(self):
        try:
            self.request("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()


class Opened(unittest.TestCase):
    """A page that is opened anew for each test, and loads nothing. Subclasses set `browser` and `url`."""

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
        page, _, _ = self.url.partition("#")
        self.assertIn(page, sent)
        others = [url for url in sent if url != page and not url.startswith("data:")]
        self.assertEqual(others, [], "nothing is loaded")

    def advances(self):
        """Whether the element `now` shows three values within ten seconds."""
        self.browser.post("/timeouts", {"script": 10000})
        return self.browser.post("/execute/async", {"args": [], "script": """
            const done = arguments[0], now = document.getElementById('now'), seen = new Set();
            setInterval(() => { seen.add(now.value); if (seen.size > 2) done(true); }, 20);"""})

    def compared(self, first, second):
        """Structural similarity and mean difference of two PNG files."""
        texts = [base64.b64encode(picture).decode() for picture in (first, second)]
        found = self.browser.post("/execute/async", {"script": COMPARE, "args": texts})
        self.assertIsInstance(found, list, found)
        return found

    def pictured(self, start, model, *pose, host=".moving", name="viewer"):
        """Compares the picture of an embedded viewer with that of `render`."""
        self.browser.post("/timeouts", {"script": 60000})
        shown = base64.b64decode(self.browser.run(PICTURE, host, start))
        self.resembles(shown, [model, *pose], 0.9, name)

    def resembles(self, shown, line, least, name):
        """Compares a picture of a viewer with that of `render`, whose arguments are `line`."""
        line = [SKINCHECK, "render", *line, "--fit", "clip", "--size", f"{SIDE}x{SIDE}", "--legend", "off", "-o", "-"]
        drawn = subprocess.run(line, capture_output=True, check=True).stdout
        if FOLDER:
            Path(FOLDER).mkdir(parents=True, exist_ok=True)
            (Path(FOLDER) / f"{name}.png").write_bytes(shown)
            (Path(FOLDER) / f"{name}-render.png").write_bytes(drawn)
        alike, difference = self.compared(shown, drawn)
        self.assertGreater(alike, least)
        self.assertLess(difference, 2)

    def proved(self, host=".moving"):
        """Waits for what an embedded viewer says of its vertices."""
        for _ in range(600):
            state, text, trouble = self.browser.run(PROVED, host)
            if state != "none" or trouble:
                return state, text + trouble
            time.sleep(0.1)
        self.fail(f"there is no proof: {text}")

    def keep(self, name):
        if FOLDER:
            Path(FOLDER).mkdir(parents=True, exist_ok=True)
            (Path(FOLDER) / f"{name}.png").write_bytes(self.browser.screenshot())

    def check_schemes(self, prefix=""):
        colors = ("const style = getComputedStyle(document.body); "
                  "return [style.color, style.backgroundColor].map((c) => c.match(/\\d+/g).slice(0, 3).map(Number))")
        contrast = []
        for scheme in ("light", "dark"):
            self.browser.media(prefers_color_scheme=scheme)
            text, page = (luminance(color) for color in self.browser.run(colors))
            self.keep(prefix + scheme)
            self.assertGreater((max(text, page) + 0.05) / (min(text, page) + 0.05), 7, scheme)
            contrast.append(text > page)
        self.assertEqual(contrast, [False, True])

    def resize(self, height):
        metrics = {"width": 1280, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.browser.post("/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": metrics})

    def check_screenshot(self, page, name, last="body"):
        """Compares a page with its picture in the documentation. SKINCHECK_UPDATE_SNAPSHOTS=1 takes it anew.

        The picture shows all from the top of the page to the bottom of the element `last`, a selector.
        """
        self.resize(400)
        self.addCleanup(self.browser.post, "/goog/cdp/execute", {"cmd": "Emulation.clearDeviceMetricsOverride", "params": {}})
        self.url = page.as_uri()
        self.setUp()
        self.browser.run("for (const image of document.images) image.loading = 'eager'; "
                         "return Promise.all([...document.images].filter((image) => image.src !== 'data:,').map((image) => image.decode()))")
        bottom = self.browser.run("return document.querySelector(arguments[0]).getBoundingClientRect().bottom", last)
        self.resize(math.ceil(bottom) + 24)
        self.browser.frames(2)
        committed = SCREENSHOTS / f"{name}.png"
        if os.environ.get("SKINCHECK_UPDATE_SNAPSHOTS"):
            SCREENSHOTS.mkdir(exist_ok=True)
            committed.write_bytes(self.browser.screenshot())
        self.keep(name)
        self.assertLess(self.coarsely(committed), SAME, f"{committed} is out of date")
        self.browser.run("for (const image of document.images) image.style.visibility = 'hidden'")
        self.browser.frames(2)
        self.assertGreater(self.coarsely(committed), SAME, "a page without its images has another picture")

    def coarsely(self, committed):
        """How far the page is from a picture of it."""
        texts = [base64.b64encode(picture).decode() for picture in (committed.read_bytes(), self.browser.screenshot())]
        found = self.browser.post("/execute/async", {"script": COARSE, "args": [*texts, REDUCED]})
        self.assertIsInstance(found, (int, float), found)
        return found

    def check_narrow(self, prefix="", narrow=390):
        metrics = {"width": narrow, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.browser.post("/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": metrics})
        width = self.browser.run("return document.documentElement.scrollWidth")
        self.keep(prefix + "narrow")
        self.browser.post("/goog/cdp/execute", {"cmd": "Emulation.clearDeviceMetricsOverride", "params": {}})
        self.assertLessEqual(width, narrow)


def with_changed_palette(page, name=0):
    """A page with a bit of the exponent of the first number of a palette changed."""
    model = json.loads(re.search(rf'id="model-{name}">(.*?)</script>', page)[1])
    palettes = model["takes"][0]["palettes"]
    found = re.search(rf'id="blocks-{name}">(.*?)</script>', page)
    blocks = found[1].split(" ")
    block = bytearray(zlib.decompress(base64.b64decode(blocks[palettes["block"]])))
    block[palettes["at"]] ^= 1
    blocks[palettes["block"]] = base64.b64encode(zlib.compress(bytes(block))).decode()
    return page[:found.start(1)] + " ".join(blocks) + page[found.end(1):]


def luminance(color):
    """Relative luminance of an sRGB colour, as the Web Content Accessibility Guidelines define it."""
    linear = [code / 255 / 12.92 if code / 255 <= 0.04045 else ((code / 255 + 0.055) / 1.055) ** 2.4 for code in color]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
