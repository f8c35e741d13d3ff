//! Reading textures.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use glam::{Vec2, Vec4};

use crate::look::bitmaps;
use crate::look::mipmap::{self, Level};
use crate::look::srgb::{self, Tables};
use crate::rig::{
    AlphaMode, Asset, DeformedMesh, ImageData, InstanceId, Mesh, TextureRef, TextureWrap,
};
use crate::view::{Appearance, ColorSource, Show, Sides};

/// The textures of a model with their mipmaps, each made when an image first needs it.
///
/// Reuse them for all images of a model: [`draw_with`](super::draw_with).
#[derive(Debug)]
pub struct Textures<'a> {
    asset: &'a Asset,
    /// One entry per image of the asset; empty for a missing image.
    images: Vec<OnceLock<Vec<Level<'a>>>>,
    /// The same images, read as [numbers](srgb::numbers).
    numbers: Vec<OnceLock<Vec<Level<'a>>>>,
    checker: OnceLock<Vec<Level<'static>>>,
    /// Whether an image was drawn with these textures.
    used: AtomicBool,
}

/// The largest number of texels of a level that is decoded: for the first image, and for later ones.
///
/// A decoded texel takes four times the memory, and decoding it takes as long as several reads of its bytes. That pays
/// off for small levels, whose texels many pixels read, and for levels that many images read. The largest such level
/// has about as many texels as an image has pixels.
const MOST_DECODED: [usize; 2] = [1 << 16, 1 << 20];

impl<'a> Textures<'a> {
    /// Textures of `asset`; none is decoded yet.
    #[must_use]
    pub fn new(asset: &'a Asset) -> Self {
        Self {
            asset,
            images: asset.images.iter().map(|_| OnceLock::new()).collect(),
            numbers: asset.images.iter().map(|_| OnceLock::new()).collect(),
            checker: OnceLock::new(),
            used: AtomicBool::new(false),
        }
    }

    /// Notes that an image was drawn.
    pub(super) fn note_use(&self) {
        self.used.store(true, Ordering::Relaxed);
    }

    fn most_decoded(&self) -> usize {
        MOST_DECODED[usize::from(self.used.load(Ordering::Relaxed))]
    }

    /// The sampler of `texture`; `None` if the image is missing.
    pub(super) fn sampler(&self, texture: &TextureRef) -> Option<Sampler<'_>> {
        let index = texture.image.index();
        let levels = self.images.get(index)?.get_or_init(|| {
            let asset: &'a Asset = self.asset;
            let bitmap = bitmaps::drawn(&asset.images[index]);
            bitmap.map_or_else(Vec::new, |bitmap| mipmap::levels(bitmap, srgb::tables()))
        });
        self.sampler_of(levels, texture, srgb::tables())
    }

    /// The sampler of `texture`, whose bytes are numbers; `None` if the image is missing.
    fn number_sampler(&self, texture: &TextureRef) -> Option<Sampler<'_>> {
        let index = texture.image.index();
        let levels = self.numbers.get(index)?.get_or_init(|| {
            let asset: &'a Asset = self.asset;
            match &asset.images[index].data {
                ImageData::Bitmap(bitmap) => mipmap::levels(bitmap, srgb::numbers()),
                _ => Vec::new(),
            }
        });
        self.sampler_of(levels, texture, srgb::numbers())
    }

    fn sampler_of<'t>(
        &self,
        levels: &'t [Level<'t>],
        texture: &TextureRef,
        tables: &'static Tables,
    ) -> Option<Sampler<'t>> {
        let wrap = [texture.wrap_u, texture.wrap_v];
        Sampler::new(levels, wrap, self.most_decoded(), tables)
    }

    /// The sampler of the checker for [`ColorSource::Checker`].
    pub(super) fn checker(&self) -> Option<Sampler<'_>> {
        let levels = self
            .checker
            .get_or_init(|| mipmap::levels(bitmaps::checker(), srgb::tables()));
        let wrap = [TextureWrap::Repeat; 2];
        Sampler::new(levels, wrap, self.most_decoded(), srgb::tables())
    }
}

/// Reads a texture with the settings of one material.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sampler<'a> {
    /// Largest first, at least one.
    levels: &'a [Level<'a>],
    wrap: [TextureWrap; 2],
    /// Larger levels stay bytes.
    most_decoded: usize,
    tables: &'static Tables,
}

