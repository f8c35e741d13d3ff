//! `B201`: singular-inverse-bind.

use glam::Mat4;

use super::spread;
use crate::analysis::joints;
use crate::finding::Finding;
use crate::rig::{Asset, SkinId};
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// `1 / (‖A‖ ‖A⁻¹‖)` in Frobenius' norm, 1/3 for a rotation with uniform scale. By Eckart and Young, a matrix below
/// 2^-24 = 6e-8 may be a singular one rounded to f32; an inverse bind matrix is the product of a dozen or so.
const RECIPROCAL_CONDITION: Limit = Limit::new("reciprocal_condition", 1e-6, LimitRange::PART)
    .about("minimum reciprocal condition number of an invertible matrix");

declare_rule! {
    SingularInverseBind, "B201", "singular-inverse-bind", Error, Proved, limits = &[RECIPROCAL_CONDITION]
}

impl Rule for SingularInverseBind {
    /// Joints without a usable matrix are bound where their skin's mesh is.
    fn mended(&self, cx: &Context<'_>, _: &Finding) -> Option<Asset> {
        let limit = cx.limit(&Self::META, &RECIPROCAL_CONDITION);
        let mut asset = cx.asset.clone();
        let matrices = asset.skins.iter_mut();
        for matrix in matrices.flat_map(|skin| &mut skin.inverse_bind_matrices) {
            let condition = spread::reciprocal_condition(&spread::linear(matrix));
            if !(condition >= limit && matrix.is_finite()) {
                *matrix = Mat4::IDENTITY;
            }
        }
        Some(asset)
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &RECIPROCAL_CONDITION);
        for (id, skin) in cx.asset.skins.iter().enumerate() {
            let skin_location = joints::skin_location(cx, SkinId::from_index(id));
            for (joint, matrix) in skin.joints.iter().zip(&skin.inverse_bind_matrices) {
                let condition = spread::reciprocal_condition(&spread::linear(matrix));
                let finite = matrix.is_finite();
                if condition >= limit && finite {
                    continue;
                }
                // A zero matrix has no condition number.
                let condition = if condition.is_nan() { 0.0 } else { condition };
                let shown = if condition == 0.0 {
                    "0".to_owned()
                } else {
                    format!("{condition:.1e}")
                };
                let offence = Offence::below(&skin_location, "joint", condition, limit);
                out.add(offence, |subject| {
                    let message = if finite {
                        format!("the inverse bind matrix has no inverse: reciprocal condition {shown}, limit {limit:.0e}")
                    } else {
                        "the inverse bind matrix has no inverse: it is not finite".to_owned()
                    };
                    (subject.joint_id(*joint), message)
                });
            }
        }
    }
}
