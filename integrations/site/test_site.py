"""Builds the site: every page is in its contents, every rule has one, links lead somewhere. The examples of the guides run, and print
what the guides show."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import pictures

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SKINCHECK = pathlib.Path(sys.argv[1]).resolve()
GUIDES = ["start", "symptoms", "exporters", "engines"]
MODELS = {
    "hero.glb": "walker.glb",
    "arm.gltf": "rules/D602.gltf",
    "fixtures/rules/D602.gltf": "rules/D602.gltf",
    "before.gltf": "rules/clean.gltf",
    "after.gltf": "rules/bent.gltf",
    "assets/clean.gltf": "rules/clean.gltf",
}


def site(folder):
    run([sys.executable, ROOT / "site/build.py", SKINCHECK, folder])
    book = folder / "book"
    listed = (folder / "src/SUMMARY.md").read_text()
    for page in folder.glob("src/**/*.md"):
        name = page.relative_to(folder / "src").as_posix()
        assert name == "SUMMARY.md" or f"({name})" in listed, f"{name} is not in site/SUMMARY.md"
    codes = {line["code"] for line in rules()}
    pages = {page.stem for page in (book / "rules").glob("*.html")}
    assert pages == codes, pages ^ codes
    examples = {page.stem for page in (folder / "src/rules").glob("*.md") if "## Example" in page.read_text()}
    # Those of OpenGL have no file; without assimp, two more are not read.
    assert len(examples) >= len(codes) - 6, f"{len(examples)} examples for {len(codes)} rules"
    shown = pictures.check(folder / "src/rules", codes, examples)
    assert list(book.glob("searchindex*")), "it cannot be searched"
    scripts = [page.name for page in book.glob("**/*.html") if re.search(r'(src|href)="https?:[^"]*\.(js|css|woff2?)', page.read_text())]
    assert not scripts, f"they load from other servers: {scripts}"
    lychee = [ROOT / ".ci/tool", "lychee", "--offline", "--include-fragments", "--no-progress", "--root-dir", book]
    run([*lychee, f"{book}/**/*.html"])
    (book / "glossary.html").write_text('<a href="check.html#nowhere">broken</a>')
    run([*lychee, f"{book}/glossary.html"], expected=2)
    return f"{len(list(book.glob('**/*.html')))} pages, {len(examples)} examples of rules with {shown}"


def rules():
    import json

    return json.loads(run([SKINCHECK, "rules", "--json"]))["rules"]


def guides(folder):
    """Runs each command of a guide; what a following block of text shows must be in what the commands print."""
    tools = folder / "tools"
    tools.mkdir()
    (tools / "skincheck").symlink_to(SKINCHECK)
    count = 0
    for guide in GUIDES:
        place = folder / guide
        for name, fixture in MODELS.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / "fixtures" / fixture, place / name)
        environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "NO_COLOR": "1", "SKINCHECK_NO_CACHE": "1"}
        printed = ""
        for kind, text in re.findall(r"^```(sh|text)\n(.*?)^```", (ROOT / f"docs/{guide}.md").read_text(), re.MULTILINE | re.DOTALL):
            if kind == "sh":
                printed = ""
                for line in text.splitlines():
                    done = subprocess.run(line, shell=True, cwd=place, env=environment, capture_output=True, text=True)
                    printed += done.stdout + done.stderr
                    assert done.returncode in (0, 1), f"{guide}.md: {line}: exit code {done.returncode}\n{printed}"
                    count += 1
            else:
                missing = [line for line in text.splitlines() if line.strip() not in printed]
                assert not missing, f"{guide}.md shows {missing}, and skincheck prints:\n{printed}"
    return f"{count} commands"


def run(words, expected=0, **options):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    assert done.returncode == expected, f"{words}: exit code {done.returncode}\n{done.stdout[-4000:]}"
    return done.stdout


def main():
    told = []
    with tempfile.TemporaryDirectory() as folder:
        for check in [guides, site]:
            own = pathlib.Path(folder) / check.__name__
            own.mkdir()
            told.append(f"{check.__name__}: {check(own)}")
    print("site: " + "; ".join(told))


main()
