//! Findings in the order of their causes.

use crate::finding::Finding;

/// A finding that no other one of the model explains, and those that it explains, by index.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) cause: usize,
    pub(super) consequences: Vec<usize>,
}

/// The index of the finding in the list that explains `finding`.
pub(super) fn explained_by(findings: &[Finding], finding: &Finding) -> Option<usize> {
    finding.cause.as_ref()?;
    findings.iter().position(|cause| cause.explains(finding))
}

/// The findings of a model, in their order, each with its consequences. A finding whose cause is not in the list stands
/// alone.
pub(super) fn groups(findings: &[Finding]) -> Vec<Group> {
    let causes = findings
        .iter()
        .map(|finding| explained_by(findings, finding));
    let causes: Vec<Option<usize>> = causes.collect();
    // The first of a chain. Results of a shard from elsewhere may hold a circle, whose findings stand alone.
    let root = |index: usize| {
        let chain = std::iter::successors(Some(index), |index| causes[*index]);
        let last = chain.take(findings.len()).last().unwrap_or(index);
        if causes[last].is_none() { last } else { index }
    };
    let mut consequences = vec![Vec::new(); findings.len()];
    let mut roots = Vec::new();
    for index in 0..findings.len() {
        match root(index) {
            root if root == index => roots.push(index),
            root => consequences[root].push(index),
        }
    }
    let groups = roots.into_iter().map(|cause| Group {
        cause,
        consequences: std::mem::take(&mut consequences[cause]),
    });
    groups.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Cause, Code, Level};
    use crate::rig::Location;

    fn finding(code: &'static str, cause: Option<&'static str>) -> Finding {
        let mesh = || Location::mesh("Body");
        let mut finding = Finding::new(Code(code), Level::Warning, mesh(), "is off");
        finding.cause = cause.map(|code| Cause::Finding {
            code: Code(code),
            location: Box::new(mesh()),
        });
        finding
    }

    #[test]
    fn chains_end_at_one_cause_and_a_missing_cause_hides_nothing() {
        let findings = [
            finding("W119", Some("H314")),
            finding("D602", Some("W119")),
            finding("D604", Some("W104")),
            finding("H314", None),
        ];
        let of = |cause, consequences: &[usize]| Group {
            cause,
            consequences: consequences.to_vec(),
        };
        assert_eq!(groups(&findings), [of(2, &[]), of(3, &[0, 1])]);
    }

    #[test]
    fn findings_that_claim_to_explain_each_other_are_all_shown() {
        let findings = [
            finding("D602", Some("W119")),
            finding("W119", Some("D602")),
            finding("W104", Some("W104")),
            finding("D604", Some("D602")),
        ];
        let shown = groups(&findings);
        assert!(shown.iter().map(|group| group.cause).eq(0..4));
    }
}
