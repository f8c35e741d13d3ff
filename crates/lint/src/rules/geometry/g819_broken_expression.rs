//! `G819`: broken-expression.

use crate::rig::{DefectKind, ExpressionId, Location, MorphBind, Part};
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    BrokenExpression, "G819", "broken-expression", Warning, Proved
}

impl Rule for BrokenExpression {
    fn needs(&self) -> &'static [DefectKind] {
        &[DefectKind::BrokenExpression]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for defect in cx.asset.evidence.of(DefectKind::BrokenExpression) {
            out.add_defect(cx, defect, "bind", None);
        }
        for (index, expression) in cx.asset.expressions.iter().enumerate() {
            let id = ExpressionId::from_index(index);
            let mut group = Location::FILE.part(Part::Expression(expression.name.clone()));
            group.ids.expression = Some(id);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Defect, Expression, Location, MorphTarget};
    use crate::testing::{arm, findings};

    #[test]
    fn expressions_of_one_name_are_told_apart() {
        let mut asset = arm();
        asset.meshes[0].morph_targets = vec![MorphTarget::default()];
        asset.expressions = vec![Expression::of_target("happy", 0); 2];
        asset.evidence.examined = BrokenExpression.needs().to_vec();
        let mut location = Location::FILE.part(Part::Expression("happy".to_owned()));
        location.ids.expression = Some(ExpressionId(1));
        asset.evidence.defects.push(Defect {
            kind: DefectKind::BrokenExpression,
            location,
            count: 1,
            badness: 0.0,
            message: "binds node 9".into(),
        });
        let found = findings(&asset, &BrokenExpression);
        let found = found.iter().map(|own| {
            let id = own.location.ids.expression.map(|id| id.0);
            (id, own.location.to_string(), own.count)
        });
        let expected = [(1, 2), (0, 1)];
        let expected = expected.map(|(id, count)| (Some(id), "expression happy".to_owned(), count));
        assert!(found.eq(expected));
    }
}
