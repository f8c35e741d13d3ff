//! Rigs for tests.

use crate::rig::{Asset, Clip, Joint, JointId, LocalTransform, Skeleton, TickRate};
use crate::units::{Seconds, Space};

/// An asset of joints and nothing else.
pub(crate) fn asset_of(joints: Vec<Joint>) -> Asset {
    Asset {
        importer: "test".into(),
        space: Space::Y_UP_METRES,
        stated_space: None,
        skeleton: Skeleton::new(joints).expect("parents come first"),
        meshes: vec![],
        skins: vec![],
        instances: vec![],
        clips: vec![],
        materials: vec![],
        images: vec![],
        notes: vec![],
    }
}

pub(crate) fn named_joint(name: &str, parent: Option<u32>, rest: LocalTransform) -> Joint {
    Joint {
        name: name.into(),
        parent: parent.map(JointId),
        rest,
    }
}

/// A clip without channels.
pub(crate) fn clip(name: &str, start: f64, end: f64) -> Clip {
    Clip {
        name: name.into(),
        start: Seconds(start),
        end: Seconds(end),
        rate: TickRate::SECONDS,
        channels: vec![],
        morph_channels: vec![],
    }
}
