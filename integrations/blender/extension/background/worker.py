"""Runs a job of the extension, and writes what it found next to it.

`JOB` is a file with the settings as JSON. The result is `result.json` with the texts, and `result.npz` with the vertices; `progress`
has a share and a word while the job runs. Vertices are those of the scene's own meshes, by the names of objects.
"""

import json
import os
import sys
import traceback

import bpy
import numpy as np

from . import exporting, vertices

# How many times of a clip a timeline shows, and of how many clips.
TIMES, CLIPS = 24, 8

# The rules about what an engine makes of weights.
OF_ENGINES = ("W106", "W107", "W108")


class Failure(Exception):
    """One sentence for the user."""


def main(path):
    folder = os.path.dirname(path)
    with open(path, encoding="utf-8") as file:
        job = json.load(file)
    sys.path[:0] = job["modules"]
    arrays = {}
    try:
        result = run(job, folder, arrays)
    except Failure as failure:
        result = {"error": str(failure)}
    # What skincheck_reference raises for the command line, and errors of skincheck and Blender.
    except (Exception, SystemExit) as error:
        traceback.print_exc()
        result = {"error": str(error).strip() or type(error).__name__}
    np.savez(os.path.join(folder, "result.npz"), **arrays)
    with open(os.path.join(folder, "result.json"), "w", encoding="utf-8") as file:
        json.dump(result, file)


def run(job, folder, arrays):
    """The texts of the result. Vertices are added to `arrays`."""
    scene = Scene(job, folder)
    if job["kind"] == "compare":
        return compare(scene, arrays)
    return check(scene, arrays)


class Scene:
    """The copy of the scene."""

    def __init__(self, job, folder):
        self.job, self.folder = job, folder
        self.progress(0.05, "Opening")
        bpy.ops.wm.open_mainfile(filepath=job["scene"], use_scripts=job["use_scripts"])
        window = bpy.context.window
        window.scene = bpy.data.scenes[job["scene_name"]]
        window.view_layer = window.scene.view_layers[job["view_layer"]]
        # A mesh in edit mode has no data of vertices.
        if bpy.context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        self.meshes = [mesh for mesh in bpy.data.meshes if mesh.users]
        for mesh in self.meshes:
            own = mesh.attributes.get(job["colours"])
            if own is not None:
                mesh.attributes.remove(own)
        self.number = {mesh.name: number for number, mesh in enumerate(self.meshes)}
        self.objects = [thing for thing in bpy.context.scene.objects if thing.type == "MESH"]
        # By the number of the mesh; instances of collections come last.
        here = set(self.objects)
        others = [thing for thing in bpy.data.objects if thing.type == "MESH" and thing not in here]
        self.users = {}
        for thing in self.objects + others:
            self.users.setdefault(self.number.get(thing.data.name), []).append(thing.name)
        self.rate = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base

    def progress(self, share, word):
        with open(os.path.join(self.folder, "progress"), "w", encoding="utf-8") as file:
            file.write(f"{share} {word}")

    def export(self, marked=False):
        try:
            return exporting.export(self.job["format"], self.job["settings"], self.folder, marked)
        except RuntimeError as error:
            raise Failure(f"Blender's exporter failed: {str(error).strip()}") from error

    def object_of(self, mesh, name):
        """The object with a mesh, by the mesh's number: the one of that name, if it is one of them."""
        users = self.users.get(mesh, [])
        return name if name in users else users[0] if users else None

    def counts(self):
        """The numbers of vertices, by which the extension sees whether a mesh has been edited."""
        return {thing.name: len(thing.data.vertices) for thing in bpy.data.objects if thing.type == "MESH"}

    def frame(self, clip, time):
        """The frame of a time in a clip. Exporters count from frame 0, unless a clip is moved to begin there."""
        settings, start = self.job["settings"], 0.0
        if self.job["kind"] == "compare":
            return round(time * self.rate, 3)
        action = bpy.data.actions.get(clip) or bpy.data.actions.get(clip.split("|")[-1])
        if action is not None:
            begin = action.frame_range[0]
            if self.job["format"] == "FBX":
                is_moved = settings.get("bake_anim_use_all_actions", True)
            else:
                slides = settings.get("export_negative_frame", "SLIDE") == "SLIDE"
                is_moved = settings.get("export_anim_slide_to_zero", False) or (begin < 0 and slides)
            start = begin if is_moved else 0.0
        return round(start + time * self.rate, 3)


