//! Names of rules and groups of rules.

use serde::de::DeserializeSeed;
use serde::{Deserialize, Deserializer};

use super::word::Word;
use crate::finding::Code;
use crate::lint::{FAMILIES, RuleMeta, find_rule, rules};
use crate::names::{hint, nearest};
use crate::shown::escaped;

/// One or more rules, as users name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selector {
    /// `all`.
    All,
    /// A family's letter, such as `W`.
    Family(char),
    /// A code such as `W103`, or a name such as `weights-not-normalized`.
    Rule(Code),
}

/// The error of an unknown rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no rule is named \"{word}\"{}", advice(*nearest))]
pub struct UnknownRule {
    /// The word.
    pub word: String,
    /// A suggestion: a similar code or name.
    pub nearest: Option<&'static str>,
}

/// A suggestion, or where to find the names of rules.
fn advice(nearest: Option<&str>) -> String {
    match nearest {
        Some(_) => hint(nearest),
        None => "; skincheck rules lists all".to_owned(),
    }
}

impl UnknownRule {
    /// The error for `word`, with a suggestion.
    #[must_use]
    pub fn new(word: &str) -> Self {
        let names = rules().flat_map(|rule| [rule.meta().code.0, rule.meta().name]);
        Self {
            word: escaped(word),
            nearest: nearest(word, names),
        }
    }
}

impl Selector {
    /// Parses a code, a name, a family's letter or `all`, ignoring case.
    ///
    /// # Errors
    ///
    /// [`UnknownRule`] for any other word.
    pub fn parse(word: &str) -> Result<Self, UnknownRule> {
        let word = word.trim();
        if word.eq_ignore_ascii_case("all") {
            return Ok(Self::All);
        }
        let mut families = FAMILIES.iter().map(|family| family.letter);
        if let Some(letter) =
            families.find(|letter| word.eq_ignore_ascii_case(letter.encode_utf8(&mut [0; 4])))
        {
            return Ok(Self::Family(letter));
        }
        match find_rule(word) {
            Some(rule) => Ok(Self::Rule(rule.meta().code)),
            None => Err(UnknownRule::new(word)),
        }
    }

    /// Whether it includes the rule `meta`. A rule that must be requested explicitly is included only by its own code
    /// or name.
    pub(super) fn selects(self, meta: &RuleMeta) -> bool {
        self.covers(meta) && (self.names(meta) || !meta.awaits_setting())
    }

    /// Whether it names the rule `meta` or a group with it.
    pub(super) fn covers(self, meta: &RuleMeta) -> bool {
        match self {
            Self::All => true,
            Self::Family(letter) => meta.code.0.starts_with(letter),
            Self::Rule(code) => meta.code == code,
        }
    }

    /// Whether it names exactly the rule `meta`.
    pub(super) fn names(self, meta: &RuleMeta) -> bool {
        self == Self::Rule(meta.code)
    }
}

impl<'de> Deserialize<'de> for Selector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expected = "a rule or a family of rules, such as \"W\" or \"D602\"";
        let parse = Self::parse;
        Word { expected, parse }.deserialize(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_names_letters_and_all_are_understood_in_any_case() {
        let w103 = Selector::Rule(Code("W103"));
        for (word, expected) in [
            ("W103", w103),
            ("w103", w103),
            ("weights-not-normalized", w103),
            ("W", Selector::Family('W')),
            ("d", Selector::Family('D')),
            ("ALL", Selector::All),
        ] {
            assert_eq!(Selector::parse(word), Ok(expected), "{word}");
        }
    }

    #[test]
    fn an_unknown_rule_is_reported_with_the_nearest() {
        let error = Selector::parse("W1003").expect_err("there is no such rule");
        assert_eq!(
            error.to_string(),
            "no rule is named \"W1003\" (did you mean \"W103\"?)"
        );
        let error = Selector::parse("weights-normalized").expect_err("nor this");
        assert_eq!(error.nearest, Some("weights-not-normalized"));
    }
}
