"""Holds skincheck in WebAssembly against the native command, and opens its page in headless Chromium.

    test_web.py SKINCHECK FOLDER TARGET INSTALLED

Screenshots go to FOLDER, unless it is empty. TARGET holds what web/build has made; INSTALLED is a folder where npm has installed the
package. If SKINCHECK_CORPUS names a folder of models, they are compared too.
"""

import gzip
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zipfile
from pathlib import Path

TARGET, INSTALLED = (Path(path) for path in sys.argv[3:5])
del sys.argv[3:]
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "browser"))
from browser import ELEMENT, FIXTURES, RIGHT, SKINCHECK, Browser, Opened  # noqa: E402
from character import write_character  # noqa: E402

EXTENSIONS = {".glb", ".gltf", ".fbx", ".dae", ".iqm", ".md5mesh"}
ENVIRONMENT = {**os.environ, "SKINCHECK_NO_CACHE": "1", "NO_COLOR": "1"}
MIB = 1 << 20
MOST_BYTES, MOST_PACKED_BYTES = 13 * MIB, 4.5 * MIB
IN_CHROMIUM = 30
# In Chromium, on files of this server.
RUN = """
const [files, jobs, done] = arguments;
(async () => {
  const { run } = await import('/skincheck/index.js');
  const given = {};
  for (const path of files) given[`/${path}`] = new Uint8Array(await (await fetch(`/models/${path}`)).arrayBuffer());
  const results = [];
  for (const args of jobs) {
    const { code, stdout } = await run(args, { files: given });
    results.push([code, stdout]);
  }
  return results;
})().then(done, (error) => done(String(error.stack)));"""

PROVEN = "return document.getElementById('proof')?.dataset.state?.match(/passed|failed/)?.[0]"


