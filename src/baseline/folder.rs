//! Paths that mean the same wherever the program is run.

use std::path::{Component, Path, PathBuf};

use crate::shown::unicode;

/// `file` as seen from `folder`, with `/` between its parts on every system.
///
/// * `folder` – absolute and without `.` and `..`, as [`resolved`] makes it.
pub(super) fn seen_from(folder: &Path, file: &Path) -> String {
    let file = resolved(file);
    let shared = folder.components().zip(file.components());
    let shared = shared.take_while(|(a, b)| a == b).count();
    // On another drive there is no way from one to the other.
    if shared == 0 {
        return slashed(&file);
    }
    let up = folder.components().skip(shared).map(|_| "..");
    let mut parts: Vec<String> = up.map(str::to_owned).collect();
    let down = file.components().skip(shared);
    parts.extend(down.map(|part| unicode(Path::new(part.as_os_str()))));
    parts.join("/")
}

fn slashed(path: &Path) -> String {
    unicode(path).replace('\\', "/")
}

/// Absolute, with `.` and `..` taken out by name; links are not followed.
pub(super) fn resolved(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut resolved = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                resolved.pop();
            }
            Component::CurDir => {}
            part => resolved.push(part),
        }
    }
    resolved
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_seen_from_a_folder_by_the_way_that_leads_to_it() {
        let seen = |file: &str| seen_from(Path::new("/a/b"), Path::new(file));
        assert_eq!(seen("/a/b/c.glb"), "c.glb");
        assert_eq!(seen("/a/b/./d/../c.glb"), "c.glb");
        assert_eq!(seen("/a/x/c.glb"), "../x/c.glb");
    }

    #[test]
    fn two_files_whose_names_are_not_unicode_are_two() {
        use std::os::unix::ffi::OsStrExt;
        let seen = |name: &[u8]| {
            let name = std::ffi::OsStr::from_bytes(name);
            seen_from(Path::new("/a"), &Path::new("/a").join(name))
        };
        assert_eq!(seen(b"bad\xff.glb"), "bad\\xff.glb");
        assert_ne!(seen(b"bad\xff.glb"), seen(b"bad\xfe.glb"));
    }
}
