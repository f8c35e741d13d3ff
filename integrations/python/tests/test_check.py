"""Checks, comparisons and references."""

import json
import signal
import threading

import numpy as np
import pytest
import skincheck


@pytest.fixture
def stretched(fixtures):
    return fixtures / "rules/D602.gltf"


def test_findings_name_vertices_joints_and_clips(stretched):
    report = skincheck.check(stretched, config=False, level="info")
    (finding,) = [finding for finding in report.findings if finding.code == "D602"]
    model = skincheck.load(stretched)
    ((mesh, vertices),) = finding.vertices.items()
    assert model.meshes[mesh].name == finding.mesh
    assert vertices.dtype == np.uint32 and np.all(np.diff(vertices.astype(int)) > 0)
    assert finding.vertex in vertices and vertices.max() < model.meshes[mesh].vertex_count
    assert finding.clips and finding.clips[0] in [clip.name for clip in model.clips]
    assert finding.joints == ["shoulder"]
    assert finding.value > finding.limit
    assert finding.level == "hint" and finding.fix and finding.name in finding.explanation.lower() + finding.name
    assert str(finding).startswith(f"{finding.level} D602: mesh")
    with pytest.raises(ValueError):
        vertices[0] = 0


def test_a_model_in_memory_is_checked_as_its_file(stretched):
    of_file = skincheck.check(stretched, config=False)
    of_model = skincheck.check(skincheck.load(stretched), config=False)
    assert list(map(str, of_file.findings)) == list(map(str, of_model.findings))
    assert of_file.to_text() == of_model.to_text()


def test_a_model_in_memory_is_not_read_again(stretched, tmp_path):
    copy = tmp_path / "copy.gltf"
    copy.write_bytes(stretched.read_bytes())
    model = skincheck.load(copy)
    before = skincheck.check(model, config=False)
    copy.unlink()
    assert list(map(str, skincheck.check(model, config=False).findings)) == list(map(str, before.findings))


def test_settings_come_from_values_files_and_the_nearest_configuration(stretched, tmp_path):
    model = tmp_path / "model.gltf"
    model.write_bytes(stretched.read_bytes())

    def codes(**settings):
        return {finding.code for finding in skincheck.check(model, **settings).findings}

    assert "D602" in codes()
    assert "D602" not in codes(config={"ignore": ["D602"]})
    assert "D602" not in codes(config={"rules": {"D602": "off"}})
    assert "D602" not in codes(ignore=["D"])
    assert codes(select=["D602"]) == {"D602"}
    (tmp_path / "skincheck.toml").write_text('ignore = ["D602"]\n')
    assert "D602" not in codes()
    assert "D602" in codes(config=False)
    other = tmp_path / "other.toml"
    other.write_text('level = "error"\n')
    report = skincheck.check(model, config=other)
    assert report.config == other and all(finding.level == "error" for finding in report.findings)
    strict = skincheck.check(model, config={"deny-warnings": True, "rules": {"D602": "warning"}, "clips": {"loops": ["no \"such\" clip"]}})
    assert not strict.passes


def test_a_preset_applies(fixtures):
    assert skincheck.check(fixtures / "walker.glb", preset="mocap", config=False).preset == "mocap"
    assert skincheck.check(fixtures / "walker.glb", engine="unity", config=False).engine == "unity"


def test_wrong_settings_are_named(stretched):
    with pytest.raises(skincheck.ConfigError, match='preset "game-ready" is unknown; expected one of .*mocap'):
        skincheck.check(stretched, preset="game-ready")
    with pytest.raises(skincheck.ConfigError, match='did you mean "unity"'):
        skincheck.check(stretched, engine="untiy")
    with pytest.raises(skincheck.ConfigError, match="levle"):
        skincheck.check(stretched, config={"levle": "info"})
    with pytest.raises(skincheck.ConfigError, match="nowhere.toml"):
        skincheck.check(stretched, config="nowhere.toml")
    with pytest.raises(TypeError, match="config"):
        skincheck.check(stretched, config={"ignore": object()})
    with pytest.raises(skincheck.ConfigError, match="W999"):
        skincheck.check(stretched, select=["W999"])
    with pytest.raises(TypeError, match="path of a model or a skincheck.Model"):
        skincheck.check(42)
    with pytest.raises(skincheck.LoadError):
        skincheck.check("nowhere.glb")


