//! Checks the direction of the data flow: a module knows only earlier ones.

use std::fs;
use std::path::{Path, PathBuf};

/// Its table has the columns `| module | duty | modules it may use |`, in the order of the data flow.
const PAGE: &str = include_str!("../../docs/architecture.md");

#[test]
fn modules_depend_only_on_earlier_ones() {
    for (module, allowed) in table() {
        for (path, source) in sources(module) {
            for used in modules_used_by(&source) {
                let is_own = WHOLE.contains(&module) && !is_listed(used);
                let fine = is_own || used == module || allowed.contains(&used);
                assert!(
                    fine,
                    "{}: `{module}` must not use `crate::{used}`",
                    path.display()
                );
            }
        }
    }
}

fn is_listed(module: &str) -> bool {
    table().iter().any(|(listed, _)| *listed == module)
}

#[test]
fn data_flows_forward() {
    let table = table();
    for (row, (module, allowed)) in table.iter().enumerate() {
        let is_earlier = |used: &str| table[..row].iter().any(|(earlier, _)| *earlier == used);
        let back: Vec<_> = allowed.iter().filter(|used| !is_earlier(used)).collect();
        assert!(back.is_empty(), "`{module}` comes before {back:?}");
    }
}

#[test]
fn the_table_names_every_module_of_every_package() {
    let mut declared = Vec::new();
    for root in roots() {
        let whole = whole_package(&root);
        if let Some(module) = whole {
            declared.push(module);
            continue;
        }
        let library = fs::read_to_string(root.join("lib.rs")).expect("a package has a library");
        let modules = library
            .lines()
            .map(|line| line.strip_prefix("pub ").unwrap_or(line))
            .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
        declared.extend(modules.map(str::to_owned));
    }
    let mut listed: Vec<&str> = table().into_iter().map(|(module, _)| module).collect();
    declared.sort_unstable();
    listed.sort_unstable();
    assert_eq!(declared, listed);
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
    for (module, _) in table() {
        let made_up = made_up.iter().filter(|_| module != "import");
        let calls: Vec<_> = calls.iter().flatten().chain(made_up).collect();
        for (path, source) in sources(module) {
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

/// `(module, modules it may use)` of each row.
fn table() -> Vec<(&'static str, Vec<&'static str>)> {
    let rows = PAGE.lines().filter(|line| line.starts_with("| `"));
    let names = |cell: &'static str| cell.split('`').skip(1).step_by(2);
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').collect();
        let module = names(cells[1]).next().expect("a module is named");
        (module, names(cells[3]).collect())
    })
    .collect()
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

/// The sources of a module: of its folder and file in the package that holds it, or of the package that it is.
fn sources(module: &str) -> Vec<(PathBuf, String)> {
    let mut pending = Vec::new();
    for root in roots() {
        if whole_package(&root).is_some_and(|name| name == module) {
            pending.push(root);
        } else if whole_package(&root).is_none() {
            pending.push(root.join(module));
            pending.push(root.join(module).with_extension("rs"));
        }
    }
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
fn roots() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let packages = fs::read_dir(folder.join("crates")).expect("the packages are there");
    let packages = packages.map(|entry| entry.expect("so is each").path().join("src"));
    [folder.join("src")].into_iter().chain(packages).collect()
}

/// The module that is a package of its own, and its root the package's.
fn whole_package(root: &Path) -> Option<String> {
    let name = root.parent()?.file_name()?.to_str()?;
    WHOLE.contains(&name).then(|| name.to_owned())
}

/// Packages of one module.
const WHOLE: [&str; 3] = ["import", "laws", "lint"];
