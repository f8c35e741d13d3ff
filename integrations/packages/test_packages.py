"""Uses what skincheck is handed out as: the wheel, the pre-commit hook, the GitHub action, the recipes, cargo-dist's plan."""

import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FIXTURES = ROOT / "fixtures"
RIGHT, WRONG = FIXTURES / "rules/clean.gltf", FIXTURES / "rules/W103.gltf"
SKINCHECK = pathlib.Path(sys.argv[1]).resolve()


def run(*words, expected=0, **options):
    """What the command prints, both streams."""
    done = subprocess.run(
        [str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
    )
    assert done.returncode == expected, f"{words}: exit code {done.returncode}\n{done.stdout}"
    return done.stdout


def wheel(folder):
    """The wheel carries the program, and uvx runs it in an environment of its own."""
    # The profile and features of the tests: all is compiled already.
    target = SKINCHECK.parent.parent
    built = folder / "wheels"
    run(
        *"maturin build --profile dev --locked --features testing --compatibility linux".split(), "--out", built,
        cwd=ROOT, env={**os.environ, "CARGO_TARGET_DIR": str(target)},
    )
    (file,) = built.glob("skincheck-*.whl")
    home = {**os.environ, "UV_CACHE_DIR": str(folder / "uv"), "UV_OFFLINE": "1", "UV_PYTHON": sys.executable}

    def uvx(*words, **options):
        return run("uvx", "--from", file, "skincheck", *words, env=home, **options)

    version = re.search('^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]
    assert uvx("--version").strip().endswith(f"skincheck {version}")
    # FBX is read by a child process, which is the same program again.
    assert "4 files" in uvx("check", RIGHT, FIXTURES / "arm.fbx", FIXTURES / "walker.glb", WRONG, expected=1)
    return f"{file.stat().st_size / 1e6:.0f} MB"


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
    """The recipes of docs/ci.md and the action follow the schemas of their services, and actionlint finds nothing in them."""
    repository = folder / "recipes"
    workflows = repository / ".github/workflows"
    workflows.mkdir(parents=True)
    run("git", "init", "--quiet", cwd=repository)
    shutil.copy(ROOT / "action.yml", repository)
    blocks = re.findall("^```yaml\n(.*?)^```", (ROOT / "docs/ci.md").read_text(), re.MULTILINE | re.DOTALL)
    count = {"github": 0, "gitlab": 0}
    for index, block in enumerate(blocks):
        block = block.replace("OWNER/skincheck@REF", "./")
        document = yaml.safe_load(block)
        if isinstance(document, list):
            document = {"jobs": {"check": {"runs-on": "ubuntu-latest", "steps": document}}}
        if "repos" in document:
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
    assert count == {"github": 3, "gitlab": 2}, count
    schema("vendor.github-actions", ROOT / "action.yml")
    files = sorted(workflows.iterdir())
    assert run("actionlint", "-no-color", *files, cwd=repository) == ""
    # Each check sees a mistake.
    wrong = workflows / "wrong.yml"
    wrong.write_text(files[1].read_text().replace("args:", "arguments:"))
    assert 'missing input "args"' in run("actionlint", "-no-color", wrong, cwd=repository, expected=1)
    wrong.write_text("check: {script: skincheck, parallel: many}\n")
    schema("vendor.gitlab-ci", wrong, expected=1)
    wrong.write_text((ROOT / "action.yml").read_text().replace("composite", "composed"))
    schema("vendor.github-actions", wrong, expected=1)


def schema(name, file, expected=0):
    run("check-jsonschema", "--builtin-schema", name, file, expected=expected)


def action(folder):
    """The steps of the action, run as a runner does; cargo is stood in for by a copy of the program under test."""
    home, tools = folder / "home", folder / "tools"
    tools.mkdir()
    cargo = tools / "cargo"
    cargo.write_text(
        '#!/bin/sh -eu\n[ "$1 $2 $4 $6 $7 $8 $9" = "install --path --root --locked --no-default-features --features cli" ]\n'
        f'[ -e "$3/Cargo.toml" ]\nmkdir -p "$5/bin"\ncp "{SKINCHECK}" "$5/bin/skincheck"\n'
    )
    cargo.chmod(0o755)
    home.mkdir()
    steps = [step for step in yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"] if "run" in step]
    environment = {
        **os.environ, "HOME": str(home), "PATH": f"{tools}:{os.environ['PATH']}", "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_OUTPUT": str(folder / "output"), "RUNNER_OS": "Linux", "RUNNER_ARCH": "X64", "FEATURES": "cli",
    }
    environment.pop("SKINCHECK_NO_CACHE", None)
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]
    for step in steps[:2]:
        run(*shell, step["run"], env=environment, cwd=FIXTURES)
    assert re.fullmatch("key=Linux-X64-[0-9a-f]{40,}\n", (folder / "output").read_text())
    for arguments, expected in [("rules/clean.g?tf rules/W10[3].gltf", 1), ("rules/clean.gltf --deny-warnings", 0)]:
        words = {**environment, "ARGUMENTS": arguments}
        printed = run(*shell, steps[2]["run"], env=words, cwd=FIXTURES, expected=expected)
        assert ("::error" in printed) == (expected == 1), printed
    assert (home / ".skincheck-verdicts/verdicts").is_dir()


def bazel(folder):
    """Models whose paths differ get targets whose names differ. `integrations/bazel/test` runs them where there is Bazel."""
    named = []

    class Anything:
        def __getattr__(self, _):
            return lambda *_, **__: None

    def rule(**_):
        return lambda name, **_: named.append(name)

    rules = {"rule": rule, "attr": Anything(), "native": Anything()}
    exec((ROOT / "integrations/bazel/skincheck.bzl").read_text(), rules)
    models = ["a/b.glb", "a_b.glb", "a%2Fb.glb", "a.b.glb", "a_b_glb"]
    rules["skincheck_tests"]("models", models)
    assert len(set(named)) == len(models), named
    assert not any("/" in name for name in named), "a name with a slash may be in another package"


def plan(folder):
    """What cargo-dist would build of these sources once Cargo.toml names a repository."""
    sources = folder / "sources"
    (sources / "src").mkdir(parents=True)
    for name in ["Cargo.lock", "dist-workspace.toml", "README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"]:
        shutil.copy(ROOT / name, sources)
    manifest = (ROOT / "Cargo.toml").read_text()
    assert "\nrepository = " not in manifest
    named = manifest.replace("\n\n", '\nrepository = "https://github.com/OWNER/skincheck"\n\n', 1)
    (sources / "Cargo.toml").write_text(named)
    shutil.copytree(ROOT / "src", sources / "src", dirs_exist_ok=True)
    for name in re.findall('^path = "((?!src).*)"', manifest, re.MULTILINE) + ["examples/your_engine.rs"]:
        (sources / name).parent.mkdir(parents=True, exist_ok=True)
        (sources / name).touch()
    run("git", "init", "--quiet", cwd=sources)
    printed = run("dist", "plan", "--no-local-paths", cwd=sources)
    for artifact in [
        "skincheck-installer.sh", "skincheck-installer.ps1", "skincheck-npm-package.tar.gz",
        "skincheck-x86_64-unknown-linux-gnu.tar.xz", "skincheck-x86_64-pc-windows-msvc.zip",
    ]:
        assert artifact in printed, printed


def main():
    told = []
    with tempfile.TemporaryDirectory() as folder:
        for check in [recipes, action, hook, bazel, plan, wheel]:
            own = pathlib.Path(folder) / check.__name__
            own.mkdir()
            told.append(" ".join([check.__name__, check(own) or "right"]))
    print("packages: " + ", ".join(told))


main()
