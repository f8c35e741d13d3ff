//! `C532`: component-order.

use glam::Quat;

use crate::lint::core::counted::as_f64;
use crate::lint::rules::clips::deformers::carrying;
use crate::lint::rules::rule::declare_rule;
use crate::lint::{Context, Findings, Offence, Rule};
use crate::rig::{LocalTransform, TrackPart};

declare_rule! {
    /// ## What it does
    /// Looks for rotation tracks whose quaternions are in the order w, x, y, z.
    ///
    /// Every key is more than 120° from the rest rotation if read as x, y, z, w. Read as w, x, y, z, every key is less
    /// than 75° from it, and the average key less than 50°. One or two keys may be like that by chance, so the track
    /// needs at least three. Joints with a rest rotation of more than a right angle are not checked.
    ///
    /// ## Why is this bad?
    /// The joint is flipped throughout the clip: limbs point backwards, or the character stands on its head.
    ///
    /// ## How to fix
    /// - Write the quaternions in the component order of the format.
    /// - glTF and most formats store x, y, z, w. Blender's Python and DirectX `.x` files have w first. FBX stores Euler
    ///   curves, and Ogre's XML an angle and an axis.
    ///
    /// ## References
    /// - glTF 2.0 §3.11: rotations are XYZW.
    ComponentOrder, "C532", "component-order", Warning
}

/// A rest rotation of more than a right angle is near others in either order.
const PLAIN: f32 = 0.7;

/// Cosines of half of 120°, 75° and 50°.
const FAR: f64 = 0.5;
const NEAR: f64 = 0.79;
const MEAN: f64 = 0.906;

impl Rule for ComponentOrder {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let carrying = carrying(cx.asset);
        for clip in &cx.asset.clips {
            let group = cx.clip(clip);
            for driver in clip
                .drivers()
                .filter(|driver| driver.part == TrackPart::Rotation)
            {
                let joint = cx.asset.skeleton.get(driver.joint);
                let Some(LocalTransform::Trs(rest)) = joint.map(|joint| joint.rest) else {
                    continue;
                };
                let count = driver.track.count();
                let moved = |key: usize| {
                    let &[x, y, z, w] = driver.track.value(key) else {
                        return None;
                    };
                    let to_rest = |value: Quat| {
                        value
                            .as_dquat()
                            .normalize()
                            .dot(rest.rotation.as_dquat())
                            .abs()
                    };
                    let [own, moved] = [[x, y, z, w], [y, z, w, x]]
                        .map(Quat::from_array)
                        .map(to_rest);
                    let is_plain = rest.rotation.w.abs() > PLAIN;
                    (is_plain && own < FAR && moved > NEAR).then_some(moved)
                };
                let moved: Option<Vec<f64>> = (0..count).map(moved).collect();
                let mean = |all: Vec<f64>| all.iter().sum::<f64>() / as_f64(count);
                let is_moved = moved.map(mean).is_some_and(|mean| mean > MEAN);
                if count > 2 && carrying[driver.joint.index()] && is_moved {
                    out.add(
                        Offence::of(&group, "joint").joint(driver.joint),
                        |location| {
                            let message = "its quaternions seem to be in the order w, x, y, z";
                            (cx.at_driver(location, &driver), message.to_owned())
                        },
                    );
                }
            }
        }
    }
}
