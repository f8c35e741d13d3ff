//! The documentation page of a profile, and the lists of profiles.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use super::document::{Document, heading};
use super::format::View;
use super::json::pretty;
use crate::lint::{PROFILES, Profile, Sources};
use crate::units::Handedness;

/// The profile's page for a terminal: its settings, and the source of each.
#[must_use]
pub fn explain_profile(profile: &Profile, view: View) -> String {
    Document::of_profile(profile).on_terminal(view)
}

impl Document {
    /// As [`explain_profile`] prints it.
    pub(crate) fn of_profile(profile: &Profile) -> Document {
        let Profile {
            name,
            title,
            conversion,
            ..
        } = profile;
        let mut markdown = format!("# {name}\n\n{title}\n\n## Limits and axes\n\n");
        for (setting, value) in statements(profile) {
            markdown += &format!("- {setting}: {value}\n");
        }
        markdown += "\n## Files in another unit or with other axes\n\n";
        markdown += conversion;
        markdown += "\n\n## Sources\n\n";
        for (setting, source) in profile_sources(&profile.sources) {
            markdown += &format!("- {setting}: {source}\n");
        }
        markdown += &format!("\n## In skincheck.toml\n\n```toml\nprofile = \"{name}\"\n```\n");
        Document { id: name, markdown }
    }
}

const FORWARD: &str = "the direction an unrotated object faces";
const FRONT: &str = "the direction characters face in models for it";