def test_many_models_are_checked_at_once(assets):
    (assets / "damaged.glb").write_bytes(b"glTF")
    reports = skincheck.check_all(assets)
    assert [report.path.name for report in reports] == ["clean.gltf", "damaged.glb", "stretched.gltf"]
    clean, damaged, stretched = reports
    assert clean.passes and not clean.findings
    assert damaged.failure and not damaged.passes
    assert stretched.findings
    assert [path.name for path in skincheck.find_models([assets])] == [report.path.name for report in reports]


def test_reports_have_the_formats_of_the_command(stretched):
    report = skincheck.check(stretched, config=False)
    document = json.loads(report.to_text("json"))
    assert len(document["models"][0]["findings"]) == len(report.findings)
    assert "D602" in report.to_text("markdown") and "D602" in str(report)
    with pytest.raises(skincheck.ConfigError, match="sarif"):
        report.to_text("srif")


def test_findings_are_drawn(stretched, tmp_path):
    pictures = skincheck.check(stretched, config=False).pictures(size=64)
    assert pictures
    finding, image = pictures[0]
    assert finding.code and image.rgba.shape == (image.height, image.width, 4)
    image.save(tmp_path / "finding.png")
    assert (tmp_path / "finding.png").read_bytes().startswith(b"\x89PNG")


def test_differences_are_measured_over_time(fixtures):
    clean, moved = fixtures / "rules/clean.gltf", fixtures / "rules/bent.gltf"
    assert skincheck.diff(clean, clean).is_same
    difference = skincheck.diff(clean, moved, tolerance="1mm")
    assert not difference.is_same and difference.findings[0].level == "error"
    worst = max(difference.clips, key=lambda clip: clip.max)
    assert worst.differs and worst.max == pytest.approx(worst.max_over_time.max())
    assert worst.times.shape == worst.max_over_time.shape == worst.rms_over_time.shape
    assert "DIFFERENT" in str(difference)
    assert skincheck.diff(skincheck.load(clean), moved, tolerance="1mm").to_text().count("\n") == difference.to_text().count("\n")
    with pytest.raises(skincheck.DiffError, match=r'tolerance "0.1": expected a tolerance above 0 with its unit'):
        skincheck.diff(clean, moved, tolerance="0.1")
    with pytest.raises(skincheck.DiffError, match="expected one of"):
        skincheck.diff(clean, moved, ignore=["everything"])
    with pytest.raises(TypeError, match="skincheck.Reference"):
        skincheck.diff(clean, 1)
    with pytest.raises(TypeError, match="expected a list of str, not str"):
        skincheck.diff(clean, moved, ignore="resampled")


def dense(mesh, width=4):
    """Influences as rows of nodes and weights."""
    nodes, weights = np.zeros((mesh.vertex_count, width), np.uint32), np.zeros((mesh.vertex_count, width), np.float32)
    used = np.zeros(mesh.vertex_count, np.int64)
    for vertex, node, weight in zip(*mesh.influences):
        nodes[vertex, used[vertex]], weights[vertex, used[vertex]] = node, weight
        used[vertex] += 1
    return nodes, weights


def reference_of(model, clip, times, offset=0.0, shape_keys=(), influences=lambda mesh: mesh.influences):
    """A reference written from arrays, as a program that hosts Python would do."""
    reference = skincheck.Reference("numpy", up=model.up, front=model.front, metres_per_unit=model.metres_per_unit)
    bind = model.bind_pose()
    for joint in model.joints:
        reference.add_node(joint.name, bind.joint_matrices[joint.index], parent=joint.parent, joint=joint.is_bound)
    for mesh in model.meshes:
        reference.add_mesh(
            mesh.name, bind.positions(mesh), mesh.triangles, influences=influences(mesh), node=mesh.node, shape_keys=shape_keys
        )
    for time in times:
        pose = model.pose(clip, time)
        positions = [pose.positions(mesh) + np.float32(offset) for mesh in model.meshes]
        reference.add_frame(clip, time, pose.joint_matrices, positions)
    return reference


