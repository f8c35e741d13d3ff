//! The documentation page of a preset, and the list of presets.

use std::fmt::Write;

use super::document::{Document, on_terminal};
use super::format::View;
use super::rules::level;
use crate::check::config::{PRESETS, Preset, PresetSetting};

impl Document {
    /// The preset's page: its intent, its settings, and the reason for each.
    pub(crate) fn of_preset(preset: &Preset) -> Document {
        let Preset { name, .. } = preset;
        let listed = listed(preset);
        let markdown =
            format!("{listed}\n## In skincheck.toml\n\n```toml\npreset = \"{name}\"\n```\n");
        Document { id: name, markdown }
    }
}

/// All presets for a terminal.
#[must_use]
pub fn list_presets(view: View) -> String {
    let pages = PRESETS
        .iter()
        .map(|preset| on_terminal(&listed(preset), view));
    pages.collect::<Vec<_>>().join("\n")
}

/// The preset's name, intent and settings, in Markdown.
fn listed(preset: &Preset) -> String {
    let Preset {
        name, title, about, ..
    } = preset;
    let mut text = format!("# {name}\n\n{title}\n\n{about}\n\n");
    for setting in &preset.settings {
        let [rule, default, setting, why] = preset_row(setting);
        let _ = if rule.is_empty() {
            writeln!(text, "- `{setting}`: {why}")
        } else {
            writeln!(text, "- {rule}: `{setting}` (default: {default}): {why}")
        };
    }
    text
}

/// A setting of a preset: the code and name of its rule, the level without the preset, the setting as in a
/// configuration, and the reason. The first two are empty if it concerns no single rule.
#[must_use]
pub fn preset_row(setting: &PresetSetting) -> [String; 4] {
    let rule = setting.rule;
    [
        rule.map_or_else(String::new, |rule| format!("{} {}", rule.code, rule.name)),
        rule.map_or_else(String::new, |rule| level(rule).to_owned()),
        setting.setting.clone(),
        setting.why.clone(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::config::find_preset;

    #[test]
    fn a_page_says_what_the_preset_sets_and_why() {
        let mocap = find_preset("mocap").expect("there is such a preset");
        let page = Document::of_preset(mocap).on_terminal(View::default());
        let head = "mocap\nMotion capture\n\n";
        assert!(page.starts_with(head), "{page}");
        for setting in &mocap.settings {
            assert!(page.contains(&setting.why), "{page}");
        }
        let jitter = "\n- C529 jitter: `level = \"error\", degrees = 0.75` (default: on request): ";
        assert!(page.contains(jitter), "{page}");
        let end = "\nIn skincheck.toml\npreset = \"mocap\"\n";
        assert!(page.ends_with(end), "{page}");
    }
}
