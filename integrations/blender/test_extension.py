"""Installs the extension as Blender does, and uses its buttons. Faults in every rig of `rigs.py` must be selected vertex for vertex.

    python test_extension.py path/to/skincheck
"""

import contextlib
import faulthandler
import glob
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import types
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

FOLDER = tempfile.TemporaryDirectory(prefix="extension-")
os.environ["BLENDER_USER_RESOURCES"] = tempfile.tempdir = FOLDER.name

import bpy  # noqa: E402

# Only Blender's own module has these.
import addon_utils  # noqa: E402
import build_extension  # noqa: E402
import numpy as np  # noqa: E402
import test_reference  # noqa: E402
from rigs import RIGS  # noqa: E402

NAME = "bl_ext.user_default.skincheck"
PAGE = HERE.parents[1] / "docs/blender.md"
# A third influence is a fault, and an edge twice as long.
CONFIGURATION = "[rules.W106]\nmax_influences = 2\n[rules.D602]\nratio = 2\n"
# Here exports have influences of another armature, too, or a weight of 1e-9, which only one exporter writes.
OTHERS = ("two-armatures-on-one-mesh", "mirror")

own = types.SimpleNamespace()


def install(wheel):
    """As Preferences > Get Extensions > Install from Disk does."""
    archive = os.path.join(FOLDER.name, "skincheck.zip")
    build_extension.build([pathlib.Path(wheel)], archive)
    tool = os.path.join(bpy.utils.system_resource("SCRIPTS"), "addons_core", "bl_pkg", "cli", "blender_ext.py")
    run = subprocess.run([sys.executable, tool, "validate", archive], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    with zipfile.ZipFile(archive) as file:
        file.extractall(os.path.join(FOLDER.name, "extensions", "user_default", "skincheck"))
    addon_utils.extensions_refresh(ensure_wheels=True)
    assert addon_utils.enable(NAME, default_set=True) is not None
    for module in ("colours", "operators", "panels", "requirements", "results", "settings", "show"):
        setattr(own, module, sys.modules[f"{NAME}.{module}"])
    import skincheck

    assert FOLDER.name in skincheck.__file__, skincheck.__file__
    assert f'\nversion = "{skincheck.__version__}"\n' in (HERE / "extension/blender_manifest.toml").read_text()


def state():
    return bpy.context.window_manager.skincheck


def finish():
    """Waits for the job, which timers look at where Blender has a window."""
    own.operators.running().wait()
    assert own.operators.look() is None
    assert not glob.glob(os.path.join(FOLDER.name, "skincheck-*", "job.json"))
    return own.results.current


def succeed(operator, **arguments):
    assert operator(**arguments) == {"FINISHED"}
    return finish() if own.operators.running() else None


def expect_error(words, operator, **arguments):
    try:
        operator(**arguments)
    except RuntimeError as error:
        assert words in str(error), error
        return
    raise AssertionError(f"expected: {words}")


def build(plant=(), start=0):
    """A rig with a third influence on some vertices, in a file next to a configuration. Its clip begins at frame `start`."""
    fresh(lambda: test_reference.build(start=start))
    add_influences(bpy.data.objects["Body"], plant)
    save()


def fresh(make):
    """Runs what reads Blender's factory settings, in which the extension is off."""
    make()
    addon_utils.enable(NAME, default_set=True)


def save():
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(FOLDER.name, "scene.blend"))


def add_influences(body, vertices):
    for vertex in vertices:
        for group in body.vertex_groups:
            if group.index not in {entry.group for entry in body.data.vertices[vertex].groups}:
                group.add([vertex], 0.01, "REPLACE")


def selected(thing):
    """The vertices that are selected in edit mode."""
    thing.update_from_editmode()
    return [vertex.index for vertex in thing.data.vertices if vertex.select]


def finding(code):
    return next(index for index, one in enumerate(own.results.current.findings) if one["code"] == code)


