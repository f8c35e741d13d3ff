//! `G819`: broken-expression.

use crate::lint::rules::rule::declare_rule;
use crate::lint::{Context, Findings, Offence, Rule, Subject};
use crate::rig::{DefectKind, MorphBind};

declare_rule! {
    /// ## What it does
    /// Checks that each morph target that a facial expression of a VRM model binds exists and moves something, and that its weight
    /// is between 0 and 1 (0 and 100 in VRM 0.x).
    ///
    /// ## Why is this bad?
    /// The expression does not show, or only a part of it does: a blink closes one eye.
    ///
    /// ## How to fix
    /// - Assign the morph targets of the expression again, and export.
    /// - Exporters: write the numbers of the exported nodes, meshes and targets, after merging meshes and removing empty targets.
    ///
    /// ## References
    /// - VRM 1.0, `VRMC_vrm`, expressions.md: *MorphTargetBind*; VRM 0.x, `blendShapeMaster`.
    BrokenExpression, "G819", "broken-expression", Warning
}

impl Rule for BrokenExpression {
    fn needs(&self) -> &'static [DefectKind] {
        &[DefectKind::BrokenExpression]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for defect in cx.asset.evidence.of(DefectKind::BrokenExpression) {
            out.add_defect(cx, defect, "bind", None);
        }
        for expression in &cx.asset.expressions {
            let group = Subject::FILE.part(format!("expression {}", expression.name));
            for bind in expression
                .binds
                .iter()
                .filter(|bind| moves_nothing(cx, bind))
            {
                out.add(Offence::of(&group, "bind"), |subject| {
                    let instance = &cx.asset[bind.instance];
                    let (target, mesh) = (bind.target, cx.mesh_name(instance));
                    (
                        subject,
                        format!("morph target {target} of mesh {mesh:?} moves nothing"),
                    )
                });
            }
        }
    }
}

fn moves_nothing(cx: &Context<'_>, bind: &MorphBind) -> bool {
    let mesh = cx.asset.mesh_of(&cx.asset[bind.instance]);
    let target = &mesh.morph_targets[bind.target];
    let mut offsets = target.positions.iter().chain(&target.normals);
    offsets.all(|offset| *offset == glam::Vec3::ZERO)
}
