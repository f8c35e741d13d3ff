"""What the extension needs."""

import bpy

OLDEST = (4, 2, 0)


def problem():
    """Why the extension cannot run here, in a sentence; `None` if it can."""
    if bpy.app.version < OLDEST:
        return f"skincheck needs Blender 4.2 or later; this is {bpy.app.version_string}."
    try:
        import skincheck  # noqa: F401
    except ImportError:
        return "The module skincheck is missing; install the extension again, from the .zip file for this system."
    return None


def engines():
    """Names and titles of the engines."""
    if problem():
        return []
    import skincheck

    return skincheck.engines()
