//! `T402`: sheared-node.

use crate::lint::core::numbers::beside;
use crate::lint::rules::transforms::axes::{axes, longest, shear};
use crate::lint::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};
use crate::rig::LocalTransform;

/// The sine of the deviation of two axes from a right angle. Dropping the shear moves a vertex by that fraction of its
/// distance from the node; a thousandth is visible. The error of text with six digits is a hundredth of that, or a
/// tenth in a matrix that scales by 0.01.
const SHEAR: Limit = Limit::new("shear", 1e-3, LimitRange::PART).about(
    "maximum sine of the angle by which two axes of a node's matrix deviate from perpendicular",
);

declare_rule! {
    /// ## What it does
    /// Checks that the matrix of each node is a translation, a rotation and a scale, without shear.
    ///
    /// A matrix is sheared if two of its axes deviate from perpendicular by more than `shear` (0.001, the sine of the
    /// angle).
    ///
    /// ## Why is this bad?
    /// Most engines store translation, rotation and scale. They drop the shear, or fold it into the rotation: the node
    /// and everything below it are skewed in the authoring tool and straight, or rotated, in the engine. A clip that
    /// drives the node drops the shear at once.
    ///
    /// ## How to fix
    /// - Apply the rotation and scale of the parent.
    /// - Blender: the usual cause is a rotated child of a non-uniformly scaled object. Use *Object → Apply → Rotation &
    ///   Scale* on the parent.
    /// - Maya: freeze the parent's transforms, and clear the *Shear* channel.
    /// - Exporters: bake the shear into the vertices and the inverse bind matrices.
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
            out.add(Offence::above(&group, "node", shear, limit), |subject| {
                let shear = beside(shear, limit, 3);
                let message = format!("its matrix is sheared by {shear}, limit {limit}");
                (subject, message)
            });
        }
    }
}
