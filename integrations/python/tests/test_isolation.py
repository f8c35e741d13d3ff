"""Foreign code runs in a process of its own, which is this interpreter with the extension alone."""

import os
import subprocess
import sys

import skincheck

FBX = "arm.fbx"


def run(code, *arguments, **variables):
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **variables},
    )


def test_foreign_code_runs_in_another_process(fixtures):
    code = "import sys, skincheck; print(skincheck.load(sys.argv[1], isolate=sys.argv[2] == 'yes'))"
    # Another program as worker does not answer.
    isolated = run(code, fixtures / FBX, "yes", SKINCHECK_BINARY="/bin/false")
    assert "LoadError" in isolated.stderr, isolated.stderr
    trusted = run(code, fixtures / FBX, "no", SKINCHECK_BINARY="/bin/false")
    assert "3 clips" in trusted.stdout, trusted.stderr
    assert "3 clips" in run(code, fixtures / FBX, "yes").stdout


def test_isolation_works_without_a_path_to_the_command(fixtures, tmp_path):
    """As in a program that embeds Python: neither PATH nor the environment lead to skincheck."""
    code = "import sys; sys.path.insert(0, sys.argv[2]); import skincheck; print(skincheck.load(sys.argv[1]))"
    package = os.path.dirname(os.path.dirname(skincheck.__file__))
    done = run(code, fixtures / FBX, package, PATH=str(tmp_path))
    assert "3 clips" in done.stdout, done.stderr


def test_the_command_is_that_of_the_program(fixtures):
    def command(*words):
        return subprocess.run([sys.executable, "-m", "skincheck", *map(str, words)], capture_output=True, text=True)

    assert command("--version").stdout == f"skincheck {skincheck.__version__}\n"
    assert command("check", fixtures / FBX).returncode == 0
    assert command("check", fixtures / "rules/D602.gltf", "--preset", "film").returncode == 1
    missing = command("check", fixtures / "nowhere.glb")
    assert missing.returncode == 2 and "nowhere.glb" in missing.stdout + missing.stderr
    # All of a long output arrives.
    assert command("rules", "--json").stdout.rstrip().endswith("}")


def test_numpy_is_imported_when_it_is_needed():
    """The worker must have one thread, and the command starts quickly."""
    assert run("import sys, skincheck; sys.exit('numpy' in sys.modules)").returncode == 0