def check(scene, arrays):
    """Exports the scene and checks the file; with an engine, also how far vertices move in it."""
    import skincheck

    job = scene.job
    scene.progress(0.1, "Exporting")
    path = scene.export()
    scene.progress(0.4, "Reading")
    model = skincheck.load(path)
    vertices.mark(scene.meshes)
    vertices.keep_marks(bpy.data.objects)
    marked = skincheck.load(scene.export(marked=True), images=False)
    traced = vertices.trace(model, marked, len(scene.meshes))
    scene.progress(0.6, "Checking")
    engine = job["engine"] if job["kind"] == "engine" else None
    report = skincheck.check(model, config=job["config"] or False, engine=engine)
    found = [one for one in report.findings if not engine or one.code in OF_ENGINES]
    result = {
        "findings": [finding_of(scene, one, model, traced, (index, arrays)) for index, one in enumerate(found)],
        "counts": scene.counts(),
        "notes": [f"{code}: {reason}." for code, reason in report.unchecked],
    }
    if traced is not None:
        result["notes"] += cut_influences(scene, model, traced)
    else:
        result["notes"].append("The exported vertices cannot be traced to the scene: switch compression off in the export.")
    if engine:
        scene.progress(0.8, "Comparing")
        seen = model.as_engine(engine)
        names = [model.joints[mesh.node].name for mesh in model.meshes]
        if traced is not None:
            result.update(timeline(scene, skincheck.diff(model, seen), (model, seen), list(zip(traced, names)), arrays))
    return result


def cut_influences(scene, model, traced):
    """A sentence for each object with vertices that have fewer influences in the file than in the scene, as many as any vertex has."""
    vertices, most, limit = {}, {}, {}
    for mesh, origins in zip(model.meshes, traced):
        kept = np.bincount(mesh.influences[0], minlength=len(origins))
        name = model.joints[mesh.node].name
        for number, chosen in by_mesh(origins):
            thing = scene.object_of(number, name)
            if thing is None:
                continue
            own = influences(bpy.data.objects[thing])[origins[chosen, 1]]
            is_cut = (own > kept[chosen]) & (kept[chosen] == kept.max())
            if is_cut.any():
                vertices.setdefault(thing, set()).update(origins[chosen, 1][is_cut].tolist())
                most[thing] = max(most.get(thing, 0), int(own[is_cut].max()))
                limit[thing] = int(kept.max())
    return [
        f"The exporter kept {limit[thing]} of up to {most[thing]} influences in "
        f"{len(own)} {'vertex' if len(own) == 1 else 'vertices'} of {thing}."
        for thing, own in vertices.items()
    ]


def influences(thing):
    """How many bones move each vertex of an object. Exporters leave out the smallest weights."""
    armatures = [modifier.object for modifier in thing.modifiers if modifier.type == "ARMATURE" and modifier.object]
    deforming = {bone.name for armature in armatures for bone in armature.data.bones if bone.use_deform}
    groups = {group.index for group in thing.vertex_groups if group.name in deforming}
    return np.array(
        [sum(entry.group in groups and entry.weight > 1e-4 for entry in vertex.groups) for vertex in thing.data.vertices]
    )


def finding_of(scene, finding, model=None, traced=None, to=None):
    """A finding as texts. Its vertices are added by object, if those of the model are traced."""
    lost, by_object = 0, {}
    for mesh, of_mesh in finding.vertices.items() if traced is not None else ():
        origins = traced[mesh][of_mesh]
        lost += int(np.count_nonzero(origins[:, 0] < 0))
        name = model.joints[model.meshes[mesh].node].name
        for number, chosen in by_mesh(origins):
            thing = scene.object_of(number, name)
            if thing is not None:
                by_object.setdefault(thing, []).append(origins[chosen, 1])
    for thing, lists in by_object.items():
        index, arrays = to
        arrays[f"vertices/{index}/{thing}"] = np.unique(np.concatenate(lists)).astype("u4")
    clip = finding.clips[0] if finding.clips else None
    has_time = clip is not None and finding.time is not None
    return {
        "code": finding.code,
        "name": finding.name,
        "level": finding.level,
        "location": finding.location,
        "message": finding.message,
        "fix": finding.fix,
        "explanation": finding.explanation,
        "cause": finding.cause,
        "joints": finding.joints,
        "clip": clip,
        "frame": scene.frame(clip, finding.time) if has_time else None,
        "made_by_modifiers": lost,
    }


