//! Runs all rules on one model.

mod causes;

use std::thread;

use serde::{Deserialize, Serialize};

use super::rules::rules;
use crate::Coverage;
use crate::analysis::motion::Thinned;
use crate::core::context::Context;
use crate::core::conversion::Conversion;
use crate::core::findings::{Findings, Found};
use crate::core::reading::Reading;
use crate::finding::Finding;
use crate::finding::{Code, Level};
use crate::rig::{Format, Misread, ReaderCode};
use crate::rules::rule::Rule;
use crate::watch::{Watcher, prepare, vertices, watch};

/// A rule that could not be checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Unchecked {
    /// The rule.
    pub code: Code,
    /// The reader of the file, if it does not provide what the rule needs.
    pub reader: Option<ReaderCode>,
    /// The reason, such as `not checkable with assimp`.
    pub reason: String,
}

/// The results of all rules on one model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Checked {
    /// In the order of the rules.
    pub findings: Vec<Finding>,
    /// Rules that cannot be checked on this model.
    pub unchecked: Vec<Unchecked>,
    /// Clips that were sampled sparsely.
    pub thinned: Vec<Thinned>,
    /// How the target engine differs from the axes and unit in the file.
    pub conversions: Vec<Conversion>,
    /// What was looked at.
    pub coverage: Coverage,
    /// What the rules measured, in their order: for each limit, the value nearest to it.
    pub readings: Vec<Reading>,
}

/// Checks one model by every rule that is not switched off. The result is the same for any number of threads.
///
/// The vertices are skinned only if an active rule watches them in motion.
///
/// ```
/// # mod skincheck { pub use skincheck_rig::rig; pub use skincheck_lint as lint; }
/// # let asset = skincheck::rig::leg();
/// use skincheck::lint::{self, Context, Settings};
///
/// let settings = Settings::default();
/// let checked = lint::check(&Context::new(&asset, "leg.glb".as_ref(), &settings));
/// for finding in &checked.findings {
///     println!("{}: {}", finding.code.0, finding.level.name());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn check(cx: &Context<'_>) -> Checked {
    check_by(cx, rules())
}

/// As [`check`], with other rules.
pub(super) fn check_by(
    cx: &Context<'_>,
    rules: impl Iterator<Item = &'static dyn Rule>,
) -> Checked {
    let rules: Vec<&'static dyn Rule> = rules.collect();
    let checked = if is_large(cx, &rules) {
        thread::scope(|scope| {
            // If no thread can be started, the analyses are computed on demand.
            let _ = thread::Builder::new().spawn_scoped(scope, || prepare(cx));
            run(cx, &rules)
        })
    } else {
        run(cx, &rules)
    };
    Checked {
        conversions: conversions(cx),
        ..checked
    }
}

/// Whether it pays to prepare the analyses of poses in a second thread while rules check the model itself.
fn is_large(cx: &Context<'_>, rules: &[&'static dyn Rule]) -> bool {
    let watches = |rule: &&dyn Rule| rule.watches() && level(cx, *rule).is_some();
    vertices(cx.asset) >= LARGE && rules.iter().any(watches)
}

/// From so many vertices on, these analyses take some ten milliseconds.
const LARGE: usize = 50_000;

fn run(cx: &Context<'_>, rules: &[&'static dyn Rule]) -> Checked {
    let (run, order) = examined(cx, rules);
    run.checked(cx, &order)
}

/// What `rules` find, without causes.
fn findings(cx: &Context<'_>, rules: &[&'static dyn Rule]) -> Vec<Found> {
    let (run, _) = examined(cx, rules);
    let lists = run.rules.into_iter();
    lists.flat_map(|(_, found)| found.into_parts().0).collect()
}

/// The model after every rule has examined it, and the rules in order.
fn examined(cx: &Context<'_>, rules: &[&'static dyn Rule]) -> (Run, Vec<Code>) {
    let mut run = Run::default();
    let mut order = Vec::new();
    for rule in rules {
        if cx.deadline.has_passed() {
            break;
        }
        order.push(rule.meta().code);
        if let Some(level) = level(cx, *rule) {
            match missing(cx, *rule) {
                Some(unchecked) => run.unchecked.push(unchecked),
                None => run.check(cx, (*rule, level)),
            }
        }
    }
    run.watch(cx);
    (run, order)
}

fn conversions(cx: &Context<'_>) -> Vec<Conversion> {
    let target = cx.settings.engine.as_ref();
    target.map_or_else(Vec::new, |target| Conversion::of(cx.asset, target.engine()))
}

