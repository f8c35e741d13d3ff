//! All rules on one model.

use super::context::Context;
use super::finding::{Finding, Findings};
use super::registry::rules;
use super::report::Unchecked;
use super::rule::{Level, Rule};

/// What the rules have to say about one model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Checked {
    /// In the order of the rules.
    pub findings: Vec<Finding>,
    /// Rules that the model's importer cannot serve.
    pub unchecked: Vec<Unchecked>,
}

/// Checks one model by every rule that is not switched off. The same for any number of threads.
#[must_use]
pub fn check(cx: &Context<'_>) -> Checked {
    let mut checked = Checked::default();
    for rule in rules() {
        let Some(level) = cx.settings.level(rule.meta()) else {
            continue;
        };
        match missing(cx, rule) {
            Some(reason) => checked.unchecked.push(Unchecked {
                code: rule.meta().code,
                reason,
            }),
            None => checked.findings.extend(findings(cx, rule, level)),
        }
    }
    checked
}

fn findings(cx: &Context<'_>, rule: &dyn Rule, level: Level) -> Vec<Finding> {
    let mut findings = Findings::new(rule.meta(), level);
    rule.check(cx, &mut findings);
    findings.into_list()
}

/// Why `rule` cannot be checked.
fn missing(cx: &Context<'_>, rule: &dyn Rule) -> Option<String> {
    let evidence = &cx.asset.evidence;
    let served = rule.needs().iter().all(|kind| evidence.examines(*kind));
    let importer = cx.asset.importer.split(' ').next().unwrap_or_default();
    (!served).then(|| format!("not checkable with {importer}"))
}
