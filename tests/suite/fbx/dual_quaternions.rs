//! Compares dual quaternion skinning with ufbx's own.

use std::collections::HashMap;
use std::path::Path;

use glam::DVec3;
use skincheck::pose;
use skincheck::rig::{Asset, Blending, SkinningMethod, SkinningOptions};
use skincheck::skinning;
use skincheck::units::Seconds;

use super::evaluated::{models, raw};
use super::{fixture, load};

/// The largest deviation of a vertex, as a fraction of the diagonal: rounding in f32.
const TOLERANCE: f64 = 1e-5;

#[test]
fn a_mesh_is_blended_as_the_file_asks() {
    let asset = fixture("six_influences.fbx");
    assert_eq!(asset.meshes[0].blending, Blending::DualQuaternion);
    let linear = fixture("broken_cluster.fbx");
    assert_eq!(linear.meshes[0].blending, Blending::Linear);
}

fn bits(position: DVec3) -> [u32; 3] {
    position.as_vec3().to_array().map(f32::to_bits)
}

fn vector(v: &ufbx::Vec3) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}

/// ufbx's skinned vertices of all meshes at a time of the first clip, by their indices.
fn evaluated(path: &Path, time: f64) -> HashMap<[u32; 3], DVec3> {
    let scene = raw(path);
    let options = ufbx::EvaluateOpts {
        evaluate_skinning: true,
        ..ufbx::EvaluateOpts::default()
    };
    let anim = &scene.anim_stacks[0].anim;
    let evaluated = ufbx::evaluate_scene(&scene, anim, time, options);
    let evaluated = evaluated.expect("ufbx evaluates what it has read");
    let mut positions = HashMap::new();
    for mesh in &evaluated.meshes {
        assert!(!mesh.skinned_is_local);
        for (stored, skinned) in mesh.vertices.iter().zip(&mesh.skinned_position.values) {
            positions.insert(bits(vector(stored)), vector(skinned));
        }
    }
    positions
}

/// The largest deviation over the first clip, as a fraction of the diagonal.
fn worst(path: &Path, asset: &Asset, method: SkinningMethod) -> f64 {
    let options = SkinningOptions {
        method,
        ..SkinningOptions::default()
    };
    let clip = &asset.clips[0];
    let mut worst = 0.0_f64;
    for step in 0..=10 {
        let time = clip.start.0 + clip.duration().0 * f64::from(step) / 10.0;
        let theirs = evaluated(path, time);
        let local = pose::sample(asset, clip, Seconds(time)).expect("the time is finite");
        let pose = pose::model_pose(asset, &local);
        let deformed = skinning::deform(asset, &pose, &options).expect("the model is whole");
        let corners = theirs
            .values()
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| {
                (low.min(*p), high.max(*p))
            });
        let diagonal = corners.0.distance(corners.1);
        for (instance, deformed) in asset.instances.iter().zip(&deformed) {
            let stored = &asset.mesh_of(instance).positions;
            for (stored, found) in stored.iter().zip(&deformed.positions) {
                let expected = theirs[&stored.to_array().map(f32::to_bits)];
                worst = worst.max(found.as_dvec3().distance(expected) / diagonal);
            }
        }
    }
    worst
}

#[test]
fn vertices_are_where_ufbx_skins_them_and_linear_blending_is_caught() {
    let mut caught = 0;
    for path in models() {
        let asset = load(&path);
        let mut meshes = asset.meshes.iter();
        if asset.clips.is_empty() || meshes.all(|mesh| mesh.blending == Blending::Linear) {
            continue;
        }
        let off = worst(&path, &asset, SkinningMethod::AsInFile);
        assert!(off <= TOLERANCE, "{}: {off}", path.display());
        caught += usize::from(worst(&path, &asset, SkinningMethod::Linear) > 100.0 * TOLERANCE);
    }
    assert!(caught > 0 || std::env::var_os("SKINCHECK_CORPUS").is_none());
}
