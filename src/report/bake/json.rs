//! The JSON of `bake`, schema `skincheck/bake/1`.

use std::collections::BTreeSet;

use glam::Vec3;
use schemars::JsonSchema;
use serde::Serialize;

use super::Baked;
use crate::rig::{Influence, Influences, InstanceId, MorphTarget, SkinSlot};

const SCHEMA: &str = "skincheck/bake/1";

/// The start of the document.
pub(super) const START: &str = "{\"schema\":\"skincheck/bake/1\"";

/// A model in one pose.
#[derive(Serialize, JsonSchema)]
pub(in crate::report) struct Document<'a> {
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// The model's file name, without folders.
    model: &'a str,
    /// With its version.
    importer: String,
    /// Its name; `None` for a pose without one.
    clip: Option<&'a str>,
    /// The sample time in seconds; `None` without a clip.
    time: Option<f64>,
    /// `file`: the axes and unit of the file; `y-up-metres`: +Y up, +Z front, metres.
    space: &'static str,
    /// The engine whose view it is, as `--as` reads it; `None` without it.
    engine: Option<&'a str>,
    nodes: Vec<Node<'a>>,
    meshes: Vec<Mesh<'a>>,
    notes: Vec<NoteOf<'a>>,
}

/// A posed node.
#[derive(Serialize, JsonSchema)]
struct Node<'a> {
    name: &'a str,
    /// Column-major.
    world: [f32; 16],
}

/// A skinned mesh. A mesh that is used twice is here twice.
#[derive(Serialize, JsonSchema)]
struct Mesh<'a> {
    name: &'a str,
    /// The name of its node.
    node: &'a str,
    /// Whether the pose shows it.
    visible: bool,
    /// One per vertex, skinned, in the model's space.
    positions: Vec<[f32; 3]>,
    /// One per vertex, of length 1 or 0; empty without normals.
    normals: Vec<[f32; 3]>,
    /// The names of the skin's joints.
    joints: Vec<&'a str>,
    /// One list per vertex, of indices in `joints` with the weights that are blended.
    influences: Vec<Vec<(SkinSlot, f32)>>,
    morphs: Vec<Morph<'a>>,
}

/// A morph target.
#[derive(Serialize, JsonSchema)]
struct Morph<'a> {
    name: &'a str,
    /// In this pose.
    weight: f32,
}

/// A remark on the model or the pose.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Note")]
struct NoteOf<'a> {
    /// The location in the model, or `pose`.
    place: &'a str,
    /// What the importer repaired, assumed or skipped, or how the pose differs from the request.
    message: String,
}

/// One line; a number that is not finite becomes `null`, since JSON cannot represent it.
pub(super) fn write(baked: &Baked<'_>) -> String {
    let asset = baked.asset;
    let joints = asset.skeleton.nodes();
    let meshes = baked.meshes.iter().map(|deformed| {
        let instance = &asset[deformed.instance];
        let skin = asset.skin_of(instance);
        let slots = skin.iter().flat_map(|skin| &skin.joints);
        Mesh {
            name: &asset.mesh_of(instance).name,
            node: &joints[instance.node.index()].name,
            visible: baked.pose.look.shows(deformed.instance),
            positions: triples(&deformed.positions),
            normals: triples(&deformed.normals),
            joints: slots.map(|id| joints[id.index()].name.as_str()).collect(),
            influences: influences(baked, deformed.instance),
            morphs: morphs(baked, deformed.instance),
        }
    });
    let sampled = baked.sampled;
    let document = Document {
        schema: SCHEMA,
        model: &baked.model,
        importer: asset.reader.to_string(),
        clip: sampled.map(|(clip, _)| asset[clip].name.as_str()),
        time: sampled.map(|(_, time)| time.get()),
        space: baked.space,
        engine: baked.engine.as_deref(),
        nodes: nodes(baked),
        meshes: meshes.collect(),
        notes: notes(baked),
    };
    let text = serde_json::to_string(&document);
    text.expect("no key of the document is anything but a string") + "\n"
}

/// Nodes that repeat the name of an earlier node come first. A dictionary by name then ends up with the first node of
/// that name, which is the node that the name refers to elsewhere.
fn nodes<'a>(baked: &'a Baked<'_>) -> Vec<Node<'a>> {
    let joints = baked.asset.skeleton.nodes().iter();
    let nodes = joints.zip(&baked.pose.nodes).map(|(joint, world)| Node {
        name: &joint.name,
        world: world.to_cols_array(),
    });
    let mut seen = BTreeSet::new();
    let (first, mut ordered): (Vec<_>, Vec<_>) = nodes.partition(|node| seen.insert(node.name));
    ordered.extend(first);
    ordered
}

fn influences(baked: &Baked<'_>, instance: InstanceId) -> Vec<Vec<(SkinSlot, f32)>> {
    let pair = |influence: &Influence| (influence.slot, influence.weight);
    let blended = baked.influences.get(instance.index());
    let vertices = blended.into_iter().flat_map(Influences::iter);
    vertices.map(|all| all.iter().map(pair).collect()).collect()
}

fn morphs<'a>(baked: &'a Baked<'_>, instance: InstanceId) -> Vec<Morph<'a>> {
    let mesh = baked.asset.mesh_of(&baked.asset[instance]);
    let weights = baked.pose.morph_weights.get(instance.index());
    let targets = mesh.morph_targets.iter().zip(weights.into_iter().flatten());
    let morph = |(target, &weight): (&'a MorphTarget, &f32)| Morph {
        name: &target.name,
        weight,
    };
    targets.map(morph).collect()
}

/// Notes on the model, then on the pose.
fn notes<'a>(baked: &'a Baked<'_>) -> Vec<NoteOf<'a>> {
    let of_model = baked.asset.notes.iter().map(|note| NoteOf {
        place: &note.location,
        message: note.message.clone(),
    });
    let of_pose = baked.notes.iter().cloned().chain(baked.overflows());
    let of_pose = of_pose.map(|message| NoteOf {
        place: "pose",
        message,
    });
    of_model.chain(of_pose).collect()
}

fn triples(points: &[Vec3]) -> Vec<[f32; 3]> {
    points.iter().map(Vec3::to_array).collect()
}
