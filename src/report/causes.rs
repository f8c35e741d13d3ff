//! Findings in the order of their causes.

use crate::finding::Finding;

/// A finding that no other one of the model explains, and those that it explains, by index.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) cause: usize,
    pub(super) consequences: Vec<usize>,
}

/// The findings of a model, in their order, each with its consequences. A finding whose cause is not in the list stands
/// alone.
pub(super) fn groups(findings: &[Finding]) -> Vec<Group> {
    // Of a chain, the first that has no cause itself. Rules form no circles.
    let root = |index: usize| {
        let above = |index: &usize| {
            let cause = |one: &Finding| one.explains(&findings[*index]);
            findings
                .iter()
                .position(cause)
                .filter(|cause| cause != index)
        };
        let chain = std::iter::successors(Some(index), above);
        chain.take(findings.len()).last().unwrap_or(index)
    };
    let mut groups: Vec<Group> = Vec::new();
    let roots: Vec<usize> = (0..findings.len()).map(root).collect();
    for (index, root) in roots.iter().enumerate() {
        if index == *root {
            let consequences =
                (0..findings.len()).filter(|one| roots[*one] == index && *one != index);
            groups.push(Group {
                cause: index,
                consequences: consequences.collect(),
            });
        }
    }
    groups
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
}
