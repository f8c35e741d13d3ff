//! The call into assimp, and the scene that it returns.

use std::ffi::{CStr, CString, c_uint};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use russimp::sys::{
    aiCreatePropertyStore, aiGetErrorString, aiGetVersionMajor, aiGetVersionMinor,
    aiGetVersionPatch, aiImportFileExWithProperties, aiIsExtensionSupported,
    aiPostProcessSteps_aiProcess_PopulateArmatureData, aiPostProcessSteps_aiProcess_Triangulate,
    aiPropertyStore, aiReleaseImport, aiReleasePropertyStore, aiScene, aiSetImportPropertyInteger,
};

use super::files::Files;
use super::raw::{Raw, decode};
use crate::ImporterError;
use crate::rig::SourceFile;

/// The postprocessing steps of assimp.
///
/// Nothing that changes vertices: no joining (see `weld`), no limit on weights, no generated normals or tangents.
/// `PopulateArmatureData` is what resolves a bone to its node.
const STEPS: c_uint =
    aiPostProcessSteps_aiProcess_Triangulate | aiPostProcessSteps_aiProcess_PopulateArmatureData;

/// Properties of the import; see assimp's `config.h` for what they mean.
const PROPERTIES: &[(&CStr, i32)] = &[
    // No made-up geometry for files that hold only a skeleton.
    (c"IMPORT_NO_SKELETON_MESHES", 1),
    // Keep the file's axes and units.
    (c"AI_CONFIG_IMPORT_FBX_IGNORE_UP_DIRECTION", 1),
    // Pivots stay separate nodes: otherwise animated pivots and pre-rotations are not exact.
    (c"IMPORT_FBX_PRESERVE_PIVOTS", 1),
    // A curve that repeats the rest value is still a curve.
    (c"IMPORT_FBX_OPTIMIZE_EMPTY_ANIMATION_CURVES", 0),
    // Embedded textures are called "*0", "*1", …, which is unambiguous.
    (c"AI_CONFIG_IMPORT_FBX_EMBEDDED_TEXTURES_LEGACY_NAMING", 1),
    // Joints without weights stay joints.
    (c"AI_CONFIG_IMPORT_REMOVE_EMPTY_BONES", 0),
    // Names for people, not XML ids.
    (c"IMPORT_COLLADA_USE_COLLADA_NAMES", 1),
];

/// assimp keeps one last error for all threads.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A scene of assimp's, released when dropped.
pub(super) struct Scene {
    scene: NonNull<aiScene>,
    /// The files it was read through. assimp keeps their address as long as the scene.
    files: Option<Box<Files>>,
}

impl Scene {
    /// Reads the file at `path`.
    ///
    /// * `read_from` – folders besides its own whose files it may name.
    ///
    /// # Errors
    ///
    /// [`ImporterError::Path`] for a path with a NUL, or one that cannot be passed to assimp;
    /// [`ImporterError::Parse`] with assimp's own words.
    pub(super) fn read(path: &Path, read_from: &[PathBuf]) -> Result<Self, ImporterError> {
        let mut files = Box::new(Files::new(path, read_from));
        let path = c_path(path)?;
        let _alone = lock();
        let properties = Properties::new()?;
        let io = files.table();
        // SAFETY: a C string, and a store and a table that live long enough.
        let scene = unsafe {
            aiImportFileExWithProperties(path.as_ptr(), STEPS, io, properties.0.as_ptr())
        };
        Self::new(scene, Some(files))
    }

    /// Reads the bytes of a file with the extension `hint`.
    ///
    /// # Errors
    ///
    /// [`ImporterError::Unsupported`] from 4 GiB on; [`ImporterError::Parse`] with assimp's own words.
    pub(super) fn read_bytes(bytes: &[u8], hint: &CStr) -> Result<Self, ImporterError> {
        let len = c_uint::try_from(bytes.len()).map_err(|_| ImporterError::Unsupported {
            what: "a file of 4 GiB or more".to_owned(),
        })?;
        let _alone = lock();
        let properties = Properties::new()?;
        let start = bytes.as_ptr().cast::<std::ffi::c_char>();
        let store = properties.0.as_ptr();
        // SAFETY: as many bytes as said, a C string, and a store that lives long enough.
        let scene = unsafe {
            russimp::sys::aiImportFileFromMemoryWithProperties(
                start,
                len,
                STEPS,
                hint.as_ptr(),
                store,
            )
        };
        Self::new(scene, None)
    }

    fn new(scene: *const aiScene, files: Option<Box<Files>>) -> Result<Self, ImporterError> {
        let said = last_error();
        let scene = NonNull::new(scene.cast_mut()).map(|scene| Self { scene, files: None });
        // assimp continues without a file that it cannot open.
        let refusal = files.as_ref().and_then(|files| files.refusal());
        match (scene, refusal) {
            (Some(mut scene), None) => {
                scene.files = files;
                Ok(scene)
            }
            (_, Some(refusal)) => Err(ImporterError::advised(refusal)),
            (None, None) => Err(refused(match files {
                Some(files) => files.without_quotes(said),
                None => said,
            })),
        }
    }

