//! Compares expressions: what they do to morph targets, to materials, and to each other.

use std::collections::BTreeMap;

use glam::DVec3;

use super::comparison::Comparison;
use super::difference::{Before, Difference};
use super::joints::are_alike;
use super::kinds::Kind;
use super::morphs::TargetPair;
use super::side::Source;
use super::words::significant;
use crate::rig::{Asset, Expression, MaterialBind, Override, Procedural};

/// Weights closer than this are equal: 8 bits resolve 4e-3.
const SAME_WEIGHT: f32 = 4e-3;

/// A morph target: the indices of its surface and of itself.
type Target = (usize, usize);

/// The weights of targets.
type Weights = BTreeMap<Target, f32>;

impl Comparison<'_> {
    /// Pairs the expressions of both models by name, and reports how they differ. Two expressions that set other targets and
    /// have the same effect are the same.
    ///
    /// * `targets` – pairs of morph targets.
    pub(super) fn expressions(&self, targets: &[TargetPair], limit: f64) -> Vec<Difference> {
        let [Source::Model(before), Source::Model(after)] = self.sides.map(|side| side.source)
        else {
            return Vec::new();
        };
        if before.expressions.is_empty() {
            return Vec::new();
        }
        if after.expressions.is_empty() {
            let count = crate::units::amount(before.expressions.len(), "expression");
            let finding = Kind::Expressions.found(format!("{count} have no counterpart in AFTER"));
            // Only VRM has expressions.
            return vec![finding.remark_if(after.humanoid.is_none())];
        }
        let all = before.expressions.iter().filter_map(|own| {
            let mut others = after.expressions.iter();
            let other = others.find(|other| are_alike(&own.name, &other.name));
            let Some(other) = other else {
                let message = format!("expression \"{}\" has no counterpart in AFTER", own.name);
                return Some(Kind::Expressions.found(message));
            };
            self.effect([before, after], [own, other], targets, limit)
                .or_else(|| materials(own, other))
                .or_else(|| behaviour(own, other))
        });
        all.collect()
    }

    /// What an expression moves differently.
    fn effect(
        &self,
        models: [&Asset; 2],
        expressions: [&Expression; 2],
        targets: &[TargetPair],
        limit: f64,
    ) -> Option<Difference> {
        let [before, after] = expressions.map(weights);
        let paired = |target: &Target| {
            let mut pairs = targets.iter();
            let found = pairs.find(|pair| (pair.surfaces[1], pair.targets[1]) == *target);
            found.map(|pair| (pair.surfaces[0], pair.targets[0]))
        };
        let by_target = after
            .iter()
            .map(|(target, weight)| Some((paired(target)?, *weight)));
        let by_target: Option<Weights> = by_target.collect();
        if by_target.is_some_and(|after| are_same(&before, &after)) {
            return None;
        }
        let (distance, pair) = self.largest_effect([&before, &after])?;
        if distance <= limit {
            return None;
        }
        let surface = self.sides[0].vertices.surfaces[pair[0] as usize] as usize;
        let mesh = &self.sides[0].surfaces[surface].name;
        let [was, is] = [0, 1].map(|side: usize| named(models[side], expressions[side]));
        let message = format!(
            "expression \"{}\" sets {is} after, not {was}: a vertex of mesh \"{mesh}\" is off by {}",
            expressions[0].name,
            self.lengths.show(distance)
        );
        let finding = Kind::Expressions.found(message).by(distance);
        Some(finding.mesh(mesh, Some(Before(surface))))
    }

    /// The largest distance between the offsets of corresponding vertices, and their pair.
    fn largest_effect(&self, weights: [&Weights; 2]) -> Option<(f64, [u32; 2])> {
        let offset = |side: usize, vertex: u32| -> DVec3 {
            let own = self.sides[side];
            let surface = own.vertices.surfaces[vertex as usize] as usize;
            let targets = weights[side].range((surface, 0)..=(surface, usize::MAX));
            let offsets = targets.map(|((_, target), weight)| {
                let (offset, _) = own.morph_offset(vertex as usize, *target);
                offset * f64::from(*weight)
            });
            offsets.sum()
        };
        let pairs = self.vertices.pairs.iter();
        let apart = pairs.map(|&[a, b]| (offset(0, a).distance(offset(1, b)), [a, b]));
        apart.max_by(|a, b| a.0.total_cmp(&b.0))
    }
}

/// The weights of all targets at full weight.
fn weights(expression: &Expression) -> Weights {
    let mut weights = Weights::new();
    for bind in &expression.binds {
        *weights
            .entry((bind.instance.index(), bind.target))
            .or_default() += bind.weight;
    }
    weights
}

fn are_same(a: &Weights, b: &Weights) -> bool {
    let of = |list: &Weights, target: &Target| list.get(target).copied().unwrap_or(0.0);
    let mut targets = a.keys().chain(b.keys());
    targets.all(|target| (of(a, target) - of(b, target)).abs() <= SAME_WEIGHT)
}