def test_a_reference_from_arrays_is_the_model(fixtures, tmp_path):
    model = skincheck.load(fixtures / "walker.glb")
    reference = reference_of(model, "Walk", np.linspace(0, 1, 7))
    ignored = ["clip-added", "clip-missing"]
    assert skincheck.diff(reference, model, ignore=ignored).is_same, str(skincheck.diff(reference, model, ignore=ignored))
    path = tmp_path / "walker.skref"
    reference.save(path)
    assert skincheck.Reference.load(path).summary() == reference.summary()
    assert skincheck.diff(path, model, ignore=ignored).is_same
    by_rows = tmp_path / "rows.skref"
    reference_of(model, "Walk", np.linspace(0, 1, 7), influences=dense).save(by_rows)
    assert by_rows.read_bytes() == path.read_bytes()
    moved = reference_of(model, "Walk", np.linspace(0, 1, 7), offset=0.01)
    assert not skincheck.diff(moved, model, ignore=ignored).is_same
    assert skincheck.diff(moved, model, ignore=ignored, tolerance="3cm").is_same
    shaped = reference_of(model, "Walk", np.linspace(0, 1, 7), shape_keys=["smile"])
    differences = skincheck.diff(shaped, model, ignore=ignored).findings
    assert "morph-shape" in [finding.code for finding in differences], differences


def test_a_wrong_reference_is_refused(tmp_path):
    reference = skincheck.Reference("numpy")
    with pytest.raises(ValueError, match="parents before their children"):
        reference.add_node("hand", np.eye(4), parent=0)
    with pytest.raises(ValueError, match="4 × 4"):
        reference.add_node("hips", np.eye(3))
    reference.add_node("hips", np.eye(4))
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    with pytest.raises(TypeError, match="whole number"):
        reference.add_mesh("body", corners, [[0.0, 1.0, 2.0]])
    with pytest.raises(ValueError, match="-1 is no index"):
        reference.add_mesh("body", corners, [[0, 1, -1]])
    with pytest.raises(ValueError, match="no vertex 3"):
        reference.add_mesh("body", corners, [[0, 1, 2]], influences=([3], [0], [1.0]))
    with pytest.raises(ValueError, match="influences: expected two arrays .* or three"):
        reference.add_mesh("body", corners, [[0, 1, 2]], influences=([0],))
    with pytest.raises(ValueError, match=r"influences \(weights\): expected 3 vertices × influences"):
        reference.add_mesh("body", corners, [[0, 1, 2]], influences=([[0, 0]] * 3, [[1.0]] * 3))
    reference.add_mesh("body", corners, [[0, 1, 7]])
    with pytest.raises(ValueError, match="3 vertices × 3"):
        reference.add_frame("walk", 0.0, [np.eye(4)], [corners[:2]])
    with pytest.raises(ValueError, match="each of the 1 meshes"):
        reference.add_frame("walk", 0.0, [np.eye(4)], [])
    reference.add_frame("walk", 0.0, [np.eye(4)], [corners])
    with pytest.raises(skincheck.ReferenceFileError, match="7"):
        reference.save(tmp_path / "wrong.skref")
    for options in [{"up": "+Z"}, {"metres_per_unit": 0.0}]:
        with pytest.raises(skincheck.ReferenceFileError, match="`up` and `front`|metres_per_unit"):
            skincheck.Reference("numpy", **options).save(tmp_path / "wrong.skref")
    late = skincheck.Reference("numpy")
    for time in [0.2, 0.1]:
        late.add_frame("walk", time, np.zeros((0, 4, 4)), [])
    with pytest.raises(skincheck.ReferenceFileError, match="must ascend"):
        late.save(tmp_path / "wrong.skref")
    assert not (tmp_path / "wrong.skref").exists()
    with pytest.raises(ValueError, match="up"):
        skincheck.Reference("numpy", up="Y+")
    with pytest.raises(skincheck.ReferenceFileError):
        skincheck.Reference.load(tmp_path / "nowhere.skref")


