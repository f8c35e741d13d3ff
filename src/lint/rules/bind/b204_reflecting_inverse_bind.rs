//! `B204`: reflecting-inverse-bind.

use super::spread;
use crate::lint::analysis::joints;
use crate::lint::{Context, Findings, Offence, Rule, declare_rule};
use crate::rig::SkinId;

declare_rule! {
    /// ## What it does
    /// Checks that no inverse bind matrix mirrors space: its determinant must be positive.
    ///
    /// `B201` reports matrices without an inverse.
    ///
    /// ## Why is this bad?
    /// Unless the joint mirrors it back in every pose, the part is inside out: back faces show, and light comes from
    /// the wrong side. Engines that split the matrix into translation, rotation and scale move the sign to another axis
    /// or lose it, and the joint rotates the wrong way.
    ///
    /// ## How to fix
    /// - Remove negative scales from mesh and skeleton before binding.
    /// - Blender: *Object → Apply → Scale* on mesh and armature before binding, then *Mesh → Normals → Recalculate
    ///   Outside*.
    /// - Maya: mirror joints with *Skeleton → Mirror Joints*, not with a scale of -1; *Modify → Freeze Transformations*
    ///   on the mesh.
    /// - Exporters that convert between left- and right-handed axes: mirror both sides of the matrix, `M · A · M`.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.4: a negative determinant of a node reverses the winding of its triangles. For skins, the
    ///   specification says nothing of the kind.
    ReflectingInverseBind, "B204", "reflecting-inverse-bind", Warning
}

/// Below this, the sign of the determinant is rounding, and B201 reports the matrix.
const LEAST_CONDITION: f64 = 1e-6;

impl Rule for ReflectingInverseBind {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for (id, skin) in cx.asset.skins.iter().enumerate() {
            let skin_location = joints::skin_location(cx, SkinId::from_index(id));
            for (joint, matrix) in skin.joints.iter().zip(&skin.inverse_bind_matrices) {
                let linear = spread::linear(matrix);
                let condition = spread::reciprocal_condition(&linear);
                if condition.is_nan() || condition < LEAST_CONDITION || linear.determinant() > 0.0 {
                    continue;
                }
                out.add(Offence::of(&skin_location, "joint"), |subject| {
                    let message = "the inverse bind matrix mirrors space".to_owned();
                    (subject.of_joint(*joint), message)
                });
            }
        }
    }
}
