//! Levels and limits of rules: `W112 = "off"`, or a table.

use std::fmt;

use serde::Deserialize;
use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, Visitor};

use super::selector::{Selector, UnknownRule};
use super::word::{Word, choose};
use crate::finding::Level;
use crate::lint::{Limit, RuleMeta, find_rule};
use crate::names::nearest;

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
    Warning,
    Error,
}

impl RuleLevel {
    fn level(self) -> Option<Level> {
        match self {
            Self::Off => None,
            Self::Info => Some(Level::Info),
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
