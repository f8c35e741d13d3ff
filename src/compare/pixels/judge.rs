//! The verdict on each pixel, and their summary.

use glam::Vec4;
use rayon::prelude::*;

use super::class::{BACKGROUND, Classes, PixelClass};
use super::surfaces::Surfaces;
use super::texels::{Allowance, Allowances};
use super::textured::Textured;
use super::{ClassCounts, Compared, Mark, PixelReport, WorstPixel};
use crate::frame::Frame;
use crate::rig::InstanceId;

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
