//! `C515`: cubic-degenerate.

use super::paths::diagonal;
use crate::lint::core::numbers::beside;
use crate::lint::rules::clips::cubic::{self, Curve, Run};
use crate::lint::rules::rule::declare_rule;
use crate::lint::{Context, Findings, Limit, LimitRange, Offence, Rule, RuleMeta, Subject};
use crate::pose::{model_pose, rest};
use crate::rig::{Clip, Driver, TrackPart};
use crate::units::Seconds;

/// A quarter. At a quaternion of length `l`, the joint rotates `1/l` times as fast as the curve runs, so four times. A
/// curve between keys up to 180° apart that does not bend inwards stays above 0.7.
const SHORTEST: Limit = Limit::new("length", 0.25, LimitRange::PART)
    .about("minimum length of the quaternion between two keys of length 1");

/// The distance between the keys, by the definition of the fault. On an even motion, tangents that are 20 times too
/// long reach it; per frame instead of per second, they are at least 24 times too long.
const FARTHEST: Limit = Limit::new("overshoot", 1.0, LimitRange::FROM_ZERO).about(
    "maximum deviation of a curve from its two keys, in distances between neighbouring keys",
);

declare_rule! {
    /// ## What it does
    /// Checks that cubic curves stay between their keys: no quaternion comes near 0, and no curve overshoots by more
    /// than the distance it covers.
    ///
    /// A curve is reported if the quaternion gets shorter than `length` (0.25). It is also reported if it moves away
    /// from both of its keys by more than `overshoot` (1) times the distance between them, or between the neighbouring
    /// ones if that is longer, and by enough to be seen: 2°, 0.2 % of the diagonal, or 2 % of a size. A bump between
    /// equal keys, with equal keys around them, is intended; a wave of a track whose keys are all equal is not.
    ///
    /// ## Why is this bad?
    /// A cubic rotation is a curve in four-dimensional space whose points are normalized. Near 0 they have no
    /// direction, and the joint spins round within a frame. Common causes are keys of opposite sign (`q` and `-q`) and
    /// tangents that point backwards. Tangents in the wrong unit (per frame instead of per second) make the joint swing
    /// out and back between all keys: it jitters, although each key is right.
    ///
    /// ## How to fix
    /// - Bake the curve to linear keys.
    /// - Exporters: write tangents as derivatives per second; the reader multiplies them by the span's length. Derive
    ///   them from quaternions whose signs agree with their neighbours'. In-tangents come before the value,
    ///   out-tangents after.
    /// - Blender: *Sampling Animations* writes linear keys.
    /// - Maya and 3ds Max: bake the curves on export.
    ///
    /// ## References
    /// - glTF 2.0, appendix C.5 "Cubic Spline Interpolation".
    CubicDegenerate, "C515", "cubic-degenerate", Warning, limits: [SHORTEST, FARTHEST]
}

impl Rule for CubicDegenerate {
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

/// Two degrees, or a fiftieth of a scale: less is hardly visible in motion.
const ANGLE: f64 = 2.0;
const PART: f64 = 0.02;

/// A fifth of a percent of the model: 4 mm on a person.
const MOVE: f64 = 0.002;

/// Whether an overshoot by `distance`, in the unit of the track, can be seen.
fn is_seen(cx: &Context<'_>, driver: &Driver<'_>, distance: f64) -> bool {
    match driver.part {
        // Quaternions of rotations by an angle apart are 2 sin(angle / 4) apart.
        TrackPart::Rotation => distance > 2.0 * libm::sin(ANGLE.to_radians() / 4.0),
        TrackPart::Translation => diagonal(cx).is_none_or(|size| {
            let parent = cx
                .asset
                .skeleton
                .get(driver.joint)
                .and_then(|joint| joint.parent);
            let rest = model_pose(cx.asset, &rest(cx.asset));
            let world = parent.map(|parent| rest[parent]);
            let scale = world.map_or(1.0, |world| world.x_axis.truncate().length());
            distance * f64::from(scale) > MOVE * size
        }),
        _ => distance > PART,
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
    let subject = |subject: Subject| subject.of_driver(driver).at(Seconds(curve.start));
    let group = cx.clip(clip);
    let Run {
        shortest: length,
        overshoot,
        farthest: distance,
    } = curve.run();
    if length < shortest {
        out.add(Offence::below(&group, "span", length, shortest), |group| {
            let length = beside(length, shortest, 2);
            let message = format!("the quaternion shrinks to {length} on the way to the next key");
            (subject(group), message)
        });
    } else if overshoot > farthest && is_seen(cx, driver, distance) {
        if overshoot.is_infinite() {
            out.add(Offence::of(&group, "span"), |group| {
                let message = "overshoots between equal keys of a track that is still";
                (subject(group), message.to_owned())
            });
            return;
        }
        let offence = Offence::above(&group, "span", overshoot, farthest);
        out.add(offence, |group| {
            let overshoot = beside(overshoot, farthest, 1);
            let message = format!("overshoots by {overshoot}× the distance to the next key");
            (subject(group), message)
        });
    }
}
