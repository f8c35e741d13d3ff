"""Exports every rig of `rigs.py` in every way, and compares each export with what Blender itself evaluates.

    python test_rigs.py path/to/skincheck [--only RIG[/EXPORT]] [--keep FOLDER]

What exporters lose stands in the table of docs/blender.md. A pair that differs and is not in that table fails, and so does
one that is in it and does not differ.
"""

import argparse
import contextlib
import fnmatch
import json
import logging
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import bpy

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import skincheck_reference  # noqa: E402
from rigs import RIGS  # noqa: E402

TABLE = os.path.join(HERE, "..", "..", "docs", "blender.md")

# A hundredth of a per cent of the diagonal.
TOLERANCE = "0.01%"

# One clip of everything in the scene. Else each action is a clip of its own.
WHOLE_SCENE = {"export_animation_mode": "SCENE", "export_anim_scene_split_object": False}
ALL_WEIGHTS = {"export_all_influences": True}
EXACT = {"bake_anim_simplify_factor": 0.0}
AS_SCENE = {"bake_anim_use_all_actions": False, "bake_anim_use_nla_strips": False}

# Options by name of the export, whose first word is the format.
EXPORTS = {
    "gltf-defaults": {},
    "gltf-scene": {**WHOLE_SCENE, **ALL_WEIGHTS},
    "gltf-keys": {"export_force_sampling": False, **ALL_WEIGHTS},
    "gltf-apply": {"export_apply": True, **WHOLE_SCENE, **ALL_WEIGHTS},
    "fbx-defaults": {},
    "fbx-exact": {**EXACT, **AS_SCENE},
    "dae-defaults": {},
    "dae-decomposed": {
        "export_animation_transformation_type_selection": "decomposed",
        "export_object_transformation_type_selection": "decomposed",
    },
    "dae-keys": {"export_animation_type_selection": "keys"},
}

# Further options, for the rigs of FEW.
MORE = {
    "gltf-separate": {"export_format": "GLTF_SEPARATE", **WHOLE_SCENE},
    "gltf-flat": {"export_hierarchy_flatten_bones": True, **WHOLE_SCENE},
    "gltf-deform": {"export_def_bones": True, **WHOLE_SCENE},
    "gltf-current-pose": {"export_rest_position_armature": False, **WHOLE_SCENE},
    "gltf-no-armature": {"export_armature_object_remove": True, **WHOLE_SCENE},
    "gltf-z-up": {"export_yup": False, **WHOLE_SCENE},
    "gltf-draco": {"export_draco_mesh_compression_enable": True, **WHOLE_SCENE},
    "fbx-units": {"apply_scale_options": "FBX_SCALE_UNITS", **EXACT, **AS_SCENE},
    "fbx-custom": {"apply_scale_options": "FBX_SCALE_CUSTOM", **EXACT, **AS_SCENE},
    "fbx-all": {"apply_scale_options": "FBX_SCALE_ALL", **EXACT, **AS_SCENE},
    "fbx-unscaled": {"apply_unit_scale": False, **EXACT, **AS_SCENE},
    "fbx-z-up": {"axis_up": "Z", "axis_forward": "Y", **EXACT, **AS_SCENE},
    "fbx-x-up": {"axis_up": "X", "axis_forward": "-Y", **EXACT, **AS_SCENE},
    "fbx-baked-space": {"bake_space_transform": True, **EXACT, **AS_SCENE},
    "fbx-root": {"armature_nodetype": "ROOT", **EXACT, **AS_SCENE},
    "fbx-limb": {"armature_nodetype": "LIMBNODE", **EXACT, **AS_SCENE},
    "fbx-bone-axes": {"primary_bone_axis": "X", "secondary_bone_axis": "-Y", **EXACT, **AS_SCENE},
    "fbx-deform": {"use_armature_deform_only": True, **EXACT, **AS_SCENE},
    "fbx-no-leaves": {"add_leaf_bones": False, **EXACT, **AS_SCENE},
    "fbx-step-4": {"bake_anim_step": 4.0, **EXACT, **AS_SCENE},
    "fbx-still": {"bake_anim": False},
    "dae-y-up": {"export_global_up_selection": "Y", "export_global_forward_selection": "-Z"},
    "dae-y-up-applied": {
        "export_global_up_selection": "Y",
        "export_global_forward_selection": "-Z",
        "apply_global_orientation": True,
    },
    "dae-deform": {"deform_bones_only": True},
    "dae-bind-info": {"keep_bind_info": True},
    "dae-open-sim": {"open_sim": True},
    "dae-step-4": {"sampling_rate": 4},
}
FEW = ("plain", "bone-roll", "armature-placed", "deform-off", "rigid-parts")

# What the reference is written with.
REFERENCE = {"several-actions": {"all_actions": True}}


