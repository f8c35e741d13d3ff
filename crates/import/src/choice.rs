//! The list of importers. Selects that of a file by name and by first bytes, and finds mistakes that show without reading it.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

#[cfg(feature = "assimp")]
use super::assimp::Assimp;
use super::collada::Collada;
use super::fbx::Fbx;
use super::gltf::Gltf;
use super::importer::known_extensions;
use super::iqm::Iqm;
use super::md5::Md5;
use super::{ImportError, Importer, files};
use crate::names::likeness;
use crate::paths::open_regular;

/// How similar two file names must be (0 to 1, Jaro-Winkler) for one to be suggested for the other: one or two different
/// letters of ten.
const ALIKE: f64 = 0.9;

/// The importer for the file at `path`, which is a readable, regular, non-empty file whose content may match its name.
///
/// * `wanted` – the name of the importer to use, instead of the first that supports the extension.
///
/// # Errors
///
/// Every [`ImportError`] that needs no importer to be run.
pub(super) fn choose_importer(
    importers: &[&'static dyn Importer],
    path: &Path,
    wanted: Option<&str>,
) -> Result<&'static dyn Importer, ImportError> {
    let head = examine(path)?;
    let able = able_importers(importers, path, wanted)?;
    let name = file_name_lower(path);
    let takes = |importer: &&&dyn Importer| extension_among(&name, importer.extensions()).is_some();
    let Some(&importer) = able.iter().find(takes) else {
        return Err(ImportError::UnknownExtension {
            path: path.to_owned(),
            extension: last_extension(&name).to_owned(),
            wanted: wanted.and(able.first()).map(|importer| importer.name()),
            known: known_extensions(&able),
            holds: recognise(&head).map(|content| content.name),
        });
    };
    let extension = extension_among(&name, importer.extensions()).unwrap_or_default();
    match other_than_named(&head, extension) {
        None => Ok(importer),
        Some(content) => Err(ImportError::Misnamed {
            path: path.to_owned(),
            extension: extension.to_owned(),
            holds: content.name,
            rename: known_among(&content, &able),
        }),
    }
}

/// The importers of this build that support the name of `path`, the preferred one first. The file is not read.
pub fn importers_for(path: &Path) -> impl Iterator<Item = &'static dyn Importer> {
    let name = file_name_lower(path);
    let takes =
        move |importer: &&dyn Importer| extension_among(&name, importer.extensions()).is_some();
    super::IMPORTERS.iter().copied().filter(takes)
}

fn able_importers(
    importers: &[&'static dyn Importer],
    path: &Path,
    wanted: Option<&str>,
) -> Result<Vec<&'static dyn Importer>, ImportError> {
    let path = || path.to_owned();
    if importers.is_empty() {
        return Err(ImportError::NoImporter { path: path() });
    }
    let is_wanted = |importer: &&&dyn Importer| wanted.is_none_or(|name| importer.name() == name);
    let able: Vec<_> = importers.iter().filter(is_wanted).copied().collect();
    match wanted {
        Some(name) if able.is_empty() => Err(ImportError::UnknownImporter {
            path: path(),
            name: name.to_owned(),
            known: importers.iter().map(|importer| importer.name()).collect(),
        }),
        _ => Ok(able),
    }
}

/// The first bytes of the file at `path`.
fn examine(path: &Path) -> Result<Vec<u8>, ImportError> {
    let unreadable = |source| ImportError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let path_of = || path.to_owned();
    let metadata = match fs::metadata(path) {
        Err(error) if is_absence(&error) => {
            if let Ok(target) = path.read_link() {
                let path = path_of();
                return Err(ImportError::DanglingLink { path, target });
            }
            let nearest = nearest_file(path);
            return Err(ImportError::NotFound {
                path: path_of(),
                nearest,
            });
        }
        other => other.map_err(unreadable)?,
    };
    if metadata.is_dir() {
        return Err(ImportError::Folder { path: path_of() });
    }
    if !metadata.is_file() {
        return Err(ImportError::NotAFile { path: path_of() });
    }
    let mut head = Vec::new();
    let file = open_regular(path).map_err(unreadable)?;
    file.take(HEAD_BYTES as u64)
        .read_to_end(&mut head)
        .map_err(unreadable)?;
    if head.is_empty() {
        return Err(ImportError::Empty { path: path_of() });
    }
    let bytes = metadata.len();
    match claimed_length(&head) {
        Some(claimed) if bytes < claimed => Err(ImportError::Truncated {
            path: path_of(),
            bytes,
            claimed,
        }),
        _ => Ok(head),
    }
}

fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// The file in the same folder whose name is most similar to `path`'s.
fn nearest_file(path: &Path) -> Option<PathBuf> {
    let wanted = path.file_name()?.to_string_lossy();
    let parent = path.parent()?;
    let names = files::entries(parent, files::MOST_ENTRIES)?;
    let rated = names.into_iter().map(|name| {
        let likeness = likeness(&wanted, &name.to_string_lossy());
        (likeness, name)
    });
    let alike = rated.filter(|(likeness, _)| *likeness >= ALIKE);
    let nearest = alike.max_by(|(a, name_a), (b, name_b)| a.total_cmp(b).then(name_b.cmp(name_a)));
    nearest.map(|(_, name)| parent.join(name))
}

/// The extension of `content` that an importer supports.
fn known_among(content: &Content, importers: &[&dyn Importer]) -> Option<&'static str> {
    let known = known_extensions(importers);
    let mut fitting = content.extensions.iter().copied();
    fitting.find(|extension| known.contains(extension))
}

fn file_name_lower(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().to_lowercase()
}

/// The longest of `extensions` that `name` ends in.
fn extension_among(name: &str, extensions: &[&'static str]) -> Option<&'static str> {
    let ends = |extension: &&&str| {
        let stem = name.strip_suffix(**extension);
        stem.is_some_and(|stem| stem.ends_with('.'))
    };
    extensions
        .iter()
        .filter(ends)
        .max_by_key(|extension| extension.len())
        .copied()
}

/// The text after the last dot; empty for a name without a dot, or with only a leading one.
fn last_extension(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => extension,
        _ => "",
    }
}

/// Enough for every signature, and for a comment or two at the head of a text format.
const HEAD_BYTES: usize = 4096;

/// A format that is recognised by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Content {
    /// With its article, such as `a PNG image`.
    pub(super) name: &'static str,
    /// The extensions that such a file may have.
    pub(super) extensions: &'static [&'static str],
}

/// Signatures at the start of a file, and the names and extensions of their formats.
const SIGNATURES: &[(&[u8], &str, &[&str])] = &[
    (b"Kaydara FBX Binary", "a binary FBX file", &["fbx"]),
    (b"glTF", "a binary glTF file (GLB)", &["glb", "vrm", "vrma"]),
    (
        b"MD5Version",
        "an MD5 file",
        &["md5mesh", "md5anim", "md5camera"],
    ),
    (b"xof ", "a DirectX .x file", &["x"]),
    (b"BB3D", "a Blitz3D file", &["b3d"]),
    (b"MS3D000000", "a MilkShape 3D file", &["ms3d"]),
    (b"3DMO", "a Model 3D file", &["m3d", "a3d"]),
    (b"3dmodel ", "a Model 3D text file", &["m3d", "a3d"]),
    (b"INTERQUAKEMODEL\0", "an Inter-Quake Model", &["iqm"]),
    (b"HIERARCHY", "a BVH file", &["bvh"]),
    (b"IDST", "a Half-Life model", &["mdl"]),
    (b"IDPO", "a Quake model", &["mdl"]),
    (b"BLENDER", "a Blender file; export it first", &["blend"]),
    (b"PXR-USDC", "a USD file", &["usd", "usdc"]),
    (b"#usda", "a USD file", &["usd", "usda"]),
    (b"; FBX", "a text FBX file", &["fbx"]),
    (b"\x89PNG\r\n", "a PNG image", &[]),
    (b"\xff\xd8\xff", "a JPEG image", &[]),
    (b"GIF8", "a GIF image", &[]),
    (b"DDS ", "a DDS image", &[]),
    (b"8BPS", "a Photoshop file", &[]),
    (b"%PDF-", "a PDF document", &[]),
    (
        b"PK\x03\x04",
        "a ZIP archive; unpack it first",
        &["zae", "zip", "usdz"],
    ),
    (b"\x1f\x8b", "a gzip archive; unpack it first", &[]),
    (
        b"7z\xbc\xaf\x27\x1c",
        "a 7-Zip archive; unpack it first",
        &[],
    ),
    (b"Rar!", "a RAR archive; unpack it first", &[]),
    (b"\x7fELF", "a program", &[]),
    (b"version https://git-lfs.github.com/spec/", GIT_LFS, &[]),
];

