//! The options that the forms of `diff` and `crosscheck` take, as docs/diff.md lists them.

use std::path::Path;

use crate::program::skincheck;

/// The form of each column, on models of the fixtures.
const FORMS: [&str; 5] = [
    "diff arm.gltf arm.gltf",
    "diff vrm vrm",
    "diff arm.gltf --importers",
    "crosscheck arm.gltf",
    "crosscheck --importers arm.gltf",
];

/// A value of an option.
fn value(option: &str) -> &'static str {
    match option {
        "--read-from" => "rules",
        "--format" => "text",
        "--importer" => "gltf",
        "--ignore" | "--count" => "resampled",
        "--only" => "surface",
        "--report" => "json=forms.json",
        "--align" => "time",
        "--map" | "--clip-map" => "a=b",
        "--engine-before" | "--engine-after" => "unity",
        "--config" => "forms.toml",
        "--shard" => "1/2",
        "--pose" => "rest",
        "--skinning" => "linear",
        "--gl" => "software",
        "--artifacts" => "forms",
        "--mesh" | "--clip" => "0",
        "--all-clips" => "",
        _ => "30",
    }
}

#[test]
fn what_a_form_does_not_take_is_refused() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/diff.md");
    let page = std::fs::read_to_string(page).expect("the page is there");
    let (_, table) = page
        .split_once("## Which options a form takes")
        .expect("it has the table");
    let rows = table.lines().filter(|line| line.starts_with("| `--"));
    let mut tried = 0;
    for row in rows.take_while(|row| !row.is_empty()) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let options = cells[0].split(", ").map(|option| option.trim_matches('`'));
        for option in options {
            for (form, cell) in FORMS.iter().zip(&cells[1..]) {
                let is_known = match *cell {
                    "refused" => true,
                    "-" => false,
                    _ => continue,
                };
                let run = skincheck(&format!("{form} {option} {}", value(option)));
                run.exits(2);
                assert_eq!(
                    run.stderr.contains("unexpected argument"),
                    !is_known,
                    "{form} {option}"
                );
                tried += 1;
            }
        }
    }
    assert!(tried > 40, "{tried}");
}