    /// The files that were opened beside the model, relative to its folder.
    pub(super) fn files_beside(&self) -> Vec<SourceFile> {
        let files = self.files.as_ref();
        files.map_or_else(Vec::new, |files| files.beside())
    }

    /// The files that the model names and may not name.
    pub(super) fn files_out_of_reach(&self) -> Vec<PathBuf> {
        let files = self.files.as_ref();
        files.map_or_else(Vec::new, |files| files.out_of_reach())
    }

    /// A view of the scene.
    pub(super) fn raw(&self) -> Raw<'_, aiScene> {
        // SAFETY: assimp returned it, and releases it only on drop.
        let scene = unsafe { self.scene.as_ref() };
        // SAFETY: assimp made it.
        unsafe { Raw::new(scene) }
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        // SAFETY: assimp returned it, and this is the only release.
        unsafe { aiReleaseImport(self.scene.as_ptr()) };
    }
}

/// The version of the linked assimp, such as `6.0.2`.
pub(super) fn version() -> String {
    // SAFETY: no argument, no state.
    let major = unsafe { aiGetVersionMajor() };
    // SAFETY: no argument, no state.
    let minor = unsafe { aiGetVersionMinor() };
    // SAFETY: no argument, no state.
    let patch = unsafe { aiGetVersionPatch() };
    format!("{major}.{minor}.{patch}")
}

/// Whether the linked assimp has an importer for files of this extension.
pub(super) fn reads(extension: &str) -> bool {
    // SAFETY: a C string; no state.
    CString::new(extension).is_ok_and(|name| unsafe { aiIsExtensionSupported(name.as_ptr()) } != 0)
}

struct Properties(NonNull<aiPropertyStore>);

impl Properties {
    fn new() -> Result<Self, ImporterError> {
        // SAFETY: no argument; the store is released on drop.
        let store = unsafe { aiCreatePropertyStore() };
        let store = NonNull::new(store).ok_or_else(|| ImporterError::Inconsistent {
            what: "it has no memory for its settings".to_owned(),
        })?;
        for (name, value) in PROPERTIES {
            // SAFETY: a store of assimp's and a C string, which assimp hashes and does not keep.
            unsafe { aiSetImportPropertyInteger(store.as_ptr(), name.as_ptr(), *value) };
        }
        Ok(Self(store))
    }
}

impl Drop for Properties {
    fn drop(&mut self) {
        // SAFETY: assimp created it, and this is the only release.
        unsafe { aiReleasePropertyStore(self.0.as_ptr()) };
    }
}

/// A panic under the lock leaves no state behind: it only guards assimp's own.
fn lock() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Call only under the lock.
fn last_error() -> String {
    // SAFETY: no argument; assimp returns a C string that lives until the next import.
    let message = unsafe { aiGetErrorString() };
    if message.is_null() {
        return "no reason given".to_owned();
    }
    // SAFETY: not null, and a C string that does not change under the lock.
    let message = decode(unsafe { CStr::from_ptr(message) }.to_bytes());
    match message.trim() {
        "" => "no reason given".to_owned(),
        reason => reason.to_owned(),
    }
}

/// The refusal in assimp's words. It catches its own `std::bad_alloc` and reports it as a fault of the file.
fn refused(message: String) -> ImporterError {
    if message.contains("bad_alloc") || message.contains("bad allocation") {
        return ImporterError::OutOfMemory;
    }
    if message.to_lowercase().contains("version") {
        return ImporterError::advised(format!("{message}; export another version of the format"));
    }
    ImporterError::parse(message)
}

fn c_path(path: &Path) -> Result<CString, ImporterError> {
    #[cfg(unix)]
    let bytes = Some(std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()));
    #[cfg(not(unix))]
    let bytes = path.to_str().map(str::as_bytes);
    let refused = |reason: &str| ImporterError::Path {
        reason: reason.to_owned(),
    };
    let bytes = bytes.ok_or_else(|| refused("it is not valid Unicode"))?;
    CString::new(bytes).map_err(|_| refused("it contains a NUL character"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(result: Result<Scene, ImporterError>) -> ImporterError {
        result.err().expect("this cannot be read")
    }

    #[test]
    fn a_nul_in_a_path_is_an_error_and_no_panic() {
        let error = refusal(Scene::read(Path::new("a\0b.fbx"), &[]));
        assert!(matches!(error, ImporterError::Path { .. }), "{error}");
    }

    #[test]
    fn assimp_says_in_its_own_words_why_it_refuses() {
        let error = refusal(Scene::read_bytes(b"not a model at all", c"fbx"));
        let ImporterError::Parse { message, .. } = error else {
            panic!("{error}")
        };
        assert!(message.to_lowercase().contains("fbx"), "{message}");
    }

    #[test]
    fn a_bad_alloc_that_assimp_catches_is_a_lack_of_memory() {
        let error = refused("std::bad_alloc".to_owned());
        assert_eq!(error, ImporterError::OutOfMemory);
    }

    #[test]
    fn the_linked_assimp_is_the_one_that_was_studied() {
        assert_eq!(version(), "6.0.2");
    }
}