const GIT_LFS: &str = "a Git LFS pointer; run `git lfs pull` to get the file itself";

const HTML: Content = content("an HTML page, such as a failed download", &[]);
const COLLADA: Content = content("a COLLADA document", &["dae", "xml"]);
const OGRE: Content = content("an Ogre XML document", &["mesh.xml", "skeleton.xml", "xml"]);
const JSON: Content = content("a JSON file", &["gltf", "json"]);
const TEXT: Content = content("plain text", &[]);

/// Text formats that may start with a comment or a space: an extension, and words; a sound file has one
/// of them near its start.
const TEXT_MARKERS: &[(&str, &[&str])] = &[
    ("fbx", &["fbx", "objects:", "model:", "takes:"]),
    ("md5mesh", &["md5version"]),
    ("md5anim", &["md5version"]),
    ("bvh", &["hierarchy"]),
];

/// The format that `head`, the first [`HEAD_BYTES`] of a file called `*.extension`, shows; `None` if it may match the name.
///
/// Errs on the side of `None`: a format that is not in the tables, or a binary one without a signature, is left to
/// the importer.
fn other_than_named(head: &[u8], extension: &str) -> Option<Content> {
    let found = recognise(head)?;
    let fits =
        found.extensions.contains(&extension) || (found == TEXT && has_marker(head, extension));
    (!fits).then_some(found)
}

/// The length that a file with this `head` states in its header; `None` if it states none.
fn claimed_length(head: &[u8]) -> Option<u64> {
    // Magic, version, length of the whole file: glTF 2.0 §4.4.2, and IQM likewise.
    let header = head
        .strip_prefix(b"glTF")
        .or_else(|| head.strip_prefix(b"INTERQUAKEMODEL\0"))?;
    let length = header.get(4..8).and_then(|bytes| bytes.first_chunk());
    // A truncated header: 12 is more than there is.
    Some(length.map_or(12, |bytes| u64::from(u32::from_le_bytes(*bytes))))
}

/// What `head` shows a file to be, if it is known.
fn recognise(head: &[u8]) -> Option<Content> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let mut signatures = SIGNATURES.iter();
    let signature = signatures.find(|(start, ..)| head.starts_with(start));
    let found = signature.map(|(_, name, extensions)| content(name, extensions));
    found.or_else(|| recognise_text(head))
}

fn recognise_text(head: &[u8]) -> Option<Content> {
    if !is_text(head) {
        return None;
    }
    let text = String::from_utf8_lossy(head).to_ascii_lowercase();
    let start = text.trim_start();
    Some(match start {
        _ if start.starts_with("<!doctype html") || start.starts_with("<html") => HTML,
        _ if start.starts_with('<') && start.contains("<collada") => COLLADA,
        _ if start.starts_with('<') && (start.contains("<mesh") || start.contains("<skeleton")) => {
            OGRE
        }
        // XML whose root element is hidden behind a long comment.
        _ if start.starts_with('<') => return None,
        _ if start.starts_with('{') => JSON,
        _ => TEXT,
    })
}

