//! Compares a report with a baseline.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::file::{Baseline, Extent, can_be_accepted, counted, entry, is_beyond, present, rounded};
use crate::check::{Accepted, AcceptedFinding, FileReport, Report};
use crate::finding::Finding;
use crate::lint::find_rule;
use crate::paths::{real_folder, seen_from, slashed};

impl Baseline {
    /// Removes accepted findings from `report`, and lists resolved ones.
    ///
    /// An accepted finding is resolved if its rule ran and no longer fires at any level, or if its file no longer exists.
    ///
    /// * `folder` – the folder of the baseline.
    pub fn apply(&self, report: &mut Report, folder: &Path) {
        let folder = real_folder(folder);
        let known = self.seen_from(&folder);
        let gone = known.gone(report, &folder);
        let mut still_there = 0;
        for file in &mut report.files {
            still_there += known.take_out(file, &folder);
        }
        report.accepted = Some(Accepted {
            still_there,
            gone,
            just_now: false,
        });
    }

    /// Removes resolved findings, and lowers counts to the current ones.
    ///
    /// * `report` – as before [`Baseline::apply`].
    /// * `folder` – the folder of the baseline.
    #[must_use]
    pub fn pruned(&self, report: &Report, folder: &Path) -> Self {
        let folder = real_folder(folder);
        let known = self.seen_from(&folder);
        let gone: BTreeSet<AcceptedFinding> = known.gone(report, &folder).into_iter().collect();
        let present = present(report, &folder);
        let kept = known
            .accepted
            .iter()
            .filter(|(entry, _)| !gone.contains(entry));
        let lowered = kept.map(|(entry, extent)| {
            let now = present.get(entry).unwrap_or(extent);
            let count = extent.count.min(now.count);
            (entry.clone(), Extent { count, ..*extent })
        });
        Self {
            accepted: lowered.collect(),
        }
    }

    /// Also accepts all errors and warnings in `report`, and removes resolved ones.
    ///
    /// * `folder` – the folder of the baseline.
    #[must_use]
    pub fn renewed(&self, report: &Report, folder: &Path) -> Self {
        let mut renewed = self.pruned(report, folder);
        renewed.accepted.extend(Self::of(report, folder).accepted);
        renewed
    }

    fn take_out(&self, file: &mut FileReport, folder: &Path) -> usize {
        let path = slashed(&seen_from(folder, &file.path));
        let counts = counted(file, folder);
        let before = file.findings.len();
        file.findings.retain_mut(|finding| {
            if !can_be_accepted(finding.level) {
                return true;
            }
            let entry = entry(finding, &path);
            let Some(accepted) = self.accepted.get(&entry) else {
                return true;
            };
            let count = counts.get(&entry).map_or(0, |now| now.count);
            let Some(worse) = worse(finding, count, accepted) else {
                return false;
            };
            finding.message.push_str("; accepted before: ");
            finding.message.push_str(&worse);
            finding.accepted = Some(accepted.count);
            true
        });
        before - file.findings.len()
    }

    fn gone<'a>(&'a self, report: &Report, folder: &Path) -> Vec<AcceptedFinding> {
        let present = present(report, folder);
        let files = report.files.iter();
        let files: BTreeMap<String, &FileReport> = files
            .map(|file| (slashed(&seen_from(folder, &file.path)), file))
            .collect();
        let mut last: Option<(&str, bool)> = None;
        // Entries are sorted by file, so each file is looked up once.
        let mut is_deleted = |file: &'a str| {
            let known = last.filter(|(known, _)| *known == file);
            let is_deleted = || !is_bytes(file) && !folder.join(file).exists();
            last.insert(known.unwrap_or_else(|| (file, is_deleted()))).1
        };
        let is_gone = |entry: &&'a AcceptedFinding| match files.get(&entry.file) {
            Some(file) => {
                let fires = |finding: &Finding| self::entry(finding, &entry.file) == **entry;
                !present.contains_key(*entry)
                    && was_checked(file, &entry.rule)
                    && !file.findings.iter().any(fires)
            }
            None => is_deleted(&entry.file),
        };
        self.accepted.keys().filter(is_gone).cloned().collect()
    }
}

