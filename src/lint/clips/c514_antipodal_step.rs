//! `C514`: antipodal-step.

use super::rotations::{Turn, turns};
use crate::lint::numbers::beside;
use crate::lint::rule::declare_rule;
use crate::lint::{Context, Findings, Limit, LimitRange, Offence, Rule, RuleMeta};
use crate::rig::{Span, TrackPart};

/// `2 asin(4/254)`: keys that are so near to half a turn apart may fall on either side of it when they are stored in signed
/// 8-bit integers, the coarsest that glTF 2.0 §3.11 allows. Each component is off by at most 1/254, a key by 2/254, and the
/// dot product of two keys by 4/254; half of what is missing from half a turn has that sine.
const MARGIN: Limit = Limit {
    key: "degrees",
    default: 1.8,
    range: LimitRange::DEGREES,
    about: "how near to 180° apart neighbouring keys may not be, in degrees",
};

/// In seconds. Keys nearer to each other than at 1 kHz are a cut: no frame falls in between, and no way is seen.
const CUT: f64 = 1e-3;

declare_rule! {
    /// ## What it does
    /// Checks that neighbouring linear rotation keys are not half a turn apart.
    ///
    /// ## Why is this bad?
    /// Half a turn can be made either way round, and both are as long. Which one is taken depends on the last bit of the keys,
    /// so the limb goes one way in one engine and the other way in the next, or after compression; through the body as likely
    /// as not.
    ///
    /// ## How to fix
    /// - Add a key between the two, so that each step is well below 180°; a full turn of a wheel needs at least three steps.
    /// - Blender, Maya, 3ds Max: Euler curves may turn by any angle, quaternions may not: bake to keys on each frame on export.
    /// - Exporters: where the source turns by 180° or more between two keys, sample it in between.
    ///
    /// Keys count that are within `degrees` (1.8) of half a turn: what rounding to 8 bits can tip over. Steps do not turn, and
    /// keys within a millisecond are a cut.
    ///
    /// ## References
    /// - glTF 2.0, appendix C.4: linear rotations are interpolated along the shorter great arc.
    /// - K. Shoemake, "Animating Rotation with Quaternion Curves", SIGGRAPH 1985.
    AntipodalStep, "C514", "antipodal-step", Warning, limits: [MARGIN]
}

impl Rule for AntipodalStep {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let margin = cx.limit(&Self::META, &MARGIN);
        for clip in &cx.asset.clips {
            let group = cx.clip(clip);
            let linear = turns(clip).filter(|turn| *turn.span == Span::Linear);
            for turn in linear.filter(|turn| turn.seconds > CUT) {
                let missing = missing_degrees(&turn);
                if missing > margin {
                    continue;
                }
                out.add(Offence::below(&group, "step", missing, margin), |place| {
                    let place = cx.at_joint(place, turn.joint).at(turn.time);
                    let angle = beside(180.0 - missing, 180.0 - margin, 1);
                    let message = format!(
                        "the next key is {angle}° away, within {margin}° of half a turn: it may be turned to either way"
                    );
                    (place.part(TrackPart::Rotation.name()), message)
                });
            }
        }
    }
}

/// What the angle between the two rotations, by the shorter way, is short of half a turn. By the arc sine, which there is
/// accurate where the arc cosine is not.
fn missing_degrees(turn: &Turn<'_>) -> f64 {
    let missing = 2.0 * libm::asin(turn.dot.abs().min(1.0));
    missing.to_degrees()
}