/// Nearly no control characters, and none that is 0. Any text encoding that contains ASCII passes.
fn is_text(head: &[u8]) -> bool {
    let control =
        |&&byte: &&u8| byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1a);
    !head.contains(&0) && head.iter().filter(control).count() * 100 <= head.len()
}

/// Whether the words of a text format are there. A text format that is not in the tables has none to miss.
fn has_marker(head: &[u8], extension: &str) -> bool {
    let Some((_, words)) = TEXT_MARKERS.iter().find(|(of, _)| *of == extension) else {
        return !has_signature(extension);
    };
    let text = String::from_utf8_lossy(head).to_ascii_lowercase();
    words.iter().any(|word| text.contains(word))
}

/// Whether a file with this extension must start with one of the signatures in the tables.
fn has_signature(extension: &str) -> bool {
    let signed = SIGNATURES.iter().map(|(.., extensions)| *extensions);
    let mut all = signed.chain([COLLADA, OGRE, JSON].map(|content| content.extensions));
    all.any(|extensions| extensions.contains(&extension))
}

const fn content(name: &'static str, extensions: &'static [&'static str]) -> Content {
    Content { name, extensions }
}

/// Every importer of this build, the preferred first.
pub static IMPORTERS: &[&dyn Importer] = &[
    &Collada,
    &Fbx,
    &Gltf,
    &Iqm,
    &Md5,
    #[cfg(feature = "assimp")]
    &Assimp,
];

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(head: &[u8], extension: &str) -> Option<&'static str> {
        other_than_named(head, extension).map(|content| content.name)
    }

    #[test]
    fn files_that_match_their_names_pass() {
        let honest: &[(&[u8], &str)] = &[
            (b"Kaydara FBX Binary  \0\x1a\0", "fbx"),
            (b"; FBX 7.4.0 project file\n", "fbx"),
            (b"\r\n; exported\nFBXHeaderExtension:  {\n", "fbx"),
            (b"glTF\x02\0\0\0", "glb"),
            (b" \n{\"asset\": {}}", "gltf"),
            (
                b"\xef\xbb\xbf<?xml version=\"1.0\"?>\n<COLLADA xmlns=\"\">",
                "dae",
            ),
            (b"<mesh>\n<submeshes>", "mesh.xml"),
            (b"MD5Version 10\n", "md5mesh"),
            (b"// made by hand\nMD5Version 10\n", "md5anim"),
            (b" \nHIERARCHY\nROOT Hips\n", "bvh"),
            (b"version 1\nnodes\n", "smd"),
            (b"# Blender\nmtllib a.mtl\n", "obj"),
            (b"xof 0303txt 0032", "x"),
            (b"\0\x01\x02\x03 a binary nobody knows", "mdl"),
        ];
        for (head, extension) in honest {
            assert_eq!(holds(head, extension), None, "{extension}");
        }
    }

    #[test]
    fn a_text_file_named_fbx_is_seen() {
        assert_eq!(holds(b"Dear diary,\n", "fbx"), Some("plain text"));
        assert_eq!(holds(b"caf\xe9 au lait", "glb"), Some("plain text"));
        assert_eq!(holds(b"not xml at all", "dae"), Some("plain text"));
    }

    #[test]
    fn a_file_under_the_name_of_another_format_is_seen() {
        assert_eq!(
            holds(b"glTF\x02\0\0\0", "fbx"),
            Some("a binary glTF file (GLB)")
        );
        assert_eq!(holds(b"{\"asset\"", "glb"), Some("a JSON file"));
        assert_eq!(holds(b"\x89PNG\r\n\x1a\n", "fbx"), Some("a PNG image"));
        assert_eq!(
            holds(b"<!DOCTYPE html><html>", "dae"),
            Some("an HTML page, such as a failed download")
        );
    }

    #[test]
    fn a_pointer_of_git_lfs_says_how_to_get_the_file() {
        let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";
        assert!(holds(pointer, "glb").unwrap().contains("git lfs pull"));
    }

    #[test]
    fn zeros_are_left_to_the_importer() {
        assert_eq!(holds(&[0; 512], "fbx"), None);
    }
}
