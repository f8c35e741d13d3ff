//! Compares the FBX importer with the file format.

mod corners;
mod damaged;
mod dual_quaternions;
mod evaluated;
mod motion;
mod surfaces;
mod transforms;

use std::path::Path;

use glam::{DMat4, DVec3};
use skincheck::import::{self, Isolation, Options};
use skincheck::pose::{self, ModelPose};
use skincheck::rig::SkinningOptions;
use skincheck::rig::{Asset, DeformedMesh, NodeId};
use skincheck::skinning;
use skincheck::units::Seconds;

use crate::program;

/// Reads the FBX fixture named `name` in this process.
fn fixture(name: &str) -> Asset {
    load(&program::fixture("fbx").join(name))
}

fn load(path: &Path) -> Asset {
    let asset = import::load(path, &options());
    asset.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn options() -> Options {
    Options {
        isolation: Isolation::InProcess,
        importer: Some("fbx".to_owned()),
        ..Options::default()
    }
}

/// The model at `time` of its first clip; at rest without one.
fn posed(asset: &Asset, time: f64) -> ModelPose {
    let pose = match asset.clips.first() {
        Some(clip) => pose::sample(asset, clip, Seconds(time)).expect("the time is finite"),
        None => pose::rest(asset),
    };
    pose::model_pose(asset, &pose)
}

fn at_rest(asset: &Asset) -> ModelPose {
    pose::model_pose(asset, &pose::rest(asset))
}

/// The world matrix of the joint named `name`.
fn world(asset: &Asset, pose: &ModelPose, name: &str) -> DMat4 {
    let joint: Option<NodeId> = asset.skeleton.find(name);
    let joint = joint.unwrap_or_else(|| panic!("there is no joint {name:?}"));
    pose[joint].as_dmat4()
}

fn position(asset: &Asset, pose: &ModelPose, name: &str) -> DVec3 {
    world(asset, pose, name).w_axis.truncate()
}

fn deformed(asset: &Asset, pose: &ModelPose) -> Vec<DeformedMesh> {
    let deformed = skinning::deform(asset, pose, &SkinningOptions::default());
    deformed.expect("imported models can be deformed")
}

/// A few roundings to f32 of numbers up to 10.
const NEAR: f64 = 4e-6;

#[track_caller]
fn assert_point(found: DVec3, expected: DVec3) {
    let off = (found - expected).length();
    assert!(off < NEAR, "{found} is not {expected}");
}

#[track_caller]
fn assert_matrix(found: DMat4, expected: DMat4) {
    assert!(
        found.abs_diff_eq(expected, NEAR),
        "{found} is not {expected}"
    );
}

fn notes(asset: &Asset) -> String {
    let notes = asset.notes.iter();
    let lines = notes.map(|note| format!("{}: {}", note.location, note.message));
    lines.collect::<Vec<String>>().join("\n")
}
