//! `B204`: reflecting-inverse-bind.

use super::spread;
use crate::analysis::joints;
use crate::pose::{model_pose, rest};
use crate::rig::SkinId;
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    ReflectingInverseBind, "B204", "reflecting-inverse-bind", Warning, Proved
}

/// Below this, the sign of the determinant is rounding, and B201 reports the matrix.
const LEAST_CONDITION: f64 = 1e-6;

impl Rule for ReflectingInverseBind {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let at_rest = model_pose(cx.asset, &rest(cx.asset));
        for (id, skin) in cx.asset.skins.iter().enumerate() {
            let skin_location = joints::skin_location(cx, SkinId::from_index(id));
            for (joint, matrix) in skin.joints.iter().zip(&skin.inverse_bind_matrices) {
                let linear = spread::linear(matrix);
                let condition = spread::reciprocal_condition(&linear);
                if condition.is_nan() || condition < LEAST_CONDITION || linear.determinant() > 0.0 {
                    continue;
                }
                // The joint may mirror it back, as a limb does that was made by mirroring the other.
                let is_restored = spread::linear(&at_rest[*joint]).determinant() < 0.0;
                let offence = Offence::of(&skin_location, "joint").hint_if(is_restored);
                out.add(offence, |subject| {
                    let message = "the inverse bind matrix mirrors space".to_owned();
                    (subject.joint_id(*joint), message)
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::{Mat4, Vec3};

    use super::*;
    use crate::finding::Level;
    use crate::rig::{Asset, LocalTransform, Skeleton, Trs};
    use crate::testing::{arm, findings};

    #[test]
    fn a_mirror_that_the_joint_undoes_may_be_meant() {
        let mirror = Mat4::from_scale(Vec3::new(-1.0, 1.0, 1.0));
        let level = |asset: &Asset| findings(asset, &ReflectingInverseBind)[0].level;
        let mut asset = arm();
        let bind = &mut asset.skins[0].inverse_bind_matrices[0];
        *bind = mirror * *bind;
        assert_eq!(level(&asset), Level::Warning);
        let mut nodes = asset.skeleton.nodes().to_vec();
        nodes[0].rest = LocalTransform::Trs(Trs {
            scale: Vec3::new(-1.0, 1.0, 1.0),
            ..nodes[0].rest.to_trs()
        });
        asset.skeleton = Skeleton::new(nodes).expect("the parents are as before");
        assert_eq!(level(&asset), Level::Hint);
    }
}
