//! The bytes of buffers: inside a GLB, in a data URI, or in a file (glTF 2.0, §3.6.1).

use std::cell::{Cell, OnceCell};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use data_encoding::{BASE64_NOPAD, Encoding};

use super::container::{part, read_file};
use super::error::AccessProblem;
use super::json::{Buffer, View};
use crate::files::{self, Reach};
use crate::rig::SourceFile;

/// How many numbers any file may ask for, however small it is.
const FREE_NUMBERS: u64 = 1 << 22;

/// How many numbers each byte of the files justifies. A byte holds at most one number, but many primitives may share an
/// accessor, and the zeros of sparse accessors are not in the file.
const NUMBERS_PER_BYTE: u64 = 256;

/// The most numbers, whatever the size of the file: 1 GiB of them.
const MOST_NUMBERS: u64 = 1 << 28;

/// The buffers of a document. Each is opened at its first use: an unused one may be missing.
pub(super) struct Buffers<'a> {
    list: &'a [Buffer<'a>],
    /// The contents of the GLB, if it is one.
    binary: Option<&'a [u8]>,
    /// The folder that paths are relative to.
    folder: &'a Path,
    reach: &'a Reach,
    /// The files in reach that buffers name, relative to `folder`.
    files: Vec<SourceFile>,
    loaded: Vec<OnceCell<Result<Vec<u8>, String>>>,
    /// The bytes of all files opened so far, and the most that they may be.
    size: Cell<u64>,
    most: u64,
    /// Further buffers, behind those of the document.
    decoded: Vec<Vec<u8>>,
}

impl<'a> Buffers<'a> {
    /// * `folder` – the folder that paths are relative to, and the files that they may name.
    /// * `file_size` – of the document in bytes, with its binary part.
    /// * `most` – how many bytes all files may have.
    pub(super) fn new(
        list: &'a [Buffer<'a>],
        binary: Option<&'a [u8]>,
        (folder, reach): (&'a Path, &'a Reach),
        file_size: u64,
        most: u64,
    ) -> Self {
        let named = list
            .iter()
            .filter_map(|own| own.uri.as_deref())
            .filter(|uri| !is_data(uri));
        let paths = named.map(|uri| PathBuf::from(files::percent_decoded(uri)));
        let files = paths
            .filter(|path| !reach.excludes(&folder.join(path)))
            .map(|path| SourceFile::below(folder, path));
        Self {
            list,
            binary,
            folder,
            reach,
            files: files.collect(),
            loaded: list.iter().map(|_| OnceCell::new()).collect(),
            size: Cell::new(file_size),
            most,
            decoded: Vec::new(),
        }
    }

    /// Adds buffers behind those of the document. They count as if a file held them.
    pub(super) fn add_decoded(&mut self, decoded: Vec<Vec<u8>>) {
        let bytes: usize = decoded.iter().map(Vec::len).sum();
        self.size.set(self.size.get().saturating_add(bytes as u64));
        self.decoded = decoded;
    }

    /// The files that buffers name, relative to the model's folder.
    pub(super) fn files(&self) -> Vec<SourceFile> {
        self.files.clone()
    }

    /// How many numbers the size of the files opened so far justifies.
    pub(super) fn justified_numbers(&self) -> u64 {
        let numbers = self.size.get().saturating_mul(NUMBERS_PER_BYTE);
        numbers.saturating_add(FREE_NUMBERS).min(MOST_NUMBERS)
    }

    /// The bytes of a buffer view.
    ///
    /// # Errors
    ///
    /// [`AccessProblem::Buffer`] and [`AccessProblem::OutOfRange`].
    pub(super) fn view(&self, view: &View) -> Result<&[u8], AccessProblem> {
        let index = view.buffer.index();
        let bytes = self
            .buffer(index)
            .map_err(|reason| AccessProblem::Buffer { reason })?;
        let (start, length) = (view.byte_offset.unwrap_or_default().0, view.byte_length.0);
        part(bytes, start, length).ok_or_else(|| AccessProblem::OutOfRange {
            needed: start.saturating_add(length),
            of: format!("buffers[{index}]"),
            available: bytes.len() as u64,
        })
    }

    fn buffer(&self, index: usize) -> Result<&[u8], String> {
        let behind = index.checked_sub(self.loaded.len());
        if let Some(decoded) = behind.and_then(|index| self.decoded.get(index)) {
            return Ok(decoded);
        }
        let known = self.list.get(index).zip(self.loaded.get(index));
        let (buffer, loaded) = known.ok_or_else(|| {
            let count = self.loaded.len();
            format!("buffer {index} is missing; there are {count}")
        })?;
        let failed = |reason: &str| format!("buffers[{index}]: {reason}");
        let Some(uri) = &buffer.uri else {
            let binary = self.binary.filter(|_| index == 0);
            let bytes = binary
                .ok_or_else(|| failed("it has no uri, and is not the binary chunk of a GLB"))?;
            // Padding at the end of the chunk does not belong to the buffer (§4.4.3.3).
            let length = usize::try_from(buffer.byte_length.0).unwrap_or(usize::MAX);
            return Ok(&bytes[..bytes.len().min(length)]);
        };
        let opened = loaded.get_or_init(|| {
            let opened = self.open(buffer, uri);
            opened.map_err(|reason| failed(&reason))
        });
        opened.as_ref().map(Vec::as_slice).map_err(Clone::clone)
    }

    fn open(&self, buffer: &Buffer<'_>, uri: &str) -> Result<Vec<u8>, String> {
        if is_data(uri) {
            return data(uri).ok_or("its data URI is badly encoded".to_owned());
        }
        let path = files::percent_decoded(uri);
        if !is_relative(&path) {
            return Err(format!(
                "its uri {path} is not a path below the model's folder; move the file there and use only its name"
            ));
        }
        let path = self.folder.join(path);
        let room = self.most.saturating_sub(self.size.get());
        let bytes = open(&path, self.reach, buffer.byte_length.0, room)
            .map_err(|reason| format!("{}: {reason}", path.display()))?;
        self.size.set(self.size.get() + bytes.len() as u64);
        Ok(bytes)
    }
}

