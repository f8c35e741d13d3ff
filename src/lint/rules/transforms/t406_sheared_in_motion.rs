//! `T406`: sheared-in-motion.

use crate::lint::analysis::joints;
use crate::lint::core::numbers::beside;
use crate::lint::rules::rule::declare_rule;
use crate::lint::rules::transforms::axes::{axes, longest, shear};
use crate::lint::{Context, Findings, Limit, LimitRange, Moment, Offence, Rule, Source};
use crate::pose::{model_pose, rest};
use crate::rig::{JointId, Place};

/// The sine of the angle that two axes of a joint are off a right one by. An engine that drops the shear moves a vertex
/// by that part of its distance from the joint; vertices are up to about a quarter of the model's diagonal away, so that
/// 0.04 comes to a hundredth of the diagonal, which nobody overlooks.
const SHEAR: Limit = Limit {
    key: "shear",
    default: 0.04,
    range: LimitRange::PART,
    about: "most that two axes of a joint may lean towards each other in a clip, as a sine",
};

declare_rule! {
    /// ## What it does
    /// Checks that no joint that vertices follow is sheared in a clip, beyond what it is in the rest pose.
    ///
    /// Two axes of its matrix in the world may lean towards each other by `shear` (0.04, the sine of the angle that is
    /// missing to a right one), measured by the longest axis, so that joints scaled away to hide something do not count.
    ///
    /// ## Why is this bad?
    /// A joint that turns below a non-uniform scale is sheared. Where bones are matrices the limb is skewed, as the file
    /// says; where they are translation, rotation and scale (Unreal, most retargeting and compression) the shear is
    /// dropped, and squash and stretch look different from the authoring tool.
    ///
    /// ## How to fix
    /// - Scale all axes of a joint that has others below alike, or scale a leaf joint beside the chain.
    /// - Maya: leave *Segment Scale Compensate* on for the children.
    /// - Blender: set *Inherit Scale* of the children to *None* or *Aligned*, and bake before the export.
    ///
    /// ## References
    /// - K. Shoemake, T. Duff, "Matrix Animation and Polar Decomposition", Graphics Interface 1992.
    ShearedInMotion, "T406", "sheared-in-motion", Warning, limits: [SHEAR]
}

impl Rule for ShearedInMotion {
    fn watches(&self) -> bool {
        true
    }

    fn watch(&self, cx: &Context<'_>, moment: &Moment<'_>, out: &mut Findings) {
        let Source::Clip(clip, _) = moment.source else {
            return;
        };
        let limit = cx.limit(&Self::META, &SHEAR);
        // Few poses shear anything, and who follows what is only asked then.
        let sheared = sheared(moment, limit);
        if sheared.is_empty() {
            return;
        }
        let followed = joints::followed(cx.asset);
        let rest = model_pose(cx.asset, &rest(cx.asset)).joints;
        let group = cx.clip(&cx.asset.clips[clip.index()]);
        for joint in sheared.iter().filter(|joint| followed[joint.index()]) {
            let (now, before) = (
                axes(&moment.pose.joints[joint.index()]),
                axes(&rest[joint.index()]),
            );
            let size = longest(&now).max(longest(&before));
            let shear = shear(&now, size);
            if shear <= limit + self::shear(&before, longest(&before)) {
                continue;
            }
            out.add(Offence::above(&group, "joint", shear, limit), |_| {
                let place = moment.place(cx.asset, joints::at(cx, Place::FILE, *joint));
                let shear = beside(shear, limit, 2);
                (place, format!("sheared by {shear}, limit {limit}"))
            });
        }
    }
}

/// The joints of a pose whose axes lean by more than `limit`.
fn sheared(moment: &Moment<'_>, limit: f64) -> Vec<JointId> {
    let leans = |joint: &JointId| {
        let axes = axes(&moment.pose.joints[joint.index()]);
        shear(&axes, longest(&axes)) > limit
    };
    let all = (0..moment.pose.joints.len()).map(JointId::from_index);
    all.filter(leans).collect()
}
