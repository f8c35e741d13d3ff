//! Posing and skinning over time, each against the straightforward implementation.

use glam::{Mat4, Quat, Vec3};
use skincheck::backend::Extent;
use skincheck::pose::{self, Sampler};
use skincheck::rig::{Asset, Influences, Key, SkinningOptions};
use skincheck::skinning::{Attributes, Prepared};
use skincheck::units::Seconds;
use skincheck::view::{Framing, Projection, ViewDirection};

use crate::model::Model;
use crate::stage::Stage;

pub(crate) fn all(model: &Model) -> Vec<Stage<'_>> {
    vec![
        sample_in_order(model),
        frame_clip(model),
        skin_many(model),
        skin_a_million(model),
    ]
}

/// Times of a slow playback: eight between two keys.
fn times(model: &Model) -> impl Iterator<Item = Seconds> + Clone {
    let duration = model.clip().duration().get();
    (0..480_u32).map(move |step| Seconds(duration * f64::from(step) / 480.0))
}

fn sample_in_order(model: &Model) -> Stage<'_> {
    let in_order = move || {
        let mut sampler = Sampler::new(&model.asset, model.clip());
        let poses = times(model).map(|time| sampler.at(time).expect("it is finite"));
        poses.map(|pose| pose.locals.len()).sum::<usize>()
    };
    let by_bisection = move || {
        let tracks = model
            .clip()
            .channels
            .iter()
            .filter_map(|c| c.rotation.as_ref());
        let at = |time: Seconds| -> Vec<Quat> {
            tracks
                .clone()
                .map(|track| slerped(&track.keys, time))
                .collect()
        };
        times(model).map(|time| at(time).len()).sum::<usize>()
    };
    Stage::new(
        "sample in order",
        in_order,
        "bisection and glam's slerp (peer)",
        by_bisection,
    )
}

#[expect(clippy::cast_possible_truncation, reason = "a phase")]
fn slerped(keys: &[Key<Quat>], time: Seconds) -> Quat {
    let after = keys.partition_point(|key| key.time <= time);
    match (keys.get(after.wrapping_sub(1)), keys.get(after)) {
        (Some(from), Some(to)) => {
            let phase = (time.get() - from.time.get()) / (to.time.get() - from.time.get());
            from.value.slerp(to.value, phase as f32)
        }
        (from, to) => from.or(to).map_or(Quat::IDENTITY, |key| key.value),
    }
}

/// The camera of a clip, against skinning every vertex at as many times.
fn frame_clip(model: &Model) -> Stage<'_> {
    let extent = Extent {
        asset: &model.asset,
        skinning: SkinningOptions::default(),
        joints: false,
    };
    let (direction, projection) = (ViewDirection::default(), Projection::default());
    let new = move || Framing::new(&model.asset.space, direction, projection, Model::VIEWPORT);
    let bounded = move || {
        let mut framing = new();
        let included = extent.include_clip(&mut framing, model.clip());
        included.expect("the clip is of this rig");
        framing.camera()
    };
    let skinned = move || {
        let mut framing = new();
        let keys = model.clip().key_times();
        for time in keys.iter().chain(&keys) {
            let pose = pose::sample(&model.asset, model.clip(), *time).expect("it is finite");
            let pose = pose::model_pose(&model.asset, &pose);
            let included = extent.include_pose(&mut framing, &pose);
            included.expect("the pose is of this rig");
        }
        framing.camera()
    };
    Stage::new(
        "frame a clip",
        bounded,
        "skinning it at 122 times (peer)",
        skinned,
    )
}

/// The model with its mesh repeated.
fn repeated(model: &Model, copies: usize) -> Asset {
    let mut asset = model.asset.clone();
    let mesh = &mut asset.meshes[0];
    let lists: Vec<_> = mesh.influences.iter().map(<[_]>::to_vec).collect();
    mesh.influences = Influences::from_vertices((0..copies).flat_map(|_| lists.iter().cloned()));
    mesh.positions = mesh.positions.repeat(copies);
    mesh.normals = mesh.normals.repeat(copies);
    asset
}

fn skinning(asset: Asset, model: &Model) -> impl FnMut() -> usize + '_ {
    // Lives as long as the program: a few of them.
    let prepared = Prepared::new(Box::leak(Box::new(asset)), &SkinningOptions::default());
    let mut skinned = Vec::new();
    move || {
        let done = prepared.deform_into(&model.pose, Attributes::Normals, &mut skinned);
        done.expect("the pose is of this rig");
        skinned[0].normals.len()
    }
}

/// Positions and normals of 100,000 vertices, with weights as in real meshes.
fn skin_many(model: &Model) -> Stage<'_> {
    let asset = repeated(model, 20);
    let plain = plain_loop(&asset, model);
    Stage::new(
        "skin 100,000 vertices",
        skinning(asset, model),
        "glam, four influences (peer)",
        plain,
    )
}

/// The loop of a renderer that pads all vertices to four influences and transforms normals by the matrix itself.
fn plain_loop(asset: &Asset, model: &Model) -> impl FnMut() -> usize + use<> {
    let skin = &asset.skins[0];
    let slots = skin.joints.iter().zip(&skin.inverse_bind_matrices);
    let joints = &model.pose.nodes;
    let palette: Vec<Mat4> = slots
        .map(|(joint, bind)| joints[joint.index()] * *bind)
        .collect();
    let mesh = asset.meshes[0].clone();
    let four = mesh.influences.iter().map(|list| {
        let influence = |index: usize| list.get(index).map_or((0, 0.0), |i| (i.slot.0, i.weight));
        [0, 1, 2, 3].map(influence)
    });
    let four: Vec<[(u32, f32); 4]> = four.collect();
    let (mut positions, mut normals) = (mesh.positions.clone(), mesh.normals.clone());
    move || {
        let vertices = four.iter().zip(mesh.positions.iter().zip(&mesh.normals));
        let out = positions.iter_mut().zip(&mut normals);
        for ((influences, (position, normal)), out) in vertices.zip(out) {
            let [a, b, c, d] = influences.map(|(slot, weight)| palette[slot as usize] * weight);
            let matrix = a + b + c + d;
            *out.0 = matrix.transform_point3(*position);
            *out.1 = matrix.transform_vector3(*normal).normalize();
        }
        normals.len()
    }
}

/// More than any cache holds.
fn skin_a_million(model: &Model) -> Stage<'_> {
    let asset = repeated(model, 200);
    let mesh = asset.meshes[0].clone();
    let stream = move || {
        let weights: f32 = mesh.influences.all().iter().map(|i| i.weight).sum();
        let copies: [Vec<Vec3>; 2] = [mesh.positions.clone(), mesh.normals.clone()];
        (weights, copies)
    };
    Stage::new(
        "skin a million vertices",
        skinning(asset, model),
        "streaming the same bytes (bound)",
        stream,
    )
}
