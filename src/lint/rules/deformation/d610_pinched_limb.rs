//! `D610`: pinched-limb.

use std::collections::BTreeMap;

use glam::Mat4;

use crate::lint::analysis::joints;
use crate::lint::analysis::weighting::{axis, blend_width, blended_pair, cosine};
use crate::lint::core::context::Analysis;
use crate::lint::core::numbers::percents;
use crate::lint::rules::rule::{Follows, Through, declare_rule};
use crate::lint::{Context, Findings, Limit, LimitRange, Measure, Offence, Rule, Sample};
use crate::rig::{MeshInstance, NodeId, SkinSlot};

/// The width that is left between two joints rotated by 139° against each other. Human knees and elbows bend by up to
/// 140°, arms are raised by as much from where they hang, and forearms twist by 90°, which leaves 0.7.
const WIDTH: Limit = Limit::new("width", 0.35, LimitRange::PART)
    .about("minimum width of a limb at a joint, over its width in the bind pose");

/// A bend, unlike a twist, that leaves this much width is reported at level info. It is what 150° leave: a calf lies on its thigh
/// there, and hides the crease.
const CREASE: f64 = 0.25;

/// A rotation is a twist if its axis is less than 45° from the limb's.
const TWIST: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// The fewest vertices around a limb.
const RING: usize = 3;

declare_rule! {
    /// ## What it does
    /// Looks for joints where a limb is pinched to less than `width` (0.35) of its width in the bind pose, because the
    /// joint twists or bends too far relative to its parent.
    ///
    /// Linear blending averages two positions. If a vertex has weight w on a joint and 1 − w on its parent, and the
    /// joint rotates by θ, the distance of the vertex from the axis shrinks by the factor √(1 − 2w(1 − w)(1 − cos θ)).
    /// For example, at w = ½ the factor is a half at 120°, a third at 140° and 0 at 180°. The rule measures θ from the
    /// bind pose and uses the third strongest blend at each joint, so single vertices do not count. A bend up to 150° is
    /// reported at level info, because the parts that lie on each other hide it; a twist is never hidden.
    ///
    /// ## Why is this bad?
    /// A twisted limb collapses like a candy wrapper, and a bent elbow or knee collapses to a flat edge.
    ///
    /// ## How to fix
    /// - Spread the rotation over more joints. Use twist joints along the forearm, and a helper joint at the knee.
    /// - Skin with dual quaternions where the engine supports them (Blender: *Preserve Volume*; Maya: *Dual
    ///   Quaternion*).
    /// - Check the clip: a rotation near 180° is often a flipped axis of a retargeted bone.
    ///
    /// ## References
    /// - L. Kavan, S. Collins, J. Žára, C. O'Sullivan, "Skinning with Dual Quaternions", I3D 2007, §2.
    PinchedLimb, "D610", "pinched-limb", Warning, limits: [WIDTH]
}

impl Rule for PinchedLimb {
    fn follows_from(&self) -> &'static [Follows] {
        const {
            &[
                Through::Model.of("W119"),
                Through::Model.of("H314"),
                Through::Clips.of("C532"),
                Through::Between.of("C538"),
            ]
        }
    }

    fn measure(&self) -> Option<Measure> {
        Some(Measure::Bend)
    }

    fn watches(&self) -> bool {
        true
    }

    fn watch(&self, cx: &Context<'_>, sample: &Sample<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &WIDTH);
        for blend in &cx.get::<Blends>().0 {
            let [own, above] = blend.joints;
            let matrix = |joint: NodeId, inverse_bind: &Mat4| sample.pose[joint] * *inverse_bind;
            let [own_bind, above_bind] = &blend.inverse_binds;
            let Some(cosine) = cosine(&matrix(own, own_bind), &matrix(above, above_bind)) else {
                continue;
            };
            let width = blend_width(blend.mixed, cosine);
            if width >= limit {
                continue;
            }
            let group = cx.mesh(&cx.asset.instances[blend.instance]);
            let offence = Offence::below(&group, "joint", width, limit);
            let is_creased = width >= CREASE && !blend.is_twist(sample);
            out.add(offence.info_if(is_creased).joint(own), |subject| {
                let [width, limit] = percents(width, limit, 0);
                let degrees = libm::acosf(cosine).to_degrees();
                let message = format!(
                    "the limb is pinched to {width} % of its width, limit {limit} %: rotated {degrees:.0}° against \
                    joint {:?}",
                    joints::name(cx, above)
                );
                let subject = sample.subject(subject);
                (subject.of_joints(blend.joints), message)
            });
        }
    }
}

/// Vertices that two neighbouring joints share.
struct Blend {
    /// A joint, and its nearest bound ancestor.
    joints: [NodeId; 2],
    inverse_binds: [Mat4; 2],
    instance: usize,
    /// w(1 − w) of the vertex whose blend is the third strongest.
    mixed: f32,
}

impl Blend {
    /// Whether the joint rotates about the limb rather than across it.
    fn is_twist(&self, sample: &Sample<'_>) -> bool {
        let origin = |bind: &Mat4| bind.as_dmat4().inverse().w_axis.truncate().as_vec3();
        let [own, above] = self.inverse_binds.each_ref().map(origin);
        let posed = |index: usize| sample.pose[self.joints[index]] * self.inverse_binds[index];
        let along = (own - above).try_normalize();
        let axis = axis(&posed(0), &posed(1));
        along
            .zip(axis)
            .is_some_and(|(along, axis)| along.dot(axis).abs() > TWIST)
    }
}

struct Blends(Vec<Blend>);

impl Analysis for Blends {
    fn of(cx: &Context<'_>) -> Self {
        let parents = joints::bound_parents(cx.asset);
        let mut blends = Vec::new();
        for user in joints::skinned(cx.asset) {
            let own = &user.skin.joints;
            let mut mixes: BTreeMap<[SkinSlot; 2], Vec<f32>> = BTreeMap::new();
            for influences in user.mesh.influences.iter() {
                if let Some((pair, mixed)) = blended_pair(influences, own, &parents) {
                    mixes.entry(pair).or_default().push(mixed);
                }
            }
            let instances = &cx.asset.instances;
            let is_this = |instance: &MeshInstance| std::ptr::eq(instance, user.instance);
            let instance = instances.iter().position(is_this).unwrap_or_default();
            for (slots, mut mixed) in mixes {
                if mixed.len() < RING {
                    continue;
                }
                mixed.sort_unstable_by(|a, b| b.total_cmp(a));
                blends.push(Blend {
                    joints: slots.map(|slot| own[slot.index()]),
                    inverse_binds: slots.map(|slot| user.skin.inverse_bind_matrices[slot.index()]),
                    instance,
                    mixed: mixed[RING - 1],
                });
            }
        }
        Self(blends)
    }
}
