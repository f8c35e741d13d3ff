"""Uses what skincheck is handed out as: the pre-commit hook, the GitHub action, the recipes, cargo-dist's plan. Checks
the dependencies: licences, notices, the Rust they need."""

import base64
import contextlib
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import tomllib
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FIXTURES = ROOT / "fixtures"
RIGHT, WRONG = FIXTURES / "rules/clean.gltf", FIXTURES / "rules/W103.gltf"
SKINCHECK = pathlib.Path(sys.argv[1]).resolve()
MANIFEST = tomllib.loads((ROOT / "Cargo.toml").read_text())
TOOL = ROOT / ".ci/tool"


def run(*words, expected=0, **options):
    """What the command prints, both streams."""
    done = subprocess.run(
        [str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
    )
    assert done.returncode == expected, f"{words}: exit code {done.returncode}\n{done.stdout}"
    return done.stdout


def hook(folder):
    """pre-commit refuses a commit with a wrong model, or with a wrong buffer of a model that is not in the commit."""
    source, project = folder / "source", folder / "project"
    home = {**os.environ, "PRE_COMMIT_HOME": str(folder / "pre-commit")}
    home["PATH"] = f"{SKINCHECK.parent}:{home['PATH']}"
    # The names that git takes from the environment where it is not configured.
    for role in ["AUTHOR", "COMMITTER"]:
        home[f"GIT_{role}_NAME"] = home[f"GIT_{role}_EMAIL"] = "nobody@example.org"

    def git(where, *words, expected=0):
        return run("git", *words, cwd=where, env=home, expected=expected)

    for repository in [source, project]:
        repository.mkdir()
        git(repository, "init", "--quiet")
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", source)
    git(source, "add", ".")
    git(source, "commit", "--quiet", "-m", "Hooks")
    revision = git(source, "rev-parse", "HEAD").strip()
    configuration = {"repos": [{"repo": str(source), "rev": revision, "hooks": [{"id": "skincheck"}]}]}
    (project / ".pre-commit-config.yaml").write_text(yaml.safe_dump(configuration))
    run("pre-commit", "install", cwd=project, env=home)

    (project / "wip").mkdir()
    shutil.copy(RIGHT, project / "right.gltf")
    shutil.copy(WRONG, project / "wip/wrong.gltf")
    (project / "skincheck.toml").write_text('exclude = ["wip/"]\n')
    git(project, "add", ".")
    excluded = git(project, "commit", "-m", "What is not finished is excluded")
    assert "Passed" in excluded, excluded
    shutil.copy(WRONG, project / "wrong.gltf")
    git(project, "add", ".")
    refused = git(project, "commit", "-m", "A wrong model", expected=1)
    assert "Failed" in refused and "W103" in refused and "right.gltf" not in refused, refused
    git(project, "rm", "--quiet", "--cached", "wrong.gltf")
    (project / "notes.txt").write_text("no model")
    git(project, "add", "notes.txt")
    assert "no files to check" in git(project, "commit", "-m", "No model")
    model = json.loads(RIGHT.read_text())
    buffer = base64.b64decode(model["buffers"][0]["uri"].split(",")[1])
    model["buffers"][0]["uri"] = "apart.bin"
    (project / "apart.gltf").write_text(json.dumps(model))
    (project / "apart.bin").write_bytes(buffer)
    (project / "wrong.gltf").unlink()
    git(project, "add", ".")
    git(project, "commit", "-m", "A buffer of its own")
    (project / "apart.bin").write_bytes(b"\xff" * len(buffer))
    git(project, "add", ".")
    refused = git(project, "commit", "-m", "A wrong buffer", expected=1)
    assert "Failed" in refused and "apart.gltf" in refused, refused
    tell_models_from_others()


def tell_models_from_others():
    """The hook's pattern has every extension of `skincheck doctor`, and those of files that models use."""
    (declared,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    pattern = re.compile(declared["files"])
    document = yaml.safe_load(run(SKINCHECK, "doctor", "--json"))
    known = {extension for importer in document["importers"] for extension in importer["extensions"]}
    missing = {extension for extension in known if not pattern.search(f"a/b.{extension}")}
    assert not missing, missing
    for name in ["buf0.bin", "skin.PNG", "a.jpeg", "hero.skeleton.xml", "hero.mtl", "skincheck.toml", "a/skincheck.toml"]:
        assert pattern.search(name), name
    for name in ["notes.txt", "pyproject.toml", "my-skincheck.toml"]:
        assert not pattern.search(name), name


def recipes(folder):
    """The recipes of docs/ci.md, the action and the workflows follow the schemas of their services; actionlint and zizmor find nothing."""
    repository = folder / "recipes"
    workflows = repository / ".github/workflows"
    workflows.mkdir(parents=True)
    run("git", "init", "--quiet", cwd=repository)
    shutil.copy(ROOT / "action.yml", repository)
    blocks = re.findall("^```yaml\n(.*?)^```", (ROOT / "docs/ci.md").read_text(), re.MULTILINE | re.DOTALL)
    count = {"github": 0, "gitlab": 0}
    for index, block in enumerate(blocks):
        block = block.replace("uses: OWNER/skincheck@REF", "uses: ./")
        document = yaml.safe_load(block)
        if isinstance(document, list):
            document = {"jobs": {"check": {"runs-on": "ubuntu-latest", "steps": document}}}
        if "repos" in document or "apiVersion" in document:
            continue
        if "jobs" in document:
            count["github"] += 1
            file = workflows / f"{index}.yml"
            file.write_text(yaml.safe_dump({"name": "skincheck", "on": {"push": {}}, **document}))
            schema("vendor.github-workflows", file)
        else:
            count["gitlab"] += 1
            file = repository / f"gitlab-{index}.yml"
            file.write_text(block)
            schema("vendor.gitlab-ci", file)
    assert count == {"github": 7, "gitlab": 4}, count
    schema("vendor.github-actions", ROOT / "action.yml")
    files = sorted(workflows.iterdir())
    assert run(TOOL, "actionlint", "-no-color", *files, cwd=repository) == ""
    own = sorted((ROOT / ".github/workflows").iterdir())
    assert run(TOOL, "actionlint", "-no-color", *own, cwd=ROOT) == ""
    schema("vendor.dependabot", ROOT / ".github/dependabot.yml")
    schema("vendor.citation-file-format", ROOT / "CITATION.cff")
    zizmor = [TOOL, "zizmor", "--offline", "--no-progress", "--quiet"]
    run(*zizmor, ROOT / "action.yml", ROOT / ".github")
    unpinned = folder / "action.yml"
    unpinned.write_text(re.sub(r"@[0-9a-f]{40} # v\S+", "@v5", (ROOT / "action.yml").read_text()))
    assert "unpinned-uses" in run(*zizmor, unpinned, expected=14)
    # Each check sees a mistake.
    wrong = workflows / "wrong.yml"
    (text,) = [text for text in map(pathlib.Path.read_text, files) if "uses: ./" in text]
    wrong.write_text(text.replace("args:", "arguments:"))
    assert 'missing input "args"' in run(TOOL, "actionlint", "-no-color", wrong, cwd=repository, expected=1)
    wrong.write_text("check: {script: skincheck, parallel: many}\n")
    schema("vendor.gitlab-ci", wrong, expected=1)
    wrong.write_text((ROOT / "action.yml").read_text().replace("composite", "composed"))
    schema("vendor.github-actions", wrong, expected=1)


def schema(name, file, expected=0):
    run("check-jsonschema", "--builtin-schema", name, file, expected=expected)


def action(folder):
    """The steps of the action, run as a runner does: with a release, with a changed one, and without. cargo is stood in for by a copy
    of the program under test."""
    home, tools = folder / "home", folder / "tools"
    tools.mkdir()
    cargo = tools / "cargo"
    cargo.write_text(
        '#!/bin/sh -eu\n[ "$1 $2 $4 $6 $7 $8 $9" = "install --path --root --locked --no-default-features --features cli" ]\n'
        f'[ -e "$3/Cargo.toml" ]\nmkdir -p "$5/bin"\ncp "{SKINCHECK}" "$5/bin/skincheck"\n'
    )
    cargo.chmod(0o755)
    home.mkdir()
    (folder / "temporary").mkdir()
    steps = [step for step in yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"] if "run" in step]
    source, release, build, check = [step["run"] for step in steps]
    output = folder / "output"
    environment = {
        **os.environ, "HOME": str(home), "PATH": f"{tools}:{os.environ['PATH']}", "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_OUTPUT": str(output), "RUNNER_OS": "Linux", "RUNNER_ARCH": "X64", "FEATURES": "cli",
        "RUNNER_TEMP": str(folder / "temporary"), "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
    }
    environment.pop("SKINCHECK_NO_CACHE", None)
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]

    def step(text, expected=0, **variables):
        return run(*shell, text, env={**environment, **variables}, cwd=FIXTURES, expected=expected)

    step(source)
    assert re.fullmatch("key=Linux-X64-cli-[0-9a-f]{40,}\n", output.read_text())
    output.unlink()
    installed = home / ".skincheck/bin/skincheck"
    with served(folder / "site") as (site, address):
        url = f"{address}/OWNER/skincheck/releases/download/v0.1.0"
        assert "has no skincheck-x86_64" in step(release, RELEASE=url)
        assert not installed.exists() and not output.exists()
        archive = site / "OWNER/skincheck/releases/download/v0.1.0/skincheck-x86_64-unknown-linux-gnu.tar.xz"
        archive.parent.mkdir(parents=True)
        with tarfile.open(archive, "w:xz", preset=0) as packed:
            packed.add(SKINCHECK, f"{archive.name.removesuffix('.tar.xz')}/skincheck")
        checksum = archive.with_name(f"{archive.name}.sha256")
        checksum.write_text(f"{'0' * 64} *{archive.name}\n")
        assert "FAILED" in step(release, RELEASE=url, expected=1)
        assert not installed.exists()
        checksum.write_text(f"{hashlib.sha256(archive.read_bytes()).hexdigest()} *{archive.name}\n")
        step(release, RELEASE=url)
    assert output.read_text() == "found=true\n"
    assert installed.stat().st_size == SKINCHECK.stat().st_size
    installed.unlink()
    step(build)
    for arguments, expected in [("rules/clean.g?tf rules/W10[3].gltf", 1), ("rules/clean.gltf --deny-warnings", 0)]:
        printed = step(check, expected=expected, ARGUMENTS=arguments)
        assert ("::error" in printed) == (expected == 1), printed
        assert ("W103" in (folder / "summary.md").read_text()) == (expected == 1), printed
    assert (home / ".skincheck-verdicts/verdicts").is_dir()


@contextlib.contextmanager
def served(folder):
    """A server of the files in a folder, and its address."""
    folder.mkdir()

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield folder, f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def dependencies(folder):
    """Their licences, duplicates and sources are allowed, the notices name each, and none needs a newer Rust than skincheck states."""
    run(TOOL, "cargo-deny", "--log-level", "warn", "check", "bans", "licenses", "sources", cwd=ROOT)
    stricter = folder / "deny.toml"
    stricter.write_text((ROOT / "deny.toml").read_text().replace('    "Zlib",\n', ""))
    assert "rejected" in run(TOOL, "cargo-deny", "--config", stricter, "check", "licenses", cwd=ROOT, expected=4)

    linked = set()
    builds = [[target] for target in tomllib.loads((ROOT / "dist-workspace.toml").read_text())["dist"]["targets"]]
    # As web/build does.
    builds.append(["wasm32-wasip1", "--no-default-features", "--features", "cli,meshopt"])
    for build in builds:
        tree = run("cargo", "tree", "--locked", "--package", "skincheck", "--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}", "--target", *build, cwd=ROOT)
        linked |= {" v".join(line.split(" v")[:2]).split(" (")[0] for line in tree.splitlines()}
    linked = {name.replace(" v", " ") for name in linked if not name.startswith("skincheck")}
    named = set(re.findall(r"^- (\S+ \d\S*)", (ROOT / "THIRD-PARTY.md").read_text(), re.MULTILINE))
    missing = linked - named
    assert not missing, f"not in THIRD-PARTY.md, which make notices writes: {sorted(missing)}"

    packages = json.loads(run("cargo", "metadata", "--locked", "--quiet", "--format-version", "1", cwd=ROOT))["packages"]
    stated = version_of(MANIFEST["workspace"]["package"]["rust-version"])
    newer = [package["id"] for package in packages if version_of(package["rust_version"] or "1.0") > stated]
    assert not newer, newer


def version_of(text):
    return [int(number) for number in text.split(".")][:2]


def plan(folder):
    """What cargo-dist would build of these sources once Cargo.toml names a repository."""
    sources = folder / "sources"
    (sources / "src").mkdir(parents=True)
    for name in [
        "Cargo.lock", "dist-workspace.toml", "README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY.md",
    ]:
        shutil.copy(ROOT / name, sources)
    # It fails if release.yml is not what dist writes.
    shutil.copytree(ROOT / ".github", sources / ".github")
    manifest = (ROOT / "Cargo.toml").read_text()
    assert "\nrepository = " not in manifest
    named = manifest.replace("\n\n", '\nrepository = "https://github.com/OWNER/skincheck"\n\n', 1)
    (sources / "Cargo.toml").write_text(named)
    for name in ["src", "crates", ".cargo"]:
        shutil.copytree(ROOT / name, sources / name, dirs_exist_ok=True)
    for name in re.findall('^path = "((?!src).*)"', manifest, re.MULTILINE) + ["examples/your_engine.rs"]:
        (sources / name).parent.mkdir(parents=True, exist_ok=True)
        (sources / name).touch()
    run("git", "init", "--quiet", cwd=sources)
    printed = run("dist", "plan", "--no-local-paths", cwd=sources)
    for artifact in [
        "skincheck-installer.sh", "skincheck-installer.ps1", "skincheck-x86_64-unknown-linux-gnu.tar.xz",
        "skincheck-x86_64-pc-windows-msvc.zip", "skincheck-manual.tar.gz", "THIRD-PARTY.md",
    ]:
        assert artifact in printed, printed


def main():
    told = []
    with tempfile.TemporaryDirectory() as folder:
        for check in [recipes, dependencies, action, hook, plan]:
            own = pathlib.Path(folder) / check.__name__
            own.mkdir()
            told.append(" ".join([check.__name__, check(own) or "right"]))
    print("packages: " + ", ".join(told))


main()