def test_a_model_is_drawn(fixtures, tmp_path):
    model = skincheck.load(fixtures / "walker.glb")
    image = model.render("Walk", 0.3, size=(96, 64), background="transparent")
    assert image.rgba.shape == (64, 96, 4) and image.rgba.dtype == np.uint8
    drawn = image.rgba[..., 3] > 0
    assert 0.02 < drawn.mean() < 0.9 and np.array_equal(drawn, image.depth < 1.0)
    assert not np.array_equal(image.rgba, model.render("Walk", 0.3, size=(96, 64), camera="back").rgba)
    assert np.array_equal(image.rgba, model.pose("Walk", 0.3).render(size=(96, 64), background="transparent").rgba)
    assert image.to_pil().size == (96, 64)
    for show in ["texture", "weights:Hips", "stretch", "wireframe"]:
        assert model.render("Walk", 0.3, size=(32, 32), show=show).rgba.any()
    with pytest.raises(skincheck.RenderError, match='did you mean "lit"'):
        model.render(show="litt")
    with pytest.raises(skincheck.UnknownNameError, match="Hips"):
        model.render(show="weights:Hisp")
    with pytest.raises(skincheck.RenderError):
        model.render(size=(0, 10))
    with pytest.raises(skincheck.RenderError, match="diff"):
        model.render(show="distance:other.glb")


def test_a_check_can_be_interrupted(fixtures, request):
    # A shell's background jobs ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    main = threading.main_thread().ident
    timer = threading.Timer(0.2, signal.pthread_kill, (main, signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        while True:
            skincheck.check_all(fixtures / "rules")
    timer.join()


def test_an_engine_drops_influences(fixtures):
    model = skincheck.load(fixtures / "walker.glb")
    seen = model.as_engine("unity:influences=1")
    assert (model.engine, seen.engine) == (None, "unity:influences=1")
    assert len(seen.mesh("Body").influences[0]) < len(model.mesh("Body").influences[0])
    assert np.array_equal(seen.pose("Walk", 0.3).positions(), model.pose("Walk", 0.3, max_influences=1).positions())
    assert seen.bind_pose().positions().shape == model.bind_pose().positions().shape
    codes = [finding.code for finding in skincheck.check(model, config=False, engine="unity:influences=1").findings]
    assert "W107" in codes and "W107" not in [finding.code for finding in skincheck.check(model, config=False).findings]
    assert "unity:influences=1" in skincheck.diff(model, seen).to_text("json")
    assert dict(skincheck.engines())["unity"].startswith("Unity")
    with pytest.raises(skincheck.ConfigError, match='did you mean "unity"'):
        model.as_engine("unty")
    with pytest.raises(skincheck.ConfigError, match="already as unity"):
        seen.as_engine("godot")
    with pytest.raises(skincheck.ConfigError, match="has none"):
        skincheck.check(model, engine="three:bits=3")


def test_weights_that_an_engine_does_not_divide_are_compared_undivided(fixtures):
    model = skincheck.load(fixtures / "rules/W103.gltf")
    (bevy,) = skincheck.distances(model, model.as_engine("bevy"), {None: [0]})[None]
    (three,) = skincheck.distances(model, model.as_engine("three"), {None: [0]})[None]
    assert bevy.max() > 1e-3 > three.max()


def test_distances_are_those_of_counterparts(fixtures, tmp_path):
    model = skincheck.load(fixtures / "walker.glb")
    times = [0.0, 0.3, 1.0]
    fewer = model.as_engine("unity:influences=1")
    both = skincheck.distances(model, fewer, {"Walk": times, "Wave": [0.5]})
    apart = both["Walk"]
    assert list(both) == ["Walk", "Wave"] and both["Wave"].shape == (1, model.vertex_count)
    expected = np.linalg.norm(model.positions("Walk", times) - fewer.positions("Walk", times), axis=2)
    assert apart.dtype == np.float32 and np.allclose(apart, expected, atol=1e-6)
    moved = reference_of(model, "Walk", times, offset=0.01)
    from_file = skincheck.distances(fixtures / "walker.glb", moved, {"Walk": times})["Walk"]
    assert from_file.shape == (3, model.vertex_count) and np.nanmax(from_file) == pytest.approx(0.01 * 3**0.5, abs=1e-4)
    with pytest.raises(skincheck.DiffError, match='no clip "Wave"'):
        skincheck.distances(moved, model, {"Wave": times})
    with pytest.raises(skincheck.UnknownNameError, match='"Wave"'):
        skincheck.distances(model, moved, {"Wave": times})
