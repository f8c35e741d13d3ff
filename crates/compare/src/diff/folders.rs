//! Pairs the models of two folders.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Pairs the models of two folders in the order of their paths. Models with the same path correspond; then those whose
/// paths differ only in the extension, if each side has one such model left. A model without a counterpart stands
/// alone.
///
/// * `models` – of the folder before and of the folder after, relative to their folders.
#[must_use]
pub fn pair_up(models: [Vec<PathBuf>; 2]) -> Vec<[Option<PathBuf>; 2]> {
    let mut by_path: BTreeMap<PathBuf, [Option<PathBuf>; 2]> = BTreeMap::new();
    for (side, paths) in models.into_iter().enumerate() {
        for path in paths {
            let pair = by_path.entry(path.clone()).or_default();
            pair[side] = Some(path);
        }
    }
    let mut alone: BTreeMap<PathBuf, [Vec<PathBuf>; 2]> = BTreeMap::new();
    for (path, pair) in &by_path {
        if let Some(side) = pair.iter().position(Option::is_none) {
            let own = alone.entry(path.with_extension("")).or_default();
            own[1 - side].push(path.clone());
        }
    }
    for [before, after] in alone.into_values() {
        if let ([before], [after]) = (before.as_slice(), after.as_slice()) {
            let counterpart = by_path.remove(after).and_then(|[_, after]| after);
            if let Some(pair) = by_path.get_mut(before) {
                pair[1] = counterpart;
            }
        }
    }
    by_path.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paired(before: &[&str], after: &[&str]) -> Vec<String> {
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect();
        let pairs = pair_up([paths(before), paths(after)]).into_iter();
        let reported =
            |path: Option<PathBuf>| path.map_or("-".to_owned(), |path| path.display().to_string());
        pairs.map(|pair| pair.map(reported).join(" ")).collect()
    }

    #[test]
    fn models_are_paired_by_their_paths() {
        assert_eq!(
            paired(
                &["a/x.glb", "b.glb", "x.glb"],
                &["a/x.glb", "c.glb", "x.glb"]
            ),
            ["a/x.glb a/x.glb", "b.glb -", "- c.glb", "x.glb x.glb"]
        );
    }

    #[test]
    fn models_of_different_formats_are_paired_where_that_is_unambiguous() {
        assert_eq!(
            paired(
                &["a/x.fbx", "y.fbx", "z.fbx", "z.glb"],
                &["a/x.glb", "x.glb", "y.dae", "y.glb", "z.glb"]
            ),
            [
                "a/x.fbx a/x.glb",
                "- x.glb",
                "- y.dae",
                "y.fbx -",
                "- y.glb",
                "z.fbx -",
                "z.glb z.glb"
            ]
        );
    }
}
