//! The rules, one file each, a folder for each family.

mod bind;
mod clips;
mod deformation;
mod geometry;
mod hierarchy;
pub(super) mod rule;
mod transforms;
mod weights;

pub use clips::{AT_REST, rests};

use super::core::meta::RuleMeta;
use rule::Rule;

/// Rules on one topic. Their codes share the first letter.
pub struct Family {
    /// The first letter of the codes.
    pub letter: char,
    /// The topic of the rules.
    pub title: &'static str,
    /// Whether close-ups show weights.
    pub shows_weights: bool,
    /// In the order of their codes.
    pub rules: &'static [&'static dyn Rule],
}

/// Every rule, by family, in the order of the documentation.
pub static FAMILIES: &[Family] = &[
    Family {
        shows_weights: true,
        ..Family::of('W', "weights", weights::RULES)
    },
    Family::of('B', "bind pose", bind::RULES),
    Family::of('H', "hierarchy", hierarchy::RULES),
    Family::of('T', "transforms", transforms::RULES),
    Family::of('C', "clips", clips::RULES),
    Family::of('D', "deformation", deformation::RULES),
    Family::of('G', "geometry and file", geometry::RULES),
];

impl Family {
    const fn of(letter: char, title: &'static str, rules: &'static [&'static dyn Rule]) -> Self {
        Self {
            letter,
            title,
            shows_weights: false,
            rules,
        }
    }

    /// The letter and the topic of the rules.
    #[must_use]
    pub fn heading(&self) -> String {
        format!("{}: {}", self.letter, self.title)
    }
}

/// Every rule, in the order of the documentation.
pub fn rules() -> impl Iterator<Item = &'static dyn Rule> {
    FAMILIES.iter().flat_map(|family| family.rules).copied()
}

impl RuleMeta {
    /// The family of a rule; `None` if the rule is not in the list.
    #[must_use]
    pub fn family(&self) -> Option<&'static Family> {
        let mut families = FAMILIES.iter();
        families.find(|family| self.code.0.starts_with(family.letter))
    }

    /// Whether it is checked only if its own setting, or `--select` with its code, requests it.
    #[must_use]
    pub fn is_on_request(&self) -> bool {
        self.on_request || self.requires.is_some()
    }
}

/// The rule with a code such as `W103`, ignoring case, or a name such as `weights-not-normalized`.
#[must_use]
pub fn find_rule(wanted: &str) -> Option<&'static dyn Rule> {
    let is_wanted = |meta: &RuleMeta| {
        meta.code.0.eq_ignore_ascii_case(wanted) || meta.name.eq_ignore_ascii_case(wanted)
    };
    rules().find(|rule| is_wanted(rule.meta()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_in_order_and_names_are_distinguished() {
        for family in FAMILIES {
            let codes: Vec<&str> = family.rules.iter().map(|rule| rule.meta().code.0).collect();
            assert!(codes.is_sorted_by(|a, b| a < b), "{codes:?}");
            for code in codes {
                let well_formed = code.len() == 4 && code.starts_with(family.letter);
                assert!(well_formed, "{code} in family {}", family.letter);
            }
        }
        let mut names: Vec<&str> = rules().map(|rule| rule.meta().name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn every_page_says_what_why_and_how() {
        const SECTIONS: [&str; 4] = [
            "## What it does",
            "## Why is this bad?",
            "## How to fix",
            "## References",
        ];
        for rule in rules() {
            let meta = rule.meta();
            for section in SECTIONS {
                assert!(
                    meta.page.contains(section),
                    "{} lacks \"{section}\"",
                    meta.code
                );
            }
            for limit in meta.limits {
                let key = format!("`{}`", limit.key);
                assert!(
                    meta.page.contains(&key),
                    "{} does not mention {key}",
                    meta.code
                );
            }
        }
    }
}
