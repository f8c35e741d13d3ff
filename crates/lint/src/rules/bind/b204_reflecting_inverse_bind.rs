//! `B204`: reflecting-inverse-bind.

use super::spread;
use crate::analysis::joints;
use crate::rig::SkinId;
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    ReflectingInverseBind, "B204", "reflecting-inverse-bind", Warning
}

/// Below this, the sign of the determinant is rounding, and B201 reports the matrix.
const LEAST_CONDITION: f64 = 1e-6;

impl Rule for ReflectingInverseBind {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for (id, skin) in cx.asset.skins.iter().enumerate() {
            let skin_location = joints::skin_location(cx, SkinId::from_index(id));
            for (joint, matrix) in skin.joints.iter().zip(&skin.inverse_bind_matrices) {
                let linear = spread::linear(matrix);
                let condition = spread::reciprocal_condition(&linear);
                if condition.is_nan() || condition < LEAST_CONDITION || linear.determinant() > 0.0 {
                    continue;
                }
                out.add(Offence::of(&skin_location, "joint"), |subject| {
                    let message = "the inverse bind matrix mirrors space".to_owned();
                    (subject.joint_id(*joint), message)
                });
            }
        }
    }
}
