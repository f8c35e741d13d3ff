//! The format of a file by its first bytes, whatever its name says.

/// Enough for every signature, and for a comment or two at the head of a text format.
pub(super) const HEAD_BYTES: usize = 4096;

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
    (b"glTF", "a binary glTF file (GLB)", &["glb", "vrm"]),
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
pub(super) fn other_than_named(head: &[u8], extension: &str) -> Option<Content> {
    let found = recognise(head)?;
    let fits =
        found.extensions.contains(&extension) || (found == TEXT && has_marker(head, extension));
    (!fits).then_some(found)
}

/// The length that a file with this `head` states in its header; `None` if it states none.
pub(super) fn claimed_length(head: &[u8]) -> Option<u64> {
    // Magic, version, length of the whole file: glTF 2.0 §4.4.2, and IQM likewise.
    let header = head.strip_prefix(b"glTF");
    let header = header.or_else(|| head.strip_prefix(b"INTERQUAKEMODEL\0"))?;
    let length = header.get(4..8).and_then(|bytes| bytes.first_chunk());
    // A truncated header: 12 is more than there is.
    Some(length.map_or(12, |bytes| u64::from(u32::from_le_bytes(*bytes))))
}

/// What `head` shows a file to be, if it is known.
pub(super) fn recognise(head: &[u8]) -> Option<Content> {
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
