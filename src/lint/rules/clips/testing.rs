//! Runs a rule on a handmade asset.

use std::path::Path;

use crate::finding::Finding;
use crate::lint::{Context, Findings, Rule, Settings};
use crate::rig::Asset;

/// The findings of `rule`, as `place: message`, under the default settings.
pub(super) fn reported(rule: &dyn Rule, asset: &Asset) -> Vec<String> {
    told_with(rule, asset, &Settings::default())
}

/// The findings of `rule`, as `place: message`.
pub(super) fn told_with(rule: &dyn Rule, asset: &Asset, settings: &Settings) -> Vec<String> {
    let cx = Context::new(asset, Path::new("model"), settings);
    let mut findings = Findings::new(rule.meta(), rule.meta().level.level());
    rule.check(&cx, &mut findings);
    let list = findings.into_list().into_iter();
    let line = |finding: Finding| format!("{}: {}", finding.location, finding.message);
    list.map(|found| line(found.named(&cx))).collect()
}
