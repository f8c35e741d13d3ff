//! Materials and images.

use image::codecs::jpeg::JpegEncoder;
use image::{ExtendedColorType, ImageEncoder};
use serde_json::{Value, json};

use super::block::Block;
use crate::frame::{Frame, png};
use crate::look::{bitmaps, mipmap};
use crate::rig::{AlphaMode, Asset, Bitmap, Look, MaterialId, MaterialValues, UvTransform};
use crate::view::{Appearance, Show};

/// Of JPEG: artefacts are hard to see.
const QUALITY: u8 = 92;

/// Numbers of a material.
pub(super) const ROW: usize = 11;

/// The numbers of all materials: base colour, alpha cutoff, and the matrix that moves texture coordinates, by columns.
pub(super) fn material_rows(asset: &Asset, look: &Look) -> Vec<f32> {
    let ids = (0..asset.materials.len()).map(MaterialId::from_index);
    let values = ids.map(|id| look.values(id, &asset[id]));
    values.flat_map(|values| row(&values)).collect()
}

fn row(values: &MaterialValues) -> [f32; ROW] {
    let color = values.base_color;
    let cutoff = match values.alpha {
        AlphaMode::Mask(cutoff) => cutoff,
        AlphaMode::Opaque | AlphaMode::Blend => 0.0,
    };
    let map = values.uv_transform.unwrap_or(UvTransform::IDENTITY).map();
    let origin = map(glam::Vec2::ZERO);
    let [x, y] = glam::Vec2::AXES.map(|axis| map(axis) - origin);
    [
        color.x, color.y, color.z, color.w, cutoff, x.x, x.y, y.x, y.y, origin.x, origin.y,
    ]
}

/// Writes the images that textures use, none with a side longer than `longest`; returns their descriptions, and the longest side
/// of all.
pub(super) fn write_images(
    asset: &Asset,
    longest: usize,
    block: &mut Block,
) -> (Vec<Value>, usize) {
    let mut used = vec![false; asset.images.len()];
    for instance in &asset.instances {
        let appearance = Appearance::of(asset, instance, &Look::default(), &Show::LIT);
        if let Some(texture) = appearance.texture {
            used[texture.image.index()] = true;
        }
    }
    let mut side = 0;
    let images = asset.images.iter().zip(used).map(|(image, used)| {
        let Some(bitmap) = bitmaps::drawn(image).filter(|_| used) else {
            return Value::Null;
        };
        side = side.max(bitmap.width.max(bitmap.height) as usize);
        let (kind, bytes) = encoded(bitmap, longest);
        json!({ "type": kind, "file": block.bytes(&bytes) })
    });
    (images.collect(), side)
}

/// The checker of the mode `uv`, which all models of a page share: its media type and file.
pub(crate) fn checker() -> (&'static str, Vec<u8>) {
    encoded(bitmaps::checker(), usize::MAX)
}

/// The largest mip level that fits: as JPEG if it is opaque and that is smaller, else as PNG.
fn encoded(bitmap: &Bitmap, longest: usize) -> (&'static str, Vec<u8>) {
    let levels = mipmap::levels(bitmap);
    let fits = |level: &&mipmap::Level<'_>| level.width.max(level.height) <= longest;
    let Some(level) = levels.iter().find(fits).or(levels.last()) else {
        return ("image/png", Vec::new());
    };
    let [width, height] = [level.width, level.height].map(|side| u32::try_from(side).unwrap_or(0));
    let opaque = level.texels.iter().all(|texel| texel[3] == u8::MAX);
    if opaque && width.min(height) > 64 {
        let rgb: Vec<u8> = level
            .texels
            .iter()
            .flat_map(|[r, g, b, _]| [*r, *g, *b])
            .collect();
        let mut bytes = Vec::new();
        let encoder = JpegEncoder::new_with_quality(&mut bytes, QUALITY);
        if encoder
            .write_image(&rgb, width, height, ExtendedColorType::Rgb8)
            .is_ok()
        {
            return ("image/jpeg", bytes);
        }
    }
    let frame = Frame {
        rgba: level.texels.as_flattened().to_vec(),
        ..Frame::blank(width, height)
    };
    ("image/png", png::encode_small(&frame).unwrap_or_default())
}
