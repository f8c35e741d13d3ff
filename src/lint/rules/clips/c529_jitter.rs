//! `C529`: jitter.

use glam::DVec3;

use super::keys::{Dense, dense, halfway};
use crate::lint::core::counted::as_f64;
use crate::lint::core::numbers::beside;
use crate::lint::rules::rule::{Follows, Through, declare_rule};
use crate::lint::{Context, Findings, Limit, LimitRange, Offence, Rule};
use crate::rig::rotation_angle;

/// 2.5° are 3 cm at the end of a leg, 30 times a second.
const DEGREES: Limit = Limit::new("degrees", 2.5, LimitRange::DEGREES).about(
    "minimum distance of a key from the middle of its neighbours that counts as jitter, in degrees",
);

/// More than half, so that single pops and the start of a motion do not count.
const PART: f64 = 0.6;

declare_rule! {
    /// ## What it does
    /// Looks for rotation tracks that jitter: most keys are more than `degrees` (2.5) off the middle of their two
    /// neighbours, alternately to one side and the other.
    ///
    /// Only tracks with at least ten keys, one on nearly every frame, are checked.
    ///
    /// ## Why is this bad?
    /// The limb shakes at half the frame rate. Common causes are raw motion capture, an IK solver that alternates
    /// between two results, and quaternions of few bits.
    ///
    /// ## How to fix
    /// - Smooth the track.
    /// - Blender: *Key → Smooth*, or a low-pass filter on the imported capture; MotionBuilder: *Butterworth*; Maya:
    ///   *Curves → Smooth*.
    /// - Exporters: do not mix keys of two sources, and quantize rotations to 16 bits.
    /// - If the shaking is intended (for example an engine or a drill): raise `degrees`.
    ///
    /// ## References
    /// - D. A. Winter, "Biomechanics and Motor Control of Human Movement", §3.4, on noise in kinematic data.
    Jitter, "C529", "jitter", Warning, limits: [DEGREES]
}

impl Rule for Jitter {
    fn follows_from(&self) -> &'static [Follows] {
        &const { Through::Clips.each(["C532"]) }
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &DEGREES);
        for clip in &cx.asset.clips {
            let group = cx.clip(clip);
            for track in dense(cx, clip) {
                let Some(degrees) = jitter(&track, limit) else {
                    continue;
                };
                let offence = Offence::above(&group, "joint", degrees, limit);
                out.add(offence.joint(track.joint), |location| {
                    let degrees = beside(degrees, limit, 1);
                    let message = format!("jitters by {degrees}° from key to key");
                    (cx.at_joint(location, track.joint), message)
                });
            }
        }
    }
}

/// The median distance of keys from the middle of their neighbours, if most of them are off, alternately to one side and
/// the other.
fn jitter(track: &Dense<'_>, limit: f64) -> Option<f64> {
    let off = |keys: &[crate::rig::Key<glam::Quat>]| {
        let middle = halfway(keys[0].value, keys[2].value);
        let mut rotation = middle.conjugate() * keys[1].value.as_dquat();
        if rotation.w < 0.0 {
            rotation = -rotation;
        }
        rotation.xyz().normalize_or_zero() * rotation_angle(rotation)
    };
    let off: Vec<DVec3> = track.keys.windows(3).map(off).collect();
    let degrees = |off: &DVec3| off.length().to_degrees();
    let alternates = |pair: &&[DVec3]| {
        let [a, b] = [pair[0], pair[1]];
        let is_far = degrees(&a).min(degrees(&b)) > limit;
        is_far && a.dot(b) < -0.5 * a.length() * b.length()
    };
    let alternations = off.windows(2).filter(alternates).count();
    let mut sizes: Vec<f64> = off.iter().map(degrees).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    (as_f64(alternations) > PART * as_f64(off.len())).then(|| sizes[sizes.len() / 2])
}
