"""What the buttons do."""

import html
import os
import pathlib
import tempfile

import bpy
from bpy.props import IntProperty

from . import colours, requirements, results, settings, show
from .job import Job

# How often the job is looked at, in seconds.
INTERVAL = 0.2

_job = None


def running():
    return _job


def start(operator, context, kind, **options):
    """Starts a job, and looks at it until it ends."""
    global _job
    problem = requirements.problem()
    if problem:
        operator.report({"ERROR"}, problem)
        return {"CANCELLED"}
    try:
        _job = Job(context, kind, config=settings.configuration(bpy.data.filepath), **options)
    except (OSError, RuntimeError) as error:
        operator.report({"ERROR"}, f"A copy of the scene cannot be written: {error}")
        return {"CANCELLED"}
    state = context.window_manager.skincheck
    state.share, state.doing, state.message = 0.0, "Starting", ""
    # That of a cancelled job may still be waiting.
    if not bpy.app.timers.is_registered(look):
        bpy.app.timers.register(look, first_interval=INTERVAL, persistent=True)
    return {"FINISHED"}


def look():
    """Shows the progress of the job, or its result. Returns the time until it is called again."""
    global _job
    if _job is None:
        return None
    state = bpy.context.window_manager.skincheck
    if _job.is_running():
        state.share, state.doing = _job.progress()
        redraw()
        return INTERVAL
    results.current = results.Result(*_job.result())
    _job.remove()
    _job = None
    fill(state, results.current)
    redraw()
    return None


def fill(state, result):
    """The lists of the panel."""
    state.doing = ""
    state.message = result.error or " ".join(result.notes)
    if not result.error and not result.findings and not result.moments:
        state.message = f"No findings. {state.message}".strip()
    state.lines.clear()
    for level, text, index in result.lines():
        line = state.lines.add()
        line.level, line.text, line.finding = level, text, -1 if index is None else index
    state.moments.clear()
    largest = max((one["distance"] for one in result.moments), default=0.0)
    for one in result.moments:
        line = state.moments.add()
        line.text = f"{one['clip']}, frame {one['frame']:g}: {one['text']}"
        line.share = one["distance"] / largest if largest else 0.0


def redraw():
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def forget():
    """Ends the job, and forgets results."""
    global _job
    if bpy.app.timers.is_registered(look):
        bpy.app.timers.unregister(look)
    if _job is not None:
        _job.cancel()
        _job = None
    results.current = None


class _Starts:
    """Only one job runs at a time."""

    @classmethod
    def poll(cls, context):
        return _job is None


def as_exported(context):
    """The options of a job that exports, as the panel says."""
    state = context.window_manager.skincheck
    chosen = settings.last(context, state.format)
    if state.only_selected:
        chosen["use_selection"] = True
    return {"format": state.format, "settings": chosen}


class SKINCHECK_OT_check(_Starts, bpy.types.Operator):
    """Export to a temporary file, as the last time, and check that"""

    bl_idname = "skincheck.check"
    bl_label = "Check"

    def execute(self, context):
        return start(self, context, "check", **as_exported(context))


class SKINCHECK_OT_check_export(_Starts, bpy.types.Operator):
    """Export to a temporary file, with the options of this dialog, and check that"""

    bl_idname = "skincheck.check_export"
    bl_label = "Check with These Options"

    def execute(self, context):
        operator = context.space_data.active_operator
        format = "FBX" if operator.bl_idname == "EXPORT_SCENE_OT_fbx" else "GLTF"
        return start(self, context, "check", format=format, settings=settings.of_operator(operator))


class SKINCHECK_OT_compare(_Starts, bpy.types.Operator):
    """Compare the scene, as Blender evaluates it, with a file"""

    bl_idname = "skincheck.compare"
    bl_label = "Compare with Export"

    def execute(self, context):
        state = context.window_manager.skincheck
        path = bpy.path.abspath(state.file)
        if not os.path.isfile(path):
            self.report({"ERROR"}, f"There is no file {path!r}; choose an export of this scene.")
            return {"CANCELLED"}
        return start(self, context, "compare", file=path, all_actions=state.all_actions, format=state.format, settings={})


