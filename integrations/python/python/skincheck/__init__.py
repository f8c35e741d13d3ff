"""Does this rig deform as its author meant?

Load a model, look at it, pose it, check it, compare it::

    import skincheck

    model = skincheck.load("hero.fbx")
    pose = model.pose("Walk", 1.2)
    pose.positions()                            # vertices x 3, in world space
    skincheck.check(model).findings
    skincheck.diff("before.fbx", "after.glb", tolerance="2mm").is_same

Lengths are in the unit of the model, times in seconds, matrices for column
vectors. Every exception is a :class:`skincheck.Error`.
"""

from ._describe import describe
from ._laws import laws
from ._native import (
    Clip,
    ClipDifference,
    ConfigError,
    Difference,
    DiffError,
    EngineError,
    Error,
    Finding,
    FixError,
    Image,
    Joint,
    Law,
    LawsReport,
    LoadError,
    Material,
    Mesh,
    Model,
    Pose,
    PoseError,
    Proof,
    Reference,
    ReferenceFileError,
    RenderError,
    Repair,
    Report,
    Skin,
    UnknownNameError,
    __version__,
    check,
    check_all,
    diff,
    distances,
    engines,
    find_models,
    fix,
    load,
)
from ._worker import host_workers as _host_workers

__all__ = [
    "Clip",
    "ClipDifference",
    "ConfigError",
    "DiffError",
    "Difference",
    "EngineError",
    "Error",
    "Finding",
    "FixError",
    "Image",
    "Joint",
    "Law",
    "LawsReport",
    "LoadError",
    "Material",
    "Mesh",
    "Model",
    "Pose",
    "PoseError",
    "Proof",
    "Reference",
    "ReferenceFileError",
    "RenderError",
    "Repair",
    "Report",
    "Skin",
    "UnknownNameError",
    "__version__",
    "check",
    "check_all",
    "describe",
    "diff",
    "distances",
    "engines",
    "find_models",
    "fix",
    "laws",
    "load",
]

_host_workers()
del _host_workers
