//! `C514`: antipodal-step.

use super::keys::{KeyPair, components, key_pairs};
use crate::lint::core::numbers::beside;
use crate::lint::{
    Context, Curve, Findings, Follows, Limit, LimitRange, Offence, Rule, Through, declare_rule,
    follows,
};
use crate::rig::{Clip, NodeId, Span};

/// `2 asin(4/254)`: keys this close to 180° apart may fall on either side of it when stored as signed 8-bit integers,
/// the coarsest type in glTF 2.0 §3.11. Each component is off by at most 1/254, a key by 2/254, and the dot product of
/// two keys by 4/254, which is the sine of half the angle short of 180°.
const MARGIN: Limit = Limit::new("degrees", 1.8, LimitRange::DEGREES)
    .about("how close to 180° apart neighbouring keys may be, in degrees");

/// In seconds. Keys closer than at 1 kHz are a cut: no frame falls in between, and no motion is seen.
const CUT: f64 = 1e-3;

declare_rule! {
    /// ## What it does
    /// Checks that neighbouring linear rotation keys are not half a turn apart.
    ///
    /// Keys within `degrees` (1.8) of half a turn count, because rounding to 8 bits can tip them over. Stepped keys do
    /// not count, and neither do keys within a millisecond of each other, which are a cut.
    ///
    /// ## Why is this bad?
    /// Half a turn can go either way, and both ways are equally long. Rounding of the keys decides, so the limb goes
    /// one way in one engine and the other way in the next, or after compression, possibly through the body.
    ///
    /// ## How to fix
    /// - Add a key between the two, so that each step is well below 180°. A full turn of a wheel needs at least three
    ///   steps.
    /// - Blender, Maya, 3ds Max: Euler curves may rotate by any angle; quaternions may not. On export, bake to keys on
    ///   each frame.
    /// - Exporters: where the source rotates by 180° or more between two keys, sample it in between.
    ///
    /// ## References
    /// - glTF 2.0, appendix C.4: linear rotations are interpolated along the shorter great arc.
    /// - K. Shoemake, "Animating Rotation with Quaternion Curves", SIGGRAPH 1985.
    AntipodalStep, "C514", "antipodal-step", Warning, limits: [MARGIN]
}

impl Rule for AntipodalStep {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Clips => ["C532"], Through::Steps => ["C538"]]
    }

    fn curve(&self, _: &Context<'_>, clip: &Clip, joint: NodeId) -> Option<Curve> {
        components(clip, joint)
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let margin = cx.limit(&Self::META, &MARGIN);
        for clip in &cx.asset.clips {
            let group = cx.clip(clip);
            let linear = key_pairs(clip).filter(|pair| *pair.span == Span::Linear);
            for pair in linear.filter(|pair| pair.seconds > CUT) {
                let missing = missing_degrees(&pair);
                if missing > margin {
                    continue;
                }
                let offence = Offence::below(&group, "step", missing, margin);
                out.add(offence.joint(pair.joint).at(pair.time), |subject| {
                    let subject = subject.of_channel(pair.channel()).at(pair.time);
                    let angle = beside(180.0 - missing, 180.0 - margin, 1);
                    let message = format!(
                        "the next key is {angle}° away, within {margin}° of half a turn: both directions are equally short"
                    );
                    (subject, message)
                });
            }
        }
    }
}

/// How much the angle between the two rotations, along the shorter arc, is short of 180°. The arc sine is accurate
/// there; the arc cosine is not.
fn missing_degrees(pair: &KeyPair<'_>) -> f64 {
    let missing = 2.0 * libm::asin(pair.dot.abs().min(1.0));
    missing.to_degrees()
}
