//! Reads images from a path or from bytes inside the model.

mod decode;
mod find;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::printable::printable;
use super::reach::{Reach, Refusal};
use crate::deadline::Deadline;
use crate::rig::{Asset, Image, ImageData, ImageId, Note, SourceFile};
use decode::Budget;
use find::{Finder, Match};

/// Turns every image of `asset` into an [`ImageData::Bitmap`], or into [`ImageData::Missing`] with the reason.
///
/// Images that are the same file or the same bytes become one. A note reports a file that is not exactly the one the
/// model names.
///
/// * `folder` – the folder of the model's file; paths in the model are relative to it.
/// * `reach` – the files that may be read.
/// * `deadline` – when to stop; the result is then of no use.
///
/// Returns the files that were found.
pub(super) fn resolve(
    asset: &mut Asset,
    folder: &Path,
    reach: &Reach,
    deadline: Deadline,
) -> Vec<SourceFile> {
    refuse_surplus(asset);
    let mut finder = Finder::new(reach);
    for image in &mut asset.images {
        asset.notes.extend(locate(image, folder, &mut finder));
    }
    let found = asset.images.iter().filter_map(file);
    let found = found.map(SourceFile::at).collect();
    merge_equal(asset);
    let mut budget = Budget::default();
    let measured =
        |image| decode::measure(image, &mut budget).map_err(|error| decode::reason(&error));
    let measured: Vec<Result<u64, String>> = asset.images.iter().map(measured).collect();
    let images = asset.images.par_iter_mut().zip(measured);
    images.for_each(|(image, measured)| match measured {
        Ok(_) if deadline.has_passed() => {}
        Ok(bytes) => decode::decode_in_place(image, bytes),
        Err(reason) => image.data = ImageData::Missing(reason),
    });
    found
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

fn file(image: &Image) -> Option<PathBuf> {
    match &image.data {
        ImageData::File(path) => Some(path.clone()),
        _ => None,
    }
}

/// The `images`, located, that are missing or do not begin like an image, and why; not those that are too large to be read
/// here. Nothing is decoded.
pub(crate) fn unreadable(images: &[Image]) -> Vec<(ImageId, String)> {
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
    let measured = decode::measure(image, &mut Budget::default());
    let error = measured.err().filter(|error| !error.is_limit());
    error.map(|error| decode::reason(&error))
}

/// Most images of a model that are read; a character has a handful for each material.
const MOST_IMAGES: usize = 4096;

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
                if finder.refuses(folder, named) {
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
    if finder.refuses(folder, named) {
        return format!("{named_path} is not read: {}", Refusal::Outside);
    }
    format!("{named_path} is neither beside the model nor in a texture folder there")
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
    let materials = asset.materials.iter_mut();
    for texture in materials.filter_map(|material| material.base_color_texture.as_mut()) {
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

#[cfg(test)]
mod tests;