def fingerprint():
    """All that the extension must leave as it is."""
    data = {kind: sorted(own.name for own in getattr(bpy.data, kind)) for kind in ("objects", "meshes", "actions", "texts", "images")}
    for mesh in bpy.data.meshes:
        # Edit mode may change their order.
        names = sorted(one.name for one in mesh.attributes if not one.name.startswith(".select"))
        points = np.empty(3 * len(mesh.vertices), "f4")
        mesh.vertices.foreach_get("co", points)
        active = mesh.color_attributes.active_color
        data[f"mesh {mesh.name}"] = (names, len(mesh.uv_layers), points.tobytes(), active and active.name)
    for thing in bpy.data.objects:
        groups = [(group.name, group.index) for group in thing.vertex_groups]
        action = thing.animation_data and thing.animation_data.action
        data[f"object {thing.name}"] = (str(thing.matrix_basis), groups, list(thing.modifiers.keys()), action and action.name)
    return data


# Tests


def test_vertices_bones_frame_and_colours_of_a_finding():
    planted = sorted(random.Random(1).sample(range(104), 9))
    for format in ("GLTF", "FBX"):
        build(planted)
        before = fingerprint()
        state().format = format
        result = succeed(bpy.ops.skincheck.check)
        assert not result.error, result.error
        assert fingerprint() == before and bpy.context.mode == "OBJECT"
        succeed(bpy.ops.skincheck.show, index=finding("W106"))
        body, rig = bpy.data.objects["Body"], bpy.data.objects["Rig"]
        assert bpy.context.mode == "EDIT_MESH" and bpy.context.object == body
        assert selected(body) == planted, (format, selected(body))
        # Once more, in edit mode.
        again = succeed(bpy.ops.skincheck.check)
        assert bpy.context.mode == "EDIT_MESH" and again.vertices(finding("W106"))["Body"].tolist() == planted, again.error
        bones = [bone.name for bone in rig.pose.bones if getattr(bone, "select", False) or getattr(bone.bone, "select", False)]
        named = result.findings[finding("W106")]["joints"]
        assert sorted(bones) == sorted(named) and rig.data.bones.active.name == named[0], (bones, named)
        assert body.vertex_groups.active.name == named[0]
        bpy.ops.object.mode_set(mode="OBJECT")
        colours = body.data.color_attributes
        red = [index for index, one in enumerate(colours["skincheck"].data) if tuple(one.color) == tuple(np.float32(own.colours.BAD))]
        assert red == planted and colours.active_color.name == "skincheck"
        succeed(bpy.ops.skincheck.clear)
        assert fingerprint() == before


def test_weight_paint_stays_and_frames_are_set():
    build(range(0, 104, 2))
    state().format = "GLTF"
    body = bpy.data.objects["Body"]
    body.vertex_groups["Head"].remove([100])
    body.vertex_groups["Hips"].add([100], 1.0, "REPLACE")
    succeed(bpy.ops.skincheck.check)
    index = finding("D602")
    frame = own.results.current.findings[index]["frame"]
    bpy.context.view_layer.objects.active = body
    bpy.ops.object.mode_set(mode="WEIGHT_PAINT")
    succeed(bpy.ops.skincheck.show, index=index)
    assert bpy.context.mode == "PAINT_WEIGHT" and body.data.use_paint_mask_vertex
    assert 0 < frame <= 24 and bpy.context.scene.frame_current_final == frame
    assert 100 in selected(body) and selected(body) == own.results.current.vertices(index)["Body"].tolist()


