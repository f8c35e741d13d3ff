//! `B211`: foreign-mesh-unit.

use glam::DVec3;

use crate::analysis::joints::{self, Centres, bind_position};
use crate::core::numbers;
use crate::core::numbers::as_f64;
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// Surfaces lie around their joints, at a factor of 1; capes and props reach to 3. Metres, centimetres and inches differ by
/// 25 and more.
const TIMES: Limit = Limit::new("times", 8.0, LimitRange::FROM_ZERO)
    .about("minimum ratio between the extents of a mesh and of its joints");

/// Fewer joints have no shape that could be compared.
const FEWEST: usize = 3;

/// The least correlation between the positions of joints and the centres of the vertices that follow them: the mesh has
/// the skeleton's shape.
const ALIKE: f64 = 0.8;

declare_rule! {
    ForeignMeshUnit, "B211", "foreign-mesh-unit", Hint, Judged, limits = &[TIMES]
}

impl Rule for ForeignMeshUnit {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &TIMES);
        for (id, skin) in joints::skins(cx.asset) {
            let centres = &cx.get::<Centres>().0[id.index()];
            let slots = skin.inverse_bind_matrices.iter().zip(centres);
            let pairs: Vec<(DVec3, DVec3)> = slots
                .filter_map(|(bind, centre)| Some((bind_position(bind)?, (*centre)?)))
                .collect();
            let Some(ratio) = ratio(&pairs) else { continue };
            let times = ratio.max(1.0 / ratio);
            if times <= limit {
                continue;
            }
            let group = joints::skin_location(cx, id);
            out.add(Offence::above(&group, "skin", times, limit), |subject| {
                let how = if ratio > 1.0 { "large" } else { "small" };
                let message = format!(
                    "the mesh is {} as {how} as its skeleton: another unit of length?",
                    numbers::times(times)
                );
                (subject, message)
            });
        }
    }
}

/// The factor from the joints to the centres of the vertices that follow them; `None` if the shapes differ.
fn ratio(pairs: &[(DVec3, DVec3)]) -> Option<f64> {
    if pairs.len() < FEWEST {
        return None;
    }
    let count = as_f64(pairs.len());
    let sum = |(a, b): (DVec3, DVec3), (joint, centre): &(DVec3, DVec3)| (a + *joint, b + *centre);
    let (joints, centres) = pairs.iter().fold((DVec3::ZERO, DVec3::ZERO), sum);
    let (joints, centres) = (joints / count, centres / count);
    let (mut own, mut theirs, mut both) = (0.0, 0.0, 0.0);
    for (joint, centre) in pairs {
        let (joint, centre) = (*joint - joints, *centre - centres);
        own += joint.length_squared();
        theirs += centre.length_squared();
        both += joint.dot(centre);
    }
    let ratio = (theirs / own).sqrt();
    let alike = both / (own * theirs).sqrt();
    (alike > ALIKE && ratio.is_finite() && ratio > 0.0).then_some(ratio)
}