def native(folder, args):
    run = subprocess.run([SKINCHECK, *args], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
    return [run.returncode, run.stdout]


def in_node(folder, jobs):
    files = [str(path.relative_to(folder)) for path in sorted(folder.rglob("*")) if path.is_file()]
    # Where the package is installed, but with paths relative to `folder`.
    request = json.dumps({"files": files, "jobs": jobs})
    run = subprocess.run(["node", INSTALLED / "run.mjs"], cwd=folder, input=request, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def npx(folder, *args):
    return subprocess.run([INSTALLED / "node_modules/.bin/skincheck", *args], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)


def gather(folder):
    """Copies the fixtures and the corpus to `folder`, and lists the models."""
    shutil.copytree(FIXTURES, folder / "fixtures", ignore=lambda path, names: [n for n in names if (Path(path) / n).is_dir()])
    if corpus := os.environ.get("SKINCHECK_CORPUS"):
        for source in sorted(Path(corpus).iterdir()):
            if source.is_dir() and sum(file.stat().st_size for file in source.rglob("*")) < 10 * MIB:
                shutil.copytree(source, folder / source.name)
    return [str(path.relative_to(folder)) for path in sorted(folder.rglob("*")) if path.suffix in EXTENSIONS]


def commands(models):
    """A check of each model, and a comparison of each with the next."""
    checks = [["check", "--no-config", "--level", "info", "--format", "json", model] for model in models]
    return checks + [["diff", "--format", "json", *pair] for pair in zip(models, models[1:])]


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = Path(cls.folder.name)
        cls.models = gather(cls.root)

    def hold(self, jobs, results):
        for args, result in zip(jobs, results, strict=True):
            with self.subTest(args):
                self.assertEqual(result, native(self.root, args))

    def test_node_has_the_results_of_the_native_command(self):
        jobs = commands(self.models)
        ran = in_node(self.root, [{"args": args} for args in jobs])
        self.hold(jobs, [[one["code"], one["stdout"]] for one in ran])
        print(f"Node: {len(jobs)} results on {len(self.models)} models are those of the native command")

    def test_chromium_has_the_results_of_the_native_command(self):
        step = max(1, len(self.models) // IN_CHROMIUM)
        models = self.models[::step][:IN_CHROMIUM]
        self.assertEqual(len(models), IN_CHROMIUM)
        folders = {str(Path(model).parent) for model in models}
        files = [str(path.relative_to(self.root)) for name in sorted(folders) for path in (self.root / name).rglob("*") if path.is_file()]
        with served({"models": self.root, "": TARGET / "web/page"}) as url, tempfile.TemporaryDirectory() as profile:
            browser = Browser(profile)
            try:
                browser.post("/url", {"url": f"{url}/models/"})
                browser.post("/timeouts", {"script": 600000})
                jobs = commands(models)
                results = []
                # One call may take a minute.
                for start in range(0, len(jobs), 5):
                    part = browser.post("/execute/async", {"script": RUN, "args": [files, jobs[start:start + 5]]})
                    self.assertIsInstance(part, list, part)
                    results += part
            finally:
                browser.close()
        self.hold(jobs, results)

    def test_files_come_out(self):
        [result] = in_node(self.root, [{"args": ["render", "fixtures/walker.glb", "-o", "walker.png"]}])
        self.assertEqual([result["code"], result["files"]], [0, ["/walker.png"]], result["stderr"])


class Package(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        shutil.copy(FIXTURES / "walker.glb", self.root)

    def test_the_size_is_bounded(self):
        program = (TARGET / "wasm32-wasip1/web/skincheck.wasm").read_bytes()
        packed = len(gzip.compress(program, 9))
        print(f"skincheck.wasm: {len(program) / MIB:.1f} MiB, compressed {packed / MIB:.2f} MiB")
        self.assertLess(len(program), MOST_BYTES)
        self.assertLess(packed, MOST_PACKED_BYTES)

    def test_the_command_reads_and_writes_the_disk(self):
        args = ["check", "--no-config", "--format", "json", "walker.glb"]
        run = npx(self.root, *args)
        self.assertEqual([run.returncode, run.stdout], native(self.root, args))
        # The second run replaces the file of the first.
        for _ in range(2):
            run = npx(self.root, "view", "walker.glb", "-o", "walker.html")
            self.assertEqual(run.returncode, 0, run.stderr)
        written = (self.root / "walker.html").read_bytes()
        native(self.root, ["view", "walker.glb", "-o", "native.html"])
        self.assertEqual(written, (self.root / "native.html").read_bytes())
        self.assertEqual(sorted(path.name for path in self.root.iterdir()), ["native.html", "walker.glb", "walker.html"])

    def test_errors_name_the_file_and_have_the_exit_code_of_the_native_command(self):
        for args in (["check", "missing.glb"], ["render"], ["view", "walker.glb", "-o", "nowhere/walker.html"]):
            native_run = subprocess.run([SKINCHECK, *args], cwd=self.root, env=ENVIRONMENT, capture_output=True, text=True)
            run = npx(self.root, *args)
            self.assertEqual([run.returncode, run.stderr], [native_run.returncode, native_run.stderr])

    def test_a_lack_of_memory_is_a_message(self):
        write_character(self.root / "character.glb", 150_000)
        small, large = in_node(self.root, [{"args": ["check", "character.glb"], "memory": mib} for mib in (64, 4096)])
        self.assertEqual(small["code"], 2)
        self.assertIn("out of memory while checking character.glb", small["stderr"])
        self.assertIn("use the skincheck command", small["stderr"])
        self.assertLess(large["code"], 2, large["stderr"])

    def test_the_time_of_a_character_of_ten_megabytes(self):
        write_character(self.root / "character.glb", 150_000)
        self.assertGreater((self.root / "character.glb").stat().st_size, 10_000_000)
        args = ["check", "--no-config", "--jobs", "1", "--format", "json", "character.glb"]
        single = {**ENVIRONMENT, "RAYON_NUM_THREADS": "1"}
        start = time.monotonic()
        expected = subprocess.run([SKINCHECK, *args], cwd=self.root, env=single, capture_output=True, text=True)
        native_s = time.monotonic() - start
        start = time.monotonic()
        run = npx(self.root, *args)
        seconds = time.monotonic() - start
        self.assertEqual(run.stdout, expected.stdout)
        print(f"10 MB character: {seconds:.2f} s, {seconds / native_s:.1f} times the {native_s:.2f} s of {SKINCHECK} in one thread")


class Page(Opened):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = Path(cls.folder.name)
        server = served({"": TARGET / "web/page"})
        cls.url = server.__enter__() + "/index.html"
        cls.addClassCleanup(server.__exit__, None, None, None)
        cls.browser = Browser(cls.root / "profile", graphics=True)
        cls.addClassCleanup(cls.browser.close)

    def tearDown(self):
        messages = [entry["message"] for entry in self.browser.log("browser")]
        self.assertEqual(messages, [], "the console is empty")
        events = [json.loads(entry["message"])["message"] for entry in self.browser.log("performance")]
        sent = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
        own = self.url.removesuffix("index.html")
        others = [url for url in sent if not url.startswith((own, "data:", "blob:"))]
        self.assertEqual(others, [], "only the page's own files are loaded")
        self.assertLessEqual({url.removeprefix(own) for url in sent if url.startswith(own)}, set(files_of_page()))

    def drop(self, *paths):
        data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            event = {"type": kind, "x": 200, "y": 150, "data": data}
            self.browser.post("/goog/cdp/execute", {"cmd": "Input.dispatchDragEvent", "params": event})

    def until(self, script):
        for _ in range(600):
            if value := self.browser.run(script):
                return value
            time.sleep(0.1)
        self.fail(f"{script}: {self.browser.run('return document.body.innerText')}")

    def settled(self):
        return self.until("const [s, t] = ['status', 'trouble'].map((id) => document.getElementById(id).textContent);"
                          "return (s.endsWith('…') ? '' : s) || t")

    def inside(self, panel, script):
        """The value of `script` in the frame of `panel`, once it is true."""
        frame = self.until(f"return document.querySelector('#{panel} iframe')")
        self.browser.post("/frame", {"id": {ELEMENT: frame[ELEMENT]}})
        try:
            return self.until(script)
        finally:
            self.browser.post("/frame", {"id": None})

    def tab(self, panel):
        self.browser.run(f"document.getElementById('tab-{panel}').click()")

    def test_a_model_is_checked_shown_and_explained(self):
        self.drop(FIXTURES / "rules/D602.gltf")
        self.assertEqual(self.settled(), "0 errors, 0 warnings, 1 hint, 0 unreadable files")
        self.inside("findings", "return document.body && document.body.innerText.includes('D602')")
        self.assertTrue(self.browser.run("return document.getElementById('tab-differences').disabled"))
        self.tab("viewer")
        self.assertEqual(self.inside("viewer", PROVEN), "passed")
        self.keep("viewer")
        self.tab("explanations")
        self.assertIn("How to fix", self.until("return document.getElementById('explanation').textContent"))

    def test_two_models_are_compared(self):
        self.drop(FIXTURES / "arm.gltf", FIXTURES / "arm.dae")
        self.settled()
        self.tab("differences")
        self.inside("differences", "return document.body && document.body.innerText.includes('arm.dae')")
        self.keep("differences")
        self.assertEqual(self.browser.run("return document.getElementById('pair').textContent"), "arm.gltf → arm.dae")
        self.browser.run("document.getElementById('swap').click()")
        self.until("return document.getElementById('pair').textContent === 'arm.dae → arm.gltf'")
        self.settled()

    def test_folders_and_zip_files_are_checked(self):
        folder, archive = self.root / "rig", self.root / "packed.zip"
        folder.mkdir()
        for name in ("missing_texture.gltf", "walker.glb"):
            shutil.copy(FIXTURES / name, folder)
        (folder / "hero.obj").write_text("v 0 0 0\n")
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.write(folder / "walker.glb", "deep/walker.glb")
            packed.write(FIXTURES / "arm.gltf", "arm.gltf", zipfile.ZIP_STORED)
        self.drop(folder, archive)
        self.settled()
        models = self.browser.run("return [...document.getElementById('model').options].map((option) => option.value)")
        self.assertEqual(models, ["rig/missing_texture.gltf", "rig/walker.glb", "packed/arm.gltf", "packed/deep/walker.glb"])
        self.assertIn("rig/hero.obj", self.browser.run("return document.getElementById('skipped').textContent"))

    def test_what_cannot_be_read_is_said(self):
        notes, archive = self.root / "notes.txt", self.root / "broken.zip"
        notes.write_text("no model")
        archive.write_bytes(b"PK no zip file")
        self.drop(notes)
        self.assertIn("No model", self.settled())
        self.drop(archive)
        self.until("return document.getElementById('trouble').textContent.includes('not a zip file')")

    def test_no_script_of_the_page_can_connect(self):
        attempt = f"fetch({json.dumps(self.url)}).then(() => 'sent', () => 'refused')"
        script = f"const done = arguments[0]; {attempt}.then(done);"
        self.assertEqual(self.browser.post("/execute/async", {"script": script, "args": []}), "refused")
        of_worker = f"""const done = arguments[0], script = {json.dumps(attempt + ".then(postMessage)")};
            const worker = new Worker(URL.createObjectURL(new Blob([script], {{ type: 'text/javascript' }})), {{ type: 'module' }});
            worker.onmessage = ({{ data }}) => done(data);"""
        self.assertEqual(self.browser.post("/execute/async", {"script": of_worker, "args": []}), "refused")
        refusals = [entry["message"] for entry in self.browser.log("browser")]
        self.assertTrue(all("Content Security Policy" in one for one in refusals), refusals)

    def test_tabs_are_reached_by_the_keyboard(self):
        self.drop(FIXTURES / "walker.glb")
        self.settled()
        self.browser.type("#tab-findings", RIGHT)
        self.assertEqual(self.until("return document.activeElement.id"), "tab-viewer")
        self.assertEqual(self.inside("viewer", PROVEN), "passed")

    def test_it_follows_the_colours_of_the_system_and_fits_a_phone(self):
        self.check_schemes("web-")
        self.check_narrow("web-")


def files_of_page():
    page = TARGET / "web/page"
    return [str(path.relative_to(page)) for path in page.rglob("*") if path.is_file()]


class served:
    """A server of folders by their first part of the path."""

    def __init__(self, folders):
        class Handler(http.server.SimpleHTTPRequestHandler):
            def translate_path(self, path):
                parts = path.split("?")[0].strip("/").split("/")
                for name, folder in folders.items():
                    if name and parts[0] == name:
                        return str(folder.joinpath(*parts[1:]))
                return str(folders[""].joinpath(*parts))

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
