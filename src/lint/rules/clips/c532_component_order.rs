//! `C532`: component-order.

use glam::Quat;

use crate::lint::analysis::joints;
use crate::lint::rules::rule::declare_rule;
use crate::lint::{Context, Findings, Offence, Rule};
use crate::rig::{LocalTransform, TrackPart};

declare_rule! {
    /// ## What it does
    /// Looks for rotation tracks whose quaternions are in the order w, x, y, z: every key is more than 120° from the rest
    /// rotation as it stands, and less than 75° with its numbers moved by one.
    ///
    /// ## Why is this bad?
    /// The joint is turned over throughout the clip: limbs point backwards, or the character stands on its head.
    ///
    /// ## How to fix
    /// - Exporters: glTF, FBX and most formats store x, y, z, w; Blender's Python and Ogre's XML have w first. Reorder them.
    ///
    /// ## References
    /// - glTF 2.0 §3.11: rotations are XYZW.
    ComponentOrder, "C532", "component-order", Warning
}

/// Cosines of half of 120° and of 75°.
const FAR: f32 = 0.5;
const NEAR: f32 = 0.79;

impl Rule for ComponentOrder {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let skeletal = joints::skeletal(cx.asset);
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
                let is_swapped = |key: usize| {
                    let &[x, y, z, w] = driver.track.value(key) else {
                        return false;
                    };
                    let to_rest = |value: Quat| value.normalize().dot(rest.rotation).abs();
                    let [own, moved] = [[x, y, z, w], [y, z, w, x]]
                        .map(Quat::from_array)
                        .map(to_rest);
                    own < FAR && moved > NEAR
                };
                let count = driver.track.count();
                if count > 1 && skeletal[driver.joint.index()] && (0..count).all(is_swapped) {
                    out.add(Offence::of(&group, "joint"), |place| {
                        let message = "its quaternions seem to be in the order w, x, y, z";
                        (cx.at_driver(place, &driver), message.to_owned())
                    });
                }
            }
        }
    }
}
