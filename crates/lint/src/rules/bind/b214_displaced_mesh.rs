//! `B214`: displaced-mesh.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use crate::analysis::deformation::rest;
use crate::analysis::joints::{self, Centres, bind_position};
use crate::analysis::mending;
use crate::analysis::rotation::closest;
use crate::analysis::solid::Solid;
use crate::core::numbers::as_f64;
use crate::finding::Finding;
use crate::rig::{Asset, NodeId, SkinId};
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// More than half.
const SHARE: Limit = Limit::new("share", 0.5, LimitRange::PART)
    .about("minimum share of a skin's joints that are outside of the surface");

/// Fewer bones have no shape that could be compared.
const FEWEST: usize = 5;

/// The surface is at least so far from its bones, as a fraction of their mean distance from their middle.
const APART: f64 = 0.15;

/// A rigid transform brings it at least this many times as close.
const CLOSER: f64 = 3.0;

/// A rotation by fewer degrees is not reported.
const ROTATED: f64 = 2.0;

declare_rule! {
    DisplacedMesh, "B214", "displaced-mesh", Hint, Judged, limits = &[SHARE]
}

impl Rule for DisplacedMesh {
    fn mended(&self, cx: &Context<'_>, finding: &Finding) -> Option<Asset> {
        let ids = finding.location.ids;
        let of_instance = || cx.asset[ids.instance?].skin;
        let id = ids.skin.or_else(of_instance)?;
        let back = Displacement::of(cx, id)?.back;
        Some(mending::with_meshes(cx.asset, id, |mesh| {
            for position in &mut mesh.positions {
                *position = back.transform_point3(position.as_dvec3()).as_vec3();
            }
            let targets = mesh.morph_targets.iter_mut();
            let offsets = targets.flat_map(|target| &mut target.positions);
            for vector in mesh.normals.iter_mut().chain(offsets) {
                *vector = back.transform_vector3(vector.as_dvec3()).as_vec3();
            }
        }))
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &SHARE);
        for (id, _) in joints::skins(cx.asset) {
            let Some(displacement) = Displacement::of(cx, id) else {
                continue;
            };
            let Some([outside, all]) = outside(cx, id) else {
                continue;
            };
            let share = as_f64(outside) / as_f64(all);
            if share <= limit {
                continue;
            }
            let group = joints::skin_location(cx, id);
            out.add(Offence::above(&group, "skin", share, limit), |subject| {
                let message = format!(
                    "the mesh is not where its skeleton is: {outside} of {all} joints are outside of it; {} would bring it \
                     there",
                    displacement.words()
                );
                (subject, message)
            });
        }
    }
}

/// How many joints of a skin with weights are outside of the surface at rest, and of how many.
fn outside(cx: &Context<'_>, id: SkinId) -> Option<[usize; 2]> {
    let (rest, solid) = (rest(cx)?, cx.get::<Solid>());
    let centres = &cx.get::<Centres>().0[id.index()];
    let weighted = cx.asset[id].joints.iter().zip(centres);
    let weighted = weighted.filter_map(|(joint, centre)| centre.map(|_| joint));
    let places = weighted.map(|joint| rest.pose[*joint].w_axis.truncate().as_dvec3());
    let (mut outside, mut all) = (0, 0);
    for place in places {
        if cx.deadline.has_passed() {
            return None;
        }
        all += 1;
        outside += usize::from(!solid.contains(place));
    }
    (all > 0).then_some([outside, all])
}

/// Where a mesh would be as close to its skeleton as that shape can be.
struct Displacement {
    /// From the mesh to the skeleton, in mesh space.
    back: DAffine3,
    rotation: DQuat,
    /// The mean distance of the bones from their middle.
    spread: f64,
}