/// The targets of an expression, such as `"smile" to 0.5`.
fn named(asset: &Asset, expression: &Expression) -> String {
    let mut names: Vec<String> = Vec::new();
    for bind in &expression.binds {
        let mesh = asset.mesh_of(&asset.instances[bind.instance.index()]);
        let name = match mesh.morph_targets.get(bind.target) {
            Some(target) if !target.name.is_empty() => format!("\"{}\"", target.name),
            _ => format!("target {}", bind.target),
        };
        let weight = significant(f64::from(bind.weight));
        let one = if (bind.weight - 1.0).abs() <= SAME_WEIGHT {
            name
        } else {
            format!("{name} to {weight}")
        };
        if !names.contains(&one) {
            names.push(one);
        }
    }
    if names.is_empty() {
        return "nothing".to_owned();
    }
    names.join(" and ")
}

/// A value of a material that only one expression sets, or that they set differently.
///
/// The versions of VRM state colours and texture transforms in different ways, so values are compared within one of them.
fn materials(before: &Expression, after: &Expression) -> Option<Difference> {
    let counterpart = |own: &MaterialBind, all: &[MaterialBind]| {
        let mut all = all.iter();
        let found = all.find(|other| {
            are_alike(&own.material, &other.material)
                && current_name(&own.property) == current_name(&other.property)
        });
        found.cloned()
    };
    let lost = before.material_binds.iter().find_map(|own| {
        let other = counterpart(own, &after.material_binds);
        let is_kept = other.as_ref().is_some_and(|other| {
            own.property != other.property || are_values_same(&own.value, &other.value)
        });
        (!is_kept).then(|| (own, Some(own.clone()), other))
    });
    let added = || {
        let mut all = after.material_binds.iter();
        let own = all.find(|own| counterpart(own, &before.material_binds).is_none())?;
        Some((own, None, Some(own.clone())))
    };
    let (bind, was, is) = lost.or_else(added)?;
    let [was, is] = [was, is].map(|one| match one {
        Some(one) => {
            let value = one.value.iter().map(|part| significant((*part).into()));
            format!("sets it to ({})", value.collect::<Vec<_>>().join(", "))
        }
        None => "does not set it".to_owned(),
    });
    Some(Kind::Expressions.found(format!(
        "expression \"{}\", `{}` of material \"{}\": {was} before and {is} after",
        before.name, bind.property, bind.material
    )))
}

/// The name of a property of VRM 0.x in 1.0.
fn current_name(property: &str) -> &str {
    match property {
        "_Color" => "color",
        "_EmissionColor" => "emissionColor",
        "_ShadeColor" => "shadeColor",
        "_RimColor" => "rimColor",
        "_OutlineColor" => "outlineColor",
        "_MainTex_ST" | "_MainTex_ST_S" | "_MainTex_ST_T" => "textureTransform",
        other => other,
    }
}

fn are_values_same(a: &[f32], b: &[f32]) -> bool {
    let mut pairs = a.iter().zip(b);
    a.len() == b.len() && pairs.all(|(a, b)| (a - b).abs() <= SAME_WEIGHT)
}