impl<'a> Sampler<'a> {
    fn new(
        levels: &'a [Level<'a>],
        wrap: [TextureWrap; 2],
        most_decoded: usize,
        tables: &'static Tables,
    ) -> Option<Self> {
        (!levels.is_empty()).then_some(Self {
            levels,
            wrap,
            most_decoded,
            tables,
        })
    }

    /// Linear RGBA, or the numbers, at `uv`, filtered bilinearly in each of the two levels next to the right size, and linearly between.
    ///
    /// One position: for translucent surfaces and alpha tests, and for coordinates that [`texels`](super::sample::texels)
    /// does not support.
    ///
    /// * `footprint` – how `uv` changes by one pixel to the right and one down.
    ///
    /// # Reference
    ///
    /// OpenGL 4.6 §8.14, with `LINEAR_MIPMAP_LINEAR`.
    pub(super) fn sample(&self, uv: Vec2, footprint: [Vec2; 2]) -> Vec4 {
        // Trilinear: the two levels on either side of the right one, each bilinear.
        let (sharp, rest) = split(self.detail(footprint));
        let sharp = index(sharp);
        let near = self.bilinear(&self.levels[sharp], uv);
        match self.levels.get(sharp + 1) {
            Some(next) if rest > 0.0 => near + (self.bilinear(next, uv) - near) * rest,
            _ => near,
        }
    }

    /// Width and height of the largest level, in texels.
    #[expect(clippy::cast_precision_loss, reason = "sizes are below 2^24")]
    pub(super) fn size(&self) -> (f32, f32) {
        let base = &self.levels[0];
        (base.width as f32, base.height as f32)
    }

    /// The number of the smallest level.
    #[expect(clippy::cast_precision_loss, reason = "levels are few")]
    pub(super) fn coarsest(&self) -> f32 {
        (self.levels.len() - 1) as f32
    }

    /// The level, with a fraction, whose texels are as large as the pixels.
    fn detail(&self, footprint: [Vec2; 2]) -> f32 {
        let size = Vec2::from(self.size());
        let [x, y] = footprint;
        let texels_squared = (x * size).length_squared().max((y * size).length_squared());
        if texels_squared > 1.0 {
            (0.5 * libm::log2f(texels_squared)).min(self.coarsest())
        } else {
            0.0
        }
    }

    #[inline]
    fn bilinear(&self, level: &Level<'_>, uv: Vec2) -> Vec4 {
        let taps = self.taps(level, uv.x, uv.y);
        let texel = |column: usize, row: usize| self.tables.straight(level.texel(column, row));
        let read = |column: usize, row: usize| Vec4::from(texel(column, row));
        let ([left, right], [top, bottom]) = (taps.columns, taps.rows);
        let mix = |a: Vec4, b: Vec4, t: f32| a + (b - a) * t;
        mix(
            mix(read(left, top), read(right, top), taps.along_x),
            mix(read(left, bottom), read(right, bottom), taps.along_x),
            taps.along_y,
        )
    }

    /// The texels of `level` around (`u`, `v`).
    #[inline]
    #[expect(clippy::cast_precision_loss, reason = "sizes are below 2^24")]
    fn taps(&self, level: &Level<'_>, u: f32, v: f32) -> Taps {
        let (x, along_x) = split(u * level.width as f32 - 0.5);
        let (y, along_y) = split(v * level.height as f32 - 0.5);
        Taps {
            columns: pair(x, level.width, self.wrap[0]),
            rows: pair(y, level.height, self.wrap[1]),
            along_x,
            along_y,
        }
    }

    /// How texture coordinates wrap along u and along v.
    pub(super) fn wrap(&self) -> [TextureWrap; 2] {
        self.wrap
    }

    /// Largest first, at least one.
    pub(super) fn levels(&self) -> &'a [Level<'a>] {
        self.levels
    }

    /// All texels of `level`, decoded; `None` for a level too large to be worth decoding.
    #[inline]
    pub(super) fn light<'l>(&self, level: &'l Level<'_>) -> Option<&'l [[f32; 4]]> {
        (level.texels.len() <= self.most_decoded).then(|| level.light(self.tables))
    }

    /// The tables that decode texels.
    pub(super) fn tables(&self) -> &'static Tables {
        self.tables
    }
}

