//! The profiles in the documentation, with their sources.

use std::fmt::Write as _;

use crate::support::assert_generated;
use skincheck::lint::{PROFILES, Profile};
use skincheck::report::{PROFILE_COLUMNS, profile_row, profile_sources};

#[test]
fn the_table_of_profiles_is_what_they_say() {
    let page = include_str!("../../../docs/check.md");
    let rows = PROFILES.iter().map(|profile| {
        let [name, cells @ ..] = profile_row(profile);
        format!("| [`{name}`](profiles.md#{name}) | {} |", cells.join(" | "))
    });
    let head = format!("| {} |", PROFILE_COLUMNS.join(" | "));
    let rule = format!("|{}", "---|".repeat(PROFILE_COLUMNS.len()));
    let table: Vec<String> = [head, rule].into_iter().chain(rows).collect();
    let table = table.join("\n");
    assert!(
        page.contains(&table),
        "docs/check.md has another table than\n{table}"
    );
}

#[test]
fn the_page_of_profiles_is_what_they_say() {
    assert_generated("docs/profiles.md", &page());
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    for profile in PROFILES {
        add(&mut page, profile);
    }
    page
}

const HEAD: &str = "# Profiles

The limits, units and axes of the engines and formats that `--profile` names, with their sources. The table is in
[check.md](check.md#profiles). `skincheck explain NAME` prints one profile in the terminal, and `skincheck rules
--profiles --json` writes all of them in machine-readable form.
";

fn add(page: &mut String, profile: &Profile) {
    let Profile { name, title, .. } = profile;
    let conversion = profile.conversion;
    write!(
        page,
        "\n## {name}\n\n{title}. Files in another unit or with other axes: {conversion}.\n\n"
    )
    .expect("a string takes text");
    page.push_str("| | | source |\n|---|---|---|\n");
    let [_, influences, joints, unit, up, forward, front, hand] = profile_row(profile);
    let axes = format!("{up} up, {forward} forward, {front} front, {hand}-handed");
    let said = [influences, joints, unit, axes, String::new()];
    for ((what, source), said) in profile_sources(&profile.sources).into_iter().zip(said) {
        writeln!(page, "| {what} | {said} | {source} |").expect("a string takes text");
    }
}
