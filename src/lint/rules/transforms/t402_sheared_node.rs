//! `T402`: sheared-node.

use crate::lint::core::numbers::beside;
use crate::lint::rules::rule::declare_rule;
use crate::lint::rules::transforms::axes::{axes, longest, shear};
use crate::lint::{Context, Findings, Limit, LimitRange, Offence, Rule};
use crate::rig::LocalTransform;

/// The sine of the angle that two axes are off a right one by. Whoever drops the shear moves a vertex by that part of
/// its distance from the node; a thousandth is what can be seen. Text with six digits errs by a hundredth of that, or
/// by a tenth in a matrix that scales by 0.01.
const SHEAR: Limit = Limit {
    key: "shear",
    default: 1e-3,
    range: LimitRange::PART,
    about: "most that two axes of a node's matrix may lean towards each other, as a sine",
};

declare_rule! {
    /// ## What it does
    /// Checks that the matrix of each node is a translation, a rotation and a scale.
    ///
    /// Axes that lean towards each other by more than `shear` (0.001, the sine of the angle that is missing to a right
    /// one) cannot be written so.
    ///
    /// ## Why is this bad?
    /// Most engines keep translation, rotation and scale. They drop the shear, or put it into the rotation: the node and
    /// all below are skewed in the authoring tool and straight, or turned, in the engine. A clip that drives the node
    /// drops it at once.
    ///
    /// ## How to fix
    /// - Blender: a child of a non-uniformly scaled object is turned; *Object → Apply → Rotation & Scale* of the parent.
    /// - Maya: freeze the transforms of the parent, and remove values of the *Shear* channel.
    /// - Exporters: put the shear into the vertices and the inverse bind matrices.
    ///
    /// ## References
    /// - glTF 2.0 §3.5.3 "Transformations"; glTF-Validator `NODE_MATRIX_NON_TRS`.
    ShearedNode, "T402", "sheared-node", Warning, limits: [SHEAR]
}

impl Rule for ShearedNode {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &SHEAR);
        for (id, joint) in cx.asset.skeleton.iter() {
            let LocalTransform::Matrix(matrix) = &joint.rest else {
                continue;
            };
            let axes = axes(matrix);
            let shear = shear(&axes, longest(&axes));
            if shear <= limit {
                continue;
            }
            let group = cx.joint(id);
            out.add(Offence::above(&group, "node", shear, limit), |place| {
                let shear = beside(shear, limit, 3);
                let message = format!("its matrix shears by {shear}, limit {limit}");
                (place, message)
            });
        }
    }
}