@contextlib.contextmanager
def silence():
    """Exporters write to the standard streams, some of them from C."""
    sys.stdout.flush()
    real = [os.dup(stream) for stream in (1, 2)]
    with open(os.devnull, "w") as null:
        for stream in (1, 2):
            os.dup2(null.fileno(), stream)
        try:
            yield
        finally:
            sys.stdout.flush()
            for stream, own in zip((1, 2), real):
                os.dup2(own, stream)
                os.close(own)


def build(rig):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    RIGS[rig]()
    bpy.context.scene.frame_set(bpy.context.scene.frame_start)


def export(name, options, path):
    kind = name.split("-")[0]
    if kind == "gltf":
        path += ".gltf" if options.get("export_format") else ".glb"
        bpy.ops.export_scene.gltf(filepath=path, **options)
    elif kind == "fbx":
        path += ".fbx"
        bpy.ops.export_scene.fbx(filepath=path, **options)
    else:
        path += ".dae"
        bpy.ops.wm.collada_export(filepath=path, **options)
    return path


def diff(skincheck, before, after):
    """Kinds of the differences, largest first, and a line on them."""
    command = [skincheck, "diff", before, after, "--tolerance", TOLERANCE, "--format", "json", "-q"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        return {"failed": run.stderr.strip()}
    report = json.loads(run.stdout)["models"][0]
    found = {}
    for finding in report["findings"]:
        # Exporters name the clip after the scene, the armature or the action.
        if finding["level"] == "error" and finding["code"] != "clip-renamed":
            found.setdefault(finding["code"], finding["message"])
    largest = max((take["max"] for take in report["takes"]), default=float("nan"))
    found["largest"] = f"{largest / report['diagonal']:.1e} of the diagonal"
    matched = report["matched"]
    if matched["vertices"][0] == 0 and "mesh-missing" not in found:
        found["failed"] = "no vertex has a counterpart"
    return found


class Expected:
    """The rows of the table: rigs, exports and kinds, with `*` for any characters and `!` for exceptions."""

    def __init__(self):
        self.rows = []
        with open(TABLE, encoding="utf-8") as file:
            for line in file:
                cells = [re.findall(r"`([^`]+)`", cell) for cell in line.split("|")[1:4]]
                if line.startswith("| `") and len(cells) == 3 and all(cells):
                    self.rows.append(cells)

    def of(self, rig, name):
        """Kinds of differences by the rows that hold this pair."""
        for rigs, exports, kinds in self.rows:
            if holds(rigs, rig) and holds(exports, name):
                yield kinds


def holds(patterns, name):
    fits = [fnmatch.fnmatch(name, own) for own in patterns if own[0] != "!"]
    return any(fits) and not any(fnmatch.fnmatch(name, own[1:]) for own in patterns if own[0] == "!")


def main(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("skincheck", type=os.path.abspath)
    parser.add_argument("--only", default="*/*", help="rigs and exports, with *")
    parser.add_argument("--keep", help="folder for the files")
    options = parser.parse_args(arguments)
    only_rig, only_export = (options.only + "/*").split("/")[:2]
    logging.disable(logging.WARNING)
    expected = Expected()
    failures, count = [], 0
    with contextlib.ExitStack() as stack:
        folder = options.keep or stack.enter_context(tempfile.TemporaryDirectory())
        os.makedirs(folder, exist_ok=True)
        pool = stack.enter_context(ThreadPoolExecutor(os.cpu_count()))
        pairs = []
        for rig in fnmatch.filter(RIGS, only_rig):
            with silence():
                build(rig)
                reference = os.path.join(folder, rig + ".skref")
                skincheck_reference.write(reference, **REFERENCE.get(rig, {}))
                for name in fnmatch.filter({**EXPORTS, **(MORE if rig in FEW else {})}, only_export):
                    # Exporters leave bones that no action moves elsewhere, and actions unassigned.
                    build(rig)
                    path = export(name, {**EXPORTS, **MORE}[name], os.path.join(folder, f"{rig}-{name}"))
                    pairs.append((rig, name, pool.submit(diff, options.skincheck, reference, path)))
        for rig, name, future in pairs:
            found = future.result()
            largest = found.pop("largest", "")
            rows = list(expected.of(rig, name))
            listed = {kind for kinds in rows for kind in kinds}
            count += 1
            unlisted = {kind: message for kind, message in found.items() if kind not in listed}
            for kind, message in unlisted.items():
                failures.append(f"{rig} {name} {kind}: {message} ({largest})")
            # Each row that holds the pair has to come true.
            for kinds in rows:
                if not set(kinds) & set(found):
                    failures.append(f"{rig} {name}: {' or '.join(kinds)} is listed, but is not reported ({largest})")
    for failure in failures:
        print(failure)
    print(f"{len(fnmatch.filter(RIGS, only_rig))} rigs, {count} exports, {len(failures)} surprises")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
