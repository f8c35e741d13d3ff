//! `C513`: quaternion-flip.

use super::rotations::{ROUNDING, turns};
use crate::lint::rule::declare_rule;
use crate::lint::{Context, Findings, Offence, Rule, RuleMeta};
use crate::rig::{Span, TrackPart};

declare_rule! {
    /// ## What it does
    /// Tells of neighbouring rotation keys on opposite sides: the dot product of the two quaternions is negative.
    ///
    /// ## Why is this bad?
    /// `q` and `-q` are the same rotation, and a sampler that takes the shorter way shows no difference. One that does not (a
    /// plain slerp or nlerp, many a shader, a blend of two clips component by component) turns the joint the long way round: a
    /// limb whirls through a whole turn between two keys. On a cubic curve the flip is taken at its word by everyone.
    ///
    /// Keys half a turn apart, where either sign is as good, are C514's; steps do not turn.
    ///
    /// ## How to fix
    /// - Blender: *Discontinuity (Euler) Filter* for Euler curves; for quaternion curves, negate the keys after the flip (all
    ///   four channels), or bake the action anew.
    /// - Maya: *Curves → Euler Filter*, then export.
    /// - Exporters: negate each key whose dot product with the one before is negative, and its tangents with it.
    /// - Code: negate one of the two before interpolating if their dot product is negative.
    ///
    /// ## References
    /// - glTF 2.0, appendix C.4: slerp takes the shorter way, by the sign of the dot product.
    /// - K. Shoemake, "Animating Rotation with Quaternion Curves", SIGGRAPH 1985.
    QuaternionFlip, "C513", "quaternion-flip", Info
}

impl Rule for QuaternionFlip {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for clip in &cx.asset.clips {
            let group = cx.clip(clip);
            for turn in turns(clip) {
                if turn.dot >= -ROUNDING || *turn.span == Span::Step {
                    continue;
                }
                out.add(Offence::of(&group, "key"), |place| {
                    let place = cx.at_joint(place, turn.joint).at(turn.time);
                    let message = "the next key is on the quaternion's other side";
                    (place.part(TrackPart::Rotation.name()), message.to_owned())
                });
            }
        }
    }
}
