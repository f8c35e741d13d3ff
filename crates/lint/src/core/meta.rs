//! The description of a rule.

use std::fmt;
use std::ops::Add;

use crate::core::evidence::{JUDGED_SETS, Known, Verdicts};
use crate::finding::{Code, Level};

/// A limit of a rule. The configuration sets it as `[rules.CODE] key = value`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// The name in the configuration.
    pub key: &'static str,
    /// The value without configuration; the rule's page derives it.
    pub default: f64,
    /// Its allowed range.
    pub range: LimitRange,
    /// What it limits, with its unit; one fragment.
    pub about: &'static str,
}

impl Limit {
    /// A limit without a description; see [`about`](Self::about).
    ///
    /// * `key` – the name in the configuration.
    #[must_use]
    pub const fn new(key: &'static str, default: f64, range: LimitRange) -> Self {
        Self {
            key,
            default,
            range,
            about: "",
        }
    }

    /// The same limit, with a description.
    ///
    /// * `about` – what it limits, with its unit; one fragment.
    #[must_use]
    pub const fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }
}

/// The meaningful values of a limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LimitRange {
    /// The minimum, inclusive.
    pub least: f64,
    /// The maximum, inclusive; may be infinite.
    pub most: f64,
    /// Whether it must be a whole number.
    pub whole: bool,
}

impl LimitRange {
    /// For values such as lengths.
    pub const FROM_ZERO: Self = Self::from(0.0);
    /// For fractions of 1.
    pub const PART: Self = Self::between(0.0, 1.0);
    /// For angles up to 180°.
    pub const DEGREES: Self = Self::between(0.0, 180.0);
    /// For counts, up to more than any model has.
    pub const WHOLE: Self = Self::whole(1.0, 65_536.0);

    /// Any number from `least`.
    #[must_use]
    pub const fn from(least: f64) -> Self {
        Self::between(least, f64::INFINITY)
    }

    /// Whole numbers, including both ends.
    #[must_use]
    pub const fn whole(least: f64, most: f64) -> Self {
        let whole = true;
        Self { least, most, whole }
    }

    /// Numbers, including both ends.
    #[must_use]
    pub const fn between(least: f64, most: f64) -> Self {
        let whole = false;
        Self { least, most, whole }
    }

    /// Whether `number` is in the range.
    #[must_use]
    pub fn allows(self, number: f64) -> bool {
        let fits = (self.least..=self.most).contains(&number);
        fits && number.is_finite() && !(self.whole && number.fract() != 0.0)
    }
}

impl fmt::Display for LimitRange {
    /// In words, such as `whole numbers from 1 to 16`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { least, most, whole } = self;
        f.write_str(if *whole { "whole numbers" } else { "numbers" })?;
        if most.is_finite() {
            write!(f, " from {least} to {most}")
        } else {
            write!(f, " from {least} on")
        }
    }
}

/// The description of a rule that reports and documentation print.
#[derive(Debug)]
#[non_exhaustive]
pub struct RuleMeta {
    /// Stable, and never reused.
    pub code: Code,
    /// In kebab case, such as `weights-not-normalized`.
    pub name: &'static str,
    /// The level without configuration.
    pub level: Level,
    /// How it is known to be right, which limits the level.
    pub known: Known,
    /// Whether it is checked only if the configuration, or `--select` with its code, requests it.
    pub on_request: bool,
    /// The higher level in glTF files, where that format forbids what other formats allow.
    pub level_in_gltf: Option<Level>,
    /// The rule's page, in Markdown: `docs/rules/CODE.md`.
    pub page: &'static str,
    /// Its limits.
    pub limits: &'static [Limit],
    /// The setting without which there is nothing to check.
    pub requires: Option<Required>,
    /// The vertex attribute that it checks, as glTF names it.
    pub attribute: Option<&'static str>,
}

/// A setting that a rule requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Required {
    /// The key in the configuration, such as `clips.loops`.
    pub key: &'static str,
    /// An example.
    pub example: &'static str,
}

impl RuleMeta {
    /// A rule without limits.
    ///
    /// * `code` – stable, and never reused.
    /// * `name` – in kebab case.
    /// * `level` – without configuration.
    /// * `known` – how it is known to be right.
    /// * `page` – in Markdown.
    #[must_use]
    pub const fn new(
        code: &'static str,
        name: &'static str,
        level: Level,
        known: Known,
        page: &'static str,
    ) -> Self {
        Self {
            code: Code(code),
            name,
            level,
            known,
            on_request: false,
            level_in_gltf: None,
            page,
            limits: &[],
            requires: None,
            attribute: None,
        }
    }

