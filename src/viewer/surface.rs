//! Materials and images, what the colours of a page show, and their legends.

use glam::Vec4;
use image::codecs::jpeg::JpegEncoder;
use image::{ExtendedColorType, ImageEncoder};
use serde_json::{Value, json};

use super::block::Block;
use crate::frame::{Frame, png};
use crate::look::{bitmaps, mipmap, srgb};
use crate::rig::{AlphaMode, Asset, Bitmap, InstanceId, Material, NodeId, SkinningOptions};
use crate::shown::printable;
use crate::view::{Appearance, Legend, Show};

/// Of JPEG: artefacts are hard to see.
const QUALITY: u8 = 92;

/// A number of each vertex in frames of all takes.
#[derive(Debug, Clone)]
pub(crate) struct Numbers {
    /// The mode, with the numbers of one frame.
    pub(crate) show: Show,
    /// Every how many frames there are numbers.
    pub(crate) every: usize,
    /// Of each take and measured frame: the share of every vertex of all instances, as [`shares`] gives them.
    pub(crate) of_takes: Vec<Vec<Vec<u8>>>,
}

/// The share of a vertex without a number.
const NO_NUMBER: u8 = u8::MAX;

/// The shares (0 to 254) of all vertices in the range that `show`, which is measured, colours.
pub(crate) fn shares(asset: &Asset, show: &Show) -> Vec<u8> {
    let mut shares = Vec::new();
    for (index, instance) in asset.instances.iter().enumerate() {
        let id = InstanceId::from_index(index);
        let vertices = 0..asset.mesh_of(instance).positions.len();
        shares.extend(vertices.map(|vertex| share(show.share(id, vertex))));
    }
    shares
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "0 to 254"
)]
fn share(share: f32) -> u8 {
    if share.is_nan() {
        NO_NUMBER
    } else {
        (share.clamp(0.0, 1.0) * 254.0 + 0.5) as u8
    }
}

/// The numbers of all materials: base colour and alpha cutoff.
pub(super) fn material_rows(asset: &Asset) -> Vec<[f32; 5]> {
    asset.materials.iter().map(row).collect()
}

fn row(material: &Material) -> [f32; 5] {
    let cutoff = match material.alpha {
        AlphaMode::Mask(cutoff) => cutoff,
        AlphaMode::Opaque | AlphaMode::Blend => 0.0,
    };
    let [red, green, blue, alpha] = material.base_color.to_array();
    [red, green, blue, alpha, cutoff]
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
        let appearance = Appearance::of(asset, instance, &Show::LIT);
        let image = appearance.texture.map(|texture| texture.image.index());
        if let Some(used) = image.and_then(|image| used.get_mut(image)) {
            *used = true;
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
    let levels = mipmap::levels(bitmap, srgb::tables());
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

/// The most colours of a legend; a page has room for no more.
const MOST_SWATCHES: usize = 16;

/// The modes of the page, in the order of its menu.
pub(super) fn write_modes(
    asset: &Asset,
    options: SkinningOptions,
    numbers: &[Numbers],
    block: &mut Block,
) -> Vec<Value> {
    let mode = |show: &Show, kind: &str| {
        json!({
            "name": show.name(),
            "kind": kind,
            "legend": show.legend(asset).as_ref().map(legend),
            "missing": show.missing_data(asset),
        })
    };
    let weights = Show::weights([NodeId(0)]);
    let mut modes = vec![
        mode(&Show::LIT, "lit"),
        mode(&Show::TEXTURE, "texture"),
        mode(&weights, "weights"),
    ];
    let sum = has_odd_sums(asset).then_some(Show::SUM);
    for show in [Show::INFLUENCES, Show::JOINTS].into_iter().chain(sum) {
        let mut painted = mode(&show, "painted");
        let colors = colors(asset, &show, options);
        painted["colors"] = json!(block.bytes(&colors));
        modes.push(painted);
    }
    modes.push(mode(&Show::NORMALS, "normals"));
    modes.push(mode(&Show::UV, "uv"));
    for (index, numbers) in numbers.iter().enumerate() {
        let mut measured = mode(&numbers.show, "measured");
        measured["numbers"] = json!(index);
        modes.push(measured);
    }
    // The argument of the example is not what the page shows.
    modes[2]["missing"] = Value::Null;
    modes
}

/// Whether the weights of a vertex do not sum to 1, by more than a byte rounds.
fn has_odd_sums(asset: &Asset) -> bool {
    let mut meshes = asset.instances.iter().map(|own| asset.mesh_of(own));
    meshes.any(|mesh| {
        mesh.influences.iter().any(|influences| {
            let sum: f32 = influences.iter().map(|influence| influence.weight).sum();
            sum != 0.0 && (sum - 1.0).abs() > 1.0 / 255.0
        })
    })
}

/// sRGB of every vertex of all instances.
fn colors(asset: &Asset, show: &Show, options: SkinningOptions) -> Vec<u8> {
    let tables = srgb::tables();
    let mut bytes = Vec::new();
    for (index, instance) in asset.instances.iter().enumerate() {
        let id = InstanceId::from_index(index);
        let vertices = show.vertices(asset, id, options.max_influences);
        for vertex in 0..asset.mesh_of(instance).positions.len() {
            let color = vertices.color(vertex, Vec4::ONE).truncate().to_array();
            bytes.extend(color.map(|light| tables.encode(light)));
        }
    }
    bytes
}

fn legend(legend: &Legend) -> Value {
    let ramp = legend.ramp.iter().map(|color| hex(*color));
    let ticks = legend
        .ticks
        .iter()
        .map(|tick| json!({ "at": tick.at, "label": tick.label }));
    let swatches =
        legend.swatches.iter().take(MOST_SWATCHES).map(
            |swatch| json!({ "color": hex(swatch.color), "meaning": printable(&swatch.meaning) }),
        );
    json!({
        "title": printable(&legend.title),
        "ramp": ramp.collect::<Vec<_>>(),
        "ticks": ticks.collect::<Vec<_>>(),
        "swatches": swatches.collect::<Vec<_>>(),
        "more": legend.swatches.len().saturating_sub(MOST_SWATCHES),
    })
}

/// As CSS writes colours.
pub(super) fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