/// What an expression does differently to others.
fn behaviour(before: &Expression, after: &Expression) -> Option<Difference> {
    let name = &before.name;
    let found = |what: String| Kind::Expressions.found(format!("expression \"{name}\" {what}"));
    if before.is_binary != after.is_binary {
        let what = if after.is_binary {
            "is either on or off after, and has all weights before"
        } else {
            "has all weights after, and is either on or off before"
        };
        return Some(found(what.to_owned()));
    }
    let kinds = Procedural::ALL.into_iter();
    let mut overrides = kinds.zip(before.overrides.into_iter().zip(after.overrides));
    let (kind, (own, other)) = overrides.find(|(_, (own, other))| own != other)?;
    let of = |override_: Override| match override_ {
        Override::None => "leaves",
        Override::Block => "blocks",
        Override::Blend => "blends out",
    };
    let what = match kind {
        Procedural::Blink => "blinking",
        Procedural::LookAt => "the gaze",
        Procedural::Mouth => "the mouth",
    };
    Some(found(format!(
        "{} {what} before and {} it after",
        of(own),
        of(other)
    )))
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use crate::diff::{Kind, Options, Source, compare};
    use crate::rig::{
        Asset, AssetBuilder, Expression, MaterialBind, Mesh, MorphTarget, Override, Trs,
    };

    /// A face with a smile and a blink, and an expression for either.
    fn face(change: impl FnOnce(&mut Asset)) -> Asset {
        let mut rig = AssetBuilder::new();
        let head = rig.node("head", None, Trs::IDENTITY);
        let mesh = rig.mesh(Mesh {
            name: "face".into(),
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE],
            triangles: vec![[0, 1, 2], [1, 2, 3]],
            ..Mesh::default()
        });
        rig.attach(mesh, head);
        let mut asset = rig.build().expect("the parts fit");
        let target = |name: &str, vertex: usize| {
            let mut positions = vec![Vec3::ZERO; 4];
            positions[vertex] = Vec3::Y * 0.1;
            MorphTarget {
                name: name.to_owned(),
                positions,
                ..MorphTarget::default()
            }
        };
        asset.meshes[0].morph_targets = vec![target("smile", 1), target("blink", 2)];
        asset.instances[0].morph_weights = vec![0.0; 2];
        asset.expressions = vec![
            Expression::of_target("happy", 0),
            Expression::of_target("blink", 1),
        ];
        change(&mut asset);
        asset
    }

    /// The difference of a changed face, which is of this kind; empty if it is the same.
    #[track_caller]
    fn found(change: impl FnOnce(&mut Asset)) -> String {
        let [before, after] = [face(|_| {}), face(change)].map(Source::from);
        let report = compare(&before, &after, &Options::default()).expect("they correspond");
        let mut differences = report.differences();
        let first = differences.next();
        assert!(differences.next().is_none(), "{:?}", report.findings);
        first.map_or_else(String::new, |own| {
            assert_eq!(own.kind, Kind::Expressions);
            own.finding.message.clone()
        })
    }

    #[test]
    fn an_expression_that_sets_another_target_differs() {
        let message = found(|asset| asset.expressions[0].binds[0].target = 1);
        let start =
            "expression \"happy\" sets \"blink\" to 0.5 after, not \"smile\" to 0.5: a vertex";
        assert!(message.starts_with(start), "{message}");
        let message = found(|asset| asset.expressions[0].binds[0].weight = 1.0);
        assert!(message.contains("sets \"smile\" after"), "{message}");
        let message = found(|asset| asset.expressions[0].binds.clear());
        assert!(message.contains("sets nothing after"), "{message}");
        // The targets are in another order, and the expressions keep their indices.
        let message = found(|asset| {
            asset.meshes[0].morph_targets.swap(0, 1);
            asset.expressions[1].binds[0].target = 0;
        });
        assert!(message.contains("sets \"blink\" to 0.5 after"), "{message}");
    }

    #[test]
    fn an_expression_with_the_same_effect_is_the_same() {
        let both_in_another_order = |asset: &mut Asset| {
            asset.meshes[0].morph_targets.swap(0, 1);
            for expression in &mut asset.expressions {
                expression.binds[0].target = 1 - expression.binds[0].target;
            }
            asset.expressions.swap(0, 1);
        };
        assert_eq!(found(both_in_another_order), "");
    }

    #[test]
    fn what_an_expression_does_to_materials_is_compared() {
        let bind = |material: &str, property: &str, red: f32| MaterialBind {
            material: material.to_owned(),
            property: property.to_owned(),
            value: vec![red, 0.0, 0.0, 1.0],
        };
        let compared = |before: &[MaterialBind], after: &[MaterialBind]| {
            let [before, after] = [before, after].map(|binds| {
                let face = face(|asset| asset.expressions[0].material_binds = binds.to_vec());
                Source::from(face)
            });
            let report = compare(&before, &after, &Options::default()).expect("they correspond");
            let differences: Vec<_> = report.differences().collect();
            assert!(differences.iter().all(|own| own.kind == Kind::Expressions));
            let messages = differences.iter().map(|own| own.finding.message.clone());
            messages.collect::<Vec<_>>().join("; ")
        };
        let [blush, pale] = [1.0, 0.5].map(|red| bind("Skin", "color", red));
        let moved = bind("Skin", "textureTransform", 1.0);
        let both = [blush.clone(), moved.clone()];
        let reversed = [moved, blush.clone()];
        assert_eq!(compared(&both, &reversed), "");
        let blush = &[blush][..];
        assert_eq!(
            compared(blush, &[pale]),
            "expression \"happy\", `color` of material \"Skin\": sets it to (1, 0, 0, 1) before and sets it to (0.5, 0, 0, 1) \
             after"
        );
        let lost = compared(blush, &[]);
        assert!(lost.ends_with("before and does not set it after"), "{lost}");
        let added = compared(blush, &both);
        assert!(added.contains("does not set it before"), "{added}");
        let other = compared(blush, &[bind("Skin", "shadeColor", 1.0)]);
        assert!(other.ends_with("does not set it after"), "{other}");
        let other = compared(blush, &[bind("Hair", "color", 1.0)]);
        assert!(other.ends_with("does not set it after"), "{other}");
        // Another version of VRM.
        assert_eq!(compared(blush, &[bind("Skin", "_Color", 0.9)]), "");
        assert!(!compared(blush, &[bind("Skin", "_ShadeColor", 0.9)]).is_empty());
    }

    #[test]
    fn what_an_expression_does_to_others_is_compared() {
        let message = found(|asset| asset.expressions[0].overrides[0] = Override::Block);
        assert!(
            message.contains("leaves blinking before and blocks it after"),
            "{message}"
        );
        let message = found(|asset| asset.expressions[0].is_binary = true);
        assert!(message.contains("is either on or off after"), "{message}");
        let message = found(|asset| drop(asset.expressions.remove(0)));
        assert!(
            message.contains("\"happy\" has no counterpart"),
            "{message}"
        );
    }
}
