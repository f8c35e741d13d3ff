//! The files that assimp opens: the model and the files it references, such as materials and skeletons.
//!
//! assimp asks for them through a table of functions. Only regular files [in reach](Reach) are opened, and nothing is
//! written; assimp itself would follow any path.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, c_char};
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::ptr;

use russimp::sys::{
    aiFile, aiFileIO, aiOrigin, aiOrigin_aiOrigin_CUR, aiOrigin_aiOrigin_END,
    aiOrigin_aiOrigin_SET, aiReturn, aiReturn_aiReturn_FAILURE, aiReturn_aiReturn_SUCCESS,
};

use super::preflight::malformed;
use crate::files::Reach;
use crate::paths::open_regular;
use crate::rig::{FileStamp, SourceFile};
use crate::text;

/// A file that assimp has opened. assimp identifies it by the address of its first field, the table of functions.
#[repr(C)]
struct Opened {
    table: aiFile,
    file: BufReader<File>,
    length: usize,
}

impl Opened {
    fn at(path: &Path) -> Option<Self> {
        let file = open_regular(path).ok()?;
        let length = usize::try_from(file.metadata().ok()?.len()).ok()?;
        let file = BufReader::new(file);
        Some(Self {
            table: aiFile {
                ReadProc: Some(read),
                WriteProc: Some(write),
                TellProc: Some(tell),
                FileSizeProc: Some(self::length),
                SeekProc: Some(seek),
                FlushProc: Some(flush),
                UserData: ptr::null_mut(),
            },
            file,
            length,
        })
    }

