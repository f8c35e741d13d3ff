//! From TOML to layers, with a place for everything that is wrong.

mod cursor;

use std::path::Path;

use super::error::{ConfigError, Fault};
use super::layer::{FilePattern, Layer, Override, RuleSetting, Table};
use super::names::{List, Name};
use super::pattern::{Pattern, PatternError};
use super::selector::{Selector, UnknownRule};
use crate::lint::{
    ClipMoments, ExpectedHeight, Level, PROFILES, Profile, RangeOfMotion, RuleMeta, find_rule,
};
use crate::shown::escaped;
use crate::units::LengthUnit;
use cursor::{Entry, Wrong, entries, parse};

/// Keys of a configuration and of each of its overrides.
const KEYS: [&str; 12] = [
    "profile",
    "select",
    "ignore",
    "cross",
    "level",
    "deny-warnings",
    "range-of-motion",
    "moments",
    "rules",
    "clips",
    "joints",
    "size",
];

/// Those that only the configuration as a whole has, and those that only an override has.
const OVERRIDES: &str = "overrides";
const FILES: &str = "files";

/// Reads a configuration: what holds for all files, and what for some.
///
/// * `path` – for messages.
pub(super) fn read(path: &Path, text: &str) -> Result<(Table, Vec<Override>), ConfigError> {
    document(text).map_err(|wrong| wrong.in_file(path, text))
}

fn document(text: &str) -> Result<(Table, Vec<Override>), Wrong> {
    let document = parse(text)?;
    let (mut base, mut overrides) = (Table::default(), Vec::new());
    for entry in entries(&document) {
        if entry.key() == OVERRIDES {
            for table in entry.tables()? {
                overrides.push(an_override(&table)?);
            }
        } else if !read_key(&mut base, &entry)? {
            let known = KEYS.into_iter().chain([OVERRIDES]);
            return Err(entry.unknown("here", known));
        }
    }
    Ok((base, overrides))
}

fn an_override(entry: &Entry<'_>) -> Result<Override, Wrong> {
    let (mut table, mut files) = (Table::default(), None);
    for entry in entry.entries()? {
        if entry.key() == FILES {
            files = Some(patterns(&entry)?);
        } else if !read_key(&mut table, &entry)? {
            let known = [FILES].into_iter().chain(KEYS);
            return Err(entry.unknown("in [[overrides]]", known));
        }
    }
    let files = files.ok_or_else(|| entry.wrong(Fault::NoFiles))?;
    Ok(Override { files, table })
}

