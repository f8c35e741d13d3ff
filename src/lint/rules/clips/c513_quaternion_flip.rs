//! `C513`: quaternion-flip.

use super::keys::{ROUNDING, components, key_pairs};
use crate::lint::{Context, Curve, Findings, Offence, Rule, declare_rule};
use crate::rig::{Clip, NodeId, Span};

declare_rule! {
    /// ## What it does
    /// Reports neighbouring rotation keys of opposite sign: the dot product of the two quaternions is negative.
    ///
    /// `C514` reports keys half a turn apart, where either sign is equally good. Stepped keys are skipped.
    ///
    /// ## Why is this bad?
    /// `q` and `-q` are the same rotation, and a sampler that takes the shorter arc shows no difference. Others (a
    /// plain slerp or nlerp, many shaders, a component-wise blend of two clips) take the long arc: a limb spins through
    /// a whole turn between two keys. On a cubic curve, every sampler takes the long arc.
    ///
    /// ## How to fix
    /// - Negate the quaternions after the flip.
    /// - Blender: *Discontinuity (Euler) Filter* for Euler curves. For quaternion curves, negate the keys after the
    ///   flip (all four channels), or bake the action again.
    /// - Maya: *Curves → Euler Filter*, then export.
    /// - Exporters: if the dot product of a key with the previous one is negative, negate the key and its tangents.
    /// - Code: negate one of two keys before interpolating if their dot product is negative.
    ///
    /// ## References
    /// - glTF 2.0, appendix C.4: slerp takes the shorter arc, by the sign of the dot product.
    /// - K. Shoemake, "Animating Rotation with Quaternion Curves", SIGGRAPH 1985.
    QuaternionFlip, "C513", "quaternion-flip", Info
}

impl Rule for QuaternionFlip {
    fn curve(&self, _: &Context<'_>, clip: &Clip, joint: NodeId) -> Option<Curve> {
        components(clip, joint)
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for clip in &cx.asset.clips {
            let group = cx.clip(clip);
            for pair in key_pairs(clip) {
                if pair.dot >= -ROUNDING || *pair.span == Span::Step {
                    continue;
                }
                let offence = Offence::of(&group, "key");
                out.add(offence.joint(pair.joint).at(pair.time), |subject| {
                    let subject = subject.of_channel(pair.channel()).at(pair.time);
                    (subject, "the next key has the opposite sign".to_owned())
                });
            }
        }
    }
}
