"""The panels in the sidebar and in the dialogs of exporters, and the entry of the menu."""

import textwrap

import bpy

from . import operators, requirements

ICONS = {"error": "CANCEL", "warning": "ERROR", "hint": "QUESTION", "info": "INFO"}

# Pixels of a letter, on average, before the scale of the interface.
LETTER = 7


def write(layout, context, text, icon="NONE"):
    """Text in as many lines as the region needs."""
    width = context.region.width / (LETTER * (context.preferences.system.ui_scale or 1)) if context.region else len(text)
    for line in textwrap.wrap(text, max(20, int(width))):
        layout.label(text=line, icon=icon)
        icon = "BLANK1" if icon != "NONE" else icon


class SKINCHECK_UL_lines(bpy.types.UIList):
    """The findings."""

    def draw_item(self, context, layout, _data, line, _icon, _active_data, _active_property):
        if line.finding < 0:
            layout.label(text=line.text)
            return
        row = layout.row(align=True)
        row.operator("skincheck.show", text=line.text, icon=ICONS[line.level], emboss=False).index = line.finding
        row.operator("skincheck.explain", text="", icon="QUESTION", emboss=False).index = line.finding


class SKINCHECK_UL_moments(bpy.types.UIList):
    """The timeline."""

    def draw_item(self, context, layout, _data, moment, _icon, _active_data, _active_property, index):
        row = layout.row(align=True)
        row.operator("skincheck.show_moment", text="", icon="TIME", emboss=False).index = index
        row.progress(factor=moment.share, text=moment.text)


class _Sidebar:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "skincheck"


class SKINCHECK_PT_check(_Sidebar, bpy.types.Panel):
    bl_label = "skincheck"

    def draw(self, context):
        layout, state = self.layout, context.window_manager.skincheck
        problem = requirements.problem()
        if problem:
            write(layout, context, problem, icon="ERROR")
            return
        if operators.running():
            row = layout.row()
            row.progress(factor=state.share, text=state.doing)
            row.operator("skincheck.cancel", text="", icon="X")
        layout.prop(state, "format", expand=True)
        layout.prop(state, "only_selected")
        layout.operator("skincheck.check", icon="CHECKMARK")
        if state.message:
            write(layout, context, state.message)
        if state.lines:
            layout.template_list("SKINCHECK_UL_lines", "", state, "lines", state, "line", rows=8)
            if state.format == "GLTF":
                layout.label(text="To repair an exported file: skincheck fix")
        if state.moments:
            layout.template_list("SKINCHECK_UL_moments", "", state, "moments", state, "moment", rows=8)
        if state.lines or state.moments:
            # Colours are seen with the colour of attributes.
            layout.prop(context.space_data.shading, "color_type", text="Viewport")
            layout.operator("skincheck.clear")


class _Part(_Sidebar):
    bl_parent_id = "SKINCHECK_PT_check"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return requirements.problem() is None


class SKINCHECK_PT_compare(_Part, bpy.types.Panel):
    bl_label = "Compare with Export"

    def draw(self, context):
        state = context.window_manager.skincheck
        self.layout.prop(state, "file")
        self.layout.prop(state, "all_actions")
        self.layout.operator("skincheck.compare")


class SKINCHECK_PT_engine(_Part, bpy.types.Panel):
    bl_label = "As Engine"

    def draw(self, context):
        state = context.window_manager.skincheck
        self.layout.prop(state, "engine")
        self.layout.prop(state, "engine_options")
        self.layout.operator("skincheck.as_engine")


class SKINCHECK_PT_export(bpy.types.Panel):
    """In the dialogs of the exporters."""

    bl_space_type = "FILE_BROWSER"
    bl_region_type = "TOOL_PROPS"
    bl_label = "skincheck"
    bl_parent_id = "FILE_PT_operator"

    @classmethod
    def poll(cls, context):
        operator = context.space_data.active_operator
        return operator is not None and operator.bl_idname in ("EXPORT_SCENE_OT_gltf", "EXPORT_SCENE_OT_fbx")

    def draw(self, context):
        self.layout.operator("skincheck.check_export")


def draw_menu(self, _context):
    self.layout.separator()
    self.layout.operator("skincheck.check", text="Check Export")


_register, _unregister = bpy.utils.register_classes_factory((
    SKINCHECK_UL_lines,
    SKINCHECK_UL_moments,
    SKINCHECK_PT_check,
    SKINCHECK_PT_compare,
    SKINCHECK_PT_engine,
    SKINCHECK_PT_export,
))


def register():
    _register()
    bpy.types.TOPBAR_MT_file_export.append(draw_menu)


def unregister():
    bpy.types.TOPBAR_MT_file_export.remove(draw_menu)
    _unregister()
