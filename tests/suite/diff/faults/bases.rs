//! The models in which faults are planted.

use glam::Vec3;
use skincheck::rig::{Asset, Key, MeshId, Span, Track};
use skincheck::units::Seconds;

use crate::diff::edit::{channel, id, six_influences, splined};
use crate::diff::{load, walker};

pub(super) fn still_foot() -> Asset {
    let mut asset = walker();
    let foot = id(&asset, "LeftFoot");
    asset.clips[0]
        .channels
        .retain(|channel| channel.node != foot);
    asset
}

pub(super) fn growing_head() -> Asset {
    let mut asset = walker();
    let keys = [(0.0, 1.0), (0.5, 1.3), (1.0, 1.0)].map(|(time, size)| Key {
        time: Seconds(time),
        value: Vec3::splat(size),
        span: Span::Linear,
    });
    channel(&mut asset, "Head").scale = Some(Track {
        keys: keys.to_vec(),
    });
    asset
}

pub(super) fn splined_arm() -> Asset {
    let mut asset = walker();
    for arm in ["LeftUpperArm", "RightUpperArm"] {
        splined(&mut asset, arm);
    }
    asset
}

pub(super) fn blended() -> Asset {
    let mut asset = walker();
    six_influences(&mut asset);
    asset
}

pub(super) fn morphed() -> Asset {
    load("morph.gltf")
}

pub(super) fn two_meshes() -> Asset {
    load("two_skins.gltf")
}

pub(super) fn one_mesh() -> Asset {
    let mut asset = two_meshes();
    asset.instances.pop();
    asset
}

pub(super) fn arm() -> Asset {
    load("arm.gltf")
}

/// Two coincident surfaces.
pub(super) fn dressed() -> Asset {
    let mut asset = walker();
    let mut coat = asset.meshes[0].clone();
    coat.name = "Coat".into();
    asset.meshes.push(coat);
    let mut instance = asset.instances[0].clone();
    instance.mesh = MeshId(1);
    asset.instances.push(instance);
    asset
}
