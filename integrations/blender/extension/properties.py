"""What the panel shows and asks. It belongs to the window manager: no file keeps it, and undo leaves it alone."""

import bpy
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

from . import requirements

_engines = []


def _list_engines(_self, _context):
    # Blender does not keep the strings.
    if not _engines:
        _engines.extend((name, title, "") for name, title in requirements.engines())
    return _engines


class SkincheckLine(bpy.types.PropertyGroup):
    """A line of the list of findings."""

    level: StringProperty()
    text: StringProperty()
    finding: IntProperty(default=-1)


class SkincheckMoment(bpy.types.PropertyGroup):
    """A line of the timeline."""

    text: StringProperty()
    share: FloatProperty()


class SkincheckState(bpy.types.PropertyGroup):
    """The choices of the panel, and the lists of the last result."""

    format: EnumProperty(
        name="Format",
        description="Whose exporter is run, with the settings of the last export",
        items=[("GLTF", "glTF", ""), ("FBX", "FBX", "")],
    )
    only_selected: BoolProperty(name="Selected Objects", description="Export only selected objects")
    file: StringProperty(name="File", description="The export to compare with", subtype="FILE_PATH")
    all_actions: BoolProperty(name="All Actions", description="Compare each action, not the scene's frames")
    engine: EnumProperty(name="Engine", description="The engine whose handling of weights and clips is shown", items=_list_engines)
    engine_options: StringProperty(
        name="Options", description="Settings of the engine, such as influences=unlimited,weights=16; docs/target-engines.md lists them"
    )
    share: FloatProperty(subtype="FACTOR", min=0, max=1)
    doing: StringProperty()
    message: StringProperty()
    lines: CollectionProperty(type=SkincheckLine)
    line: IntProperty()
    moments: CollectionProperty(type=SkincheckMoment)
    moment: IntProperty()


_register, _unregister = bpy.utils.register_classes_factory((SkincheckLine, SkincheckMoment, SkincheckState))


def register():
    _register()
    bpy.types.WindowManager.skincheck = PointerProperty(type=SkincheckState)


def unregister():
    del bpy.types.WindowManager.skincheck
    _unregister()
    _engines.clear()