/// The first `length` bytes of a file, or all if it has fewer, but no more than `room`.
fn open(path: &Path, reach: &Reach, length: u64, room: u64) -> Result<Vec<u8>, String> {
    let file = reach.open(path).map_err(|refusal| refusal.to_string())?;
    let bytes = read_file(file, length.min(room.saturating_add(1)));
    let bytes = bytes.map_err(|error| error.to_string())?;
    if bytes.len() as u64 > room {
        return Err("it does not fit in the memory; raise --memory".to_owned());
    }
    Ok(bytes)
}

/// Whether the bytes are in the URI itself.
pub(super) fn is_data(uri: &str) -> bool {
    uri.get(..5)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

/// Schemes that are recognized without `//`; any other text with a colon is a file name.
const ELSEWHERE: [&str; 4] = ["file", "ftp", "http", "https"];

/// Whether a [decoded](files::percent_decoded) URI is a path relative to the folder of the document, possibly upwards. Readers
/// need not support others (a scheme, a drive, an authority, an absolute path); §2.8 calls them less portable.
pub(super) fn is_relative(uri: &str) -> bool {
    let first = uri.split(['/', '\\']).next().unwrap_or_default();
    let scheme = first.split_once(':').map(|(scheme, _)| scheme);
    let of_machine = scheme.is_some_and(|scheme| {
        let on_drive = scheme.len() == 1;
        on_drive
            || ELSEWHERE
                .iter()
                .any(|other| scheme.eq_ignore_ascii_case(other))
    });
    !first.is_empty() && !first.ends_with(':') && !of_machine
}

/// The bytes of a data URI; `None` if they are badly encoded.
pub(super) fn data(uri: &str) -> Option<Vec<u8>> {
    let (head, body) = uri.split_once(',')?;
    let coding = head.rsplit(';').next().unwrap_or_default();
    if coding.eq_ignore_ascii_case("base64") {
        LENIENT.decode(body.trim_end_matches('=').as_bytes()).ok()
    } else {
        Some(files::percent_bytes(body))
    }
}

/// Base64 (RFC 4648, §4) without padding, whose last digit may hold further bits.
static LENIENT: LazyLock<Encoding> = LazyLock::new(|| {
    let mut specification = BASE64_NOPAD.specification();
    specification.check_trailing_bits = false;
    specification.encoding().expect("one rule less")
});

/// `bytes` as a data URI.
#[cfg(test)]
pub(super) fn data_uri(bytes: &[u8]) -> String {
    format!(
        "data:application/octet-stream;base64,{}",
        data_encoding::BASE64.encode(bytes)
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::gltf::document;

    /// The bytes of `view` in a document with this one buffer.
    fn viewed(
        buffer: &Value,
        view: &Value,
        binary: Option<&[u8]>,
        (folder, reach): (&Path, &Reach),
    ) -> Result<Vec<u8>, String> {
        let asset = json!({"version": "2.0"});
        let document = json!({"asset": asset, "buffers": [buffer], "bufferViews": [view]});
        let text = document.to_string();
        let root = document::read(text.as_bytes()).unwrap();
        let buffers = Buffers::new(&root.buffers, binary, (folder, reach), 0, u64::MAX);
        let bytes = buffers.view(&root.buffer_views[0]);
        bytes
            .map(<[u8]>::to_vec)
            .map_err(|problem| problem.to_string())
    }

    /// Everything below `folder`.
    fn below(folder: &Path) -> Reach {
        Reach::of(&folder.join("model.gltf"), &[])
    }

    #[test]
    fn a_buffer_is_the_binary_chunk_a_data_uri_or_a_file_whose_name_is_encoded() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a b.bin"), [7, 8, 9]).unwrap();
        let view = json!({"buffer": 0, "byteOffset": 1, "byteLength": 2});
        let data = data_uri(&[4, 5, 6]);
        for (uri, binary, expected) in [
            (None, Some(&[1, 2, 3, 0][..]), [2, 3]),
            (Some(&data[..]), None, [5, 6]),
            (Some("a%20b.bin"), None, [8, 9]),
        ] {
            let buffer = json!({"byteLength": 3, "uri": uri});
            let read = viewed(
                &buffer,
                &view,
                binary,
                (folder.path(), &below(folder.path())),
            );
            assert_eq!(read, Ok(expected.to_vec()));
        }
    }

    #[test]
    fn bytes_that_are_not_there_are_reported_with_the_buffer() {
        let folder = tempfile::tempdir().unwrap();
        let view = json!({"buffer": 0, "byteLength": 4});
        let past = json!({"buffer": 0, "byteOffset": u64::MAX, "byteLength": u64::MAX});
        let second = json!({"buffer": 2, "byteLength": 4});
        for (uri, view, binary, expected) in [
            (
                None,
                &view,
                None,
                "buffers[0]: it has no uri, and is not the binary chunk of a GLB",
            ),
            (
                None,
                &view,
                Some(&[0; 3][..]),
                "needs 4 bytes of buffers[0], which has 3",
            ),
            (None, &second, None, "buffer 2 is missing; there are 1"),
            (Some("gone.bin"), &view, None, "gone.bin"),
            (Some("."), &view, None, "not a regular file"),
            (
                None,
                &past,
                Some(&[0; 4]),
                "needs 18446744073709551615 bytes of buffers[0], which has 4",
            ),
        ] {
            let buffer = json!({"byteLength": 4, "uri": uri});
            let error = viewed(
                &buffer,
                view,
                binary,
                (folder.path(), &below(folder.path())),
            )
            .unwrap_err();
            let is_whole = uri.is_some() || error == expected;
            assert!(is_whole && error.contains(expected), "{error}");
        }
    }

    /// The result of loading a buffer at `uri`.
    fn loaded(uri: &str, folder: &Path) -> Result<Vec<u8>, String> {
        loaded_within(uri, folder, &below(folder))
    }

    fn loaded_within(uri: &str, folder: &Path, reach: &Reach) -> Result<Vec<u8>, String> {
        let view = json!({"buffer": 0, "byteLength": 3});
        let buffer = json!({"byteLength": 3, "uri": uri});
        viewed(&buffer, &view, None, (folder, reach))
    }

    #[test]
    fn a_path_leads_up_to_folders_that_are_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let model = folder.path().join("model");
        std::fs::create_dir(&model).unwrap();
        let shared = folder.path().join("shared:1.bin");
        std::fs::write(&shared, [7, 8, 9]).unwrap();
        let error = loaded("../shared:1.bin", &model).unwrap_err();
        let allowed = format!("add --read-from {}", folder.path().display());
        assert!(error.ends_with(&allowed), "{error}");
        let wide = Reach::of(&model.join("model.gltf"), &[folder.path().to_owned()]);
        let read = loaded_within("../shared:1.bin", &model, &wide);
        assert_eq!(read, Ok(vec![7, 8, 9]));
        assert_eq!(loaded("shared:1.bin", folder.path()), Ok(vec![7, 8, 9]));
        let path = shared.to_str().unwrap();
        for uri in [
            path,
            &format!("file://{path}"),
            "http://a.b/c.bin",
            "%2Fa.bin",
            "C:\\a.bin",
            "file:x.bin",
            "FILE:/x.bin",
            "https:x.bin",
            "//a/b.bin",
        ] {
            let error = loaded(uri, folder.path()).unwrap_err();
            let uri = files::percent_decoded(uri);
            let expected =
                format!("buffers[0]: its uri {uri} is not a path below the model's folder");
            assert!(error.starts_with(&expected), "{error}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_or_a_pipe_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let mut pipe = std::process::Command::new("mkfifo");
        let made = pipe.arg(folder.path().join("pipe.bin")).status().unwrap();
        assert!(made.success());
        std::os::unix::fs::symlink("/dev/zero", folder.path().join("zero.bin")).unwrap();
        let reach = Reach::of(&folder.path().join("model.gltf"), &["/dev".into()]);
        for name in ["zero.bin", "pipe.bin"] {
            let error = loaded_within(name, folder.path(), &reach).unwrap_err();
            assert!(
                error.ends_with(&format!("{name}: not a regular file")),
                "{error}"
            );
        }
    }

    #[test]
    fn a_data_uri_without_base64_holds_any_bytes() {
        let bytes = Some(vec![0, 128, 255, b'a']);
        assert_eq!(data("data:,%00%80%FFa"), bytes);
        assert_eq!(data("data:x;BASE64,AID/YQ=="), bytes);
    }

    #[test]
    fn base64_is_that_of_the_rfc() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            let uri = data_uri(bytes.as_bytes());
            assert_eq!(uri.split_once(',').map(|(_, body)| body), Some(text));
            assert_eq!(data(&uri), Some(bytes.as_bytes().to_vec()));
        }
        assert_eq!(data("data:x;base64,Z*=="), None);
        assert_eq!(data("data:,a%20b"), Some(b"a b".to_vec()));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_data_uri_holds_its_bytes(bytes: Vec<u8>) {
            prop_assert_eq!(data(&data_uri(&bytes)), Some(bytes));
        }

        #[test]
        fn no_text_is_too_odd_to_be_decoded_or_refused(text: String) {
            let _ = data(&format!("data:;base64,{text}"));
        }
    }
}
