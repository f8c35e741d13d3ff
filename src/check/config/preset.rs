//! Presets: the settings of a discipline, each with its reason.

use std::sync::LazyLock;

use serde::de::Error as _;
use toml::{Table, Value};

use super::layer::{Layer, PRESET_TEXTS};
use crate::lint::{RuleMeta, find_rule};

/// Settings for a discipline, such as motion capture. Their place is between the defaults and the configuration.
#[derive(Debug)]
pub struct Preset {
    /// The name in the configuration, such as `mocap`.
    pub name: &'static str,
    /// Its title, for people.
    pub title: String,
    /// Its models, its intent and what to add to it.
    pub about: String,
    /// What it sets: first what concerns no single rule, then the rules in order of their codes.
    pub settings: Vec<PresetSetting>,
    pub(super) layer: Layer,
}

/// A setting of a [`Preset`].
#[derive(Debug)]
pub struct PresetSetting {
    /// The rule; `None` if it concerns no single one.
    pub rule: Option<&'static RuleMeta>,
    /// As in a configuration, such as `level = "error", degrees = 1.5`.
    pub setting: String,
    /// The reason; a clause without a full stop.
    pub why: String,
}

/// Every preset, in the order of the documentation.
pub static PRESETS: LazyLock<Vec<Preset>> = LazyLock::new(|| {
    let presets = PRESET_TEXTS.into_iter().map(|(name, text)| {
        read(name, text).unwrap_or_else(|error| panic!("a test reads {name}.toml: {error}"))
    });
    presets.collect()
});

/// The preset named `name`.
#[must_use]
pub fn find_preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

fn read(name: &'static str, text: &str) -> Result<Preset, toml::de::Error> {
    let mut file: Table = toml::from_str(text)?;
    let [title, about] = [word(&mut file, "title")?, word(&mut file, "about")?];
    let mut settings = Vec::new();
    for (key, value) in file.iter_mut().filter(|(key, _)| *key != "rules") {
        let table = table(value)?;
        let why = word(table, "why")?;
        let to = word(table, "to")?;
        settings.push(PresetSetting {
            rule: None,
            setting: format!("{key} = \"{to}\""),
            why,
        });
        *value = Value::String(to);
    }
    if let Some(rules) = file.get_mut("rules") {
        for (code, value) in table(rules)?.iter_mut() {
            let rule = find_rule(code).ok_or_else(|| toml::de::Error::custom(code))?;
            let table = table(value)?;
            let why = word(table, "why")?;
            settings.push(PresetSetting {
                rule: Some(rule.meta()),
                setting: written(table),
                why,
            });
        }
    }
    Ok(Preset {
        name,
        title,
        about,
        settings,
        layer: file.try_into()?,
    })
}

fn table(value: &mut Value) -> Result<&mut Table, toml::de::Error> {
    let table = value.as_table_mut();
    table.ok_or_else(|| toml::de::Error::custom("expected a table with `why`"))
}

/// Takes the string at `key` out of `table`.
fn word(table: &mut Table, key: &str) -> Result<String, toml::de::Error> {
    match table.remove(key) {
        Some(Value::String(word)) => Ok(word),
        _ => Err(toml::de::Error::custom(format!("missing string `{key}`"))),
    }
}

/// Levels and limits as in a configuration, the level first.
fn written(table: &Table) -> String {
    let mut keys: Vec<(&String, &Value)> = table.iter().collect();
    keys.sort_by_key(|(key, _)| (*key != "level", *key));
    let parts = keys.into_iter().map(|(key, value)| match value {
        Value::String(word) => format!("{key} = \"{word}\""),
        Value::Integer(number) => format!("{key} = {number}"),
        Value::Float(number) => format!("{key} = {number:?}"),
        _ => key.clone(),
    });
    parts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::{DefaultLevel, find_profile};

    #[test]
    fn every_preset_is_read_and_gives_its_reasons() {
        for (name, text) in PRESET_TEXTS {
            let preset = read(name, text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(preset.about.ends_with('.'), "{name}");
            for text in preset.settings.iter().map(|setting| &setting.why) {
                assert!(text.len() > 20 && !text.ends_with('.'), "{name}: {text}");
            }
            assert!(find_rule(name).is_none() && find_profile(name).is_none());
        }
    }

    #[test]
    fn every_setting_changes_something() {
        for preset in PRESETS.iter() {
            for setting in &preset.layer.rules {
                let meta = setting.rule;
                let default = match meta.level {
                    DefaultLevel::OnRequest => None,
                    level => Some(level.level()),
                };
                let asked = meta.is_on_request() && setting.level != Some(None);
                let changed = setting.level.is_some_and(|level| level != default);
                let limits = !setting.limits.is_empty();
                assert!(asked || changed || limits, "{}: {}", preset.name, meta.code);
            }
        }
    }

    #[test]
    fn a_setting_is_written_as_in_a_configuration() {
        let mocap = find_preset("mocap").expect("there is such a preset");
        let own = mocap
            .settings
            .iter()
            .find(|setting| setting.rule.is_some_and(|rule| rule.code.0 == "C529"));
        let own = own.expect("it sets C529");
        assert_eq!(own.setting, "level = \"error\", degrees = 0.75");
    }
}
