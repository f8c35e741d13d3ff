"""The plugin for pytest, in a pytest of its own, and the recipe for pyblish."""

import shutil


def test_each_model_is_an_item(pytester, assets):
    shutil.copytree(assets, pytester.path / "assets")
    (pytester.path / "assets/damaged.glb").write_bytes(b"glTF")
    (pytester.path / "assets/skincheck.toml").write_text("deny-warnings = true\nrules.D602 = 'warning'\n")
    done = pytester.runpytest_subprocess("--skincheck", "assets", "--skincheck-pictures", "pictures", "-v")
    done.assert_outcomes(passed=1, failed=2)
    done.stdout.fnmatch_lines(["*assets/clean.gltf*PASSED*"])
    done.stdout.fnmatch_lines(["*D602*"])
    done.stdout.fnmatch_lines(["*picture of D602: pictures/stretched-*.png"])
    assert list((pytester.path / "pictures").glob("stretched-*.png"))
    assert "Traceback" not in done.stdout.str()
    one = pytester.runpytest_subprocess("--skincheck", "assets", "-k", "clean")
    one.assert_outcomes(passed=1, deselected=2)


def test_options_reach_the_checks(pytester, assets):
    strict = pytester.path / "strict.toml"
    strict.write_text("deny-warnings = true\nrules.D602 = 'warning'\n")
    pytester.runpytest_subprocess("--skincheck", assets).assert_outcomes(passed=2)
    done = pytester.runpytest_subprocess("--skincheck", assets, "--skincheck-config", strict)
    done.assert_outcomes(passed=1, failed=1)
    wrong = pytester.runpytest_subprocess("--skincheck", assets, "--skincheck-preset", "nonsense")
    wrong.stdout.fnmatch_lines(['*preset "nonsense" is unknown*'])


def test_assertions_fail_with_what_is_wrong(pytester, fixtures):
    pytester.makepyfile(
        f"""
        import pathlib
        from skincheck.pytest_plugin import assert_same_deformation as same

        RULES = pathlib.Path({str(fixtures)!r}) / "rules"

        def test_same():
            same(RULES / "clean.gltf", RULES / "clean.gltf", "1mm")

        def test_moved():
            same(RULES / "clean.gltf", RULES / "bent.gltf", "1mm")

        def test_fixtures(assert_same_deformation, assert_passes, tmp_path):
            assert_passes(RULES / "clean.gltf")
            assert_passes(RULES / "D602.gltf", preset="film", pictures=tmp_path)
        """
    )
    done = pytester.runpytest_subprocess()
    done.assert_outcomes(passed=1, failed=2)
    done.stdout.fnmatch_lines(["*DIFFERENT*", "*D602*"])
    assert "def assert_same_deformation" not in done.stdout.str(), "only what is wrong is shown"


def test_without_the_option_nothing_changes(pytester):
    pytester.makepyfile("def test_one(): pass")
    pytester.runpytest_subprocess().assert_outcomes(passed=1)
