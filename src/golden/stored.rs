//! The approval of a model.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use glam::Mat4;

use super::GoldenError;
use super::plan::{Case, NUMBERS};
use crate::diff::reference::{Clip, Reference};
use crate::frame::png::{self, DecodedImage, Head};
use crate::view::Camera;

/// The first line of a Git LFS pointer, which replaces a file until that is fetched.
///
/// # Reference
///
/// *Git LFS Specification*, "The Pointer".
const POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// Keywords of the text chunks in approved images.
pub(super) const CAMERA: &str = "Camera";
pub(super) const DRAWN: &str = "Drawn";

/// The approval of a model.
#[derive(Debug, Default)]
pub(super) struct Stored {
    pub(super) numbers: Option<Reference>,
    /// By file name.
    pub(super) images: BTreeMap<String, StoredImage>,
}

/// An approved image. Its pixels are read only to be compared, so that a folder of images takes no more memory than one.
#[derive(Debug)]
pub(super) struct StoredImage {
    path: PathBuf,
    head: Head,
}

impl Stored {
    /// Reads the approval of a model; empty if its folder does not exist.
    ///
    /// # Errors
    ///
    /// [`GoldenError`] for damaged files, and for links and devices.
    pub(super) fn read(case: &Case) -> Result<Self, GoldenError> {
        let mut stored = Self::default();
        if let Some(folder) = case.folders().find(|folder| folder.is_symlink()) {
            return Err(GoldenError::NotPlain {
                path: folder.to_owned(),
            });
        }
        for path in files(&case.approved)? {
            let bytes = read(&path)?;
            if path.file_name().is_some_and(|name| name == NUMBERS) {
                let numbers = Reference::parse(&bytes).map_err(|source| damaged(&path, source))?;
                stored.numbers = Some(numbers);
            } else {
                let head = png::head(&bytes).map_err(|source| damaged(&path, source))?;
                let name = path
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned();
                stored.images.insert(name, StoredImage { path, head });
            }
        }
        Ok(stored)
    }

    /// The approved numbers of a clip.
    pub(super) fn clip(&self, name: &str) -> Option<&Clip> {
        let numbers = self.numbers.as_ref()?;
        numbers.clips.iter().find(|own| own.name == name)
    }
}

/// The approval files in a folder, sorted: numbers and images. Other files are ignored.
///
/// # Errors
///
/// [`GoldenError::Unreadable`], unless the folder does not exist.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>, GoldenError> {
    let unreadable = |source: io::Error| GoldenError::Unreadable {
        path: folder.to_owned(),
        source,
    };
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(unreadable)?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(unreadable)?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let is_image = Path::new(&name).extension().is_some_and(|own| own == "png");
        if name == NUMBERS || is_image && !name.starts_with('.') {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn damaged(path: &Path, source: impl Error + Send + Sync + 'static) -> GoldenError {
    GoldenError::Damaged {
        path: path.to_owned(),
        source: Box::new(source),
    }
}

/// Whether `path` is a regular file and no link to one. A pipe may keep its reader waiting, and a link may lead out of
/// the project.
pub(super) fn is_plain(path: &Path) -> bool {
    let metadata = path.symlink_metadata();
    metadata.is_ok_and(|metadata| metadata.is_file())
}

fn read(path: &Path) -> Result<Vec<u8>, GoldenError> {
    if !is_plain(path) {
        return Err(GoldenError::NotPlain {
            path: path.to_owned(),
        });
    }
    let bytes = fs::read(path).map_err(|source| GoldenError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    if bytes.starts_with(POINTER) {
        return Err(GoldenError::Pointer {
            path: path.to_owned(),
        });
    }
    Ok(bytes)
}

impl StoredImage {
    /// In pixels.
    pub(super) fn size(&self) -> [u32; 2] {
        [self.head.width, self.head.height]
    }

    /// Whether skincheck wrote it.
    pub(super) fn is_ours(&self) -> bool {
        png::names_skincheck(&self.head.text)
    }

    /// The file.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, GoldenError> {
        read(&self.path)
    }

    /// * `bytes` – the file.
    pub(super) fn decode(&self, bytes: &[u8]) -> Result<DecodedImage, GoldenError> {
        png::decode(bytes).map_err(|source| damaged(&self.path, source))
    }

    /// The camera that it was drawn with; `None` if its text chunks were removed.
    pub(super) fn camera(&self) -> Option<Camera> {
        let numbers: Vec<f32> = self
            .text(CAMERA)?
            .split(' ')
            .map(str::parse)
            .collect::<Result<_, _>>()
            .ok()?;
        let [view, clip] = numbers.as_chunks::<16>().0 else {
            return None;
        };
        let [view_from_world, clip_from_view] = [view, clip].map(Mat4::from_cols_array);
        let camera = Camera {
            view_from_world,
            clip_from_view,
        };
        let is_finite = view_from_world.is_finite() && clip_from_view.is_finite();
        is_finite.then_some(camera)
    }

    /// A digest of the vertices that it shows.
    pub(super) fn drawn(&self) -> Option<&str> {
        self.text(DRAWN)
    }

    fn text(&self, keyword: &str) -> Option<&str> {
        let mut texts = self.head.text.iter();
        let (_, text) = texts.find(|(own, _)| own == keyword)?;
        Some(text)
    }
}

/// The text that [`StoredImage::camera`] reads.
pub(super) fn camera_text(camera: &Camera) -> String {
    let matrices = [camera.view_from_world, camera.clip_from_view];
    let numbers: Vec<String> = matrices
        .iter()
        .flat_map(Mat4::to_cols_array)
        .map(|number| number.to_string())
        .collect();
    numbers.join(" ")
}

/// Removes a file, if it is there.
pub(super) fn remove_file(path: &Path) -> Result<(), GoldenError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed.map_err(|source| GoldenError::Folder {
            what: "remove",
            path: path.to_owned(),
            source,
        }),
    }
}
