//! The entries of a folder.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

/// The most entries of a folder: many times what people keep in one, and quickly read.
pub(super) const MOST_ENTRIES: usize = 1 << 16;

/// The names of the entries of `folder`, in no order; none if it cannot be read.
///
/// * `folder` – empty for the current one, as [`Path::parent`] returns it.
///
/// Returns `None` if there are more than `most`: the first ones would differ from call to call.
pub(super) fn entries(folder: &Path, most: usize) -> Option<Vec<OsString>> {
    let empty = folder.as_os_str().is_empty();
    let listed = if empty { Path::new(".") } else { folder };
    let entries = fs::read_dir(listed).into_iter().flatten();
    let within = entries.take(most.saturating_add(1));
    let names: Vec<OsString> = within
        .filter_map(|entry| Some(entry.ok()?.file_name()))
        .collect();
    (names.len() <= most).then_some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_too_many_entries_is_not_listed_in_part() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let mut names = entries(folder.path(), 3).unwrap();
        names.sort();
        assert_eq!(names, ["a", "b", "c"]);
        assert_eq!(entries(folder.path(), 2), None);
        assert_eq!(entries(&folder.path().join("gone"), 2), Some(vec![]));
        assert!(!entries(Path::new(""), MOST_ENTRIES).unwrap().is_empty());
    }
}