/// The settings of a profile, each with its name.
fn statements(profile: &Profile) -> [(&'static str, String); 7] {
    let axes = profile.axes;
    [
        ("influences", limit(profile.max_influences, "per vertex")),
        ("joints", limit(profile.max_joints, "per skin")),
        ("unit", profile.unit.one().to_owned()),
        ("up", axes.up.to_string()),
        ("forward", format!("{}, {FORWARD}", axes.forward)),
        ("front", format!("{}, {FRONT}", axes.front)),
        ("handedness", axes.handedness.to_string()),
    ]
}

fn limit(limit: Option<u32>, of: &str) -> String {
    limit.map_or_else(
        || "no limit known".to_owned(),
        |limit| format!("{limit} {of}"),
    )
}

/// The sources of the settings, each with its name.
#[must_use]
pub fn profile_sources(sources: &Sources) -> [(&'static str, &'static str); 5] {
    [
        ("influences", sources.max_influences),
        ("joints", sources.max_joints),
        ("unit", sources.unit),
        ("axes", sources.axes),
        ("conversion", sources.conversion),
    ]
}

/// The headings of [`profile_row`].
pub const PROFILE_COLUMNS: [&str; 8] = [
    "profile",
    "influences",
    "joints",
    "unit",
    "up",
    "forward",
    "front",
    "hand",
];

/// A profile's limits in the order of [`PROFILE_COLUMNS`]; empty for an unset limit.
#[must_use]
pub fn profile_row(profile: &Profile) -> [String; PROFILE_COLUMNS.len()] {
    let number = |limit: Option<u32>| limit.map_or_else(String::new, |limit| limit.to_string());
    let axes = profile.axes;
    let hand = match axes.handedness {
        Handedness::Right => "right",
        Handedness::Left => "left",
    };
    [
        profile.name.to_owned(),
        number(profile.max_influences),
        number(profile.max_joints),
        profile.unit.one().to_owned(),
        axes.up.to_string(),
        axes.forward.to_string(),
        axes.front.to_string(),
        hand.to_owned(),
    ]
}

/// All profiles for a terminal, one per line.
#[must_use]
pub fn list_profiles(view: View) -> String {
    let head = format!("{}  for", row(&PROFILE_COLUMNS));
    let mut text = heading(&head, view) + "\n";
    for profile in PROFILES {
        let cells = profile_row(profile);
        let cells = cells.each_ref().map(String::as_str);
        writeln!(text, "{}  {}", row(&cells), profile.title)
            .expect("a string takes all that fits into memory");
    }
    text
}

/// Aligns cells in columns.
fn row(cells: &[&str; PROFILE_COLUMNS.len()]) -> String {
    let cells = cells.iter().zip(PROFILE_COLUMNS);
    let cells = cells.map(|(cell, head)| format!("{cell:<width$}", width = head.len().max(6)));
    cells.collect::<Vec<_>>().join("  ")
}

/// The name of the format; its number grows with breaking changes.
const SCHEMA: &str = "skincheck/profiles/1";

/// All profiles as JSON.
#[must_use]
pub fn list_profiles_json() -> String {
    pretty(&List {
        schema: SCHEMA,
        profiles: PROFILES.iter().map(Listed::of).collect(),
    })
}

/// The profiles of `check`.
#[derive(Serialize, JsonSchema)]
pub(super) struct List {
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    profiles: Vec<Listed>,
}

/// The limits and conventions of an engine, a format or a platform.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Profile")]
struct Listed {
    name: &'static str,
    title: &'static str,
    /// Per vertex; `None` if no limit is published.
    max_influences: Option<u32>,
    /// Per skin; `None` if no limit is published.
    max_joints: Option<u32>,
    /// Of length.
    unit: &'static str,
    metres_per_unit: f64,
    axes: ListedAxes,
    /// By its importers.
    conversion: &'static str,
    sources: Sources,
}

/// The axes of an engine.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Axes")]
struct ListedAxes {
    up: String,
    /// The direction an unrotated object faces.
    forward: String,
    /// The direction characters face in models for it.
    front: String,
    handedness: Handedness,
}

impl Listed {
    fn of(profile: &Profile) -> Self {
        let axes = profile.axes;
        Self {
            name: profile.name,
            title: profile.title,
            max_influences: profile.max_influences,
            max_joints: profile.max_joints,
            unit: profile.unit.name(),
            metres_per_unit: profile.unit.metres(),
            axes: ListedAxes {
                up: axes.up.to_string(),
                forward: axes.forward.to_string(),
                front: axes.front.to_string(),
                handedness: axes.handedness,
            },
            conversion: profile.conversion,
            sources: profile.sources,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::document::WIDTH;
    use super::*;
    use crate::lint::find_profile;

    fn unreal() -> &'static Profile {
        find_profile("unreal").expect("there is such a profile")
    }

    #[test]
    fn a_page_says_what_the_profile_says_and_where_from() {
        let page = explain_profile(unreal(), View::default());
        let head = "unreal\nUnreal Engine 5, without unlimited bone influences\n\nLimits and axes\n\
            - influences: 8 per vertex\n- joints: no limit known\n- unit: 1 cm\n- up: +Z\n\
            - forward: +X, the direction an unrotated object faces\n\
            - front: +Y, the direction characters face in models for it\n- handedness: left-handed\n";
        assert!(page.starts_with(head), "{page}");
        let joined = page.replace("\n  ", " ");
        for (what, source) in profile_sources(&unreal().sources) {
            assert!(
                joined.contains(&format!("\n- {what}: {source}\n")),
                "{page}"
            );
        }
        assert!(
            page.lines().all(|line| line.chars().count() <= WIDTH),
            "{page}"
        );
        assert!(
            page.ends_with("\nIn skincheck.toml\nprofile = \"unreal\"\n"),
            "{page}"
        );
        let color = View {
            color: true,
            ..View::default()
        };
        let page = explain_profile(unreal(), color);
        assert!(page.starts_with("\u{1b}[1munreal\u{1b}[0m\n"), "{page:?}");
    }

    #[test]
    fn the_columns_of_the_list_are_aligned() {
        let list = list_profiles(View::default());
        let lines: Vec<&str> = list.lines().collect();
        assert_eq!(lines.len(), PROFILES.len() + 1);
        let titles = lines[0].find("for").expect("the head names it");
        let titles = lines[0][titles..]
            .find("  for")
            .map_or(titles, |at| titles + at + 2);
        for (line, profile) in lines[1..].iter().zip(PROFILES) {
            assert_eq!(&line[titles..], profile.title, "{line}");
        }
    }
}
