//! Summarizes folders without findings in few lines.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::check::{FileReport, Report};

/// The most lines, which leave room for the rest on a screen.
const MOST_FOLDERS: usize = 20;

/// The folders in which every file is clean, with their numbers of files. If there are many, those in the same folder
/// are counted together. Empty if all files are in one folder.
pub(super) fn clean_folders(report: &Report) -> Vec<(PathBuf, usize)> {
    let deepest = report.files.iter().map(|file| depth(&file.path)).max();
    let by_depth = (1..=deepest.unwrap_or(0))
        .rev()
        .map(|most| clean(report, most));
    let mut few = by_depth.filter(|folders| folders.len() <= MOST_FOLDERS);
    few.next().unwrap_or_default()
}

/// The same with paths of at most `most` components.
fn clean(report: &Report, most: usize) -> Vec<(PathBuf, usize)> {
    let mut folders: BTreeMap<PathBuf, (usize, bool)> = BTreeMap::new();
    for file in &report.files {
        let folder = file.path.parent().unwrap_or(Path::new(""));
        let folder = folder.components().take(most).collect();
        let (count, is_clean) = folders.entry(folder).or_insert((0, true));
        *count += 1;
        *is_clean &= nothing_found(file);
    }
    if folders.len() < 2 {
        return Vec::new();
    }
    let clean = folders.into_iter().filter(|(_, (_, is_clean))| *is_clean);
    clean.map(|(folder, (count, _))| (folder, count)).collect()
}

fn depth(file: &Path) -> usize {
    file.parent()
        .map_or(0, |folder| folder.components().count())
}

fn nothing_found(file: &FileReport) -> bool {
    file.findings.is_empty() && file.failure.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(files: &[(&str, bool)]) -> Report {
        let file = |&(path, is_clean): &(&str, bool)| FileReport {
            path: path.into(),
            failure: (!is_clean).then(|| "it is empty".to_owned()),
            ..FileReport::default()
        };
        Report {
            files: files.iter().map(file).collect(),
            ..Report::default()
        }
    }

    #[test]
    fn folders_with_a_fault_and_a_single_folder_have_no_line() {
        let two = report(&[("a/1.glb", true), ("a/2.glb", true), ("b/1.glb", false)]);
        assert_eq!(clean_folders(&two), [("a".into(), 2)]);
        let one = report(&[("a/1.glb", true), ("a/2.glb", true)]);
        assert_eq!(clean_folders(&one), []);
    }

    #[test]
    fn many_folders_are_counted_by_the_folder_that_holds_them() {
        let names: Vec<String> = (0..50).map(|index| format!("a/{index}/x.glb")).collect();
        let mut files: Vec<(&str, bool)> = names.iter().map(|name| (name.as_str(), true)).collect();
        files.push(("b/x.glb", true));
        assert_eq!(
            clean_folders(&report(&files)),
            [("a".into(), 50), ("b".into(), 1)]
        );
    }
}
