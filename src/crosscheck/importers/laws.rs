//! Laws: models that are only stored differently agree, and models that are read differently fail at the right stage.

mod disguises;
mod faults;

use glam::{Quat, Vec3};
use proptest::prelude::*;

use super::{Stage, compare};
use crate::pose::law::{Verdict, check};
use crate::pose::rigs::{PosedRig, clip, posed_rigs};
use crate::rig::{
    Asset, Channel, Key, LocalTransform, MorphChannel, NodeId, Span, TickRate, Track, Trs,
};
use crate::units::Seconds;

/// What another importer made of a rig.
type Change = fn(&mut Asset);

/// Between a rig and its changed copy, the first stage that differs is `expected`.
fn first_difference_is(expected: Option<Stage>, change: Change) -> Verdict<PosedRig> {
    check(&posed_rigs(), |rig| {
        let asset = animated(&rig);
        let mut changed = asset.clone();
        change(&mut changed);
        prop_assert!(changed.validate().is_ok(), "{:?}", changed.validate());
        for pair in [[&asset, &changed], [&changed, &asset]] {
            let report = compare(pair[0], pair[1]).expect("the rig is small");
            let first = report.first_difference();
            prop_assert_eq!(first.map(|stage| stage.stage), expected, "{:?}", first);
        }
        Ok(())
    })
}

/// The rig with triangles, and with a clip from its rest to its pose: joints by turns straight, in steps and along
/// splines.
fn animated(rig: &PosedRig) -> Asset {
    let mut asset = rig.asset.clone();
    for (index, target) in asset.meshes[0].morph_targets.iter_mut().enumerate() {
        target.name = format!("target {index}");
    }
    asset.meshes[0].triangles = vec![[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]];
    let joints = asset.skeleton.nodes().iter().zip(&rig.pose.locals);
    let channels = joints
        .enumerate()
        .map(|(index, (joint, posed))| channel(index, joint.rest.to_trs(), posed.to_trs()));
    let mut moving = clip("move", 0.0, 2.0);
    moving.rate = TickRate::SECONDS;
    moving.channels = channels.collect();
    moving.morph_channels = vec![MorphChannel {
        node: asset.instances[0].node,
        weights: track(0, vec![0.0, 0.0], vec![0.8, 0.3], &vec![0.5, 0.5]),
    }];
    asset.clips = vec![moving];
    asset
}

fn channel(index: usize, rest: Trs, posed: Trs) -> Channel {
    let tangent = Quat::from_xyzw(0.1, 0.2, 0.3, 0.4);
    Channel {
        translation: Some(track(index, rest.translation, posed.translation, &Vec3::X)),
        rotation: Some(track(index, rest.rotation, posed.rotation, &tangent)),
        scale: Some(track(index, rest.scale, posed.scale, &Vec3::Y)),
        ..Channel::of(NodeId::from_index(index))
    }
}

/// There and back within two seconds.
fn track<T: Clone>(index: usize, rest: T, posed: T, tangent: &T) -> Track<T> {
    let span = |_: usize| match index % 3 {
        0 => Span::Linear,
        1 => Span::Step,
        _ => Span::Cubic {
            leave: tangent.clone(),
            arrive: tangent.clone(),
        },
    };
    let values = [rest.clone(), posed, rest];
    let keys = [0.0, 0.75, 2.0].into_iter().zip(values).enumerate();
    Track {
        keys: keys
            .map(|(index, (time, value))| Key {
                time: Seconds(time),
                value,
                span: span(index),
            })
            .collect(),
    }
}

/// Moves the joints to other indices; `new` has the new index of each.
fn renumber(asset: &mut Asset, new: impl Fn(NodeId) -> NodeId) {
    let skins = asset.skins.iter_mut().flat_map(|skin| &mut skin.joints);
    let instances = asset
        .instances
        .iter_mut()
        .map(|instance| &mut instance.node);
    for joint in skins.chain(instances) {
        *joint = new(*joint);
    }
    for clip in &mut asset.clips {
        let channels = clip.channels.iter_mut().map(|channel| &mut channel.node);
        let morphs = clip.morph_channels.iter_mut();
        for joint in channels.chain(morphs.map(|channel| &mut channel.node)) {
            *joint = new(*joint);
        }
    }
}

/// The transform as parts.
fn parts(local: &LocalTransform) -> Trs {
    local.to_trs()
}
