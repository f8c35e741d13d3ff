//! Compares our playback of clips with ufbx's own evaluation of the whole scene.

#![expect(
    clippy::print_stdout,
    reason = "the table is for those who run the test"
)]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use glam::{DMat4, DVec3, DVec4, Vec3};
use skincheck::pose::{self, ModelPose, Pose};
use skincheck::rig::{Asset, Clip, Skeleton, Span};
use skincheck::units::Seconds;

use super::{at_rest, deformed, load};
use crate::program;

/// The largest deviation of a posed joint, as a fraction of the diagonal.
const TOLERANCE: f64 = 1e-6;

/// The models of the fixtures, and those of the corpus if it exists.
pub(super) fn models() -> Vec<PathBuf> {
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

pub(super) fn raw(path: &Path) -> ufbx::SceneRoot {
    let bytes = fs::read(path).expect("the model is readable");
    ufbx::load_memory(&bytes, ufbx::LoadOpts::default()).expect("ufbx reads the model")
}

/// 200 times of the clip that are not a whole number of frames apart, and times next to its keys.
fn sample_times(clip: &Clip) -> Vec<f64> {
    let (start, length) = (clip.start.0, clip.duration().0);
    let even = (0..200).map(|step| start + length * (f64::from(step) / 199.3));
    let rotations = clip
        .channels
        .iter()
        .filter_map(|channel| channel.rotation.as_ref());
    let keys = rotations.flat_map(|track| track.keys.iter().map(|key| key.time.0));
    let near = keys
        .take(300)
        .flat_map(|time| [time - 1e-4, time, time + 1e-4]);
    even.chain(near).collect()
}

fn position(matrix: &ufbx::Matrix) -> DMat4 {
    DMat4::from_cols(
        DVec3::new(matrix.m00, matrix.m10, matrix.m20).extend(0.0),
        DVec3::new(matrix.m01, matrix.m11, matrix.m21).extend(0.0),
        DVec3::new(matrix.m02, matrix.m12, matrix.m22).extend(0.0),
        DVec3::new(matrix.m03, matrix.m13, matrix.m23).extend(1.0),
    )
}

/// The world matrices of nodes, in the order of the joints with the same names.
fn world_of_nodes(scene: &ufbx::Scene) -> Vec<(String, DMat4)> {
    let mut worlds = Vec::new();
    let mut pending: Vec<&ufbx::Node> = scene.root_node.children.into_iter().collect();
    pending.reverse();
    while let Some(node) = pending.pop() {
        worlds.push((node.element.name.to_string(), position(&node.node_to_world)));
        let from = pending.len();
        pending.extend(&node.children);
        pending[from..].reverse();
    }
    worlds
}

/// The deviation of positions as a fraction of `diagonal`, and of axes as a fraction of the longest.
fn deviation(ours: DMat4, theirs: DMat4, diagonal: f64) -> f64 {
    let axes = |matrix: DMat4| [matrix.x_axis, matrix.y_axis, matrix.z_axis];
    let longest = axes(theirs)
        .map(DVec4::length)
        .into_iter()
        .fold(1e-12, f64::max);
    let pairs = axes(ours).into_iter().zip(axes(theirs));
    let rotated = pairs
        .map(|(a, b)| (a - b).length() / longest)
        .fold(0.0, f64::max);
    let moved = (ours.w_axis - theirs.w_axis).length() / diagonal;
    rotated.max(moved)
}

/// The diagonal of the joints and vertices in `pose`; 1 if they are all at one position.
fn diagonal(asset: &Asset, pose: &ModelPose) -> f64 {
    let meshes = deformed(asset, pose);
    let vertices = meshes.iter().flat_map(|mesh| &mesh.positions);
    let joints = pose.nodes.iter().map(|joint| joint.w_axis.truncate());
    let positions: Vec<DVec3> = vertices
        .copied()
        .chain(joints)
        .map(Vec3::as_dvec3)
        .collect();
    let low = positions.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = positions
        .iter()
        .copied()
        .fold(DVec3::NEG_INFINITY, DVec3::max);
    let diagonal = (high - low).length();
    if diagonal > 0.0 { diagonal } else { 1.0 }
}

/// The joints that are nodes of the file, in the file's order.
fn joints_of_nodes(asset: &Asset) -> Vec<usize> {
    let added = |name: &str| name.ends_with(" (unscaled)") || name.ends_with(" (geometry)");
    let joints = asset.skeleton.nodes().iter().enumerate();
    let own = joints.filter(|(_, joint)| !added(&joint.name));
    own.map(|(index, _)| index).collect()
}

/// A model as read by skincheck and by ufbx.
struct Case {
    asset: Asset,
    scene: ufbx::SceneRoot,
    diagonal: f64,
}

impl Case {
    fn read(path: &Path) -> Self {
        let (asset, scene) = (load(path), raw(path));
        assert_eq!(asset.clips.len(), scene.anim_stacks.count);
        let diagonal = diagonal(&asset, &at_rest(&asset));
        Self {
            asset,
            scene,
            diagonal,
        }
    }

    /// The largest deviation of a joint at `time` of clip number `clip`, and that joint.
    ///
    /// * `pose_at` – plays the clip.
    fn worst_at(&self, clip: usize, time: f64, pose_at: PoseAt) -> (f64, String) {
        let pose = pose_at(&self.asset, &self.asset.clips[clip], Seconds(time));
        let posed = pose::model_pose(&self.asset, &pose);
        let anim = &self.scene.anim_stacks[clip].anim;
        let evaluated =
            ufbx::evaluate_scene(&self.scene, anim, time, ufbx::EvaluateOpts::default());
        let theirs = world_of_nodes(&evaluated.expect("ufbx evaluates what it has read"));
        let joints = joints_of_nodes(&self.asset);
        assert_eq!(joints.len(), theirs.len());
        let mut worst = (0.0, String::new());
        for (joint, (name, theirs)) in joints.into_iter().zip(theirs) {
            let off = deviation(posed.nodes[joint].as_dmat4(), theirs, self.diagonal);
            if off > worst.0 || off.is_nan() {
                worst = (off, format!("{name:?} at {time} s of clip {clip}"));
            }
        }
        worst
    }

    /// The same over all clips and times.
    fn worst(&self, pose_at: PoseAt) -> (f64, String) {
        let mut worst = (0.0, String::new());
        for (index, clip) in self.asset.clips.iter().enumerate() {
            for time in sample_times(clip) {
                let found = self.worst_at(index, time, pose_at);
                if found.0 > worst.0 || found.0.is_nan() {
                    worst = found;
                }
            }
        }
        worst
    }
}

type PoseAt = fn(&Asset, &Clip, Seconds) -> Pose;

fn sampled(asset: &Asset, clip: &Clip, time: Seconds) -> Pose {
    pose::sample(asset, clip, time).expect("the time is finite")
}

#[test]
fn posed_joints_are_where_ufbx_evaluates_the_nodes() {
    for path in models() {
        let (off, position) = Case::read(&path).worst(sampled);
        println!("{off:.1e} {} {position}", path.display());
        assert!(off <= TOLERANCE, "{}: {off} of {position}", path.display());
    }
}

/// Replaces all cubic spans by straight lines, as a reader of keys without tangents does.
fn straightened(asset: &Asset, clip: &Clip, time: Seconds) -> Pose {
    let mut clip = clip.clone();
    for channel in &mut clip.channels {
        let keys = channel
            .rotation
            .iter_mut()
            .flat_map(|track| &mut track.keys);
        keys.for_each(|key| key.span = Span::Linear);
        let keys = channel
            .translation
            .iter_mut()
            .flat_map(|track| &mut track.keys);
        keys.for_each(|key| key.span = Span::Linear);
    }
    sampled(asset, &clip, time)
}

#[test]
fn curves_made_straight_are_caught() {
    for name in ["fbx/cubic_keys.fbx", "fbx/pivots.fbx"] {
        let (off, _) = Case::read(&program::fixture(name)).worst(straightened);
        assert!(off > 1000.0 * TOLERANCE, "{name}: {off}");
    }
}

/// Makes all children inherit the joint's scale, whatever their inherit types.
#[test]
fn a_scale_that_all_children_inherit_is_caught() {
    let mut case = Case::read(&program::fixture("fbx/inherit_types.fbx"));
    let mut joints = case.asset.skeleton.nodes().to_vec();
    let whole = case.asset.skeleton.find("parent");
    let children = joints.iter_mut().skip(2);
    children.for_each(|child| child.parent = whole);
    case.asset.skeleton = Skeleton::new(joints).expect("its parents still come first");
    assert!(case.worst_at(0, 0.5, sampled).0 > 0.1);
}
