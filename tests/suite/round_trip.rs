//! Generated rigs, written as glTF and read back by every importer for glTF, move as generated.

use std::fs;

use glam::{DMat4, Vec3};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use skincheck::export;
use skincheck::import::{self, Isolation, Options};
use skincheck::laws::testing;
use skincheck::pose::{self, ModelPose, Pose};
use skincheck::rig::{Asset, Key, SkinningOptions, Span, Track};
use skincheck::skinning;
use skincheck::units::Seconds;

use crate::folder::Folder;

/// In f32, for positions up to some ten from the origin below five scaled joints.
const NEAR: f64 = 1e-4;

fn read_back(rig: &Asset, importer: &str) -> Asset {
    let folder = Folder::new();
    let path = folder.path("rig.gltf");
    let text = export::to_gltf(rig).expect("glTF can hold it");
    fs::write(&path, text).expect("the folder is writable");
    let options = Options {
        isolation: Isolation::InProcess,
        importer: Some(importer.to_owned()),
        ..Options::default()
    };
    import::load(&path, &options).unwrap_or_else(|error| panic!("{error:?}"))
}

/// Rigs whose clips begin at 0 s or later, as glTF requires, and whose meshes have triangles.
fn rigs() -> impl Strategy<Value = Asset> {
    testing::rigs().prop_map(|mut rig| {
        for channel in &mut rig.clips[0].channels {
            channel.translation.iter_mut().for_each(delay);
            channel.scale.iter_mut().for_each(delay);
            channel.rotation.iter_mut().for_each(delay);
        }
        rig.clips[0].end.0 += 1.0;
        if rig.clips[0].channels.is_empty() {
            rig.clips.clear();
        }
        let mesh = &mut rig.meshes[0];
        if mesh.triangles.is_empty() {
            mesh.triangles.push([0; 3]);
        }
        rig
    })
}

/// Generated keys begin at -1 s.
fn delay<T>(track: &mut Track<T>) {
    track.keys.iter_mut().for_each(|key| key.time.0 += 1.0);
}

/// assimp reads every span as linear; docs/crosscheck.md lists that.
fn straightened(mut rig: Asset) -> Asset {
    fn straighten<T>(track: &mut Track<T>) {
        let straight = |key: &mut Key<T>| key.span = Span::Linear;
        track.keys.iter_mut().for_each(straight);
    }
    for clip in &mut rig.clips {
        for channel in &mut clip.channels {
            channel.translation.iter_mut().for_each(straighten);
            channel.scale.iter_mut().for_each(straighten);
            channel.rotation.iter_mut().for_each(straighten);
        }
    }
    rig
}

/// At rest, and at times of the clip.
fn poses(asset: &Asset) -> Vec<Pose> {
    let mut poses = vec![pose::rest(asset)];
    if let Some(clip) = asset.clips.first() {
        let times = (0..=16).map(|step| Seconds(f64::from(step) * 0.4375));
        poses.extend(times.map(|time| pose::sample(asset, clip, time).expect("it is finite")));
    }
    poses
}

fn skinned(asset: &Asset, pose: &ModelPose) -> Vec<Vec3> {
    let meshes = skinning::deform_positions(asset, pose, &SkinningOptions::default());
    let meshes = meshes.expect("the rig is whole").into_iter();
    meshes.flat_map(|mesh| mesh.positions).collect()
}

/// The corners of all triangles, as positions in a pose, because importers join and split vertices.
fn corners(asset: &Asset, positions: &[Vec3]) -> Vec<Vec3> {
    let triangles = asset
        .meshes
        .iter()
        .flat_map(|mesh| mesh.triangles.as_flattened());
    triangles
        .map(|corner| positions[*corner as usize])
        .collect()
}

fn the_same(rig: &Asset, read: &Asset) -> Result<(), TestCaseError> {
    prop_assert_eq!(rig.clips.len(), read.clips.len());
    prop_assert_eq!(read.meshes.len(), 1);
    for (ours, theirs) in poses(rig).iter().zip(poses(read)) {
        let (ours, theirs) = (pose::model_pose(rig, ours), pose::model_pose(read, &theirs));
        for (id, node) in rig.skeleton.iter() {
            let other = read.skeleton.find(&node.name);
            prop_assert!(other.is_some(), "{} is missing", node.name);
            let (a, b) = (ours[id], theirs[other.expect("it is there")]);
            let near = |a: DMat4, b: DMat4| a.abs_diff_eq(b, NEAR * (1.0 + largest(a)));
            prop_assert!(
                near(a.as_dmat4(), b.as_dmat4()),
                "{}: {a} is read as {b}",
                node.name
            );
        }
        let ours = corners(rig, &skinned(rig, &ours));
        let theirs = corners(read, &skinned(read, &theirs));
        prop_assert_eq!(ours.len(), theirs.len());
        for (a, b) in ours.iter().zip(&theirs) {
            let off = f64::from(a.distance(*b));
            prop_assert!(
                off <= NEAR * (1.0 + f64::from(a.length())),
                "{a} is read as {b}"
            );
        }
    }
    Ok(())
}

fn largest(matrix: DMat4) -> f64 {
    let elements = matrix.to_cols_array().into_iter();
    elements.map(f64::abs).fold(0.0, f64::max)
}

fn check(change: fn(Asset) -> Asset, importer: &str) {
    let config = Config {
        cases: 64,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let verdict = TestRunner::new_with_rng(config, rng).run(&rigs(), |rig| {
        let rig = change(rig);
        the_same(&rig, &read_back(&rig, importer))
    });
    verdict.unwrap_or_else(|error| panic!("{importer}: {error}"));
}

#[test]
fn generated_rigs_come_back_through_the_importer_of_gltf() {
    check(|rig| rig, "gltf");
}

#[cfg(feature = "assimp")]
#[test]
fn generated_rigs_with_linear_clips_come_back_through_assimp() {
    check(straightened, "assimp");
}

#[test]
fn a_step_that_is_read_as_linear_is_seen() {
    let mut runner = TestRunner::deterministic();
    let differs = (0..64).any(|_| {
        let rig = rigs()
            .new_tree(&mut runner)
            .expect("it is generated")
            .current();
        the_same(&rig, &read_back(&straightened(rig.clone()), "gltf")).is_err()
    });
    assert!(differs);
}
