//! Reads images from a path or from bytes inside the model.

mod find;
mod ktx;

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

use image::error::LimitErrorKind;
use image::{ImageError, ImageFormat, ImageReader, Limits};
use rayon::prelude::*;

use super::files::Reach;
use super::text::printable;
use crate::deadline::Deadline;
use crate::paths::open_regular;
use crate::rig::{Asset, Bitmap, Image, ImageData, ImageId, Material, Note, SourceFile};
use find::{Finder, Match};
use ktx::KtxError;

/// Turns every image of `asset` into an [`ImageData::Bitmap`], or into [`ImageData::Missing`] with the reason.
///
/// Images that are the same file or the same bytes become one. A note reports a file that is not exactly the one the
/// model names.
///
/// * `folder` – the folder of the model's file; paths in the model are relative to it.
/// * `reach` – the files that may be read.
/// * `memory_bytes` – what the model may take: its texels half of it, and each image a quarter.
/// * `deadline` – when to stop; the result is then of no use.
///
/// Returns the files that were found, and, for missing ones, the files and folders that were searched.
pub(super) fn resolve(
    asset: &mut Asset,
    folder: &Path,
    reach: &Reach,
    memory_bytes: u64,
    deadline: Deadline,
) -> Vec<SourceFile> {
    refuse_surplus(asset);
    let mut finder = Finder::new(reach);
    for image in &mut asset.images {
        asset.notes.extend(locate(image, folder, &mut finder));
    }
    let found = asset.images.iter().filter_map(|image| match &image.data {
        ImageData::File(path) => Some(path.clone()),
        _ => None,
    });
    let files = found.chain(finder.into_looked_at()).map(SourceFile::at);
    let files: Vec<SourceFile> = files.collect();
    merge_equal(asset);
    let mut budget = Budget::of(memory_bytes);
    let at_once = budget.image;
    let measured = |image| measure(image, &mut budget).map_err(|error| decode_reason(&error));
    let measured: Vec<Result<u64, String>> = asset.images.iter().map(measured).collect();
    let mut sizes = measured.as_slice();
    let mut images = asset.images.as_mut_slice();
    while !images.is_empty() {
        let count = together(sizes, at_once);
        let (group, later) = images.split_at_mut(count);
        let (own, rest) = sizes.split_at(count);
        group
            .par_iter_mut()
            .zip(own)
            .for_each(|(image, measured)| match measured {
                Ok(_) if deadline.has_passed() => {}
                Ok(bytes) => decode_in_place(image, *bytes, at_once),
                Err(reason) => image.data = ImageData::Missing(reason.clone()),
            });
        (images, sizes) = (later, rest);
    }
    files
}

/// How many of the first images are decoded at once: at least one, and as many as the decoders have room for.
///
/// * `measured` – the bytes of each image as texels.
/// * `room` – of all decoders.
fn together(measured: &[Result<u64, String>], room: u64) -> usize {
    let bytes = measured
        .iter()
        .map(|bytes| BESIDE * bytes.as_ref().unwrap_or(&0));
    let sums = bytes.scan(0, |sum: &mut u64, bytes| {
        *sum += bytes;
        Some(*sum)
    });
    sums.take_while(|sum| *sum <= room).count().max(1)
}

/// Locates each image as [`resolve`] does, without opening it; one that is not found is [`ImageData::NotFound`].
///
/// Returns the files that were found, and, for missing ones, the files and folders that were searched.
pub(super) fn locate_all(images: &mut [Image], folder: &Path, reach: &Reach) -> Vec<SourceFile> {
    let mut finder = Finder::new(reach);
    let mut found = Vec::new();
    for image in images.iter_mut().take(MOST_IMAGES) {
        let ImageData::File(named) = &image.data else {
            continue;
        };
        image.data = match finder.find(folder, named) {
            Some((_, path)) => {
                found.push(path.clone());
                ImageData::File(path)
            }
            None => ImageData::NotFound(why_not_found(folder, named, &finder)),
        };
    }
    let all = found.into_iter().chain(finder.into_looked_at());
    all.map(SourceFile::at).collect()
}

