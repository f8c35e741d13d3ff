//! The JSON of `bake`, schema `skincheck/bake/1`.

use std::collections::BTreeSet;

use glam::Vec3;
use serde::Serialize;

use super::Baked;
use crate::rig::{Influence, Influences, InstanceId, MorphTarget, SkinSlot};

const SCHEMA: &str = "skincheck/bake/1";

/// The start of the document.
pub(super) const START: &str = "{\"schema\":\"skincheck/bake/1\"";

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    model: &'a str,
    importer: String,
    clip: Option<&'a str>,
    time: Option<f64>,
    space: &'static str,
    nodes: Vec<Node<'a>>,
    meshes: Vec<Mesh<'a>>,
    notes: Vec<NoteOf<'a>>,
}

#[derive(Serialize)]
struct Node<'a> {
    name: &'a str,
    /// Column-major.
    world: [f32; 16],
}

#[derive(Serialize)]
struct Mesh<'a> {
    name: &'a str,
    node: &'a str,
    visible: bool,
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    /// The names of the skin's joints.
    joints: Vec<&'a str>,
    /// One list per vertex, of indices in `joints` with the weights that are blended.
    influences: Vec<Vec<(SkinSlot, f32)>>,
    morphs: Vec<Morph<'a>>,
}

#[derive(Serialize)]
struct Morph<'a> {
    name: &'a str,
    weight: f32,
}

#[derive(Serialize)]
struct NoteOf<'a> {
    place: &'a str,
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
