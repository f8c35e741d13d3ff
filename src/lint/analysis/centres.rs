//! The centre of the surface that follows each joint.

use glam::{DVec3, Mat4};

use crate::lint::analysis::uses;
use crate::lint::core::context::{Analysis, Context};

/// For each skin and slot, the weighted centre of its vertices in the bind pose, in mesh space; `None` if the slot has no
/// weight or the centre is not finite.
pub(in crate::lint) struct Centres(pub(in crate::lint) Vec<Vec<Option<DVec3>>>);

impl Analysis for Centres {
    fn of(cx: &Context<'_>) -> Self {
        let skins = cx.asset.skins.iter();
        let mut sums: Vec<Vec<(DVec3, f64)>> = skins
            .map(|skin| vec![(DVec3::ZERO, 0.0); skin.joints.len()])
            .collect();
        for user in uses::skinned(cx.asset) {
            let sums = &mut sums[user.skin_id.index()];
            for (position, influences) in
                user.mesh.positions.iter().zip(user.mesh.influences.iter())
            {
                let position = position.as_dvec3();
                for influence in influences {
                    let (sum, total) = &mut sums[influence.joint.index()];
                    let weight = f64::from(influence.weight);
                    *sum += weight * position;
                    *total += weight;
                }
            }
        }
        // A joint without weight divides 0 by 0.
        let centre =
            |(sum, total): (DVec3, f64)| Some(sum / total).filter(|centre| centre.is_finite());
        let of_skin = |sums: Vec<(DVec3, f64)>| sums.into_iter().map(centre).collect();
        Self(sums.into_iter().map(of_skin).collect())
    }
}

/// The position at which a joint is bound, in mesh space; `None` if its inverse bind matrix has no inverse.
pub(in crate::lint) fn bind_position(inverse_bind: &Mat4) -> Option<DVec3> {
    let position = inverse_bind.as_dmat4().inverse().w_axis.truncate();
    position.is_finite().then_some(position)
}