def test_the_frame_is_that_of_the_worst_pose():
    for format, start in (("GLTF", 0), ("GLTF", 10), ("GLTF", -7), ("FBX", 0), ("FBX", 10)):
        build(start=start)
        body, scene = bpy.data.objects["Body"], bpy.context.scene
        body.vertex_groups["Head"].remove([100])
        body.vertex_groups["Hips"].add([100], 1.0, "REPLACE")
        state().format = format
        succeed(bpy.ops.skincheck.check)
        frame = own.results.current.findings[finding("D602")]["frame"]
        longest = {}
        for now in range(start, start + 25):
            scene.frame_set(now)
            evaluated = body.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
            ends = [edge.vertices for edge in evaluated.edges if 100 in edge.vertices]
            longest[now] = max((evaluated.vertices[a].co - evaluated.vertices[b].co).length for a, b in ends)
        # Diagonals of faces are edges in the file, so that the worst of its poses may be the second of these.
        assert longest[round(frame)] > 0.975 * max(longest.values()), (format, start, frame, longest)


def test_undo_takes_a_finding_back():
    build(range(5))
    succeed(bpy.ops.skincheck.check)
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.skincheck.show("EXEC_DEFAULT", True, index=finding("W106")) == {"FINISHED"}
    assert bpy.context.mode == "EDIT_MESH" and "skincheck" in bpy.data.objects["Body"].data.attributes
    # Edit mode is a step of its own.
    bpy.ops.ed.undo()
    bpy.ops.ed.undo()
    assert bpy.context.mode == "OBJECT" and "skincheck" not in bpy.data.objects["Body"].data.attributes
    # The list outlives it, and finds the object again.
    succeed(bpy.ops.skincheck.show, index=finding("W106"))
    assert selected(bpy.data.objects["Body"]) == list(range(5))


def test_an_edited_or_hidden_mesh_is_said_so():
    build(range(5))
    succeed(bpy.ops.skincheck.check)
    body = bpy.data.objects["Body"]
    body.hide_set(True)
    expect_error("Body is hidden.", bpy.ops.skincheck.show, index=finding("W106"))
    body.hide_set(False)
    body.data.vertices.add(1)
    expect_error("Body has been edited since; check again.", bpy.ops.skincheck.show, index=finding("W106"))
    bpy.data.objects.remove(body)
    expect_error("Body is not in this view layer.", bpy.ops.skincheck.show, index=finding("W106"))


def test_only_the_selection_is_exported_and_settings_are_those_of_the_user():
    build(range(5))
    assert [one["code"] for one in succeed(bpy.ops.skincheck.check).findings].count("W106") == 1
    bpy.ops.object.select_all(action="DESELECT")
    state().only_selected = True
    result = succeed(bpy.ops.skincheck.check)
    assert result.error or not any(one["code"] == "W106" for one in result.findings)
    state().only_selected = False
    # The exporter keeps one influence, and so none is the third.
    bpy.context.scene["glTF2ExportSettings"] = {"export_influence_nb": 1, "export_all_influences": False}
    assert not any(one["code"] == "W106" for one in succeed(bpy.ops.skincheck.check).findings)
    kept = own.results.current.notes
    assert any(note.startswith("The exporter kept 1 of up to 3 influences in ") for note in kept), kept
    del bpy.context.scene["glTF2ExportSettings"]
    assert not any("The exporter kept" in note for note in succeed(bpy.ops.skincheck.check).notes)
    last = bpy.context.window_manager.operator_properties_last("export_scene.fbx")
    last.object_types, last.filepath = {"MESH"}, "elsewhere.fbx"
    assert own.settings.last(bpy.context, "FBX") == {"object_types": ["MESH"]}
    last.property_unset("object_types")


def test_vertices_that_modifiers_make_are_counted():
    for format, settings in (("GLTF", {"export_apply": True}), ("FBX", {})):
        build(range(20, 30))
        body = bpy.data.objects["Body"]
        body.modifiers.new("Subdivision", "SUBSURF").levels = 1
        body.modifiers.move(len(body.modifiers) - 1, 0)
        bpy.context.scene["glTF2ExportSettings"] = settings
        save()
        state().format = format
        succeed(bpy.ops.skincheck.check)
        index = finding("W106")
        assert own.results.current.findings[index]["made_by_modifiers"] > 10
        assert own.results.current.vertices(index)["Body"].tolist() == list(range(20, 30)), format