/// The `images`, located, that are missing or do not begin like an image, and why; not those that are too large to be read
/// here. Nothing is decoded.
#[doc(hidden)]
#[must_use]
pub fn unreadable(images: &[Image]) -> Vec<(ImageId, String)> {
    let images = images.iter().take(MOST_IMAGES).enumerate();
    images
        .filter_map(|(index, image)| Some((ImageId::from_index(index), why_unreadable(image)?)))
        .collect()
}

/// The reason why an image, whose file has been found if it has one, cannot be read.
fn why_unreadable(image: &Image) -> Option<String> {
    if let ImageData::Missing(reason) | ImageData::NotFound(reason) = &image.data {
        return Some(reason.clone());
    }
    let measured = measure(image, &mut Budget::of(u64::MAX));
    let error = measured.err().filter(|error| !error.is_limit());
    error.map(|error| decode_reason(&error))
}

/// Most images of a model that are read; a character has a handful for each material.
pub(super) const MOST_IMAGES: usize = 4096;

/// Leaves excess images of hostile files without data.
fn refuse_surplus(asset: &mut Asset) {
    let count = asset.images.len();
    if count <= MOST_IMAGES {
        return;
    }
    for image in &mut asset.images[MOST_IMAGES..] {
        image.data = ImageData::Missing(format!("it is not among the first {MOST_IMAGES}"));
    }
    asset.notes.push(Note {
        location: "images".into(),
        message: format!("only the first {MOST_IMAGES} of {count} images are read"),
    });
}

/// Replaces the model's path by the existing one.
fn locate(image: &mut Image, folder: &Path, finder: &mut Finder) -> Option<Note> {
    let ImageData::File(named) = &image.data else {
        return None;
    };
    let found = finder.find(folder, named);
    let note = match &found {
        Some((Match::Similar, path)) => Some(Note {
            location: format!("image {:?}", image.name),
            message: format!(
                "{} {}; using {} instead",
                shown(named),
                if finder.refusal(folder, named).is_some() {
                    "is outside of the model's folder"
                } else {
                    "does not exist"
                },
                shown(path)
            ),
        }),
        _ => None,
    };
    image.data = match found {
        Some((_, path)) => ImageData::File(path),
        None => ImageData::Missing(why_not_found(folder, named, finder)),
    };
    note
}

fn why_not_found(folder: &Path, named: &Path, finder: &Finder<'_>) -> String {
    let named_path = shown(named);
    if let Some(refusal) = finder.refusal(folder, named) {
        return format!("{named_path} is not read: {refusal}");
    }
    format!("{named_path} is neither next to the model nor in a texture folder there")
}

/// How many characters of a path a message shows.
const LONGEST_PATH: usize = 200;

fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy(), LONGEST_PATH)
}

/// The identity of an image.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Identity<'a> {
    File(PathBuf),
    Bytes(&'a [u8]),
}

fn identity(image: &Image) -> Option<Identity<'_>> {
    match &image.data {
        ImageData::File(path) => {
            let canonical = fs::canonicalize(path);
            Some(Identity::File(canonical.unwrap_or_else(|_| path.clone())))
        }
        ImageData::Encoded(bytes) => Some(Identity::Bytes(bytes)),
        ImageData::Bitmap(_) | ImageData::Missing(_) | ImageData::NotFound(_) => None,
    }
}

/// Removes duplicate images, and updates the materials.
fn merge_equal(asset: &mut Asset) {
    let (new_from_old, is_first) = first_of_equals(&asset.images);
    let mut is_first = is_first.into_iter();
    asset.images.retain(|_| is_first.next().unwrap_or(true));
    for texture in asset.materials.iter_mut().flat_map(Material::textures_mut) {
        texture.image = new_from_old[texture.image.index()];
    }
}

/// For each image, its id among the distinct ones, and whether it is the first of its duplicates.
fn first_of_equals(images: &[Image]) -> (Vec<ImageId>, Vec<bool>) {
    let mut seen: BTreeMap<Identity<'_>, ImageId> = BTreeMap::new();
    let mut distinct = 0;
    let ids = images.iter().map(|image| {
        let new = ImageId::from_index(distinct);
        let id = identity(image).map_or(new, |identity| *seen.entry(identity).or_insert(new));
        distinct += usize::from(id == new);
        (id, id == new)
    });
    ids.unzip()
}