/// Four texels, and how far from the first the sampled position is.
#[derive(Debug, Clone, Copy)]
struct Taps {
    columns: [usize; 2],
    rows: [usize; 2],
    along_x: f32,
    along_y: f32,
}

/// The texel at or before `coordinate`, and the fraction of the way to the next one. NaN counts as 0.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "kept in range first, and what was cut from an f32 is one"
)]
fn split(coordinate: f32) -> (i32, f32) {
    /// Beyond this, an f32 has no fractions of texels.
    const FAR: f32 = 1e9;
    if coordinate.is_nan() {
        return (0, 0.0);
    }
    let coordinate = coordinate.clamp(-FAR, FAR);
    // `floor` is a function call on the baseline instruction set.
    let towards_zero = coordinate as i32;
    let texel = towards_zero - i32::from(towards_zero as f32 > coordinate);
    (texel, coordinate - texel as f32)
}

/// The texels of `0..size` that wrap to `coordinate` and the one after it.
#[inline]
fn pair(coordinate: i32, size: usize, wrap: TextureWrap) -> [usize; 2] {
    if let Ok(first) = usize::try_from(coordinate)
        && first + 1 < size
    {
        return [first, first + 1];
    }
    let coordinate = i64::from(coordinate);
    // Written out because `map` is not inlined, and then takes longer than all the rest.
    [
        wrapped(coordinate, size, wrap),
        wrapped(coordinate + 1, size, wrap),
    ]
}

/// The texel of `0..size` that wraps to `coordinate`.
#[inline]
#[expect(
    clippy::cast_possible_wrap,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sizes are below 2^32 and results below the size"
)]
fn wrapped(coordinate: i64, size: usize, wrap: TextureWrap) -> usize {
    let size = size as i64;
    if (0..size).contains(&coordinate) {
        return coordinate as usize;
    }
    let inside = match wrap {
        // A division takes long, and most sizes are powers of two.
        TextureWrap::Repeat if size & (size - 1) == 0 => coordinate & (size - 1),
        TextureWrap::Repeat => coordinate.rem_euclid(size),
        TextureWrap::Clamp => coordinate.clamp(0, size - 1),
        TextureWrap::Mirror => {
            let twice = coordinate.rem_euclid(2 * size);
            twice.min(2 * size - 1 - twice)
        }
    };
    inside as usize
}

#[expect(clippy::cast_sign_loss, reason = "a level's number: not negative")]
fn index(level: i32) -> usize {
    level as usize
}

/// How a surface reflects light, where its material says so.
#[derive(Debug, Clone, Copy)]
pub(super) struct Finish<'a> {
    pub(super) reflection: Option<Reflection<'a>>,
    pub(super) bumps: Option<Bumps<'a>>,
}

/// As [`crate::rig::Reflection`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Reflection<'a> {
    pub(super) roughness: f32,
    pub(super) metallic: f32,
    pub(super) map: Option<Sampler<'a>>,
}

/// As [`crate::rig::Bumps`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Bumps<'a> {
    pub(super) map: Sampler<'a>,
    pub(super) scale: f32,
}

impl<'a> Finish<'a> {
    /// `None` where it changes nothing.
    fn new(appearance: &Appearance, textures: &'a Textures<'_>) -> Option<Self> {
        let finish = &appearance.finish;
        let reflection = finish.reflection.map(|own| Reflection {
            roughness: own.roughness,
            metallic: own.metallic,
            map: own
                .texture
                .and_then(|texture| textures.number_sampler(&texture)),
        });
        let bumps = finish.bumps.and_then(|own| {
            Some(Bumps {
                map: textures.number_sampler(&own.texture)?,
                scale: own.scale,
            })
        });
        let changes = reflection.is_some() || bumps.is_some();
        changes.then_some(Self { reflection, bumps })
    }
}

/// One drawn mesh instance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surface<'a> {
    /// Decides between equal depths.
    pub(super) instance: InstanceId,
    /// Multiplied with the interpolated colour.
    pub(super) texture: Option<Sampler<'a>>,
    pub(super) finish: Option<Finish<'a>>,
    /// Linear RGBA.
    pub(super) base_color: Vec4,
    /// Opaque in all modes that do not show the material.
    pub(super) alpha: AlphaMode,
    /// The sides that are not culled.
    pub(super) sides: Sides,
}

