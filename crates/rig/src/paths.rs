//! Canonical paths of files.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

use same_file::is_same_file;

use crate::shown::unicode;

/// Absolute and without `.` and `..`. Links are followed only where a `..` comes back out of one.
#[must_use]
pub fn named(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut named = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                if named.is_symlink() {
                    named = named.canonicalize().unwrap_or(named);
                }
                named.pop();
            }
            Component::CurDir => {}
            part => named.push(part),
        }
    }
    named
}

/// The nearest file called `name` in the folder of `file` or above, with links resolved.
#[must_use]
pub fn nearest_above(file: &Path, name: &str) -> Option<PathBuf> {
    let file = named(file);
    let mut paths = file.ancestors().skip(1).map(|up| up.join(name));
    let found = paths.find(|path| path.symlink_metadata().is_ok());
    found.map(|path| real(&path))
}

/// The folder of a file that may not exist yet: `.` for a name alone.
#[must_use]
pub fn folder_of(path: &Path) -> &Path {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Opens a regular file. A device, a pipe or a socket is an error at once: opening one may wait, or do something.
///
/// # Errors
///
/// An [`io::Error`].
pub fn open_regular(path: &Path) -> io::Result<File> {
    let checked = |metadata: fs::Metadata| {
        let reason = "not a regular file";
        let refused = || io::Error::new(ErrorKind::InvalidInput, reason);
        metadata.is_file().then_some(()).ok_or_else(refused)
    };
    checked(fs::metadata(path)?)?;
    let file = open_without_waiting(path)?;
    // By now the name may stand for something else.
    checked(file.metadata()?)?;
    Ok(file)
}

#[cfg(unix)]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    Ok(open(path, flags, Mode::empty())?.into())
}

#[cfg(not(unix))]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Bytes of the longest text file that is read: hundreds of times the size of any real one.
const LONGEST_TEXT: u64 = 64 << 20;

/// Reads a text file, such as a configuration, as models are read: from a regular file only. A pipe may keep its reader
/// waiting, and a device may never end.
///
/// # Errors
///
/// An [`io::Error`]; [`ErrorKind::FileTooLarge`] for more than 64 MiB.
pub fn read_text(path: &Path) -> io::Result<String> {
    let bytes = read_up_to(path, LONGEST_TEXT)?;
    let no_text = "stream did not contain valid UTF-8";
    String::from_utf8(bytes).map_err(|_| io::Error::new(ErrorKind::InvalidData, no_text))
}

/// The bytes of a regular file of at most `most` bytes.
///
/// # Errors
///
/// An [`io::Error`]; [`ErrorKind::FileTooLarge`] for more.
pub fn read_up_to(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() && !metadata.is_dir() {
        let reason = "it is not a regular file; save the text to a file first";
        return Err(io::Error::new(ErrorKind::InvalidInput, reason));
    }
    let mut bytes = Vec::new();
    let file = open_without_waiting(path)?;
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let reason = format!("it has more than {} MiB", most >> 20);
        return Err(io::Error::new(ErrorKind::FileTooLarge, reason));
    }
    Ok(bytes)
}

/// The input that is the file at `path`, by any name or link. `None` if it is another file, does not exist yet, or is a
/// device or a pipe, where nothing could be lost.
pub fn input_at<P: AsRef<Path>>(path: &Path, inputs: impl IntoIterator<Item = P>) -> Option<P> {
    let mut inputs = inputs.into_iter().filter(|_| path.is_file());
    inputs.find(|input| is_same_file(input, path).unwrap_or(false))
}

/// `path` with all links in its folder resolved. If the last part is a link itself, it is not followed, because a model
/// may be stored elsewhere under another name.
#[must_use]
pub fn real(path: &Path) -> PathBuf {
    let named = named(path);
    let folder = named.parent().and_then(|folder| folder.canonicalize().ok());
    let real = folder.zip(named.file_name());
    real.map(|(folder, name)| folder.join(name))
        .unwrap_or(named)
}

/// The folder at `path`, with links resolved.
#[must_use]
pub fn real_folder(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| named(path))
}

/// The path from `folder` to the real place of `file`, independent of how `file` is named. A link out of their common
/// folder is kept by name, because its target differs between machines.
///
/// * `folder` – as [`real_folder`] makes it.
#[must_use]
pub fn seen_from(folder: &Path, file: &Path) -> PathBuf {
    let real = real(file);
    if let Ok(below) = real.strip_prefix(folder) {
        return below.to_owned();
    }
    let file = named(file);
    if let Some(below) = below(folder, &file) {
        return below;
    }
    let target = by_name_past_links(folder, &file, &real).unwrap_or(real);
    let shared = folder
        .components()
        .zip(target.components())
        .take_while(|(a, b)| a == b)
        .count();
    // There is no relative path between two drives.
    if shared == 0 {
        return target;
    }
    let up = folder.components().skip(shared).map(|_| "..".as_ref());
    let down = target.components().skip(shared).map(Component::as_os_str);
    up.chain(down).collect()
}