/// The active rules, with their findings so far.
#[derive(Default)]
struct Run {
    rules: Vec<(Watcher, Findings)>,
    unchecked: Vec<Unchecked>,
    thinned: Vec<Thinned>,
    coverage: Coverage,
}

impl Run {
    fn check(&mut self, cx: &Context<'_>, (rule, level): (&'static dyn Rule, Level)) {
        let mut findings = Findings::new(cx, rule.meta(), level);
        rule.check(cx, &mut findings);
        self.rules.push(((rule, level), findings));
    }

    fn watch(&mut self, cx: &Context<'_>) {
        let watching: Vec<Watcher> = self
            .rules
            .iter()
            .map(|(watcher, _)| *watcher)
            .filter(|(rule, _)| rule.watches())
            .collect();
        let watched = watch(cx, &watching);
        self.coverage = watched.coverage;
        match watched.findings {
            Ok(seen) => {
                let all = self
                    .rules
                    .iter_mut()
                    .filter(|((rule, _), _)| rule.watches());
                for ((_, findings), seen) in all.zip(seen) {
                    findings.merge_poses(seen);
                }
                if !watching.is_empty() {
                    self.thinned = watched.thinned;
                }
            }
            Err(error) => {
                let refused = watching.iter().map(|(rule, _)| Unchecked {
                    code: rule.meta().code,
                    reader: None,
                    reason: format!("not checkable: {error}"),
                });
                self.unchecked.extend(refused);
            }
        }
        for ((rule, _), findings) in &mut self.rules {
            rule.conclude(cx, &self.coverage, findings);
        }
    }

    fn checked(mut self, cx: &Context<'_>, order: &[Code]) -> Checked {
        let location =
            |unchecked: &Unchecked| order.iter().position(|code| *code == unchecked.code);
        self.unchecked.sort_by_key(location);
        let mut readings = Vec::new();
        let mut found: Vec<(&'static dyn Rule, Found)> = Vec::new();
        for ((rule, _), findings) in self.rules {
            let (of_rule, measured) = findings.into_parts();
            readings.extend(measured.named(cx, rule.meta().code));
            found.extend(of_rule.into_iter().map(|found| (rule, found)));
        }
        let causes = causes::causes(cx, &found);
        let findings = found.into_iter().zip(causes).map(|((rule, found), cause)| {
            let (meta, finding) = (rule.meta(), found.named(cx));
            let configured = cx.settings.configured_level(meta.code);
            Finding {
                origin: cx.origin(meta, &finding.location),
                level: configured.unwrap_or(finding.level),
                cause,
                ..finding
            }
        });
        Checked {
            findings: findings.collect(),
            unchecked: self.unchecked,
            thinned: self.thinned,
            conversions: Vec::new(),
            coverage: self.coverage,
            readings,
        }
    }
}

/// The level of a rule's findings on this model; `None` if it is switched off.
fn level(cx: &Context<'_>, rule: &dyn Rule) -> Option<Level> {
    if cx.asset.format == Format::Gltf {
        cx.settings.level_in_gltf(rule.meta())
    } else {
        cx.settings.level(rule.meta())
    }
}

/// Rules of other families that need weights, or say of joints what only weights show.
const OF_WEIGHTS: [&str; 11] = [
    "B205", "B207", "B211", "B213", "B214", "G811", "G822", "H301", "H305", "H323", "H324",
];

/// Rules of other families that need clips.
const OF_MOTION: [&str; 3] = ["G808", "G822", "T406"];

/// Whether a rule would blame the model for what an importer gets wrong.
fn reads(code: Code, data: Misread) -> bool {
    match data {
        Misread::Weights => code.0.starts_with(['W', 'D']) || OF_WEIGHTS.contains(&code.0),
        Misread::Motion => code.0.starts_with(['C', 'D']) || OF_MOTION.contains(&code.0),
        _ => false,
    }
}

/// Why `rule` cannot be checked.
fn missing(cx: &Context<'_>, rule: &dyn Rule) -> Option<Unchecked> {
    let (evidence, reader) = (&cx.asset.evidence, cx.asset.reader.code);
    let code = rule.meta().code;
    let is_served = rule.needs().iter().all(|kind| evidence.examines(*kind));
    let is_read = !evidence.misread.iter().any(|data| reads(code, *data));
    let (reader, reason) = if is_served && is_read {
        (None, rule.uncheckable(cx)?)
    } else {
        (
            Some(reader),
            format!("not checkable with {}", reader.name()),
        )
    };
    Some(Unchecked {
        code,
        reader,
        reason,
    })
}

#[cfg(test)]
mod tests;
