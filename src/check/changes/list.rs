//! Lists of files.

use std::path::PathBuf;

/// Why a list of files cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListError {
    /// A name is quoted, as git prints names that are not ASCII.
    #[error(
        "line {line}: the name is quoted; write names separated by NUL, such as with git diff -z, and add --null"
    )]
    Quoted {
        /// From 1.
        line: usize,
    },
    /// A name is not Unicode, which this system requires.
    #[error("entry {number}: the name is not Unicode")]
    NotUnicode {
        /// From 1.
        number: usize,
    },
    /// The names are separated by NUL.
    #[error("line {line}: the names are separated by NUL; add --null")]
    Nul {
        /// From 1.
        line: usize,
    },
}

/// The paths in `list`, one per line or separated by NUL. Empty ones are skipped.
pub(super) fn paths(list: &[u8], is_separated_by_nul: bool) -> Result<Vec<PathBuf>, ListError> {
    let separator = if is_separated_by_nul { 0 } else { b'\n' };
    let mut paths = Vec::new();
    for (number, mut name) in (1..).zip(list.split(|byte| *byte == separator)) {
        if !is_separated_by_nul {
            name = name.strip_suffix(b"\r").unwrap_or(name);
            if name.contains(&0) {
                return Err(ListError::Nul { line: number });
            }
            if name.len() > 1 && name.starts_with(b"\"") && name.ends_with(b"\"") {
                return Err(ListError::Quoted { line: number });
            }
        }
        if !name.is_empty() {
            paths.push(path(name).ok_or(ListError::NotUnicode { number })?);
        }
    }
    Ok(paths)
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "as on other systems")]
pub(super) fn path(name: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Some(std::ffi::OsStr::from_bytes(name).into())
}

#[cfg(not(unix))]
pub(super) fn path(name: &[u8]) -> Option<PathBuf> {
    Some(std::str::from_utf8(name).ok()?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_at_lines_or_at_nul() {
        let lines = paths(b"a.glb\r\n\nb c.png\n", false).expect("it is right");
        assert_eq!(lines, [PathBuf::from("a.glb"), "b c.png".into()]);
        let named = paths(b"a\nb.glb\0\"c\"\0", true).expect("it is right");
        assert_eq!(named, [PathBuf::from("a\nb.glb"), "\"c\"".into()]);
    }

    #[test]
    fn lists_of_the_other_kind_are_refused() {
        let refused = |list: &[u8]| paths(list, false).expect_err("it is wrong").to_string();
        assert!(refused(b"a.glb\0b.glb").contains("add --null"));
        let quoted = refused(b"a.glb\n\"gr\\303\\266\\303\\237e.png\"\n");
        assert!(quoted.starts_with("line 2: the name is quoted"), "{quoted}");
    }
}
