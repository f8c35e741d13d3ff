//! Checks the direction of the data flow inside of packages: a module knows only earlier ones. Between packages, the compiler does.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A section per package with the table `| module | duty | modules it may use |`, in the order of the data flow. The third column is
/// missing where the modules of a package have no order.
const PAGE: &str = include_str!("../../docs/architecture.md");

struct Row {
    /// The folder of the package's sources.
    sources: PathBuf,
    modules: Vec<&'static str>,
    may_use: Option<Vec<&'static str>>,
}

#[test]
fn modules_depend_only_on_earlier_ones() {
    let table = table();
    for row in &table {
        let Some(may_use) = &row.may_use else {
            continue;
        };
        let package: BTreeSet<&str> = modules(&table, &row.sources).collect();
        for (path, source) in row
            .modules
            .iter()
            .flat_map(|module| sources(&row.sources, module))
        {
            for used in modules_used_by(&source).filter(|used| package.contains(used)) {
                let fine = row.modules.contains(&used) || may_use.contains(&used);
                assert!(fine, "{} must not use `crate::{used}`", path.display());
            }
        }
    }
}

#[test]
fn data_flows_forward() {
    let table = table();
    for (index, row) in table.iter().enumerate() {
        let earlier: BTreeSet<&str> = modules(&table[..index], &row.sources).collect();
        let back: Vec<_> = row
            .may_use
            .iter()
            .flatten()
            .filter(|used| !earlier.contains(*used))
            .collect();
        assert!(back.is_empty(), "{:?} come before {back:?}", row.modules);
    }
}

#[test]
fn the_tables_name_every_module_of_every_package() {
    let table = table();
    for package in packages() {
        let library = fs::read_to_string(package.join("lib.rs")).expect("a package has a library");
        let lines: Vec<&str> = library.lines().collect();
        let declared: BTreeSet<&str> = (0..lines.len())
            .filter(|&line| line == 0 || lines[line - 1] != "#[cfg(test)]")
            .map(|line| lines[line].strip_prefix("pub ").unwrap_or(lines[line]))
            .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
            .collect();
        assert_eq!(
            modules(&table, &package).collect::<BTreeSet<_>>(),
            declared,
            "{}",
            package.display()
        );
    }
}

/// What is displayed is for people. Code that needs a part of it has a field for it, such as whether a clip has a name of
/// its own.
#[test]
fn nothing_is_read_out_of_the_name_of_an_importer_a_clip_or_a_location() {
    let shown = [
        "importer",
        "reader",
        "location",
        "clip.name",
        "subject",
        "label",
    ];
    let parsers = [
        "starts_with",
        "ends_with",
        "contains",
        "split",
        "split_once",
        "strip_prefix",
        "strip_suffix",
    ];
    let calls = shown.map(|shown| parsers.map(|parser| format!("{shown}.{parser}(")));
    let made_up = parsers.map(|parser| format!("{parser}(\"animation"));
    for package in packages() {
        let made_up = made_up.iter().filter(|_| !package.ends_with("import/src"));
        let calls: Vec<_> = calls.iter().flatten().chain(made_up).collect();
        for (path, source) in sources(&package, "") {
            let parsed = calls.iter().find(|call| source.contains(**call));
            assert_eq!(parsed, None, "{}", path.display());
        }
    }
}

#[test]
fn the_check_sees_a_forbidden_dependency() {
    let source =
        "use crate::raster::draw;\nuse crate::rig::{Asset, Mesh};\nuse crate::{pose, units};";
    let used: Vec<&str> = modules_used_by(source).collect();
    assert_eq!(used, ["raster", "rig", "pose", "units"]);
}

fn table() -> Vec<Row> {
    let names = |cell: &'static str| cell.split('`').skip(1).step_by(2).collect();
    let mut rows = Vec::new();
    for section in PAGE.split("\n## `").skip(1) {
        let (package, text) = section.split_once('`').expect("a heading names a package");
        let sources = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(package.trim_end_matches("src"))
            .join("src");
        for line in text.lines().filter(|line| line.starts_with("| `")) {
            let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
            let (modules, may_use) = (names(cells[0]), cells.get(2).map(|cell| names(cell)));
            rows.push(Row {
                sources: sources.clone(),
                modules,
                may_use,
            });
        }
    }
    rows
}

fn modules<'a>(table: &'a [Row], package: &'a Path) -> impl Iterator<Item = &'static str> + 'a {
    let rows = table.iter().filter(move |row| row.sources == package);
    rows.flat_map(|row| row.modules.iter().copied())
}

/// Every module named after `crate::`, including `crate::{…}`. Documentation comments do not count.
fn modules_used_by(source: &str) -> impl Iterator<Item = &str> {
    let code = source
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split("crate::").skip(1))
        .flat_map(|rest| match rest.strip_prefix('{') {
            Some(group) => group.split(',').map(str::trim).collect(),
            None => vec![rest],
        })
        .filter_map(|path| {
            let end = path.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let name = &path[..end.unwrap_or(path.len())];
            name.starts_with(|c: char| c.is_ascii_lowercase())
                .then_some(name)
        })
}

/// The sources of a module, or of all if its name is empty.
fn sources(package: &Path, module: &str) -> Vec<(PathBuf, String)> {
    let mut pending = vec![
        package.join(module),
        package.join(module).with_extension("rs"),
    ];
    let mut found = Vec::new();
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("a folder of sources is readable");
            pending.extend(entries.map(|entry| entry.expect("so is its entry").path()));
        } else if path.extension().is_some_and(|e| e == "rs") && path.exists() {
            let source = fs::read_to_string(&path).expect("a source is UTF-8");
            found.push((path, source));
        }
    }
    assert!(!found.is_empty(), "module `{module}` has no source");
    found
}

/// The folders of sources: that of the program, and one for each package.
fn packages() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let packages = fs::read_dir(folder.join("crates")).expect("the packages are there");
    let packages = packages.map(|entry| entry.expect("so is each").path().join("src"));
    [folder.join("src")].into_iter().chain(packages).collect()
}