/// Longest side in texels: the limit of graphics hardware.
const LONGEST_SIDE: u32 = 16384;

/// The most memory for decoding one image, in bytes.
const BYTES_PER_IMAGE: u64 = 512 << 20;

/// The most memory for all images of a model, in bytes.
const BYTES_PER_MODEL: u64 = 1 << 30;

/// The reason why an image cannot be decoded.
#[derive(Debug, thiserror::Error)]
enum DecodeError {
    #[error("it cannot be read")]
    Unreadable(#[source] io::Error),
    #[error("it cannot be decoded")]
    Undecodable(#[source] ImageError),
    #[error(transparent)]
    Ktx(#[from] KtxError),
    #[error("it has no texels")]
    Void,
    #[error(
        "it is too large: {width}x{height} texels take {} MiB, and at most {} MiB an image and {} MiB a model are read{}",
        bytes >> 20, image >> 20, model >> 20, if *image < BYTES_PER_IMAGE { "; raise --memory" } else { "" }
    )]
    TooLarge {
        width: u32,
        height: u32,
        bytes: u64,
        image: u64,
        model: u64,
    },
    #[error("it is too large: at most {LONGEST_SIDE} texels a side are read")]
    TooLong,
    #[error("its decoder failed")]
    Panicked,
}

impl DecodeError {
    /// Whether the image may be one that other programs read.
    fn is_limit(&self) -> bool {
        matches!(self, Self::TooLarge { .. } | Self::TooLong)
    }
}

/// `error` with its causes in one line.
fn decode_reason(error: &DecodeError) -> String {
    let causes = std::iter::successors(error.source(), |&cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

/// The memory for images, in bytes.
struct Budget {
    image: u64,
    model: u64,
    left: u64,
}

impl Budget {
    /// A part of the memory for a model: a decoder holds an image several times, and drawing its smaller copies.
    fn of(memory_bytes: u64) -> Self {
        let model = BYTES_PER_MODEL.min(memory_bytes / 2);
        Self {
            image: BYTES_PER_IMAGE.min(memory_bytes / 4),
            model,
            left: model,
        }
    }

    /// Returns how many bytes the image takes as texels.
    fn take(&mut self, width: u32, height: u32) -> Result<u64, DecodeError> {
        if width.max(height) > LONGEST_SIDE {
            return Err(DecodeError::TooLong);
        }
        let bytes = 4 * u64::from(width) * u64::from(height);
        if bytes == 0 {
            return Err(DecodeError::Void);
        }
        if bytes > self.left.min(self.image) {
            return Err(DecodeError::TooLarge {
                width,
                height,
                bytes,
                image: self.image,
                model: self.model,
            });
        }
        self.left -= bytes;
        Ok(bytes)
    }
}

/// Checks that `image` can be opened and fits into `budget`, by its first bytes only.
///
/// Called in the order of the images, before they are decoded in any order, so that the same ones are refused every time.
///
/// Returns how many bytes it takes as texels.
fn measure(image: &Image, budget: &mut Budget) -> Result<u64, DecodeError> {
    let (width, height) = match open(image, 0, budget.image)? {
        None => return Ok(0),
        Some(Opened::Common(reader)) => guarded(|| Ok(reader.into_dimensions()?))?,
        Some(Opened::Ktx(file)) => ktx::dimensions(&start_of(file, ktx::HEAD_BYTES)?)?,
    };
    budget.take(width, height)
}

/// Decodes `image`, or replaces it with the reason why it cannot be. Decoded and missing images are not changed.
///
/// * `bytes` – as [`measure`] returned them.
/// * `most` – what the decoder may allocate.
fn decode_in_place(image: &mut Image, bytes: u64, most: u64) {
    match decode(image, bytes, most) {
        Ok(Some(bitmap)) => image.data = ImageData::Bitmap(bitmap),
        Ok(None) => {}
        Err(error) => image.data = ImageData::Missing(decode_reason(&error)),
    }
}

fn decode(image: &Image, bytes: u64, most: u64) -> Result<Option<Bitmap>, DecodeError> {
    let bitmap = match open(image, bytes, most)? {
        None => return Ok(None),
        Some(Opened::Common(reader)) => {
            let texels = guarded(|| Ok(reader.decode()?.into_rgba8()))?;
            Bitmap {
                width: texels.width(),
                height: texels.height(),
                rgba: texels.into_raw(),
            }
        }
        Some(Opened::Ktx(file)) => {
            let file = start_of(file, bytes + BYTES_BESIDE_TEXELS)?;
            guarded(|| Ok(ktx::decode(&file)?))?
        }
    };
    Ok(Some(bitmap))
}

/// The first bytes of `file`: at most `limit`.
fn start_of(file: impl Read, limit: u64) -> Result<Vec<u8>, DecodeError> {
    let mut bytes = Vec::new();
    let read = file.take(limit).read_to_end(&mut bytes);
    read.map_err(DecodeError::Unreadable)?;
    Ok(bytes)
}

trait Source: BufRead + Seek {}
impl<S: BufRead + Seek> Source for S {}

/// An image of which at most the first bytes have been read.
enum Opened<'a> {
    Common(ImageReader<Box<dyn Source + 'a>>),
    Ktx(Box<dyn Source + 'a>),
}

/// How many bytes a decoder may allocate besides texels, such as for a colour profile. PNG compresses profiles, so a small
/// file may hold one a thousand times as large; a profile above the limit is ignored.
const BYTES_BESIDE_TEXELS: u64 = 16 << 20;

/// Bytes that a decoder holds at once per byte of a texel: 16 bits per channel, in its own form and in ours.
const DECODING: u64 = 4;

/// Bytes that a decoder holds besides the texels that it returns, per byte of them: that of a progressive JPEG holds its
/// coefficients, and texels in its own form.
const BESIDE: u64 = 2;

/// A reader of the right format and with limits; `None` for an image that needs none.
///
/// * `bytes` – of its texels, 8 bits per channel.
/// * `most` – what the decoder may allocate.
fn open(image: &Image, bytes: u64, most: u64) -> Result<Option<Opened<'_>>, DecodeError> {
    let (mut source, name): (Box<dyn Source + '_>, &Path) = match &image.data {
        ImageData::File(path) => {
            let file = open_regular(path).map_err(DecodeError::Unreadable)?;
            (Box::new(BufReader::new(file)), path)
        }
        ImageData::Encoded(bytes) => (Box::new(Cursor::new(bytes)), Path::new(&image.name)),
        ImageData::Bitmap(_) | ImageData::Missing(_) | ImageData::NotFound(_) => return Ok(None),
    };
    let start = source.fill_buf().map_err(DecodeError::Unreadable)?;
    if start.starts_with(ktx::IDENTIFIER) {
        return Ok(Some(Opened::Ktx(source)));
    }
    let mut reader = ImageReader::new(source);
    // TGA has no signature: its extension decides, unless the first bytes belong to another format.
    if let Ok(format) = ImageFormat::from_path(name) {
        reader.set_format(format);
    }
    let mut reader = reader
        .with_guessed_format()
        .map_err(DecodeError::Unreadable)?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(LONGEST_SIDE);
    limits.max_image_height = Some(LONGEST_SIDE);
    limits.max_alloc = Some(most.min(DECODING * bytes + BYTES_BESIDE_TEXELS));
    reader.limits(limits);
    Ok(Some(Opened::Common(reader)))
}

/// A panic of a decoder costs the hostile image, not the program.
fn guarded<T>(work: impl FnOnce() -> Result<T, DecodeError>) -> Result<T, DecodeError> {
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(DecodeError::Panicked))
}

impl From<ImageError> for DecodeError {
    fn from(error: ImageError) -> Self {
        match error {
            ImageError::Limits(error) if matches!(error.kind(), LimitErrorKind::DimensionError) => {
                Self::TooLong
            }
            other => Self::Undecodable(other),
        }
    }
}

#[cfg(test)]
mod tests;