class SKINCHECK_OT_as_engine(_Starts, bpy.types.Operator):
    """Export to a temporary file, and show how far vertices move as the engine reads and skins it"""

    bl_idname = "skincheck.as_engine"
    bl_label = "Show as Engine"

    def execute(self, context):
        state = context.window_manager.skincheck
        engine = ":".join(part for part in (state.engine, state.engine_options.strip()) if part)
        return start(self, context, "engine", engine=engine, **as_exported(context))


class SKINCHECK_OT_cancel(bpy.types.Operator):
    """Stop what runs in the background"""

    bl_idname = "skincheck.cancel"
    bl_label = "Cancel"

    @classmethod
    def poll(cls, context):
        return _job is not None

    def execute(self, context):
        global _job
        _job.cancel()
        _job = None
        state = context.window_manager.skincheck
        state.doing, state.message = "", "Cancelled."
        return {"FINISHED"}


class _Shows:
    """There is a result."""

    @classmethod
    def poll(cls, context):
        return results.current is not None

    def show(self, context, what):
        try:
            remarks = what(context, results.current, self.index) or []
        except show.Failure as failure:
            self.report({"ERROR"}, str(failure))
            return {"CANCELLED"}
        if remarks:
            self.report({"INFO"}, " ".join(remarks))
        return {"FINISHED"}


class SKINCHECK_OT_show(_Shows, bpy.types.Operator):
    """Select the vertices and bones, and go to the frame"""

    bl_idname = "skincheck.show"
    bl_label = "Show Finding"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    index: IntProperty(min=0)

    @classmethod
    def description(cls, context, properties):
        """The tooltip: the whole text, which the list cuts off."""
        found = results.current.findings[properties.index] if results.current else {"location": "", "message": "", "fix": ""}
        return f"{found['location']}: {found['message']}.\n{found['fix']}".strip()

    def execute(self, context):
        if self.index >= len(results.current.findings):
            return {"CANCELLED"}
        return self.show(context, show.finding)


class SKINCHECK_OT_show_moment(_Shows, bpy.types.Operator):
    """Go to the frame, and colour vertices by their distance"""

    bl_idname = "skincheck.show_moment"
    bl_label = "Show Moment"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    index: IntProperty(min=0)

    def execute(self, context):
        if self.index >= len(results.current.moments):
            return {"CANCELLED"}
        context.window_manager.skincheck.moment = self.index
        return self.show(context, show.moment)


class SKINCHECK_OT_explain(_Shows, bpy.types.Operator):
    """Open the page of the rule"""

    bl_idname = "skincheck.explain"
    bl_label = "Explain"
    bl_options = {"INTERNAL"}

    index: IntProperty(min=0)

    def execute(self, context):
        if self.index >= len(results.current.findings):
            return {"CANCELLED"}
        bpy.ops.wm.url_open(url=page(results.current.findings[self.index]).as_uri())
        return {"FINISHED"}


def page(finding):
    """The path of the page of a finding's rule, in the temporary folder of this session."""
    path = pathlib.Path(bpy.app.tempdir or tempfile.gettempdir(), f"skincheck-{finding['code']}.html")
    title = html.escape(f"{finding['code']} {finding['name']}")
    text = html.escape(finding["explanation"])
    path.write_text(
        f'<!doctype html><meta charset="utf-8"><title>{title}</title><h1>{title}</h1>'
        f'<pre style="white-space: pre-wrap; max-width: 50em; font: 1em sans-serif">{text}</pre>',
        encoding="utf-8",
    )
    return path


class SKINCHECK_OT_clear(bpy.types.Operator):
    """Remove the colours from all meshes"""

    bl_idname = "skincheck.clear"
    bl_label = "Remove Colours"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        before = show.leave_mode(context)
        colours.clear()
        show.set_mode(before)
        return {"FINISHED"}


register, _unregister = bpy.utils.register_classes_factory((
    SKINCHECK_OT_check,
    SKINCHECK_OT_check_export,
    SKINCHECK_OT_compare,
    SKINCHECK_OT_as_engine,
    SKINCHECK_OT_cancel,
    SKINCHECK_OT_show,
    SKINCHECK_OT_show_moment,
    SKINCHECK_OT_explain,
    SKINCHECK_OT_clear,
))


def unregister():
    forget()
    colours.clear()
    _unregister()
