//! `D611`: crossed-limbs.

use glam::{Mat4, Vec3};

use crate::lint::analysis::joints;
use crate::lint::analysis::motion::Source;
use crate::lint::core::numbers::percents;
use crate::lint::rules::deformation::limbs::{Limb, Limbs, apart};
use crate::lint::rules::rule::{Follows, Through, declare_rule};
use crate::lint::{Context, Findings, Limit, LimitRange, Offence, Rule, Sample};

/// Hands on hips, crossed arms and thick thighs overlap by less than half of a limb. Beyond that, one limb sticks out
/// of the other on the far side.
const DISTANCE: Limit = Limit::new("distance", 0.4, LimitRange::PART)
    .about("minimum distance between the axes of two limbs, over the radius of the thicker one");

declare_rule! {
    /// ## What it does
    /// Looks for poses in which one limb passes through another one, or through the body: the axes of the two are closer
    /// together than `distance` (0.4) of the radius of the thicker one.
    ///
    /// A limb is a set of at least eight vertices with a weight above one half on one joint. Its axis runs through them
    /// from the joint and ends one radius before the limb does. The radius is the distance from the axis within which a
    /// quarter of the vertices are. Limbs that touch in the bind pose, limbs of neighbouring joints and parts of one
    /// hand are not compared, because a fist is crossed on purpose. Two limbs are parts of a hand if a joint above both
    /// is near, within 12 % of the model's size. Limbs shorter than 4 % of that size, such as fingers, are not compared
    /// with anything. Only clips are checked, not the range of motion.
    ///
    /// ## Why is this bad?
    /// For example, an arm comes out of the back, or a leg out of the other leg. Cloth and hair that collide with the
    /// body explode.
    ///
    /// ## How to fix
    /// - Correct the pose at that time.
    /// - Retargeted clips: the target has shorter arms or a wider body than the source. Fit the contact with inverse
    ///   kinematics, or offset the shoulder.
    /// - Blender, Maya: scrub to the time of the finding; *X-Ray* shows which of the two is too far inside.
    ///
    /// ## References
    /// - C. Ericson, "Real-Time Collision Detection", 2005, §5.1.9: closest points of two segments.
    CrossedLimbs, "D611", "crossed-limbs", Warning, limits: [DISTANCE]
}

impl Rule for CrossedLimbs {
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

    fn watches(&self) -> bool {
        true
    }

    fn watch(&self, cx: &Context<'_>, sample: &Sample<'_>, out: &mut Findings) {
        let limbs = cx.get::<Limbs>();
        // Joints that are rotated one at a time hit limbs that a motion would avoid.
        let in_clip = matches!(sample.source, Source::Clip(..));
        if limbs.pairs.is_empty() || !sample.sparse || !in_clip {
            return;
        }
        let limit = cx.limit(&Self::META, &DISTANCE);
        let posed: Vec<Posed> = limbs.list.iter().map(|limb| posed(limb, sample)).collect();
        for [a, b] in &limbs.pairs {
            let (one, other) = (&posed[*a], &posed[*b]);
            let radius = one.radius.max(other.radius);
            // Most pairs are far apart.
            let reach = one.reach + other.reach + radius;
            let is_near = one.middle.distance_squared(other.middle) < reach * reach;
            let distance = || f64::from(apart(one.axis, other.axis) / radius);
            let Some(distance) = is_near.then(distance).filter(|distance| *distance < limit) else {
                continue;
            };
            let group = cx.mesh(&cx.asset.instances[limbs.list[*a].instance]);
            let crossed = [*a, *b].map(|limb| limbs.list[limb].joint);
            let offence = Offence::below(&group, "pair", distance, limit);
            out.add(offence.joints(&crossed), |subject| {
                let [percent, limit] = percents(distance, limit, 0);
                let message = format!(
                    "passes through the limb of joint {:?}: their axes are {percent} % of the thicker one's radius \
                    apart, limit {limit} %",
                    joints::name(cx, limbs.list[*b].joint)
                );
                let subject = sample.subject(subject);
                let joints = [a, b].map(|limb| limbs.list[*limb].joint);
                (subject.of_joints(joints), message)
            });
        }
    }
}

/// A limb in a pose.
struct Posed {
    axis: [Vec3; 2],
    middle: Vec3,
    /// Half the length of the axis.
    reach: f32,
    radius: f32,
}

fn posed(limb: &Limb, sample: &Sample<'_>) -> Posed {
    let matrix: Mat4 = sample.pose[limb.joint] * limb.inverse_bind;
    let axis = limb.axis.map(|end| matrix.transform_point3(end));
    let across = limb
        .across
        .map(|across| matrix.transform_vector3(across).length());
    Posed {
        middle: axis[0].midpoint(axis[1]),
        reach: 0.5 * axis[0].distance(axis[1]),
        // The smaller radius, if the joint is scaled.
        radius: limb.radius * across[0].min(across[1]),
        axis,
    }
}
