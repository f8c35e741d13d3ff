//! `B211`: foreign-mesh-unit.

use glam::DVec3;

use crate::analysis::joints::{self, Centres, bind_position};
use crate::analysis::mending;
use crate::core::numbers;
use crate::core::numbers::as_f64;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::finding::Finding;
use crate::rig::{Asset, Skin, SkinId};
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

const SIZE: Gauge =
    Gauge::new("size of the mesh against its skeleton", ReadingUnit::Times).ideally(1.0);

declare_rule! {
    ForeignMeshUnit, "B211", "foreign-mesh-unit", Hint, Judged, limits = &[TIMES]
}

impl Rule for ForeignMeshUnit {
    fn mended(&self, cx: &Context<'_>, finding: &Finding) -> Option<Asset> {
        let ids = finding.location.ids;
        let of_instance = || cx.asset[ids.instance?].skin;
        let id = ids.skin.or_else(of_instance)?;
        let factor = 1.0 / ratio(&pairs(cx, id, &cx.asset[id]))?;
        Some(mending::with_meshes(cx.asset, id, |mesh| {
            for position in &mut mesh.positions {
                *position = (factor * position.as_dvec3()).as_vec3();
            }
        }))
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &TIMES);
        for (id, skin) in joints::skins(cx.asset) {
            let Some(ratio) = ratio(&pairs(cx, id, skin)) else {
                continue;
            };
            let times = ratio.max(1.0 / ratio);
            let group = joints::skin_location(cx, id);
            out.measure(SIZE, [times, limit], || group.clone());
            if times <= limit {
                continue;
            }
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

/// Where each joint is bound, and the centre of the vertices that follow it.
fn pairs(cx: &Context<'_>, id: SkinId, skin: &Skin) -> Vec<(DVec3, DVec3)> {
    let centres = &cx.get::<Centres>().0[id.index()];
    let slots = skin.inverse_bind_matrices.iter().zip(centres);
    let pair = |(bind, centre): (_, &Option<DVec3>)| Some((bind_position(bind)?, (*centre)?));
    slots.filter_map(pair).collect()
}

/// The factor from the joints to the centres of the vertices that follow them; `None` if the shapes differ, or if the mesh is
/// where its joints are: another unit moves it as far as it scales it, and a buckle is small and between its joints.
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
    let is_between = 2.0 * centres.distance(joints) < centres.distance(ratio * joints);
    (alike > ALIKE && !is_between && ratio.is_finite() && ratio > 0.0).then_some(ratio)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Joints around a hip a metre above the ground, with the centres that `centre` returns.
    fn ratio_of(centre: impl Fn(DVec3) -> DVec3) -> Option<f64> {
        let hip = DVec3::new(0.0, 1.0, 0.0);
        let joints = [DVec3::Y * 0.1, DVec3::X * 0.1, DVec3::NEG_X * 0.1].map(|joint| hip + joint);
        let pairs: Vec<_> = joints.map(|joint| (joint, centre(joint))).into();
        ratio(&pairs)
    }

    #[test]
    fn a_small_mesh_between_its_joints_is_in_their_unit() {
        let hip = DVec3::new(0.0, 1.0, 0.0);
        assert_eq!(ratio_of(|joint| hip.lerp(joint, 0.08)), None);
        for factor in [0.01, 39.37, 100.0] {
            let found = ratio_of(|joint| factor * joint).expect("the shapes are alike");
            assert!((found / factor - 1.0).abs() < 1e-9, "{found}");
        }
    }
}