    /// The first sentence of "How to fix", without markup and full stop, such as `Normalize the weights of each
    /// vertex`.
    #[must_use]
    pub fn fix(&self) -> String {
        let text = self.section("## How to fix");
        let mut bullet = String::new();
        for line in text.take_while(|line| !line.is_empty()) {
            match (line.strip_prefix("- "), bullet.is_empty()) {
                (Some(_), false) => break,
                (first, true) => bullet.push_str(first.unwrap_or(line)),
                (None, false) => bullet = format!("{bullet} {line}"),
            }
        }
        let bullet = bullet.replace(['*', '`'], "");
        let sentence = bullet.split(". ").next().unwrap_or_default();
        sentence.trim_end_matches('.').to_owned()
    }

    /// The first paragraph of "What it does".
    #[must_use]
    pub fn summary(&self) -> String {
        let text = self.section("## What it does");
        let paragraph: Vec<&str> = text.take_while(|line| !line.is_empty()).collect();
        paragraph.join(" ")
    }

    /// The lines of the page below `heading`, without spaces around them.
    fn section(&self, heading: &str) -> impl Iterator<Item = &'static str> {
        let lines = self.page.lines().map(str::trim);
        lines
            .skip_while(move |line| *line != heading)
            .skip(1)
            .skip_while(|line| line.is_empty())
    }
}

impl RuleMeta {
    /// The verdicts on it in all sets.
    #[must_use]
    pub fn verdicts(&self) -> Verdicts {
        let sets = JUDGED_SETS.iter().map(|set| set.of(self.code));
        sets.fold(Verdicts::default(), Add::add)
    }

    /// Whether its level follows from how it is known: a warning or an error is proved or earned.
    #[must_use]
    pub fn level_is_earned(&self) -> bool {
        let highest = self.level_in_gltf.unwrap_or(self.level);
        highest < Level::Warning || self.known == Known::Proved || self.verdicts().is_earned()
    }

    /// How it is known, in a sentence or two.
    #[must_use]
    pub fn known_in_words(&self) -> String {
        let known = match self.known {
            Known::Proved => "The file proves what it reports.",
            Known::Judged => "What it reports may be intended.",
        };
        let verdicts = self.verdicts();
        let Verdicts {
            right,
            debatable,
            wrong,
        } = verdicts;
        match (verdicts.count(), self.known) {
            (0, Known::Proved) => known.to_owned(),
            (0, Known::Judged) => {
                format!("{known} On unseen models, it has reported nothing.")
            }
            _ => format!(
                "{known} On unseen models: {right} true, {debatable} debatable, {wrong} false."
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::rule::Described;
    use crate::rules::rules;
    use crate::testing::meta;

    #[test]
    fn each_warning_and_error_is_proved_or_earned() {
        let metas = rules().map(Described::meta);
        let unearned = metas.filter(|meta| !meta.level_is_earned());
        let unearned: Vec<Code> = unearned.map(|meta| meta.code).collect();
        assert!(unearned.is_empty(), "{unearned:?}");
    }

    #[test]
    fn a_rule_that_was_mostly_false_is_checked_on_request() {
        let is_mostly_false = |meta: &&RuleMeta| {
            let verdicts = meta.verdicts();
            verdicts.count() >= 8 && 2 * verdicts.wrong > verdicts.count()
        };
        let metas = rules().map(Described::meta).filter(is_mostly_false);
        let (on_request, others): (Vec<&RuleMeta>, Vec<&RuleMeta>) =
            metas.partition(|meta| meta.is_on_request());
        let codes = |metas: Vec<&RuleMeta>| metas.into_iter().map(|meta| meta.code.0).collect();
        let [on_request, others]: [Vec<&str>; 2] = [on_request, others].map(codes);
        assert_eq!(on_request, ["C523", "C528", "C529", "G811"]);
        assert!(others.is_empty(), "{others:?}");
    }

    #[test]
    fn a_heuristic_that_is_made_a_warning_is_noticed() {
        let at = |code, known, level| RuleMeta {
            level,
            known,
            ..meta(code)
        };
        // Always false, rarely true, true of too few, true of enough.
        for (code, is_earned) in [
            ("C523", false),
            ("D602", false),
            ("C509", false),
            ("G810", true),
        ] {
            let judged = at(code, Known::Judged, Level::Warning);
            assert_eq!(judged.level_is_earned(), is_earned, "{code}");
            assert!(at(code, Known::Judged, Level::Hint).level_is_earned());
            assert!(at(code, Known::Proved, Level::Error).level_is_earned());
        }
        let in_gltf = RuleMeta {
            level_in_gltf: Some(Level::Error),
            ..at("C523", Known::Judged, Level::Hint)
        };
        assert!(!in_gltf.level_is_earned());
    }
}
