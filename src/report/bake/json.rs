//! The JSON of `bake`, schema `skincheck/bake/1`.

use std::collections::BTreeSet;

use glam::Vec3;
use serde::Serialize;

use super::Baked;

const SCHEMA: &str = "skincheck/bake/1";

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    model: &'a str,
    importer: &'a str,
    clip: Option<&'a str>,
    time: Option<f64>,
    space: &'static str,
    nodes: Vec<Node<'a>>,
    meshes: Vec<Mesh<'a>>,
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
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
}

/// One line; a number that is not finite becomes `null`, since JSON has no other word for it.
pub(super) fn write(baked: &Baked<'_>) -> String {
    let asset = baked.asset;
    let joints = asset.skeleton.joints();
    let meshes = baked.meshes.iter().map(|deformed| {
        let instance = &asset.instances[deformed.instance.index()];
        Mesh {
            name: &asset.mesh_of(instance).name,
            node: &joints[instance.joint.index()].name,
            positions: triples(&deformed.positions),
            normals: triples(&deformed.normals),
        }
    });
    let sampled = baked.sampled;
    let document = Document {
        schema: SCHEMA,
        model: &baked.model,
        importer: &asset.importer,
        clip: sampled.map(|(clip, _)| asset.clips[clip.index()].name.as_str()),
        time: sampled.map(|(_, time)| time.get()),
        space: baked.space,
        nodes: nodes(baked),
        meshes: meshes.collect(),
    };
    let text = serde_json::to_string(&document);
    text.expect("no key of the document is anything but a string") + "\n"
}

/// Nodes that repeat the name of an earlier one come first, so that a dictionary by name ends up with the node that the
/// name means elsewhere: the first of it.
fn nodes<'a>(baked: &'a Baked<'_>) -> Vec<Node<'a>> {
    let joints = baked.asset.skeleton.joints().iter();
    let nodes = joints.zip(&baked.pose.joints).map(|(joint, world)| Node {
        name: &joint.name,
        world: world.to_cols_array(),
    });
    let mut seen = BTreeSet::new();
    let (first, mut ordered): (Vec<_>, Vec<_>) = nodes.partition(|node| seen.insert(node.name));
    ordered.extend(first);
    ordered
}

fn triples(points: &[Vec3]) -> Vec<[f32; 3]> {
    points.iter().map(Vec3::to_array).collect()
}