def test_a_broken_export_is_compared_over_time():
    build()
    path = os.path.join(FOLDER.name, "export.glb")
    test_reference.export(path)
    before = fingerprint()
    state().file = path
    result = succeed(bpy.ops.skincheck.compare)
    assert result.notes == ["The file deforms as the scene."] and result.largest < 1e-4, (result.notes, result.findings, result.largest)
    # The scene has a constraint that the file lacks.
    test_reference.add_constraint()
    result = succeed(bpy.ops.skincheck.compare)
    assert any("`Head`" in one["message"] for one in result.findings if one["level"] == "error")
    cause, first = state().lines[:2]
    assert cause.text == result.findings[first.finding]["cause"] and cause.finding == -1 and first.text.startswith("– ")
    worst = max(range(len(result.moments)), key=lambda index: result.moments[index]["distance"])
    assert len(result.moments) == len(state().moments) == 24 and state().moments[worst].share == 1
    succeed(bpy.ops.skincheck.show_moment, index=worst)
    assert bpy.context.scene.frame_current_final == result.moments[worst]["frame"]
    body = bpy.data.objects["Body"]
    colours = np.array([one.color for one in body.data.color_attributes["skincheck"].data])
    distances = result.distances(worst)["Body"]
    heads = [vertex.index for vertex in body.data.vertices if vertex.co.z > 2.6]
    assert len(heads) and np.allclose(distances.max(), result.moments[worst]["distance"], rtol=1e-3)
    assert colours[distances.argmax(), 0] > 0.8 and distances.argmax() in heads
    assert np.allclose(colours[distances < 1e-5], [*own.colours.RAMP[0], 1.0], atol=1e-4)
    succeed(bpy.ops.skincheck.clear)
    constraints = bpy.data.objects["Rig"].pose.bones["Head"].constraints
    constraints.remove(constraints[0])
    assert fingerprint() == before
    state().file = "nowhere.glb"
    expect_error("There is no file", bpy.ops.skincheck.compare)


def test_an_engine_moves_vertices():
    planted = [40, 41, 42]
    build()
    body = bpy.data.objects["Body"]
    body.vertex_groups["Head"].add(planted, 1.0, "REPLACE")
    body.vertex_groups["Hips"].add(planted, 1.0, "REPLACE")
    state().format, state().engine, state().engine_options = "GLTF", "unity", "influences=2"
    result = succeed(bpy.ops.skincheck.as_engine)
    assert not result.error and {one["code"] for one in result.findings} <= {"W106", "W107", "W108"}
    worst = max(range(len(result.moments)), key=lambda index: result.moments[index]["distance"])
    moved = np.flatnonzero(result.distances(worst)["Body"] > 1e-4).tolist()
    assert moved and set(moved) <= set(planted), moved
    assert result.vertices(finding("W107"))["Body"].tolist() == planted
    # What one finding explains follows it.
    assert [line.text[:6] for line in state().lines] == ["W106 3", "– W107"], [line.text for line in state().lines]
    state().engine_options = "bits=3"
    assert 'unity has no option "bits"' in succeed(bpy.ops.skincheck.as_engine).error
    assert 'unity has no option "bits"' in state().message
    state().engine_options = ""


def test_a_job_is_cancelled_and_shows_its_progress():
    build()
    assert bpy.ops.skincheck.check() == {"FINISHED"}
    job = own.operators.running()
    assert not bpy.ops.skincheck.check.poll() and own.operators.look() == own.operators.INTERVAL
    assert 0 <= state().share < 1 and state().doing
    assert bpy.ops.skincheck.cancel() == {"FINISHED"}
    assert not job.is_running() and not os.path.exists(job.folder) and state().message == "Cancelled."
    assert bpy.ops.skincheck.check.poll() and not bpy.ops.skincheck.cancel.poll()


