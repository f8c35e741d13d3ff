//! Names of rules and of groups of rules, and their levels and limits: `W112 = "off"`, or a table.

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, Error, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::strings::{Word, choose};
use crate::finding::{Code, Level};
use crate::lint::{FAMILIES, Limit, RuleMeta, find_rule, rules};
use crate::names::{hint, nearest};
use crate::shown::escaped;

/// The settings of one rule.
#[derive(Debug, Clone)]
pub struct RuleSetting {
    /// The rule.
    pub rule: &'static RuleMeta,
    /// Its level; `Some(None)` switches it off.
    pub level: Option<Option<Level>>,
    /// Its limits, by key.
    pub limits: Vec<(&'static str, f64)>,
}

impl RuleSetting {
    /// No settings.
    #[must_use]
    pub fn new(rule: &'static RuleMeta) -> Self {
        Self {
            rule,
            level: None,
            limits: Vec::new(),
        }
    }
}

/// Parses the table `rules`.
pub(super) fn rule_settings<'de, D>(deserializer: D) -> Result<Vec<RuleSetting>, D::Error>
where
    D: Deserializer<'de>,
{
    deserializer.deserialize_map(Rules)
}

struct Rules;

impl<'de> Visitor<'de> for Rules {
    type Value = Vec<RuleSetting>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table of rules, such as W112 = \"off\"")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut settings: Vec<RuleSetting> = Vec::new();
        while let Some(rule) = map.next_key_seed(Word {
            expected: "a rule",
            parse: |word: &str| rule_called(word, &settings),
        })? {
            settings.push(map.next_value_seed(OneRule(rule))?);
        }
        Ok(settings)
    }
}

fn rule_called(word: &str, set: &[RuleSetting]) -> Result<&'static RuleMeta, String> {
    let Some(rule) = find_rule(word) else {
        return Err(match Selector::parse(word) {
            Ok(Selector::All | Selector::Family(_)) => format!(
                "expected one rule, found the group `{word}`; to exclude a group, use ignore = [\"{word}\"]"
            ),
            _ => UnknownRule::new(word).to_string(),
        });
    };
    let meta = rule.meta();
    if set.iter().any(|other| other.rule.code == meta.code) {
        let (code, name) = (meta.code, meta.name);
        return Err(format!(
            "{code} is set twice: {code} and {name} are the same rule"
        ));
    }
    Ok(meta)
}

/// A setting of this rule.
struct OneRule(&'static RuleMeta);

impl<'de> DeserializeSeed<'de> for OneRule {
    type Value = RuleSetting;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<RuleSetting, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for OneRule {
    type Value = RuleSetting;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a level such as \"off\", or a table of a level and limits")
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<RuleSetting, E> {
        let word: StrDeserializer<'_, E> = word.into_deserializer();
        let mut setting = RuleSetting::new(self.0);
        setting.level = Some(RuleLevel::deserialize(word)?.level());
        Ok(setting)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RuleSetting, A::Error> {
        let Self(rule) = self;
        let mut setting = RuleSetting::new(rule);
        while let Some(limit) = map.next_key_seed(Word {
            expected: "a key",
            parse: |key: &str| limit_called(key, rule),
        })? {
            match limit {
                None => setting.level = Some(map.next_value::<RuleLevel>()?.level()),
                Some(limit) => {
                    let number = map.next_value_seed(Number { rule, limit })?;
                    setting.limits.push((limit.key, number));
                }
            }
        }
        Ok(setting)
    }
}

/// The limit named `key`; `None` for the level.
fn limit_called(key: &str, rule: &'static RuleMeta) -> Result<Option<&'static Limit>, String> {
    let code = rule.code;
    if rule.limits.is_empty() && key != "level" && nearest(key, ["level"]).is_none() {
        return Err(format!("{code} has no limit `{key}`; it has only a level"));
    }
    let limits = rule.limits.iter().map(|limit| (limit.key, Some(limit)));
    choose(key, "key", std::iter::once(("level", None)).chain(limits))
}

/// A level, or `off`.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum RuleLevel {
    Off,
    Info,
    Hint,
    Warning,
    Error,
}

impl RuleLevel {
    fn level(self) -> Option<Level> {
        match self {
            Self::Off => None,
            Self::Info => Some(Level::Info),
            Self::Hint => Some(Level::Hint),
            Self::Warning => Some(Level::Warning),
            Self::Error => Some(Level::Error),
        }
    }
}

/// A number within the range of its limit.
struct Number {
    rule: &'static RuleMeta,
    limit: &'static Limit,
}

impl<'de> DeserializeSeed<'de> for Number {
    type Value = f64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<f64, D::Error> {
        let Self { rule, limit } = self;
        let number = f64::deserialize(deserializer)?;
        if limit.range.allows(number) {
            return Ok(number);
        }
        let (code, key, range) = (rule.code, limit.key, limit.range);
        let message = format!("{code} takes {range} for `{key}`, found {number}");
        Err(D::Error::custom(message))
    }
}

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
        self.covers(meta) && (self.names(meta) || !meta.is_on_request())
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