    /// Passes up to `most` bytes to `take`, in parts. Returns their number.
    fn read(&mut self, most: usize, mut take: impl FnMut(usize, &[u8])) -> usize {
        let mut total = 0;
        while total < most {
            match self.file.fill_buf() {
                Ok([]) => break,
                Ok(part) => {
                    let part = &part[..part.len().min(most - total)];
                    take(total, part);
                    let taken = part.len();
                    self.file.consume(taken);
                    total += taken;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        total
    }

    /// Seeks as `fseek` does: distances from the end, and backwards, are negative.
    fn seek(&mut self, offset: usize, origin: aiOrigin) -> Option<u64> {
        let signed = i64::try_from(offset.cast_signed()).ok()?;
        #[expect(non_upper_case_globals, reason = "the names are those of the binding")]
        let to = match origin {
            aiOrigin_aiOrigin_SET => SeekFrom::Start(offset.try_into().ok()?),
            aiOrigin_aiOrigin_CUR => SeekFrom::Current(signed),
            aiOrigin_aiOrigin_END => SeekFrom::End(signed),
            _ => return None,
        };
        self.file.seek(to).ok()
    }
}

/// The files that assimp may open for one model, and those it has asked for. assimp identifies it by the address of its
/// first field, the table of functions.
#[repr(C)]
pub(super) struct Files {
    table: aiFileIO,
    model: PathBuf,
    reach: Reach,
    out_of_reach: RefCell<BTreeSet<PathBuf>>,
    /// Including files that do not exist, each as it was when it was first asked for.
    asked_for: RefCell<BTreeMap<PathBuf, Option<FileStamp>>>,
    refusal: RefCell<Option<String>>,
}

impl Files {
    /// The files of the model at `path`.
    ///
    /// * `read_from` – folders besides its own whose files it may name.
    pub(super) fn new(path: &Path, read_from: &[PathBuf]) -> Self {
        let table = aiFileIO {
            OpenProc: Some(open),
            CloseProc: Some(close),
            UserData: ptr::null_mut(),
        };
        Self {
            table,
            model: path.to_owned(),
            reach: Reach::of(path, read_from),
            out_of_reach: RefCell::default(),
            asked_for: RefCell::default(),
            refusal: RefCell::default(),
        }
    }

    /// The table for assimp, which may use it as long as `self` lives.
    pub(super) fn table(&mut self) -> *mut aiFileIO {
        (&raw mut *self).cast()
    }

    /// The files asked for other than the model, existing or not, relative to its folder.
    pub(super) fn beside(&self) -> Vec<SourceFile> {
        let folder = self.model.parent().unwrap_or(Path::new(""));
        let asked_for = self.asked_for.borrow();
        let others = asked_for.iter().filter(|(path, _)| **path != self.model);
        let files = others.map(|(path, stamp)| SourceFile {
            path: path.strip_prefix(folder).unwrap_or(path).to_owned(),
            stamp: *stamp,
        });
        files.collect()
    }

    /// The paths that were asked for and are out of reach.
    pub(super) fn out_of_reach(&self) -> Vec<PathBuf> {
        self.out_of_reach.borrow().iter().cloned().collect()
    }

    /// Why a file was withheld from assimp.
    pub(super) fn refusal(&self) -> Option<String> {
        self.refusal.borrow().clone()
    }

    /// Whether `path` is malformed XML. assimp's parser would continue with guesses, up to a crash. The error's message may
    /// quote the text, so it is kept only for the model itself.
    fn refuse(&self, path: &Path) -> bool {
        // The import has already failed, but assimp asks for the same file again.
        if self.refusal.borrow().is_some() {
            return true;
        }
        let extension = path.extension();
        let is_xml = extension.is_some_and(|is| is.eq_ignore_ascii_case("xml"));
        if !is_xml || self.asked_for.borrow().contains_key(path) {
            return false;
        }
        let Some(error) = malformed(path) else {
            return false;
        };
        *self.refusal.borrow_mut() = Some(if path == self.model {
            text::explain_xml(&error)
        } else {
            let name = path.file_name().unwrap_or_default().display();
            format!("malformed XML in {} of {name}", text::xml_position(&error))
        });
        true
    }

    /// assimp's error message, without its quotes if they may come from another file than the model: a model can name any
    /// file as its material library.
    pub(super) fn without_quotes(&self, message: String) -> String {
        let asked_for = self.asked_for.borrow();
        let asked_for_others = asked_for.keys().any(|path| *path != self.model);
        match message.split_once(['"', '\'']) {
            Some((before, _)) if asked_for_others => {
                format!("{before}… in it or in a file that it names")
            }
            _ => message,
        }
    }

    /// The path that the model names. assimp puts the model's folder before each path, even before an absolute one.
    fn named(&self, path: &Path) -> PathBuf {
        let folder = self.model.parent().and_then(Path::to_str);
        let rest = path
            .to_str()
            .zip(folder)
            .and_then(|(path, folder)| path.strip_prefix(folder));
        let absolute = rest.filter(|rest| rest.starts_with("//"));
        absolute.map_or_else(|| path.to_owned(), |rest| PathBuf::from(&rest[1..]))
    }

    /// Whether `path` is the model itself, or in reach.
    fn allow(&self, path: &Path) -> bool {
        let is_out = path != self.model
            && self
                .reach
                .real(path)
                .is_err_and(|refusal| refusal.is_outside());
        // assimp also tries pieces of paths, where no file is.
        if is_out && path.is_file() {
            self.out_of_reach.borrow_mut().insert(path.to_owned());
        }
        !is_out
    }
}

unsafe extern "C" fn open(
    table: *mut aiFileIO,
    name: *const c_char,
    mode: *const c_char,
) -> *mut aiFile {
    // SAFETY: assimp passes two C strings, which live until this function returns.
    let [name, mode] = [name, mode].map(|text| unsafe { CStr::from_ptr(text) });
    let reads = mode.to_bytes().starts_with(b"r") && !mode.to_bytes().contains(&b'+');
    // SAFETY: assimp passes the table that it was given, which is the first field of `Files`.
    let files = unsafe { &*table.cast::<Files>() };
    let path = path_of(name).map(|path| files.named(&path));
    let path = path.filter(|path| reads && files.allow(path));
    let stamped = path.map(|path| (FileStamp::of(&path), path));
    let Some((stamp, path)) = stamped.filter(|(_, path)| !files.refuse(path)) else {
        return ptr::null_mut();
    };
    let opened = Opened::at(&path);
    files.asked_for.borrow_mut().entry(path).or_insert(stamp);
    let Some(opened) = opened else {
        return ptr::null_mut();
    };
    Box::into_raw(Box::new(opened)).cast()
}

/// assimp receives paths as bytes and returns them unchanged; except on Unix they are UTF-8.
fn path_of(name: &CStr) -> Option<PathBuf> {
    #[cfg(unix)]
    let path = std::os::unix::ffi::OsStrExt::from_bytes(name.to_bytes());
    #[cfg(not(unix))]
    let path: &std::ffi::OsStr = name.to_str().ok()?.as_ref();
    Some(Path::new::<std::ffi::OsStr>(path).to_owned()).filter(|path| !path.as_os_str().is_empty())
}

unsafe extern "C" fn close(_: *mut aiFileIO, file: *mut aiFile) {
    // SAFETY: assimp closes each result of `open` once; the table is the first field of `Opened`.
    drop(unsafe { Box::from_raw(file.cast::<Opened>()) });
}

/// # Safety
///
/// `file` is a result of [`open`], not closed, and not in use elsewhere.
unsafe fn opened<'a>(file: *mut aiFile) -> &'a mut Opened {
    // SAFETY: as the caller promises; the table is the first field of `Opened`.
    unsafe { &mut *file.cast::<Opened>() }
}

unsafe extern "C" fn read(
    file: *mut aiFile,
    buffer: *mut c_char,
    size: usize,
    count: usize,
) -> usize {
    let Some(bytes) = size.checked_mul(count).filter(|bytes| *bytes > 0) else {
        return 0;
    };
    // SAFETY: assimp passes a file that it has opened.
    let opened = unsafe { opened(file) };
    let total = opened.read(bytes, |from, part| {
        // SAFETY: assimp provides room for `bytes` there; `from` and the length are within it.
        unsafe {
            ptr::copy_nonoverlapping(part.as_ptr(), buffer.cast::<u8>().add(from), part.len());
        };
    });
    total / size
}

unsafe extern "C" fn write(_: *mut aiFile, _: *const c_char, _: usize, _: usize) -> usize {
    0
}

unsafe extern "C" fn tell(file: *mut aiFile) -> usize {
    // SAFETY: assimp passes a file that it has opened.
    let position = unsafe { opened(file) }.file.stream_position();
    usize::try_from(position.unwrap_or_default()).unwrap_or_default()
}

unsafe extern "C" fn length(file: *mut aiFile) -> usize {
    // SAFETY: assimp passes a file that it has opened.
    unsafe { opened(file) }.length
}

unsafe extern "C" fn seek(file: *mut aiFile, offset: usize, origin: aiOrigin) -> aiReturn {
    // SAFETY: assimp passes a file that it has opened.
    match unsafe { opened(file) }.seek(offset, origin) {
        Some(_) => aiReturn_aiReturn_SUCCESS,
        None => aiReturn_aiReturn_FAILURE,
    }
}

unsafe extern "C" fn flush(_: *mut aiFile) {}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::testing::{fixture, messages};
    use crate::{Importer, Wanted, assimp::Assimp};

    #[test]
    fn the_files_that_a_model_names_are_known_by_their_names_from_its_folder() {
        // assimp looks for a binary skeleton first.
        let skeletons = ["arm.skeleton", "arm.skeleton.xml"];
        for (model, named) in [("arm.obj", &["arm.mtl"][..]), ("arm.mesh.xml", &skeletons)] {
            let asset = Assimp.import(&fixture(model)).expect(model);
            let named: Vec<PathBuf> = named.iter().map(PathBuf::from).collect();
            let paths: Vec<PathBuf> = asset.files.into_iter().map(|file| file.path).collect();
            assert_eq!(paths, named);
        }
    }

    #[test]
    fn positions_are_counted_from_the_start_from_here_and_from_the_end() {
        let path = fixture("arm.obj");
        let whole = std::fs::read(&path).unwrap();
        let mut opened = Opened::at(&path).unwrap();
        assert_eq!(opened.length, whole.len());
        let read = |opened: &mut Opened, most: usize| {
            let mut bytes = Vec::new();
            let count = opened.read(most, |from, part| {
                assert_eq!(from, bytes.len());
                bytes.extend_from_slice(part);
            });
            assert_eq!(count, bytes.len());
            bytes
        };
        assert_eq!(read(&mut opened, 12), whole[..12]);
        assert_eq!(opened.seek(4, aiOrigin_aiOrigin_SET), Some(4));
        let back = 2_usize.wrapping_neg();
        assert_eq!(opened.seek(back, aiOrigin_aiOrigin_CUR), Some(2));
        let end = whole.len() as u64;
        assert_eq!(opened.seek(back, aiOrigin_aiOrigin_END), Some(end - 2));
        assert_eq!(read(&mut opened, 5), whole[whole.len() - 2..]);
    }

    #[test]
    fn only_the_model_itself_is_quoted() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let triangle = "mtllib secret\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
        std::fs::write(at("m.obj"), triangle).unwrap();
        std::fs::write(at("secret"), "newmtl a\nKd password 0 0\n").unwrap();
        let error = Assimp.import(&at("m.obj")).unwrap_err().to_string();
        assert!(!error.contains("password"), "{error}");
        let message = "Cannot parse string \"b\"".to_owned();
        let alone = Files::new(&at("m.obj"), &[]).without_quotes(message.clone());
        assert_eq!(alone, message);
    }

    #[test]
    fn a_material_library_elsewhere_is_not_read_but_noted() {
        let top = tempfile::tempdir().unwrap();
        let at = |name: &str| top.path().join(name);
        std::fs::create_dir(at("model")).unwrap();
        let triangle = "usemtl red\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
        std::fs::write(at("red.mtl"), "newmtl red\nKd 1 0 0\n").unwrap();
        let colors_of = |library: &str, read_from: Vec<PathBuf>| {
            let text = format!("mtllib {library}\n{triangle}");
            std::fs::write(at("model/m.obj"), text).unwrap();
            let wanted = Wanted {
                read_from,
                ..Wanted::default()
            };
            let asset = Assimp.import_some(&at("model/m.obj"), &wanted).unwrap();
            let is_red = asset.materials.iter().any(|own| own.base_color.y < 0.1);
            (is_red, messages(&asset).join("\n"))
        };
        for library in ["../red.mtl", "..\\red.mtl", at("red.mtl").to_str().unwrap()] {
            let (is_red, notes) = colors_of(library, Vec::new());
            assert!(
                !is_red && notes.contains("--read-from DIR"),
                "{library}: {notes}"
            );
        }
        let (is_red, notes) = colors_of("../red.mtl", vec![top.path().to_owned()]);
        assert!(is_red && !notes.contains("--read-from"), "{notes}");
    }

    #[test]
    fn only_regular_files_are_opened() {
        assert!(Opened::at(Path::new(env!("CARGO_MANIFEST_DIR"))).is_none());
        assert!(Opened::at(Path::new("/dev/null")).is_none());
    }
}