impl Displacement {
    /// `None` if the surface is near its bones, or if no rigid transform brings it there.
    fn of(cx: &Context<'_>, id: SkinId) -> Option<Self> {
        let pairs = pairs(cx, id);
        if pairs.len() < FEWEST {
            return None;
        }
        let count = as_f64(pairs.len());
        let middle = |side: usize| pairs.iter().map(|pair| pair[side]).sum::<DVec3>() / count;
        let [bones, surface] = [middle(0), middle(1)];
        let (mut products, mut largest) = (DMat3::ZERO, 0.0);
        for [bone, centre] in &pairs {
            let (to, from) = (*bone - bones, *centre - surface);
            products += DMat3::from_cols(to * from.x, to * from.y, to * from.z);
            largest += to.length() * from.length();
        }
        let rotation = closest(&products, largest);
        let back = DAffine3::from_rotation_translation(rotation, bones - rotation * surface);
        let mean = |squares: f64| (squares / count).sqrt();
        let of_pairs = |square: &dyn Fn(&[DVec3; 2]) -> f64| mean(pairs.iter().map(square).sum());
        let spread = of_pairs(&|[bone, _]| bone.distance_squared(bones));
        let before = of_pairs(&|[bone, centre]| bone.distance_squared(*centre));
        let after =
            of_pairs(&|[bone, centre]| bone.distance_squared(back.transform_point3(*centre)));
        let is_displaced = before > APART * spread && before > CLOSER * after;
        (is_displaced && back.is_finite()).then_some(Self {
            back,
            rotation,
            spread,
        })
    }

    /// Such as `a rotation by 90° about (1, 0, 0), then a move by (0, 0.9, 0.1)`.
    fn words(&self) -> String {
        // To a hundredth of the skeleton.
        let digits = (2.0 - self.spread.log10().ceil()).clamp(0.0, 9.0);
        let step = 10.0_f64.powf(digits);
        let vector = |vector: DVec3, step: f64| {
            // Adding 0 makes -0 positive.
            let [x, y, z] = vector
                .to_array()
                .map(|own| (own * step).round() / step + 0.0);
            format!("({x}, {y}, {z})")
        };
        let (axis, half) = (self.rotation.xyz(), self.rotation.w);
        let angle = 2.0 * libm::atan2(axis.length(), half.abs());
        let axis = (axis * half.signum()).normalize_or_zero();
        let moved = format!("a move by {}", vector(self.back.translation, step));
        if angle.to_degrees() < ROTATED {
            moved
        } else {
            let (degrees, axis) = (angle.to_degrees(), vector(axis, 100.0));
            format!("a rotation by {degrees:.0}° about {axis}, then {moved}")
        }
    }
}

/// For each joint with weights, the middle of its bones and the centre of its vertices, as bound.
fn pairs(cx: &Context<'_>, id: SkinId) -> Vec<[DVec3; 2]> {
    let skin = &cx.asset[id];
    let bound: Vec<Option<DVec3>> = skin
        .inverse_bind_matrices
        .iter()
        .map(bind_position)
        .collect();
    let parents = joints::bound_parents(cx.asset);
    let mut slots = vec![None; cx.asset.skeleton.len()];
    for (slot, joint) in skin.joints.iter().enumerate() {
        slots[joint.index()] = Some(slot);
    }
    // The sum and the number of the ends of each joint's bones.
    let mut ends = vec![(DVec3::ZERO, 0.0); bound.len()];
    for (slot, joint) in skin.joints.iter().enumerate() {
        let above = |parent: NodeId| slots[parent.index()];
        if let (Some(place), Some(above)) = (bound[slot], parents[joint.index()].and_then(above)) {
            ends[above].0 += place;
            ends[above].1 += 1.0;
        }
    }
    let centres = &cx.get::<Centres>().0[id.index()];
    let slots = bound.iter().zip(ends).zip(centres);
    let pairs = slots.filter_map(|((place, (sum, count)), centre)| {
        let (place, centre) = ((*place)?, (*centre)?);
        let bone = if count > 0.0 {
            place.midpoint(sum / count)
        } else {
            place
        };
        Some([bone, centre])
    });
    pairs.collect()
}