def test_a_crash_in_the_background_is_a_message():
    build()
    assert bpy.ops.skincheck.check() == {"FINISHED"}
    own.operators.running()._process.kill()
    result = finish()
    assert result.error.startswith("Blender ended with code -9 in the background") and state().message == result.error


def test_what_is_missing_is_one_sentence():
    with replaced(own.requirements, "OLDEST", (99, 0, 0)):
        sentence = f"skincheck needs Blender 4.2 or later; this is {bpy.app.version_string}."
        assert own.requirements.problem() == sentence and drawn() == [sentence]
        expect_error(sentence, bpy.ops.skincheck.check)
        narrow = drawn(width=200)
        assert len(narrow) > 1 and " ".join(narrow) == sentence
    module = sys.modules["skincheck"]
    sys.modules["skincheck"] = None
    try:
        (sentence,) = drawn()
        assert sentence.startswith("The module skincheck is missing; install the extension again")
    finally:
        sys.modules["skincheck"] = module


def test_the_page_shows_the_list_of_the_panel():
    build([40, 41, 42])
    body = bpy.data.objects["Body"]
    body.vertex_groups["Head"].remove([100])
    body.vertex_groups["Hips"].add([100], 1.0, "REPLACE")
    state().format = "GLTF"
    succeed(bpy.ops.skincheck.check)
    lines = drawn()
    shown = re.search(r"```text\n(skincheck\n.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL).group(1).splitlines()[1:]
    assert lines == shown, "\n".join(lines)
    row = types.SimpleNamespace(index=1)
    assert own.operators.SKINCHECK_OT_show.description(None, row).endswith(own.results.current.findings[1]["fix"])
    path = own.operators.page(own.results.current.findings[0])
    assert "What it does" in path.read_text(encoding="utf-8")


def test_the_dialogs_of_exporters_have_a_button():
    for name, fits in (("EXPORT_SCENE_OT_gltf", True), ("EXPORT_SCENE_OT_fbx", True), ("WM_OT_open_mainfile", False)):
        operator = types.SimpleNamespace(bl_idname=name)
        context = types.SimpleNamespace(space_data=types.SimpleNamespace(active_operator=operator))
        assert own.panels.SKINCHECK_PT_export.poll(context) == fits
    layout = Layout()
    own.panels.SKINCHECK_PT_export.draw(types.SimpleNamespace(layout=layout), None)
    own.panels.draw_menu(types.SimpleNamespace(layout=layout), None)
    assert layout.lines == ["[Check with These Options]", "[Check Export]"]


def check_rigs():
    """Faults in every rig are selected vertex for vertex."""
    chance, failures = random.Random(0), []
    for name, rig in RIGS.items():
        fresh(lambda: bpy.ops.wm.read_factory_settings(use_empty=True))
        rig()
        bodies = [thing for thing in bpy.context.scene.objects if thing.type == "MESH" and thing.vertex_groups]
        for body in bodies:
            add_influences(body, chance.sample(range(len(body.data.vertices)), 7))
        bpy.context.scene.frame_set(bpy.context.scene.frame_start)
        bpy.context.scene["glTF2ExportSettings"] = {"export_all_influences": True, "export_apply": name != "shape-keys"}
        save()
        for format in ("GLTF", "FBX"):
            state().format = format
            result = succeed(bpy.ops.skincheck.check)
            assert not result.error, (name, format, result.error)
            for body in bodies:
                expected = with_third_influence(body)
                lists = [result.vertices(i).get(body.name, []) for i, one in enumerate(result.findings) if one["code"] == "W106"]
                found = sorted({int(vertex) for one in lists for vertex in one})
                if found != expected and not (name in OTHERS and set(expected) <= set(found)):
                    failures.append(f"{name} {format} {body.name}: {found} instead of {expected}")
    assert not failures, "\n".join(failures)
    print(f"{len(RIGS)} rigs: planted faults are selected vertex for vertex")


def with_third_influence(body):
    armature = next(modifier.object for modifier in body.modifiers if modifier.type == "ARMATURE")
    bones = {group.index for group in body.vertex_groups if group.name in armature.data.bones}
    return [
        vertex.index
        for vertex in body.data.vertices
        if len([entry for entry in vertex.groups if entry.group in bones and entry.weight > 1e-6]) > 2
    ]


# A layout that keeps the texts


class Layout:
    def __init__(self, lines=None):
        self.lines = [] if lines is None else lines
        self.index = None

    def row(self, **_options):
        return Layout(self.lines)

    def label(self, text="", **_options):
        self.lines.append(text)

    def operator(self, name, text=None, **_options):
        label = text if text is not None else own_operator(name).bl_label
        if label:
            self.lines.append(f"[{label}]" if name != "skincheck.show" else label)
        return self

    def progress(self, text="", **_options):
        self.lines.append(text)

    def prop(self, data, name, text=None, **_options):
        shown = text or data.bl_rna.properties[name].name
        self.lines.append(f"{shown}: {getattr(data, name)}" if text is None else f"{shown}: Attribute")

    def separator(self):
        pass

    def template_list(self, kind, _id, data, name, *_rest, **_options):
        for index, item in enumerate(getattr(data, name)):
            extra = [index] if kind == "SKINCHECK_UL_moments" else []
            getattr(own.panels, kind).draw_item(None, None, self, data, item, 0, data, "", *extra)


def own_operator(name):
    return getattr(own.operators, "SKINCHECK_OT_" + name.split(".")[1])


def drawn(width=None):
    """The texts of the panel, in a region of so many pixels."""
    layout = Layout()
    context = types.SimpleNamespace(
        window_manager=bpy.context.window_manager,
        preferences=bpy.context.preferences,
        space_data=types.SimpleNamespace(shading=types.SimpleNamespace(color_type="VERTEX")),
        region=width and types.SimpleNamespace(width=width),
    )
    own.panels.SKINCHECK_PT_check.draw(types.SimpleNamespace(layout=layout), context)
    return layout.lines


@contextlib.contextmanager
def replaced(owner, name, value):
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


def registered():
    kinds = {name for name in dir(bpy.types) if "skincheck" in name.lower()}
    kinds |= {name for name in dir(bpy.types.WindowManager) if "skincheck" in name}
    kinds |= {repr(draw) for draw in bpy.types.TOPBAR_MT_file_export._dyn_ui_initialize() if "skincheck" in repr(draw)}
    return kinds | {name for name in dir(bpy.ops) if "skincheck" in name}


def main(skincheck):
    wheel = subprocess.run([HERE.parent / "python/wheel", skincheck], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    if not wheel:
        print("skipped: the wheel cannot be built here", file=sys.stderr)
        return
    faulthandler.dump_traceback_later(1200, exit=True)
    before = registered()
    install(wheel)
    pathlib.Path(FOLDER.name, "skincheck.toml").write_text(CONFIGURATION)
    assert registered() != before
    tests = {name: test for name, test in globals().items() if name.startswith("test_") and callable(test)}
    for name, test in tests.items():
        test()
        print(name[5:].replace("_", " "))
    # The rigs need curves of actions without slots.
    if bpy.app.version < (5, 0, 0):
        check_rigs()
    # Unregistering in the middle of a job ends it, and removes colours.
    build([1])
    succeed(bpy.ops.skincheck.check)
    succeed(bpy.ops.skincheck.show, index=0)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert bpy.ops.skincheck.check() == {"FINISHED"}
    folder = own.operators.running().folder
    addon_utils.disable(NAME, default_set=True)
    assert registered() == before, registered() - before
    assert not os.path.exists(folder) and "skincheck" not in bpy.data.meshes[0].attributes
    assert not bpy.app.timers.is_registered(own.operators.look)
    print("unregistered without a trace")


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
