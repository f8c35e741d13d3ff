//! Findings, what they concern and what explains them, on planted faults.

use std::collections::BTreeSet;

use skincheck::finding::{Code, Finding};
use skincheck::lint::{self, Context, Settings};
use skincheck::rig::Asset;

use super::planted::{FAMILIES, healthy};

/// The findings without those of the rules `off`.
fn findings(asset: &Asset, off: &[&'static str]) -> Vec<Finding> {
    let mut settings = Settings::default();
    for code in off {
        settings.levels.insert(Code(code), None);
    }
    lint::check(&Context::new(asset, "model.gltf".as_ref(), &settings)).findings
}

/// Plants a class of faults.
fn plant(asset: &mut Asset, name: &str, strength: f32) {
    let classes = FAMILIES.iter().flat_map(|(_, classes)| *classes);
    let class = classes
        .into_iter()
        .find(|class| class.name == name)
        .expect("the class exists");
    assert!((class.plant)(asset, strength));
}

fn of<'a>(findings: &'a [Finding], code: &str) -> Vec<&'a Finding> {
    let own = findings.iter().filter(|finding| finding.code.0 == code);
    own.collect()
}

const UNWEIGHTED: &str = "vertices without weights (part of a joint's)";
const BESIDE: &str = "a mesh beside its skeleton (diagonals)";
const FAR: &str = "a vertex that follows a far joint (weight)";

#[test]
fn a_finding_lists_exactly_the_planted_vertices() {
    for mut asset in healthy::hosts() {
        plant(&mut asset, UNWEIGHTED, 0.3);
        let planted: BTreeSet<u32> = asset
            .meshes
            .iter()
            .flat_map(|mesh| {
                let empty = (0..mesh.positions.len())
                    .filter(|vertex| mesh.influences.of(*vertex).is_empty());
                empty
                    .filter_map(|vertex| u32::try_from(vertex).ok())
                    .collect::<Vec<_>>()
            })
            .collect();
        let findings = findings(&asset, &[]);
        let listed = findings
            .iter()
            .filter(|finding| ["W104", "W105"].contains(&finding.code.0));
        let listed: BTreeSet<u32> = listed
            .flat_map(|finding| &finding.affected.meshes)
            .flat_map(|mesh| mesh.vertices.iter().copied())
            .collect();
        assert_eq!(listed, planted);
    }
}

#[test]
fn stretched_edges_follow_from_the_far_influences_at_their_ends() {
    let mut explained = 0;
    for mut asset in healthy::hosts() {
        plant(&mut asset, FAR, 1.0);
        let findings = findings(&asset, &[]);
        let far = of(&findings, "W114");
        // In a hand, every joint is near.
        for stretched in of(&findings, "D602")
            .into_iter()
            .filter(|_| !far.is_empty())
        {
            assert!(
                far.iter().any(|cause| cause.explains(stretched)),
                "{stretched:?}"
            );
            let other = stretched.location.ids.other_vertex;
            let other = other.expect("an edge has two ends");
            let named = format!("edge to vertex {other} ");
            assert!(stretched.message.starts_with(&named), "{stretched:?}");
            explained += 1;
        }
    }
    assert!(explained > 0);
}

#[test]
fn what_a_mesh_beside_its_skeleton_tears_follows_from_that() {
    let mut explained = 0;
    for mut asset in healthy::hosts() {
        plant(&mut asset, BESIDE, 1.0);
        let findings = findings(&asset, &[]);
        let beside = of(&findings, "B214");
        assert_eq!(beside.len(), 1, "{findings:?}");
        for code in ["D602", "D604", "D605", "D609"] {
            for torn in of(&findings, code) {
                assert!(beside[0].explains(torn), "{torn:?}");
                explained += 1;
            }
        }
    }
    assert!(explained > 0);
}

#[test]
fn what_is_there_without_the_cause_does_not_follow_from_it() {
    let mut alone = 0;
    for mut asset in healthy::hosts() {
        plant(&mut asset, FAR, 1.0);
        let own = findings(&asset, &["W114"]);
        if of(&own, "D602").is_empty() {
            continue;
        }
        plant(&mut asset, BESIDE, 0.3);
        let findings = findings(&asset, &["W114"]);
        let beside = of(&findings, "B214");
        for stretched in of(&findings, "D602") {
            assert!(!beside[0].explains(stretched), "{stretched:?}");
            alone += 1;
        }
    }
    assert!(alone > 0);
}

#[test]
fn a_finding_that_another_fault_contributes_to_stands_alone() {
    let mut alone = 0;
    for mut asset in healthy::hosts() {
        plant(&mut asset, FAR, 1.0);
        let before = findings(&asset, &["W114"]);
        if of(&before, "D602").is_empty() {
            continue;
        }
        plant(&mut asset, UNWEIGHTED, 0.05);
        for stretched in of(&findings(&asset, &["W114"]), "D602") {
            assert_eq!(stretched.cause, None, "{stretched:?}");
            alone += 1;
        }
    }
    assert!(alone > 0);
}
