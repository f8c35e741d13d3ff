"""skincheck in Blender: check the scene as it would be exported, compare it with an export, and see it as an engine does."""

from . import operators, panels, properties

_MODULES = (properties, operators, panels)


def register():
    for module in _MODULES:
        module.register()


def unregister():
    for module in reversed(_MODULES):
        module.unregister()
