//! The models in which faults are planted.

use glam::{Mat4, Vec3};
use skincheck::rig::{Asset, Key, NodeId, Span, Track};
use skincheck::units::Seconds;

use crate::diff::edit::{add_mesh, attach, below, channel, dress, id, six_influences, splined};
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

/// The walker with a socket, a camera, tangents, morph targets and an expression.
pub(in crate::diff) fn attached() -> Asset {
    let mut asset = walker();
    attach(&mut asset);
    dress(&mut asset);
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
    add_mesh(&mut asset, coat);
    asset
}

/// The walker below a bound joint that stands still.
pub(super) fn rooted() -> Asset {
    let mut asset = walker();
    below(&mut asset, Mat4::IDENTITY);
    let skin = &mut asset.skins[0];
    skin.joints.push(NodeId(0));
    skin.inverse_bind_matrices.push(Mat4::IDENTITY);
    asset
}