def by_mesh(origins):
    """The numbers of meshes in what `vertices.decode` returns, and where each is."""
    for number in np.unique(origins[origins[:, 0] >= 0, 0]):
        yield int(number), origins[:, 0] == number


def compare(scene, arrays):
    """Compares the scene, as evaluated, with a file."""
    import skincheck

    from . import skincheck_reference

    job = scene.job
    scene.progress(0.1, "Evaluating")
    vertices.mark(scene.meshes)
    path = os.path.join(scene.folder, "scene.skref")
    skincheck_reference.write(path, all_actions=job["all_actions"])
    reference = skincheck.Reference.load(path)
    scene.progress(0.6, "Comparing")
    file = skincheck.load(job["file"], images=False)
    # Exporters name a clip after the scene, the armature or the action.
    difference = skincheck.diff(reference, file, ignore=["clip-renamed"])
    scene.progress(0.8, "Measuring")
    result = {
        "findings": [finding_of(scene, one) for one in difference.findings],
        "counts": scene.counts(),
        "notes": ["The file deforms as the scene."] if difference.is_same else [],
    }
    origins = evaluated_origins(scene, skincheck_reference)
    result.update(timeline(scene, difference, (file, reference), origins, arrays))
    return result


def evaluated_origins(scene, skincheck_reference):
    """What `vertices.decode` returns for the meshes of a reference, and the names of their objects."""
    graph = bpy.context.evaluated_depsgraph_get()
    found, _ = skincheck_reference.evaluated_objects(graph)
    origins = []
    for thing, instance in skincheck_reference.Scene(bpy.context.scene, graph).meshes:
        evaluated, _ = found[(thing, instance)]
        origins.append((vertices.of_evaluated(evaluated.to_mesh(), len(scene.meshes)), thing.name))
        evaluated.to_mesh_clear()
    return origins


def timeline(scene, difference, sides, origins, arrays):
    """The largest distance at up to `TIMES` times of each clip, the clips with the largest first. The distance of each vertex at
    each of them is added to `arrays`.

    sides -- the model to measure from, and the one whose vertices are measured
    origins -- for each mesh of the latter, what `vertices.decode` returns, and the name of its object
    """
    import skincheck

    clips = [clip for clip in difference.clips if clip.clips and len(clip.times)]
    clips = sorted(clips, key=lambda clip: -clip.max)[:CLIPS]
    is_scene = isinstance(sides[1], skincheck.Reference)
    unit = difference.metres_per_unit
    chosen = []
    for clip in clips:
        worst = [part[np.argmax(clip.max_over_time[part])] for part in np.array_split(np.arange(len(clip.times)), TIMES) if len(part)]
        # A reference of the scene comes before, a model as an engine sees it after; both have the times of the former.
        name = clip.clips[0] if is_scene else clip.clips[1]
        chosen.append((name, clip.times[worst], clip.max_over_time[worst]))
    by_clip = skincheck.distances(*sides, {name: times for name, times, _ in chosen})
    moments = []
    for name, times, maxima in chosen:
        for time, largest, row in zip(times, maxima, by_clip[name]):
            store(scene, origins, row, (len(moments), arrays))
            moments.append(
                {
                    "clip": name,
                    "frame": scene.frame(name, float(time)),
                    "distance": float(largest),
                    "text": f"{1000 * largest * unit:.3g} mm" if unit else f"{largest / difference.diagonal:.2%} of the diagonal",
                }
            )
    return {"moments": moments}


def store(scene, origins, distances, to):
    """The distances of the vertices of the scene by object: the largest of those that come from one vertex, NaN where none does."""
    index, arrays = to
    start = 0
    for of_mesh, name in origins:
        own = distances[start : start + len(of_mesh)]
        start += len(of_mesh)
        for number, chosen in by_mesh(of_mesh):
            thing = scene.object_of(number, name)
            if thing is None:
                continue
            missing = np.full(len(scene.meshes[number].vertices), np.nan, "f4")
            all_of_object = arrays.setdefault(f"distances/{index}/{thing}", missing)
            np.fmax.at(all_of_object, of_mesh[chosen, 1], own[chosen])
