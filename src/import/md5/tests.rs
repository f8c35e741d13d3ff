use std::fmt::Write;
use std::fs;

use glam::{DMat4, DVec3, Quat, Vec3};

use super::*;
use crate::import::testing::{changed, influences, notes, text};
use crate::rig::Influence;
use crate::units::Seconds;

mod clips;
mod damage;
mod laws;
mod meshes;

fn mesh_text() -> String {
    text("figure.md5mesh")
}

fn clip_text() -> String {
    text("figure.md5anim")
}

fn valid(asset: Asset) -> Asset {
    asset.validate().expect("what is not refused is valid");
    asset
}

fn read_mesh(text: &str) -> Result<Asset, ImporterError> {
    resolve(model(text, Path::new("nowhere"))?).map(valid)
}

fn read_clip(text: &str) -> Result<Asset, ImporterError> {
    resolve(animation(text)?).map(valid)
}

/// A model and the animation beside it.
fn read_both(mesh: &str, clip: &str) -> Asset {
    let mut asset = read_mesh(mesh).unwrap();
    animate(&mut asset, "walk.md5anim", read_clip(clip).unwrap());
    valid(asset)
}

/// Where every vertex is, with the weights as they are: in a frame of the clip, or at rest.
fn skinned(asset: &Asset, frame: Option<usize>) -> Vec<Vec3> {
    let worlds = worlds(asset, frame);
    let mut points = Vec::new();
    for instance in &asset.instances {
        let (mesh, skin) = (asset.mesh_of(instance), asset.skin_of(instance).unwrap());
        for (vertex, position) in mesh.positions.iter().enumerate() {
            let pull = |pull: &Influence| {
                let slot = pull.joint.index();
                let world = worlds[skin.joints[slot].index()];
                let matrix = world * skin.inverse_bind_matrices[slot].as_dmat4();
                matrix.transform_point3(position.as_dvec3()) * f64::from(pull.weight)
            };
            let sum: DVec3 = mesh.influences.of(vertex).iter().map(pull).sum();
            points.push(sum.as_vec3());
        }
    }
    points
}

fn worlds(asset: &Asset, frame: Option<usize>) -> Vec<DMat4> {
    let mut worlds: Vec<DMat4> = Vec::new();
    for (id, joint) in asset.skeleton.iter() {
        let mut local = joint.rest.to_trs();
        let clip = frame.map(|frame| (frame, &asset.clips[0].channels));
        if let Some((frame, channel)) = clip.and_then(|(frame, channels)| {
            let channel = channels.iter().find(|channel| channel.node == id);
            Some((frame, channel?))
        }) {
            let translation = &channel.translation.as_ref().unwrap().keys;
            let rotation = &channel.rotation.as_ref().unwrap().keys;
            local.translation = translation[frame.min(translation.len() - 1)].value;
            local.rotation = rotation[frame.min(rotation.len() - 1)].value;
        }
        let local = local.to_matrix().as_dmat4();
        let above = joint.parent.map(|parent| worlds[parent.index()]);
        worlds.push(above.unwrap_or(DMat4::IDENTITY) * local);
    }
    worlds
}

/// Two joints above each other, the upper rotated by a right angle about x, and a triangle whose vertices have the
/// given weights (joint, bias, point).
fn triangle(weights: [&[(usize, f64, [f64; 3])]; 3]) -> String {
    let mut text = "MD5Version 10\nnumJoints 2\nnumMeshes 1\njoints {\n\"low\" -1 ( 0 0 0 ) ( 0 0 0 )\n\
                    \"high\" 0 ( 0 0 1 ) ( 0.70710678118654752 0 0 )\n}\nmesh {\nshader \"skin\"\nnumverts 3\n"
        .to_owned();
    let mut first = 0;
    for (vertex, list) in weights.iter().enumerate() {
        let _ = writeln!(text, "vert {vertex} ( 0 0 ) {first} {}", list.len());
        first += list.len();
    }
    let _ = writeln!(text, "numtris 1\ntri 0 0 1 2\nnumweights {first}");
    let all = weights.into_iter().flatten().enumerate();
    for (number, (joint, bias, [x, y, z])) in all {
        let _ = writeln!(text, "weight {number} {joint} {bias} ( {x} {y} {z} )");
    }
    text + "}\n"
}

const ORIGIN: &[(usize, f64, [f64; 3])] = &[(0, 1.0, [0.0; 3])];
