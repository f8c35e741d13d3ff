//! Which findings explain others.

use crate::finding::{AffectedMesh, Cause};
use crate::lint::analysis::topology::topology;
use crate::lint::core::context::Context;
use crate::lint::core::findings::Found;
use crate::lint::rules::rule::{Follows, Rule, Through};
use crate::rig::InstanceId;

/// The cause of each finding. Every finding keeps its level, so no verdict depends on them.
///
/// * `found` – each finding with its rule, in the order of the rules.
pub(super) fn causes(cx: &Context<'_>, found: &[(&dyn Rule, Found)]) -> Vec<Option<Cause>> {
    let cause = |(rule, own): &(&dyn Rule, Found)| {
        let cause = rule.follows_from().iter().find_map(|follows| {
            let mut all = found.iter().map(|(_, other)| other);
            all.find(|other| {
                other.finding.code.0 == follows.code && explains(cx, follows, other, own)
            })
        });
        cause.map(|other| Cause::Finding {
            code: other.finding.code,
            location: Box::new(cx.location(other.subject.clone())),
        })
    };
    found.iter().map(cause).collect()
}

/// Whether `cause` is a finding of the rule that `follows` names where `found` is.
fn explains(cx: &Context<'_>, follows: &Follows, cause: &Found, found: &Found) -> bool {
    match follows.through {
        Through::Model => true,
        Through::Mesh => cause.subject.key().0 == found.subject.key().0,
        Through::Clips => {
            let mut clips = found.clips().peekable();
            clips.peek().is_some() && clips.all(|clip| cause.clips().any(|own| own == clip))
        }
        Through::Vertices => {
            let meshes = &found.finding.affected.meshes;
            let of_cause = &cause.finding.affected;
            let is_near = |mesh: &AffectedMesh| {
                let near = near(cx, mesh.instance, of_cause.vertices_of(mesh.instance));
                mesh.vertices.iter().all(|vertex| near[*vertex as usize])
            };
            !meshes.is_empty() && meshes.iter().all(is_near)
        }
    }
}

/// For each vertex of the mesh, whether it is one of `vertices`, or shares a triangle with one of their positions.
fn near(cx: &Context<'_>, instance: InstanceId, vertices: &[u32]) -> Vec<bool> {
    let instance = &cx.asset[instance];
    let welded = &topology(cx, instance.mesh).welded;
    let mut at_fault = vec![false; welded.len()];
    for vertex in vertices {
        at_fault[welded[*vertex as usize] as usize] = true;
    }
    let mut near = vec![false; welded.len()];
    for corners in &cx.asset.mesh_of(instance).triangles {
        let corners = corners.map(|vertex| vertex as usize);
        if corners
            .iter()
            .any(|vertex| at_fault[welded[*vertex] as usize])
        {
            for vertex in corners {
                near[vertex] = true;
            }
        }
    }
    for vertex in vertices {
        near[*vertex as usize] = true;
    }
    near
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::lint::{find_rule, rules};

    #[test]
    fn every_cause_is_a_rule_and_none_explains_itself() {
        for rule in rules() {
            let mut seen = BTreeSet::from([rule.meta().code.0]);
            let mut next: Vec<&str> = rule.follows_from().iter().map(|one| one.code).collect();
            while let Some(code) = next.pop() {
                assert_ne!(code, rule.meta().code.0, "a circle");
                let cause = find_rule(code).unwrap_or_else(|| panic!("{code} is no rule"));
                if seen.insert(code) {
                    next.extend(cause.follows_from().iter().map(|one| one.code));
                }
            }
        }
    }
}