/// What was accepted of `finding`, if it is worse now.
///
/// * `count` – of its entry.
fn worse(finding: &Finding, count: usize, accepted: &Extent) -> Option<String> {
    if let (Some(now), Some(before)) = (finding.measure, accepted.measure)
        && is_beyond(finding.measure, accepted.measure)
    {
        let (before, now) = (before.value, rounded(now.value));
        return Some(format!("a value of {before}, now {now}"));
    }
    if count > accepted.count {
        return Some(accepted.count.to_string());
    }
    (finding.level > accepted.level).then(|| format!("at level {}", accepted.level.name()))
}

/// Whether `file` stands for a path that is not Unicode, which cannot be looked up.
fn is_bytes(file: &str) -> bool {
    file.contains("\\x")
}

/// Whether `rule` would have been reported for `file`. An unknown rule never is.
fn was_checked(file: &FileReport, rule: &str) -> bool {
    let is_checked = || file.checked.iter().any(|code| code.0 == rule);
    file.failure.is_none() && (is_checked() || find_rule(rule).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Code, Level, Measure, Unit};
    use crate::rig::Location;

    const W103: Code = Code("W103");

    fn finding(mesh: &str, count: usize) -> Finding {
        Finding {
            count,
            counted: "vertex".into(),
            ..Finding::new(
                W103,
                Level::Error,
                Location::mesh(mesh).vertex(count),
                "is off",
            )
        }
    }

    fn report(findings: Vec<Finding>) -> Report {
        Report {
            files: vec![FileReport {
                path: "models/a.glb".into(),
                findings,
                checked: [W103].into(),
                ..FileReport::default()
            }],
            ..Report::default()
        }
    }

    fn folder() -> &'static Path {
        Path::new("models")
    }

    fn applied(baseline: &Baseline, mut report: Report) -> Report {
        baseline.apply(&mut report, folder());
        report
    }

    #[test]
    fn an_accepted_finding_is_not_reported_again() {
        let first = report(vec![finding("a", 3), finding("b", 1)]);
        let baseline = Baseline::of(&first, folder());
        let again = applied(&baseline, first);
        assert!(again.files[0].findings.is_empty());
        let expected = Accepted {
            still_there: 2,
            gone: Vec::new(),
            just_now: false,
        };
        assert_eq!(again.accepted, Some(expected));
    }

    #[test]
    fn new_and_grown_findings_are_reported_and_shrunken_ones_are_not() {
        let baseline = Baseline::of(&report(vec![finding("a", 3), finding("b", 3)]), folder());
        let later = report(vec![finding("a", 4), finding("b", 2), finding("c", 1)]);
        let reported = applied(&baseline, later);
        let reported: Vec<_> = reported.files[0]
            .findings
            .iter()
            .map(|finding| (finding.location.mesh.as_deref(), finding.message.as_str()))
            .collect();
        let expected = [
            (Some("a"), "is off; accepted before: 3"),
            (Some("c"), "is off"),
        ];
        assert_eq!(reported, expected);
    }

    /// How a finding is reported that was accepted with `before`, as value and limit.
    fn reported(before: (f64, f64), now: (f64, f64), level: Level) -> Option<String> {
        let valued = |(value, limit), level| Finding {
            measure: Some(Measure {
                unit: Unit::Rule,
                value,
                limit: Some(limit),
            }),
            level,
            ..finding("a", 1)
        };
        let accepted = report(vec![valued(before, Level::Warning)]);
        let baseline = Baseline::of(&accepted, folder());
        let mut applied = applied(&baseline, report(vec![valued(now, level)]));
        applied.files[0]
            .findings
            .pop()
            .map(|finding| finding.message)
    }

    #[test]
    fn a_finding_whose_value_or_level_is_worse_is_reported() {
        for (before, now, expected) in [
            (
                (0.01, 2e-7),
                (49.0, 2e-7),
                Some("is off; accepted before: a value of 0.01, now 49"),
            ),
            ((0.01, 2e-7), (0.0105, 2e-7), None),
            ((0.01, 2e-7), (0.001, 2e-7), None),
            (
                (0.5, 1.0),
                (0.2, 1.0),
                Some("is off; accepted before: a value of 0.5, now 0.2"),
            ),
            ((0.5, 1.0), (0.7, 1.0), None),
            (
                (0.01, 2e-7),
                (f64::NAN, 2e-7),
                Some("is off; accepted before: a value of 0.01, now NaN"),
            ),
            (
                (0.01, 2e-7),
                (f64::INFINITY, 2e-7),
                Some("is off; accepted before: a value of 0.01, now inf"),
            ),
            ((f64::NAN, 1.0), (f64::NAN, 1.0), None),
            ((f64::NAN, 1.0), (2.0, 1.0), None),
        ] {
            let message = reported(before, now, Level::Warning);
            assert_eq!(message.as_deref(), expected, "{before:?} {now:?}");
        }
        let raised = reported((2.0, 1.0), (2.0, 1.0), Level::Error);
        assert_eq!(
            raised.as_deref(),
            Some("is off; accepted before: at level warning")
        );
    }

    #[test]
    fn a_hint_is_neither_accepted_nor_removed_nor_a_reason_to_resolve() {
        let hint = |mesh| Finding {
            level: Level::Hint,
            ..finding(mesh, 3)
        };
        let hints = report(vec![hint("a"), hint("b")]);
        assert!(Baseline::of(&hints, folder()).is_empty());
        let baseline = Baseline::of(&report(vec![finding("a", 3)]), folder());
        let shown = applied(&baseline, hints);
        assert_eq!(shown.files[0].findings, [hint("a"), hint("b")]);
        let expected = Accepted {
            still_there: 0,
            gone: Vec::new(),
            just_now: false,
        };
        assert_eq!(shown.accepted, Some(expected));
        let text = baseline.to_json().replace("error", "hint");
        let of_report = Baseline::parse(&text).expect("it is one");
        assert!(of_report.is_empty(), "a report may hold hints");
    }

    #[test]
    fn a_new_baseline_keeps_what_the_run_did_not_check() {
        let before = Baseline::of(&report(vec![finding("a", 3), finding("b", 1)]), folder());
        let mut other = report(vec![finding("c", 2)]);
        other.files[0].path = "src/lib.rs".into();
        let here = Path::new(".");
        let mut of_other = Baseline::of(&other, here);
        other.files[0].path = "Cargo.toml".into();
        let renewed = of_other.renewed(&other, here);
        of_other
            .accepted
            .extend(Baseline::of(&other, here).accepted);
        assert_eq!(renewed, of_other);
        let later = report(vec![finding("b", 9)]);
        let renewed = before.renewed(&later, folder());
        assert_eq!(renewed, Baseline::of(&later, folder()));
    }

    #[test]
    fn a_finding_that_is_gone_is_reported_and_pruned() {
        let first = report(vec![finding("a", 3), finding("b", 5)]);
        let baseline = Baseline::of(&first, folder());
        let later = report(vec![finding("b", 2)]);
        let pruned = baseline.pruned(&later, folder());
        assert_eq!(pruned, Baseline::of(&later, folder()));
        let reported = applied(&baseline, later).accepted.expect("it was compared");
        assert_eq!(reported.still_there, 1);
        let gone: Vec<&str> = reported
            .gone
            .iter()
            .map(|gone| gone.subject.as_str())
            .collect();
        assert_eq!(gone, ["mesh \"a\""]);
    }

    #[test]
    fn an_accepted_finding_that_no_rule_reports_is_gone() {
        let first = report(vec![finding("a", 3)]);
        let text = Baseline::of(&first, folder()).to_json();
        let baseline = Baseline::parse(&text.replace("W103", "W199")).expect("it is one");
        let reported = applied(&baseline, first).accepted.expect("it was compared");
        let gone: Vec<&str> = reported
            .gone
            .iter()
            .map(|gone| gone.rule.as_str())
            .collect();
        assert_eq!((reported.still_there, gone), (0, vec!["W199"]));
    }

    #[test]
    fn a_file_is_known_however_its_way_is_written_in_the_baseline() {
        let first = report(vec![finding("a", 3)]);
        let text = Baseline::of(&first, folder()).to_json();
        for way in ["./a.glb", "x/../a.glb", "../models/a.glb"] {
            let text = text.replace("\"a.glb", &format!("\"{way}"));
            let baseline = Baseline::parse(&text).expect("it is one");
            let reported = applied(&baseline, first.clone()).accepted;
            assert_eq!(
                reported.map(|reported| reported.still_there),
                Some(1),
                "{way}"
            );
        }
    }

    #[test]
    fn findings_outside_a_run_are_not_gone() {
        let baseline = Baseline::of(&report(vec![finding("a", 3)]), folder());
        let mut unchecked = report(Vec::new());
        unchecked.files[0].checked = [].into();
        let mut unreadable = report(Vec::new());
        unreadable.files[0].failure = Some("it is damaged".to_owned());
        for later in [unchecked, unreadable] {
            assert_eq!(baseline.pruned(&later, folder()), baseline);
            let reported = applied(&baseline, later).accepted.expect("it was compared");
            assert!(reported.gone.is_empty());
        }
    }

    #[test]
    fn a_file_whose_name_is_not_unicode_is_gone_only_if_it_was_checked() {
        let text = Baseline::of(&report(vec![finding("a", 3)]), folder()).to_json();
        let gone = |file: &str| {
            let text = text.replace("a.glb", file);
            let baseline = Baseline::parse(&text).expect("it is one");
            let mut other = report(Vec::new());
            other.files[0].path = "models/other.glb".into();
            let reported = applied(&baseline, other).accepted;
            reported.expect("it was compared").gone.len()
        };
        assert_eq!(gone("bad\\\\xff.glb"), 0);
        assert_eq!(gone("bad.glb"), 1);
    }

    #[test]
    fn a_baseline_comes_back_from_its_file() {
        let measured = |value, finding| Finding {
            measure: Some(Measure {
                unit: Unit::Rule,
                value,
                limit: None,
            }),
            ..finding
        };
        let finite = measured(-1.0 / 3.0, finding("b\n\"", 3));
        let not_finite = measured(f64::NAN, finding("a", 1));
        let baseline = Baseline::of(&report(vec![finite, not_finite]), folder());
        let text = baseline.to_json();
        assert_eq!(Baseline::parse(&text).expect("it is one"), baseline);
        assert_eq!(text.lines().count(), 10, "{text}");
        let empty = Baseline::default();
        assert_eq!(
            Baseline::parse(&empty.to_json()).expect("so is this"),
            empty
        );
    }

    #[test]
    fn a_file_that_is_not_a_baseline_is_refused() {
        let finding = |count: &str| {
            format!(
                "{{\"schema\": \"skincheck/report/1\", \"command\": \"check\", \"models\": [{{\"path\": \"a.glb\", \
                 \"failure\": null, \"findings\": [{{\"code\": \"W103\", \"subject\": \"file\", \"level\": \"error\", \
                 \"count\": {count}, \"measure\": null}}]}}]}}"
            )
        };
        assert!(Baseline::parse(&finding("3")).is_ok());
        let other = finding("3").replace("report/1", "report/9");
        let of_diff = finding("3").replace("\"check\"", "\"diff\"");
        for (text, expected) in [
            ("[]".to_owned(), "not a JSON report of skincheck check"),
            ("{}".to_owned(), "not a JSON report of skincheck check"),
            (finding("\"a\""), "not a JSON report of skincheck check"),
            (finding("-1"), "not a JSON report of skincheck check"),
            (finding("1.5"), "not a JSON report of skincheck check"),
            (other, "expected the schema skincheck/report/1"),
            (of_diff, "found one of diff"),
        ] {
            let error = Baseline::parse(&text).expect_err(&text).to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn findings_of_one_entry_are_added_up_in_a_report_as_in_a_run() {
        let findings = vec![finding("a", 3), finding("a", 4)];
        let baseline = Baseline::of(&report(findings), folder());
        let line = |count: usize| {
            format!(
                "{{\"code\":\"W103\",\"subject\":\"mesh \\\"a\\\"\",\"level\":\"error\",\"count\":{count},\"measure\":null}}"
            )
        };
        let text = baseline.to_json();
        let twice = text.replace(&line(7), &format!("{},{}", line(3), line(4)));
        assert_ne!(twice, text);
        assert_eq!(Baseline::parse(&twice).expect("it is one"), baseline);
    }
}