/// Whether it is one of [`KEYS`], which then is in `table`.
fn read_key(table: &mut Table, entry: &Entry<'_>) -> Result<bool, Wrong> {
    let layer = &mut table.layer;
    match entry.key() {
        "profile" => layer.profile = Some(profile(entry)?),
        "select" => layer.select = Some(selectors(entry)?),
        "ignore" => layer.ignore = selectors(entry)?,
        "cross" => layer.cross = Some(entry.boolean()?),
        "level" => layer.level = Some(level(entry)?),
        "deny-warnings" => layer.deny_warnings = Some(entry.boolean()?),
        "range-of-motion" => layer.range_of_motion = Some(range_of_motion(entry)?),
        "moments" => layer.moments = Some(moments(entry)?),
        "rules" => layer.rules = rules(entry)?,
        "clips" => clips(table, entry)?,
        "joints" => joints(table, entry)?,
        "size" => size(layer, entry)?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn clips(table: &mut Table, clips: &Entry<'_>) -> Result<(), Wrong> {
    for entry in clips.entries()? {
        match entry.key() {
            "loops" => table.layer.loops = Some(names(table, List::Loops, &entry.names()?)?),
            "in-place" => {
                table.layer.in_place = Some(names(table, List::InPlace, &entry.names()?)?);
            }
            _ => return Err(entry.unknown("in [clips]", ["loops", "in-place"])),
        }
    }
    Ok(())
}

fn joints(table: &mut Table, joints: &Entry<'_>) -> Result<(), Wrong> {
    for entry in joints.entries()? {
        match entry.key() {
            "required" => table.layer.required_joints = Some(strings(&entry.names()?)?),
            "feet" => table.layer.feet = Some(names(table, List::Feet, &entry.names()?)?),
            "root" => table.layer.root = names(table, List::Root, &[entry])?.pop(),
            _ => return Err(entry.unknown("in [joints]", ["required", "feet", "root"])),
        }
    }
    Ok(())
}

fn strings(items: &[Entry<'_>]) -> Result<Vec<String>, Wrong> {
    let strings = items.iter().map(|item| Ok(item.string()?.to_owned()));
    strings.collect()
}

/// Names that something should be called by.
fn names(table: &mut Table, list: List, items: &[Entry<'_>]) -> Result<Vec<String>, Wrong> {
    let strings = strings(items)?;
    let names = strings.iter().zip(items).map(|(text, item)| Name {
        list,
        text: text.clone(),
        at: item.at(),
    });
    table.names.extend(names);
    Ok(strings)
}

fn size(layer: &mut Layer, table: &Entry<'_>) -> Result<(), Wrong> {
    let (mut range, mut unit) = (None, None);
    for entry in table.entries()? {
        match entry.key() {
            "height" => range = Some(height(&entry)?),
            "unit" => unit = Some((entry, length_unit(&entry)?)),
            _ => return Err(entry.unknown("in [size]", ["height", "unit"])),
        }
    }
    match (range, unit) {
        (Some([least, most]), unit) => {
            let unit = unit.map_or(LengthUnit::Metre, |(_, unit)| unit);
            layer.height = Some(ExpectedHeight { least, most, unit });
            Ok(())
        }
        // It would not hold for the height of another layer, which its reader could not know.
        (None, Some((entry, _))) => Err(entry.wrong_key(Fault::UnitAlone)),
        (None, None) => Ok(()),
    }
}

fn height(entry: &Entry<'_>) -> Result<[f64; 2], Wrong> {
    match entry.numbers()?[..] {
        [least, largest] if 0.0 <= least && least < largest => Ok([least, largest]),
        _ => Err(entry.wrong(Fault::Height)),
    }
}

fn length_unit(entry: &Entry<'_>) -> Result<LengthUnit, Wrong> {
    let name = entry.one_of("unit", LengthUnit::ALL.map(LengthUnit::name))?;
    let unit = LengthUnit::ALL.into_iter().find(|unit| unit.name() == name);
    Ok(unit.expect("the name is of the list"))
}

fn profile(entry: &Entry<'_>) -> Result<&'static Profile, Wrong> {
    let names = PROFILES.iter().map(|profile| profile.name);
    let name = entry.one_of("profile", names)?;
    let profile = PROFILES.iter().find(|profile| profile.name == name);
    Ok(profile.expect("the name is of the table"))
}

fn level(entry: &Entry<'_>) -> Result<Level, Wrong> {
    let word = entry.one_of("level", ["info", "warning", "error"])?;
    Ok(level_called(word))
}

/// The level of a rule, which may be none.
fn level_or_off(entry: &Entry<'_>) -> Result<Option<Level>, Wrong> {
    let word = entry.one_of("level", ["off", "info", "warning", "error"])?;
    Ok((word != "off").then(|| level_called(word)))
}

fn level_called(word: &str) -> Level {
    match word {
        "info" => Level::Info,
        "warning" => Level::Warning,
        _ => Level::Error,
    }
}

fn range_of_motion(entry: &Entry<'_>) -> Result<RangeOfMotion, Wrong> {
    let word = entry.one_of("range of motion", ["auto", "always", "never"])?;
    Ok(match word {
        "auto" => RangeOfMotion::WithoutClips,
        "always" => RangeOfMotion::Always,
        _ => RangeOfMotion::Never,
    })
}

fn moments(entry: &Entry<'_>) -> Result<ClipMoments, Wrong> {
    let word = entry.one_of("number of moments", ["auto", "all"])?;
    Ok(match word {
        "auto" => ClipMoments::Limited,
        _ => ClipMoments::All,
    })
}

fn selectors(entry: &Entry<'_>) -> Result<Vec<Selector>, Wrong> {
    let words = entry.items("a list such as [\"W\", \"D602\"]")?;
    let parsed = words.iter().map(|word| {
        Selector::parse(word.string()?).map_err(|error| word.wrong(Fault::UnknownRule(error)))
    });
    parsed.collect()
}

fn rules(table: &Entry<'_>) -> Result<Vec<RuleSetting>, Wrong> {
    let mut settings: Vec<RuleSetting> = Vec::new();
    for entry in table.entries()? {
        let setting = rule(&entry)?;
        let code = setting.rule.code;
        if settings.iter().any(|other| other.rule.code == code) {
            return Err(entry.wrong_key(Fault::Twice { rule: code.0 }));
        }
        settings.push(setting);
    }
    Ok(settings)
}

/// `W112 = "off"`, or a table.
fn rule(entry: &Entry<'_>) -> Result<RuleSetting, Wrong> {
    let Some(found) = find_rule(entry.key()) else {
        return Err(entry.wrong_key(no_such_rule(entry.key())));
    };
    let mut setting = RuleSetting::new(found.meta());
    if entry.is_string() {
        setting.level = Some(level_or_off(entry)?);
        return Ok(setting);
    }
    for entry in entry.entries()? {
        if entry.key() == "level" {
            setting.level = Some(level_or_off(&entry)?);
        } else {
            setting.limits.push(limit(&entry, setting.rule)?);
        }
    }
    Ok(setting)
}

fn no_such_rule(word: &str) -> Fault {
    match Selector::parse(word) {
        Ok(Selector::All | Selector::Family(_)) => Fault::Group {
            word: escaped(word),
        },
        _ => UnknownRule::new(word).into(),
    }
}

fn limit(entry: &Entry<'_>, rule: &'static RuleMeta) -> Result<(&'static str, f64), Wrong> {
    let Some(limit) = rule.limits.iter().find(|limit| limit.key == entry.key()) else {
        return Err(no_such_limit(entry, rule));
    };
    let number = entry.number()?;
    if !limit.range.allows(number) {
        return Err(entry.wrong(Fault::OutOfRange {
            rule: rule.code.0,
            key: limit.key,
            range: limit.range.to_string(),
            found: number.to_string(),
        }));
    }
    Ok((limit.key, number))
}

fn no_such_limit(entry: &Entry<'_>, rule: &'static RuleMeta) -> Wrong {
    if rule.limits.is_empty() && super::nearest(entry.key(), ["level"]).is_none() {
        return entry.wrong_key(Fault::NoLimits {
            rule: rule.code.0,
            key: escaped(entry.key()),
        });
    }
    let keys = rule.limits.iter().map(|limit| limit.key);
    entry.unknown(
        &format!("in [rules.{}]", rule.code),
        ["level"].into_iter().chain(keys),
    )
}

/// A pattern without a slash is for files of that name in any folder.
fn patterns(entry: &Entry<'_>) -> Result<Vec<FilePattern>, Wrong> {
    let items = entry.items("a list such as [\"props/**\"]")?;
    let pattern = |item: &Entry<'_>| {
        let text = item.string()?;
        let read = |text: &str| Pattern::new(text).map_err(|error| item.wrong(unclear(&error)));
        let mut pattern = read(text)?;
        if !text.contains('/') {
            pattern = read(&format!("**/{text}"))?;
        }
        Ok(FilePattern {
            pattern,
            text: text.to_owned(),
            at: item.at(),
        })
    };
    items.iter().map(pattern).collect()
}

fn unclear(error: &PatternError) -> Fault {
    Fault::Pattern {
        reason: error.to_string(),
    }
}

#[cfg(test)]
mod tests;