/// The path as a user would write it: relative to the current folder, unless the two share no parent.
#[must_use]
pub fn from_here(path: &Path) -> PathBuf {
    let here = real_folder(Path::new("."));
    let common = here.ancestors().find(|folder| path.starts_with(folder));
    let seen = common
        .filter(|folder| *folder == here || folder.parent().is_some())
        .map_or_else(|| path.to_owned(), |_| seen_from(&here, path));
    if seen.as_os_str().is_empty() {
        ".".into()
    } else {
        seen
    }
}

/// The path from `folder` down to `file`, also through links.
///
/// * `folder` – as [`real_folder`] makes it.
/// * `file` – as [`named`] makes it.
#[must_use]
pub fn below(folder: &Path, file: &Path) -> Option<PathBuf> {
    if let Ok(below) = file.strip_prefix(folder) {
        return Some(below.to_owned());
    }
    let above: Vec<&Path> = file.ancestors().skip(1).collect();
    above.into_iter().rev().find_map(|above| {
        let inside = real_folder(above).strip_prefix(folder).ok()?.to_owned();
        Some(inside.join(file.strip_prefix(above).ok()?))
    })
}

/// `real`, or by name if a link leads out of the last common folder of `file` and `folder`.
fn by_name_past_links(folder: &Path, file: &Path, real: &Path) -> Option<PathBuf> {
    let mut above = file.ancestors().skip(1);
    let (above, common) = above.find_map(|above| {
        let common = real_folder(above);
        folder.starts_with(&common).then_some((above, common))
    })?;
    if real.starts_with(&common) {
        return None;
    }
    Some(common.join(file.strip_prefix(above).ok()?))
}

/// With `/` between its parts on every system; otherwise like [`unicode`].
#[must_use]
pub fn slashed(path: &Path) -> String {
    let text = unicode(path);
    if std::path::is_separator('\\') {
        text.replace('\\', "/")
    } else {
        text
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::create_dir_all;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn two_files_whose_names_are_not_unicode_are_two() {
        use std::os::unix::ffi::OsStrExt;
        let seen = |name: &[u8]| {
            let name = std::ffi::OsStr::from_bytes(name);
            slashed(&seen_from(Path::new("/a"), &Path::new("/a").join(name)))
        };
        assert_eq!(seen(b"bad\xff.glb"), "bad\\xff.glb");
        assert_ne!(seen(b"bad\xff.glb"), seen(b"bad\xfe.glb"));
    }

    #[test]
    fn a_file_is_seen_from_a_folder_by_the_way_that_leads_to_it() {
        let seen = |file: &str| slashed(&seen_from(Path::new("/a/b"), Path::new(file)));
        assert_eq!(seen("/a/b/c.glb"), "c.glb");
        assert_eq!(seen("/a/b/./d/../c.glb"), "c.glb");
        assert_eq!(seen("/a/x/c.glb"), "../x/c.glb");
    }

    #[test]
    fn a_link_to_a_folder_leads_to_where_it_really_is_unless_that_is_elsewhere() {
        let there = tempfile::tempdir().expect("a temporary folder can be made");
        let there = real_folder(there.path());
        let at = |name: &str| there.join(name);
        for folder in ["project/models/deep", "project/ci", "share", "else"] {
            create_dir_all(at(folder)).expect("so can folders in it");
        }
        let link = |to: &str, name: &str| symlink(at(to), at(name)).expect("and links");
        link("project/models", "project/link");
        link("project/models/deep", "project/far");
        link("share", "project/shared");
        link("project", "way");
        link("project/models", "else/way");
        link("share", "project/models/out");
        let seen_from =
            |folder: &str, file: &str| slashed(&seen_from(&at(folder), &named(&at(file))));
        let seen = |file: &str| seen_from("project", file);
        for (file, expected) in [
            ("project/link/a.glb", "models/a.glb"),
            ("way/link/a.glb", "models/a.glb"),
            ("project/far/../a.glb", "models/a.glb"),
            ("project/shared/a.glb", "shared/a.glb"),
            ("way/shared/a.glb", "shared/a.glb"),
            ("else/way/a.glb", "models/a.glb"),
            ("else/way/out/a.glb", "models/out/a.glb"),
            ("share/a.glb", "../share/a.glb"),
        ] {
            assert_eq!(seen(file), expected, "{file}");
        }
        for (file, expected) in [
            ("project/shared/a.glb", "../shared/a.glb"),
            ("way/shared/a.glb", "../shared/a.glb"),
            ("project/link/a.glb", "../models/a.glb"),
            ("project/ci/../shared/a.glb", "../shared/a.glb"),
            ("else/way/a.glb", "../models/a.glb"),
            ("share/a.glb", "../../share/a.glb"),
        ] {
            assert_eq!(seen_from("project/ci", file), expected, "{file}");
        }
    }
}
