//! COLLADA's interpolations, which assimp reads and ignores (`ColladaParser.cpp`, `mInterpolationValues`).

use std::path::Path;

use crate::rig::{Asset, Note};

/// Those of COLLADA 1.4 and 1.5 that are not linear.
const NOT_LINEAR: [&str; 5] = ["BEZIER", "HERMITE", "CARDINAL", "BSPLINE", "STEP"];

/// Adds a note to `asset` if the file at `path` is called a COLLADA file and has curves that are not linear.
pub(super) fn note(asset: &mut Asset, path: &Path) {
    let extension = path.extension().unwrap_or_default();
    if !extension.eq_ignore_ascii_case("dae") {
        return;
    }
    let file = std::fs::read(path).unwrap_or_default();
    let count = bent(&String::from_utf8_lossy(&file));
    if count > 0 {
        asset.notes.push(Note {
            place: "file".to_owned(),
            message: format!(
                "{count} curves are not linear between keys; assimp makes them linear there"
            ),
        });
    }
}

/// How many lists of names in `file` are lists of interpolations that are not all linear.
fn bent(file: &str) -> usize {
    let arrays = file.split("<Name_array").skip(1);
    let names = arrays.filter_map(|rest| rest.split_once('>')?.1.split('<').next());
    let is_bent = |list: &&str| {
        let bent = |name: &str| NOT_LINEAR.contains(&name);
        let mut names = list.split_ascii_whitespace();
        names.clone().any(bent) && names.all(|name| bent(name) || name == "LINEAR")
    };
    names.filter(is_bent).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_interpolations_are_told_from_names() {
        let list = |names: &str| format!("<x><Name_array id=\"a\">{names}</Name_array></x>");
        assert_eq!(bent(&list("LINEAR\nBEZIER ")), 1);
        assert_eq!(bent(&list("LINEAR LINEAR")), 0);
        assert_eq!(bent(&list("hip BEZIER")), 0);
        assert_eq!(bent(&(list("STEP") + &list("HERMITE"))), 2);
        assert_eq!(bent("<Name_array"), 0);
    }
}
