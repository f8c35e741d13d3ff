//! `C514`: antipodal-step.

use super::keys::{KeyPair, key_pairs};
use crate::core::numbers::beside;
use crate::rig::Span;
use crate::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Through, declare_rule, follows,
};

/// `2 asin(4/254)`: keys this close to 180° apart may fall on either side of it when stored as signed 8-bit integers,
/// the coarsest type in glTF 2.0 §3.11. Each component is off by at most 1/254, a key by 2/254, and the dot product of
/// two keys by 4/254, which is the sine of half the angle short of 180°.
const MARGIN: Limit = Limit::new("degrees", 1.8, LimitRange::DEGREES)
    .about("how close to 180° apart neighbouring keys may be, in degrees");

/// In seconds. Keys closer than at 1 kHz are a cut: no frame falls in between, and no motion is seen.
const CUT: f64 = 1e-3;

declare_rule! {
    AntipodalStep, "C514", "antipodal-step", Hint, Judged, limits = &[MARGIN]
}

impl Rule for AntipodalStep {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Steps => ["C538"]]
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
                    let subject = subject.channel_id(pair.channel()).at(pair.time);
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
