//! How far apart two right pictures may be at a pixel.
//!
//! Both paths look at each triangle once a pixel, at the mean of the samples that show it (the centre, where all do), and
//! in a sure pixel those are the same for both. So they look at places that are at most `shift` pixels apart on the
//! surface: twice as far as rounding puts a corner. What a colour changes over a pixel, the picture itself tells: the
//! range of colours of the same surface next to the pixel. It may change twice as fast in between, because texels that
//! are filtered are no smaller than half a pixel and lines no narrower than one. So the two values differ by at most
//! `e = 2 shift range`, and their codes, which are rounded, by at most `⌈e⌉` and never less than 1.
//!
//! In a pixel that shows several triangles, each of them adds its share of the samples times that, in linear light.

use super::classify::{BACKGROUND, Classes, PixelClass};
use crate::frame::Frame;
use crate::look::srgb::{self, Tables};

/// How much faster a colour may change between pixels than from one to the next.
const ROUGHNESS: f32 = 2.0;

/// Of a pixel that one sample has.
const SHARE: f32 = 0.25;

/// With fewer pixels of a surface nearby there is no telling how its colour changes.
const ENOUGH: usize = 3;

/// The ranges of the four channels.
#[derive(Debug, Clone, Copy)]
struct Range {
    least: [u8; 4],
    most: [u8; 4],
    count: usize,
}

impl Range {
    const NONE: Self = Self {
        least: [u8::MAX; 4],
        most: [0; 4],
        count: 0,
    };

    fn include(&mut self, pixel: &[u8]) {
        for (channel, code) in pixel.iter().enumerate() {
            self.least[channel] = self.least[channel].min(*code);
            self.most[channel] = self.most[channel].max(*code);
        }
        self.count += 1;
    }

    fn in_codes(&self) -> [f32; 4] {
        std::array::from_fn(|c| f32::from(self.most[c].saturating_sub(self.least[c])))
    }

    /// In linear light; alpha as it is.
    fn in_light(&self, tables: &Tables) -> [f32; 4] {
        let codes = |c: usize| [self.least[c].min(self.most[c]), self.most[c]];
        std::array::from_fn(|c| {
            let [least, most] = codes(c).map(|code| light(code, c, tables));
            most - least
        })
    }
}

fn light(code: u8, channel: usize, tables: &Tables) -> f32 {
    if channel == 3 {
        tables.alpha(code)
    } else {
        tables.decode(code)
    }
}

/// Finds what is allowed at the pixels of one picture.
pub(super) struct Allowances<'a> {
    expected: &'a Frame,
    classes: &'a Classes,
    tables: &'static Tables,
}

impl<'a> Allowances<'a> {
    pub(super) fn new(expected: &'a Frame, classes: &'a Classes) -> Self {
        Self {
            expected,
            classes,
            tables: srgb::tables(),
        }
    }

    /// The largest difference that is allowed at the pixel in each channel, down and up, in codes.
    pub(super) fn at(&self, x: usize, y: usize) -> [[u8; 2]; 4] {
        let index = y * self.classes.width + x;
        match self.classes.pixels[index].class {
            PixelClass::Empty => [[0; 2]; 4],
            PixelClass::Open => [[u8::MAX; 2]; 4],
            PixelClass::Whole => self.of_whole(x, y, index),
            PixelClass::Mixed => self.of_mixed(x, y, index),
        }
    }

    fn of_whole(&self, x: usize, y: usize, index: usize) -> [[u8; 2]; 4] {
        let range = self.range(x, y, 1, self.classes.pixels[index].groups[0]);
        let part = ROUGHNESS * self.classes.pixels[index].shift;
        let codes = range.in_codes();
        codes.map(|range| [rounded(part * range).max(1); 2])
    }

    fn of_mixed(&self, x: usize, y: usize, index: usize) -> [[u8; 2]; 4] {
        let groups = &self.classes.pixels[index].groups;
        let part = ROUGHNESS * self.classes.pixels[index].shift;
        let mut allowed = [0.0_f32; 4];
        for (s, group) in groups.iter().enumerate() {
            if *group == BACKGROUND || groups[..s].contains(group) {
                continue;
            }
            let own = groups.iter().filter(|other| *other == group);
            let share: f32 = own.map(|_| SHARE).sum();
            let range = self.range(x, y, 2, *group).in_light(self.tables);
            for (allowed, range) in allowed.iter_mut().zip(range) {
                *allowed += share * part * range;
            }
        }
        let pixel = self.pixel(x, y);
        std::array::from_fn(|c| self.codes_around(pixel[c], c, allowed[c]))
    }

    /// How many codes below and above `code` is what differs from it by `allowed` light.
    fn codes_around(&self, code: u8, channel: usize, allowed: f32) -> [u8; 2] {
        let at = light(code, channel, self.tables);
        let encode = |light: f32| match channel {
            3 => rounded(light * 255.0 - 0.5),
            _ => self.tables.encode(light),
        };
        let (low, high) = (encode(at - allowed), encode(at + allowed));
        [code.saturating_sub(low), high.saturating_sub(code)].map(|codes| codes.saturating_add(1))
    }

    /// The range of colours of one group within `reach` pixels; of all pixels next to it where the group has too few.
    fn range(&self, x: usize, y: usize, reach: usize, group: u32) -> Range {
        let own = self.range_where(x, y, reach, |index| {
            let pixel = &self.classes.pixels[index];
            pixel.class != PixelClass::Open && pixel.groups.iter().all(|other| *other == group)
        });
        if own.count >= ENOUGH {
            own
        } else {
            self.range_where(x, y, 1, |_| true)
        }
    }

    fn range_where(
        &self,
        x: usize,
        y: usize,
        reach: usize,
        counts: impl Fn(usize) -> bool,
    ) -> Range {
        let width = self.classes.width;
        let height = self.classes.pixels.len() / width;
        let mut range = Range::NONE;
        for row in y.saturating_sub(reach)..(y + reach + 1).min(height) {
            for column in x.saturating_sub(reach)..(x + reach + 1).min(width) {
                if counts(row * width + column) {
                    range.include(self.pixel(column, row));
                }
            }
        }
        range
    }

    fn pixel(&self, x: usize, y: usize) -> &[u8] {
        let index = 4 * (y * self.classes.width + x);
        &self.expected.rgba[index..index + 4]
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the conversion saturates"
)]
fn rounded(codes: f32) -> u8 {
    codes.ceil() as u8
}
