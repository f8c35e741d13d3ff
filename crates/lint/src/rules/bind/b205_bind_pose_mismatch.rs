//! `B205`: bind-pose-mismatch.

use glam::DMat4;

use crate::analysis::joints;
use crate::core::numbers::{diagonals, diagonals_beside, significant};
use crate::rules::bind::frame::{Compared, Culprit, Resting};
use crate::rules::bind::spread::{self, Spread};
use crate::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Through, declare_rule, follows,
};

/// Relative to the diagonal, beyond what f32 rounding of a chain of joints explains. It is what shows as a crack where
/// only some vertices move (D606), and 1.8 mm on a person. Text files with six digits are off by 1e-6 per joint of a
/// chain, and so by at most a tenth of this.
const DISPLACEMENT: Limit = Limit::new("displacement", 0.001, LimitRange::FROM_ZERO)
    .about("displacement of a vertex, in diagonals");

declare_rule! {
    BindPoseMismatch, "B205", "bind-pose-mismatch", Hint, Judged, limits = &[DISPLACEMENT]
}

impl Rule for BindPoseMismatch {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Mended => ["B209"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &DISPLACEMENT);
        let worlds = spread::rest_worlds(cx.asset);
        for users in joints::skinned_by_skin(cx.asset) {
            let Some(first) = users.first() else { continue };
            let (id, skin) = (first.skin_id, first.skin);
            let slots = skin.joints.iter().zip(&skin.inverse_bind_matrices);
            let factors = slots.map(|(joint, inverse_bind)| {
                let factors = [worlds[joint.index()], inverse_bind.as_dmat4()];
                (factors[0] * factors[1]).is_finite().then_some(factors)
            });
            let factors: Vec<Option<[DMat4; 2]>> = factors.collect();
            let Some(worst) = spread::spread(cx, &users, &factors, limit) else {
                continue;
            };
            let group = joints::skin_location(cx, id);
            if worst.count == 0 {
                worst.measure(limit, &group, out);
                continue;
            }
            let usable: Vec<bool> = factors.iter().map(Option::is_some).collect();
            let resting = Resting::of(cx.asset, &users, &usable, &worlds, worst.allowed);
            let culprit = match resting.as_ref().map(Resting::culprit) {
                Some(Culprit::Joint(joint)) => Some(joint),
                None | Some(Culprit::Unknown) => None,
                Some(Culprit::Replaced) => continue,
            };
            worst.measure(limit, &group, out);
            let offence = Offence::above(&group, worst.counted, worst.distance, limit);
            out.add_many(offence, worst.count, |subject| match culprit {
                Some(own) => (subject.joint_id(own.joint), blame(own, &worst, limit)),
                None => (worst.at_worst(cx, subject), message(&worst, limit)),
            });
        }
    }
}

/// Such as `rests 30° off its bind pose`.
fn blame(culprit: &Compared, worst: &Spread<'_>, limit: f64) -> String {
    let distance = culprit.distance / worst.diagonal;
    let rotated = format!("{}°", significant(culprit.degrees, 3));
    let moved = diagonals(distance, 2);
    let how = match (culprit.degrees >= 1.0, distance > limit) {
        (true, true) => format!("{rotated} and {moved}"),
        (false, true) => moved,
        (_, false) => rotated,
    };
    format!("rests {how} off its bind pose")
}

fn message(worst: &Spread<'_>, limit: f64) -> String {
    let [distance, limit] = diagonals_beside(worst.distance, limit, 2);
    format!(
        "the rest pose is not the bind pose: it moves the vertex by {distance}, limit {limit} %"
    )
}