impl<'a> Surface<'a> {
    /// The surface of `deformed`, which is a pose of `mesh`.
    pub(super) fn new(
        show: &Show,
        appearance: &Appearance,
        mesh: &Mesh,
        deformed: &DeformedMesh,
        textures: &'a Textures<'_>,
    ) -> Self {
        let texture = || textures.sampler(&appearance.texture?);
        Self {
            instance: deformed.instance,
            texture: match show.source() {
                ColorSource::Checker => textures.checker(),
                _ => texture(),
            },
            finish: Finish::new(appearance, textures),
            base_color: appearance.base_color,
            alpha: appearance.alpha,
            sides: appearance.sides(mesh, deformed),
        }
    }

    /// Whether it has a normal map.
    pub(super) fn has_bumps(&self) -> bool {
        self.finish.is_some_and(|finish| finish.bumps.is_some())
    }

    /// Whether it is mixed with the surfaces behind it.
    pub(super) fn is_blended(&self) -> bool {
        self.alpha == AlphaMode::Blend
    }
}

#[cfg(test)]
#[expect(
    clippy::cast_precision_loss,
    clippy::float_cmp,
    reason = "numbers of a test"
)]
mod tests {
    use super::*;
    use crate::rig::Bitmap;

    fn row(texels: &[u8]) -> Bitmap {
        Bitmap {
            width: u32::try_from(texels.len()).unwrap(),
            height: 1,
            rgba: texels.iter().flat_map(|&t| [t, t, t, 255]).collect(),
        }
    }

    fn read(bitmap: &Bitmap, wrap: TextureWrap, u: f32) -> u8 {
        let levels = mipmap::levels(bitmap, srgb::tables());
        let sampler = Sampler::new(&levels, [wrap; 2], 0, srgb::tables()).unwrap();
        let light = sampler.sample(Vec2::new(u, 0.5), [Vec2::ZERO; 2]);
        srgb::tables().encode(light.x)
    }

    #[test]
    fn texel_centres_give_the_texel_whatever_the_size() {
        let bitmap = row(&[10, 60, 200]);
        for (index, expected) in [10, 60, 200].into_iter().enumerate() {
            let u = (index as f32 + 0.5) / 3.0;
            assert_eq!(read(&bitmap, TextureWrap::Clamp, u), expected);
        }
    }

    #[test]
    fn textures_wrap_past_their_border_as_specified() {
        let bitmap = row(&[10, 60, 200, 250]);
        let beyond = |wrap| [-0.125, 1.125, 1.375].map(|u| read(&bitmap, wrap, u));
        assert_eq!(beyond(TextureWrap::Repeat), [250, 10, 60]);
        assert_eq!(beyond(TextureWrap::Mirror), [10, 250, 200]);
        assert_eq!(beyond(TextureWrap::Clamp), [10, 250, 250]);
    }

    #[test]
    fn nan_coordinates_give_some_texel() {
        let bitmap = row(&[10, 60, 200]);
        for u in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 3e38] {
            for wrap in [TextureWrap::Repeat, TextureWrap::Mirror, TextureWrap::Clamp] {
                assert!([10, 60, 200].contains(&read(&bitmap, wrap, u)));
            }
        }
    }

    #[test]
    fn a_texture_seen_from_afar_is_its_average() {
        let bitmap = row(&[0, 255, 0, 255, 0, 255, 0, 255]);
        let levels = mipmap::levels(&bitmap, srgb::tables());
        let sampler = Sampler::new(&levels, [TextureWrap::Repeat; 2], 0, srgb::tables()).unwrap();
        let light = sampler.sample(Vec2::new(0.3, 0.5), [Vec2::new(1.0, 0.0), Vec2::ZERO]);
        assert_eq!(srgb::tables().encode(light.x), 188);
    }

    #[test]
    fn a_footprint_of_two_texels_reads_the_first_smaller_level() {
        let bitmap = row(&[0, 0, 255, 255]);
        let levels = mipmap::levels(&bitmap, srgb::tables());
        let sampler = Sampler::new(&levels, [TextureWrap::Repeat; 2], 0, srgb::tables()).unwrap();
        let step = Vec2::new(0.5, 0.0);
        assert_eq!(sampler.detail([step, Vec2::ZERO]), 1.0);
        assert_eq!(
            sampler.detail([Vec2::ZERO, step * 8.0]),
            2.0,
            "no smaller than the smallest"
        );
    }
}
