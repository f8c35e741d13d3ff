//! `H310`: zero-length-bone.

use glam::{DVec3, Mat4};

use crate::lint::analysis::joints;
use crate::lint::rules::rule::declare_rule;
use crate::lint::{Context, Findings, Limit, LimitRange, Rule};
use crate::pose::{model_pose, rest};
use crate::rig::{Bounds, JointId, Skin};

/// Of the diagonal of the box around the skin's joints. The places of joints come through a few dozen f32 products, each
/// of which errs by 6e-8 of the size of the rig, or from text with six digits: 5e-6 at most. Whatever is nearer than
/// twice that cannot be told from no distance.
const DISTANCE: Limit = Limit {
    key: "distance",
    default: 1e-5,
    range: LimitRange::PART,
    about: "least length of a bone, as a part of the diagonal of the box around the skin's joints",
};

declare_rule! {
    /// ## What it does
    /// Lists the joints that stand in one place with their parent in the rest pose, while vertices follow both.
    ///
    /// Nearer than `distance` (1e-5 of the diagonal of the box around the skin's joints) counts as one place.
    ///
    /// ## Why is this bad?
    /// A bone without a length has no direction: inverse kinematics, retargeting and look-at constraints divide by it, and
    /// the limb flips or vanishes in NaN. Blender deletes such bones on import, and their vertices lose their weights.
    /// Twist joints that share the place of the limb's joint are often meant to be so.
    ///
    /// ## How to fix
    /// - Blender, Maya: move the joint along the limb, or merge its weights into its parent's.
    /// - Exporters: check that a joint's translation is written in its parent's space.
    ///
    /// ## References
    /// - Blender removes bones of zero length when the edit mode of an armature is left.
    ZeroLengthBone, "H310", "zero-length-bone", Info, limits: [DISTANCE]
}

impl Rule for ZeroLengthBone {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &DISTANCE);
        let (followed, parents) = (joints::followed(cx.asset), joints::bound_parents(cx.asset));
        let owners = joints::owners(cx.asset);
        let worlds = model_pose(cx.asset, &rest(cx.asset)).joints;
        let sizes: Vec<f64> = joints::skins(cx.asset)
            .map(|(_, skin)| size(skin, &worlds))
            .collect();
        let is_short = |joint: &JointId| {
            let Some((parent, owner)) = parents[joint.index()].zip(owners[joint.index()]) else {
                return false;
            };
            let both = followed[joint.index()] && followed[parent.index()];
            let length = origin(&worlds[joint.index()]) - origin(&worlds[parent.index()]);
            both && length.length() <= limit * sizes[owner.index()]
        };
        let all = (0..cx.asset.skeleton.len()).map(JointId::from_index);
        joints::tell_by_skin(cx, out, all.filter(is_short), |_| {
            "stands where its parent joint is, and vertices follow both".to_owned()
        });
    }
}

fn origin(world: &Mat4) -> DVec3 {
    world.w_axis.truncate().as_dvec3()
}

/// The diagonal of the box around the joints of `skin`, as far as they are somewhere.
fn size(skin: &Skin, worlds: &[Mat4]) -> f64 {
    let origins = skin
        .joints
        .iter()
        .map(|joint| origin(&worlds[joint.index()]));
    Bounds::of(origins).diagonal()
}
