//! The verdict on each pixel, and their summary.

use glam::{DVec2, Vec4};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use super::alpha::Textured;
use super::surfaces::Surfaces;
use super::texels::{Allowance, Allowances};
use super::tile::Tile;
use super::triangle::Triangle;
use super::{Area, ClassCounts, Compared, Mark, PixelReport, WorstPixel};
use crate::frame::Frame;
use crate::rig::InstanceId;
use crate::view::Viewport;

/// Compares two images.
pub(super) struct Judge<'a> {
    /// The first and the second.
    pub(super) images: [&'a Frame; 2],
    /// Made from the first and the classes.
    pub(super) allowances: Allowances<'a>,
    /// The class of each pixel.
    pub(super) classes: &'a Classes,
    /// The surfaces that both images show.
    pub(super) surfaces: &'a Surfaces<'a>,
    /// Made from the surfaces.
    pub(super) textured: Textured<'a>,
}

/// A pixel and its judgement.
#[derive(Debug, Clone, Copy)]
struct Judged {
    class: PixelClass,
    mark: Mark,
    /// The largest difference of any channel.
    difference: u8,
    /// By how many codes it exceeds the allowance.
    excess: u8,
    allowed: u8,
}

impl Judged {
    /// Compares the difference of two pixels with the allowance of each channel.
    fn measure(&mut self, [first, second]: [[u8; 4]; 2], allowances: [Allowance; 4]) {
        (self.difference, self.excess, self.allowed) = (0, 0, 0);
        for (c, allowance) in allowances.into_iter().enumerate() {
            let difference = first[c].abs_diff(second[c]);
            let allowed = if second[c] < first[c] {
                allowance.down
            } else {
                allowance.up
            };
            let excess = difference.saturating_sub(allowed);
            self.difference = self.difference.max(difference);
            if excess > self.excess {
                (self.excess, self.allowed) = (excess, allowed);
            }
        }
    }
}

impl Judge<'_> {
    /// Judges every pixel.
    pub(super) fn judge_all(&self) -> Compared {
        let all = (0..self.classes.pixels.len()).into_par_iter();
        let judged: Vec<Judged> = all.map(|index| self.judge(index)).collect();
        Compared {
            report: self.report(&judged),
            marks: judged.iter().map(|pixel| pixel.mark).collect(),
        }
    }

    fn report(&self, judged: &[Judged]) -> PixelReport {
        let mut report = PixelReport::default();
        let (mut total, mut worst) = (0_u64, None);
        for (index, pixel) in judged.iter().enumerate() {
            report.counts.add(pixel.class);
            report.wrong += usize::from(pixel.mark == Mark::Wrong);
            report.open_differing += usize::from(pixel.mark == Mark::OpenDiffers);
            // Open pixels do not show how well the paths agree.
            if pixel.class != PixelClass::Open {
                report.largest = report.largest.max(pixel.difference);
                total += u64::from(pixel.difference);
            }
            if worst.is_none_or(|(excess, _)| pixel.excess > excess) {
                worst = Some((pixel.excess, index));
            }
        }
        let sure = report.counts.whole + report.counts.mixed;
        report.mean = mean(total, sure);
        let worst = worst.filter(|_| report.wrong > 0);
        report.worst = worst.map(|(_, index)| self.describe(index, judged[index]));
        report
    }

    fn judge(&self, index: usize) -> Judged {
        let class = self.classes.pixels[index].class;
        let (first, second) = (self.pixel(0, index), self.pixel(1, index));
        let mut judged = Judged {
            class,
            mark: Mark::Empty,
            difference: 0,
            excess: 0,
            allowed: 0,
        };
        if first != second {
            let (x, y) = (index % self.classes.width, index / self.classes.width);
            judged.measure([first, second], self.allowances.at(x, y, Vec4::ZERO));
            // Textures come last: bounding their readings takes far longer than everything else.
            if judged.excess > 0 && class != PixelClass::Empty {
                let apart = self
                    .textured
                    .apart(x, y, &self.classes.pixels[index].groups);
                judged.measure([first, second], self.allowances.at(x, y, apart));
            }
        }
        judged.mark = match class {
            // One code is rounding to bytes.
            PixelClass::Open if judged.difference > 1 => Mark::OpenDiffers,
            PixelClass::Open => Mark::Open,
            _ if judged.excess > 0 => Mark::Wrong,
            PixelClass::Empty => Mark::Empty,
            PixelClass::Whole | PixelClass::Mixed => Mark::Agrees,
        };
        judged
    }

    fn pixel(&self, image: usize, index: usize) -> [u8; 4] {
        let rgba = &self.images[image].rgba;
        std::array::from_fn(|channel| rgba[4 * index + channel])
    }

    fn describe(&self, index: usize, judged: Judged) -> WorstPixel {
        let [x, y] = [index % self.classes.width, index / self.classes.width];
        WorstPixel {
            x: u32::try_from(x).unwrap_or(u32::MAX),
            y: u32::try_from(y).unwrap_or(u32::MAX),
            first: self.pixel(0, index),
            second: self.pixel(1, index),
            allowed: judged.allowed,
            class: judged.class,
            instance: self.instance(index),
        }
    }

    /// The only instance that the pixel shows, besides the background.
    fn instance(&self, index: usize) -> Option<InstanceId> {
        let groups = &self.classes.pixels[index].groups;
        // A group of one surface is its index plus one. Groups of several layers are hashes, which match no surface.
        let mut shown = groups.iter().filter(|group| **group != BACKGROUND);
        let group = *shown.next()?;
        let surface = self.surfaces.list.get(group as usize - 1)?;
        shown
            .all(|other| *other == group)
            .then_some(surface.instance)
    }
}

