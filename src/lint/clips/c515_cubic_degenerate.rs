//! `C515`: cubic-degenerate.

use super::cubic::{self, Curve, Run};
use crate::lint::numbers::beside;
use crate::lint::rule::declare_rule;
use crate::lint::{Context, Findings, Limit, LimitRange, Offence, Rule, RuleMeta};
use crate::rig::{Clip, Driver};
use crate::units::Seconds;

/// A quarter. Through a quaternion of length `l` the joint turns `1/l` times as fast as the curve runs, so four times. A
/// curve between keys up to 180° apart that does not bend inwards stays above 0.7.
const SHORTEST: Limit = Limit {
    key: "length",
    default: 0.25,
    range: LimitRange::PART,
    about: "how short the quaternion may get between two keys of length 1",
};

/// Once the way, by the definition of the fault. On an even motion tangents reach there that are 20 times too long: per
/// frame instead of per second they are 24 times, or more.
const FARTHEST: Limit = Limit {
    key: "overshoot",
    default: 1.0,
    range: LimitRange::FROM_ZERO,
    about: "how far a curve may run off its two keys, in distances between neighbouring keys",
};

declare_rule! {
    /// ## What it does
    /// Checks that cubic curves run from key to key: that no quaternion passes near 0 on the way, and that no curve runs off by
    /// more than the way itself.
    ///
    /// ## Why is this bad?
    /// A cubic rotation is a curve through four-dimensional space whose points are brought to length 1. Near 0 they have no
    /// direction, and the joint whirls round within a frame. Keys on opposite sides (`q` and `-q`) or tangents that point
    /// backwards do that. Tangents of the wrong unit (per frame and not per second) make the joint swing out and back between
    /// all keys: it trembles, though each key is right.
    ///
    /// ## How to fix
    /// - Exporters: tangents are derivatives per second, and the reader multiplies them with the span's length; derive them from
    ///   quaternions whose signs agree with their neighbours'. In-tangents come before the value, out-tangents after.
    /// - Blender: export with *Sampling Animations*, which writes linear keys.
    /// - Maya and 3ds Max: bake the curves on export.
    ///
    /// Fires if the quaternion gets shorter than `length` (0.25), or if the curve goes farther from both of its keys than
    /// `overshoot` (1) times the distance between them, or between the neighbouring ones if that is longer. A curve between equal
    /// keys among equal keys is a bump that somebody meant.
    ///
    /// ## References
    /// - glTF 2.0, appendix C.5 "Cubic Spline Interpolation".
    CubicDegenerate, "C515", "cubic-degenerate", Warning, limits: [SHORTEST, FARTHEST]
}

impl Rule for CubicDegenerate {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for clip in &cx.asset.clips {
            for driver in clip.drivers() {
                for curve in cubic::curves(&driver) {
                    judge(cx, clip, &driver, &curve, out);
                }
            }
        }
    }
}

fn judge(
    cx: &Context<'_>,
    clip: &Clip,
    driver: &Driver<'_>,
    curve: &Curve<'_>,
    out: &mut Findings,
) {
    const META: &RuleMeta = &CubicDegenerate::META;
    let (shortest, farthest) = (cx.limit(META, &SHORTEST), cx.limit(META, &FARTHEST));
    let place = |place| cx.at_driver(place, driver).at(Seconds(curve.start));
    let group = cx.clip(clip);
    let Run {
        shortest: length,
        overshoot,
    } = curve.run();
    if length < shortest {
        out.add(Offence::below(&group, "span", length, shortest), |group| {
            let length = beside(length, shortest, 2);
            let message = format!("the quaternion shrinks to {length} on the way to the next key");
            (place(group), message)
        });
    } else if overshoot > farthest {
        out.add(
            Offence::above(&group, "span", overshoot, farthest),
            |group| {
                let overshoot = beside(overshoot, farthest, 1);
                let message = format!("runs off by {overshoot}× the way to the next key");
                (place(group), message)
            },
        );
    }
}