impl ClassCounts {
    fn add(&mut self, class: PixelClass) {
        let count = match class {
            PixelClass::Empty => &mut self.empty,
            PixelClass::Whole => &mut self.whole,
            PixelClass::Mixed => &mut self.mixed,
            PixelClass::Open => &mut self.open,
        };
        *count += 1;
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "numbers of pixels are far below 2^53"
)]
fn mean(total: u64, count: usize) -> f64 {
    if count == 0 {
        0.0
    } else {
        total as f64 / count as f64
    }
}

/// How certain the content of a pixel is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PixelClass {
    /// No sample is covered, by any path.
    #[default]
    Empty,
    /// All samples show the same triangles.
    Whole,
    /// Each sample's triangles are certain, but not all samples show the same.
    Mixed,
    /// Rounding decides what at least one sample shows.
    Open,
}

/// The classification of an image, row by row.
#[derive(Debug)]
pub(super) struct Classes {
    pub(super) width: usize,
    pub(super) pixels: Vec<Pixel>,
}

/// The classification of one pixel.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pixel {
    pub(super) class: PixelClass,
    /// For each sample, the group that it shows. The surfaces of a group belong to the same instances.
    pub(super) groups: [u32; MOST_SAMPLES],
    /// How two correct paths may differ there.
    pub(super) doubt: Doubt,
}

/// How two correct paths may differ at a pixel.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Doubt {
    /// Largest distance of a path from the exact point on the surface, in pixels.
    pub(super) shift: f32,
    /// Largest rotation of a path's normal, in radians.
    pub(super) rotation: f32,
}

impl Doubt {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "small numbers that need not be exact"
    )]
    pub(super) fn include(&mut self, triangle: &Triangle) {
        self.shift = self.shift.max(triangle.radius as f32);
        self.rotation = self.rotation.max(triangle.rotation as f32);
    }
}

/// The most samples that are drawn; with one sample all entries are equal.
pub(super) const MOST_SAMPLES: usize = 4;

/// The group of the background.
pub(super) const BACKGROUND: u32 = 0;

/// Width and height of a tile in pixels.
const TILE: usize = 64;

/// The centre, relative to itself.
pub(super) const CENTRE: [DVec2; 1] = [DVec2::ZERO];

/// The standard positions of Direct3D 11 for four samples, relative to the centre.
pub(super) const STANDARD: [DVec2; 4] = [
    DVec2::new(-0.125, -0.375),
    DVec2::new(0.375, -0.125),
    DVec2::new(-0.375, 0.125),
    DVec2::new(0.125, 0.375),
];

/// Classifies every pixel.
pub(super) fn classify<const N: usize>(
    surfaces: &Surfaces<'_>,
    viewport: Viewport,
    pattern: &[DVec2; N],
) -> Classes {
    let width = viewport.width as usize;
    let mut pixels = vec![Pixel::default(); width * viewport.height as usize];
    if pixels.is_empty() {
        return Classes { width, pixels };
    }
    let rows = pixels.par_chunks_mut(TILE * width).enumerate();
    rows.for_each(|(index, pixels)| look_at_row(surfaces, pattern, index * TILE, width, pixels));
    Classes { width, pixels }
}

/// Classifies the tiles from row `top` of the image on.
fn look_at_row<const N: usize>(
    surfaces: &Surfaces<'_>,
    pattern: &[DVec2; N],
    top: usize,
    width: usize,
    pixels: &mut [Pixel],
) {
    let mut tile = Tile::new(surfaces, pattern);
    let bottom = top + pixels.len() / width;
    let all = 0..surfaces.triangles.len();
    // Triangles are first filtered by row, so that each tile only tests those of its row.
    let in_row = touching(surfaces, all, Area::new(0, top, width, bottom));
    for left in (0..width).step_by(TILE) {
        let right = width.min(left + TILE);
        let area = Area::new(left, top, right, bottom);
        tile.look(area, &touching(surfaces, in_row.iter().copied(), area));
        let lines = pixels.chunks_exact_mut(width);
        let here = lines.flat_map(|line| &mut line[left..right]);
        for (index, pixel) in here.enumerate() {
            *pixel = tile.pixel(index);
        }
    }
}

fn touching(surfaces: &Surfaces<'_>, ids: impl Iterator<Item = usize>, area: Area) -> Vec<usize> {
    ids.filter(|id| area.meets(&surfaces.triangles[*id].bounds))
        .collect()
}
