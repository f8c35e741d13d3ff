//! Two images of the same scene, pixel by pixel.
//!
//! Inside of a surface, two correct paths agree to within a few codes. Rounding decides what a sample shows at silhouettes
//! and where one surface hides another: in a band of one pixel there, a pixel may show what the other image shows next to
//! it. It also decides between two surfaces at the same depth. Every other pixel that differs counts as wrong. A few places
//! remain that depth does not show, such as seams of colours, so a small share of wrong pixels is allowed.

use serde::Serialize;

use crate::frame::Frame;
use crate::rig::InstanceId;

/// How far a channel of two correct images may differ, in codes. Each path rounds a colour to a code, which makes one;
/// light that f32 rounding or the sub-pixel grid (1/256 pixel) moves across a code makes another.
pub const TOLERANCE: u8 = 2;

/// One in so many drawn pixels may be wrong. At seams of colour and in slits between surfaces, at most one in 1,300 is in
/// the fixtures and in 110 models of other programs, at 256 by 256 pixels.
pub const ONE_IN: usize = 512;

/// How many times as steep depth must be on one side of a pixel as on the other for the pixel to be an edge. Along a plane,
/// depth is linear on the screen, so the ratio is 1; where a surface bends, it grows with the angle.
const STEEPER: f32 = 4.0;

/// Slopes of depth per pixel below this are level: the noise of f32 depth on surfaces that face the camera.
const LEVEL: f32 = 1.0 / 4096.0;

/// How two images of the same scene differ.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct PixelReport {
    /// Pixels that show a surface in either image.
    pub drawn: usize,
    /// Pixels in which rounding may decide what they show: within one pixel of a silhouette, a step in depth, or surfaces
    /// at the same depth.
    pub open: usize,
    /// Open pixels that differ by more than the tolerance, as rounding explains.
    pub open_differing: usize,
    /// All other pixels that differ by more than the tolerance.
    pub wrong: usize,
    /// How many pixels may be wrong before the images disagree.
    pub allowed: usize,
    /// The largest difference of a channel among pixels that are not open, in codes.
    pub largest: u8,
    /// The wrong pixel that differs most.
    pub worst: Option<WorstPixel>,
}

/// A pixel that differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct WorstPixel {
    /// Column, from the left.
    pub x: u32,
    /// Row, from the top.
    pub y: u32,
    /// Its colour in the first image.
    pub first: [u8; 4],
    /// Its colour in the second image.
    pub second: [u8; 4],
    /// The largest difference of a channel, in codes.
    pub difference: u8,
    /// The mesh it shows; `None` for the background, or if the images agree.
    pub instance: Option<InstanceId>,
}

/// The result of comparing two images.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// In numbers.
    pub report: PixelReport,
    /// One per pixel, row by row.
    pub marks: Vec<Mark>,
}

/// The verdict on a pixel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mark {
    /// Both images agree.
    #[default]
    Agrees,
    /// They differ as rounding explains.
    Open,
    /// They differ.
    Wrong,
}

/// Two images that cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PixelError {
    /// The images differ in size.
    #[error(
        "the first has {first_width}x{first_height} pixels, the second {second_width}x{second_height}"
    )]
    Size {
        /// In pixels.
        first_width: u32,
        /// In pixels.
        first_height: u32,
        /// In pixels.
        second_width: u32,
        /// In pixels.
        second_height: u32,
    },
}

impl PixelReport {
    /// Whether no more pixels are wrong than rounding may explain.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.wrong <= self.allowed
    }
}

/// Compares two images of the same scene.
///
/// A frame without depths (1 everywhere) adds no edges.
///
/// * `undecided` – for each pixel, whether it shows surfaces at the same depth.
///
/// # Errors
///
/// [`PixelError::Size`].
pub fn pixels(
    first: &Frame,
    second: &Frame,
    undecided: Option<&[bool]>,
) -> Result<Compared, PixelError> {
    if (first.width, first.height) != (second.width, second.height) {
        return Err(PixelError::Size {
            first_width: first.width,
            first_height: first.height,
            second_width: second.width,
            second_height: second.height,
        });
    }
    let images = [Image::new(first), Image::new(second)];
    let edges = edges(first, second);
    let fights = undecided.map(|undecided| dilated(undecided, first.width as usize));
    let backgrounds = images.map(|image| image.colors.first().copied().unwrap_or_default());
    let mut report = PixelReport::default();
    let mut marks = Vec::with_capacity(edges.len());
    for (index, is_edge) in edges.into_iter().enumerate() {
        let colors = images.map(|image| image.colors[index]);
        let is_fight = fights.as_ref().is_some_and(|fights| fights[index]);
        let is_open = is_edge || is_fight;
        let difference = distance(colors);
        let mark = if difference <= TOLERANCE {
            Mark::Agrees
        } else if is_fight || (is_edge && are_near(images, index)) {
            Mark::Open
        } else {
            Mark::Wrong
        };
        report.drawn += usize::from(is_open || colors != backgrounds);
        report.open += usize::from(is_open);
        report.open_differing += usize::from(mark == Mark::Open);
        report.wrong += usize::from(mark == Mark::Wrong);
        if !is_open {
            report.largest = report.largest.max(difference);
        }
        let is_worst = report
            .worst
            .is_none_or(|worst| difference > worst.difference);
        if mark == Mark::Wrong && is_worst {
            let (x, y) = images[0].position(index);
            report.worst = Some(WorstPixel {
                x,
                y,
                first: colors[0],
                second: colors[1],
                difference,
                instance: None,
            });
        }
        marks.push(mark);
    }
    report.allowed = report.drawn / ONE_IN;
    Ok(Compared { report, marks })
}

/// The colours of a frame.
#[derive(Clone, Copy)]
struct Image<'a> {
    width: usize,
    height: usize,
    colors: &'a [[u8; 4]],
}

impl<'a> Image<'a> {
    fn new(frame: &'a Frame) -> Self {
        Self {
            width: frame.width as usize,
            height: frame.height as usize,
            colors: frame.rgba.as_chunks().0,
        }
    }

    fn position(&self, index: usize) -> (u32, u32) {
        let (x, y) = (index % self.width, index / self.width);
        (
            u32::try_from(x).unwrap_or(u32::MAX),
            u32::try_from(y).unwrap_or(u32::MAX),
        )
    }

    /// Whether each channel of `color` lies between those of the pixel and its neighbours.
    fn shows_near(&self, index: usize, color: [u8; 4]) -> bool {
        let (mut least, mut most) = ([u8::MAX; 4], [u8::MIN; 4]);
        for near in neighbourhood(index, self.width, self.height) {
            for (c, code) in self.colors[near].into_iter().enumerate() {
                least[c] = least[c].min(code);
                most[c] = most[c].max(code);
            }
        }
        (0..4).all(|c| {
            color[c] >= least[c].saturating_sub(TOLERANCE)
                && color[c] <= most[c].saturating_add(TOLERANCE)
        })
    }
}

/// Whether each image shows next to a pixel what the other shows in it.
fn are_near([first, second]: [Image<'_>; 2], index: usize) -> bool {
    second.shows_near(index, first.colors[index]) && first.shows_near(index, second.colors[index])
}

/// The pixel and those around it.
fn neighbourhood(index: usize, width: usize, height: usize) -> impl Iterator<Item = usize> {
    let (x, y) = (index % width, index / width);
    let columns = x.saturating_sub(1)..(x + 2).min(width);
    (y.saturating_sub(1)..(y + 2).min(height))
        .flat_map(move |row| columns.clone().map(move |column| row * width + column))
}

/// The largest difference of a channel.
fn distance([a, b]: [[u8; 4]; 2]) -> u8 {
    let channels = a.into_iter().zip(b);
    channels.map(|(a, b)| a.abs_diff(b)).max().unwrap_or(0)
}

/// Which pixels are within one pixel of a silhouette or a step in depth of either image.
fn edges(first: &Frame, second: &Frame) -> Vec<bool> {
    let width = first.width as usize;
    let breaks = |index| {
        [first, second]
            .iter()
            .any(|frame| is_edge(&frame.depth, index, width))
    };
    let count = width * first.height as usize;
    dilated(&(0..count).map(breaks).collect::<Vec<_>>(), width)
}

/// The pixels that are set, and those around them.
fn dilated(pixels: &[bool], width: usize) -> Vec<bool> {
    let height = pixels.len().checked_div(width).unwrap_or_default();
    let mut dilated = vec![false; pixels.len()];
    for index in (0..pixels.len()).filter(|index| pixels[*index]) {
        for near in neighbourhood(index, width, height) {
            dilated[near] = true;
        }
    }
    dilated
}

/// Whether depth breaks at a pixel: one side of it is much steeper than the other.
fn is_edge(depth: &[f32], index: usize, width: usize) -> bool {
    let x = index % width;
    let breaks = |before: Option<usize>, after: Option<usize>| {
        let at = |other: Option<usize>| other.and_then(|other| depth.get(other)).copied();
        let (Some(here), Some(before), Some(after)) = (at(Some(index)), at(before), at(after))
        else {
            return false;
        };
        let is_empty = |depth: f32| depth >= 1.0;
        if is_empty(before) != is_empty(here) || is_empty(after) != is_empty(here) {
            return true;
        }
        let slopes = [(here - before).abs(), (after - here).abs()];
        slopes[0].max(slopes[1]) > STEEPER * slopes[0].min(slopes[1]) + LEVEL
    };
    let row = (x > 0 && x + 1 < width) && breaks(index.checked_sub(1), Some(index + 1));
    row || breaks(index.checked_sub(width), Some(index + width))
}

/// The magnification of differences: one code is then just visible.
const AMPLIFIED: u8 = 16;

/// Pixels that differ.
const WRONG: [u8; 3] = [255, 0, 200];

/// Pixels that differ as rounding explains.
const OPEN: [u8; 3] = [60, 90, 150];

/// Shows where `first` and `second` differ.
///
/// Wrong pixels are pink, those that differ as rounding explains blue, and all others show 16 times their difference on black.
///
/// * `marks` – of these two images, one per pixel.
#[must_use]
pub fn difference(first: &Frame, second: &Frame, marks: &[Mark]) -> Frame {
    let pairs = first.rgba.chunks_exact(4).zip(second.rgba.chunks_exact(4));
    let colors = pairs.zip(marks).map(|((a, b), mark)| match mark {
        Mark::Wrong => WRONG,
        Mark::Open => OPEN,
        Mark::Agrees => std::array::from_fn(|c| a[c].abs_diff(b[c]).saturating_mul(AMPLIFIED)),
    });
    Frame {
        width: first.width,
        height: first.height,
        rgba: colors.flat_map(|[r, g, b]| [r, g, b, 255]).collect(),
        depth: vec![1.0; marks.len()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: u32 = 32;
    const BACKGROUND: [u8; 4] = [40, 40, 40, 255];
    const SURFACE: [u8; 4] = [200, 150, 100, 255];

    /// The colour and the depth of each pixel.
    fn frame(at: impl Fn(u32, u32) -> ([u8; 4], f32)) -> Frame {
        let pixels: Vec<_> = (0..SIZE * SIZE).map(|k| at(k % SIZE, k / SIZE)).collect();
        Frame {
            width: SIZE,
            height: SIZE,
            rgba: pixels.iter().flat_map(|(color, _)| *color).collect(),
            depth: pixels.iter().map(|(_, depth)| *depth).collect(),
        }
    }

    /// A surface from the column `left` on.
    fn half(left: u32) -> Frame {
        frame(|x, _| {
            if x < left {
                (BACKGROUND, 1.0)
            } else {
                (SURFACE, 0.5)
            }
        })
    }

    fn compare(first: &Frame, second: &Frame) -> PixelReport {
        pixels(first, second, None).unwrap().report
    }

    #[test]
    fn images_without_pixels_agree_and_those_of_another_size_are_refused() {
        let empty = Frame::blank(0, 0);
        assert!(compare(&empty, &empty).agrees());
        let error = pixels(&empty, &half(0), None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the first has 0x0 pixels, the second 32x32"
        );
    }

    #[test]
    fn at_a_silhouette_a_pixel_may_show_what_is_next_to_it() {
        let report = compare(&half(16), &half(17));
        assert_eq!((report.wrong, report.open_differing), (0, 32));
        // A frame without depths, such as one read from a file, adds no edges.
        let flat = Frame {
            depth: vec![1.0; 1024],
            ..half(16)
        };
        let report = compare(&flat, &half(17));
        assert_eq!((report.wrong, report.open_differing), (0, 32));
        assert_eq!(compare(&half(16), &half(18)).wrong, 64);
    }

    #[test]
    fn where_one_surface_hides_another_likewise() {
        let step = |left: u32| {
            frame(|x, _| {
                if x < left {
                    (BACKGROUND, 0.5)
                } else {
                    (SURFACE, 0.3)
                }
            })
        };
        let report = compare(&step(16), &step(17));
        assert_eq!((report.wrong, report.open_differing), (0, 32));
    }

    #[test]
    fn inside_of_a_surface_no_neighbour_explains_a_difference() {
        let striped = |shift: u32| {
            frame(|x, _| match (x + shift) / 4 % 2 {
                0 => (SURFACE, 0.5),
                _ => (BACKGROUND, 0.5),
            })
        };
        let report = compare(&striped(0), &striped(1));
        assert_eq!((report.open, report.wrong), (0, 8 * 32));
        assert!(!report.agrees());
    }

    #[test]
    fn a_hole_is_wrong_although_it_has_an_edge() {
        let hole = frame(|x, y| {
            if (12..15).contains(&x) && (12..15).contains(&y) {
                (BACKGROUND, 1.0)
            } else {
                (SURFACE, 0.5)
            }
        });
        let report = compare(&half(0), &hole);
        assert_eq!(report.wrong, 9);
        assert!(!report.agrees());
    }

    #[test]
    fn where_surfaces_are_at_the_same_depth_any_of_them_may_show() {
        let (first, second) = (half(0), frame(|_, _| (BACKGROUND, 0.5)));
        let report = pixels(&first, &second, Some(&[true; 1024])).unwrap().report;
        assert_eq!((report.wrong, report.open_differing), (0, 1024));
        assert_eq!(compare(&first, &second).wrong, 1024);
    }

    #[test]
    fn two_codes_agree_and_three_do_not() {
        let [darker, darkest] = [2, 3].map(|codes| {
            let mut frame = half(16);
            frame.rgba.iter_mut().for_each(|code| *code -= codes);
            compare(&half(16), &frame)
        });
        assert_eq!((darker.wrong, darker.largest), (0, 2));
        assert!(darkest.wrong > 900 && darkest.largest == 3, "{darkest:?}");
    }

    #[test]
    fn one_in_512_pixels_may_be_wrong_and_the_worst_is_named() {
        let with = |wrong: &[(u32, u8)]| {
            frame(|x, y| {
                let code = wrong.iter().find(|(column, _)| (x, y) == (*column, 5));
                let red = code.map_or(SURFACE[0], |(_, code)| *code);
                ([red, 150, 100, 255], 0.5)
            })
        };
        let mut framed = [with(&[(4, 180), (20, 150)]), with(&[])];
        for frame in &mut framed {
            frame.rgba[..4].copy_from_slice(&BACKGROUND);
        }
        let report = compare(&framed[0], &framed[1]);
        assert_eq!((report.drawn, report.wrong, report.allowed), (1023, 2, 1));
        assert!(!report.agrees());
        let worst = report.worst.unwrap();
        assert_eq!((worst.x, worst.y, worst.difference), (20, 5, 50));
        assert_eq!((worst.first[0], worst.second[0]), (150, 200));
    }

    #[test]
    fn wrong_pixels_are_pink_open_ones_blue_and_all_others_amplified() {
        let (mut first, second) = (half(16), half(17));
        first.rgba[4 * 30] = 100;
        first.rgba[4 * 28] = 199;
        let compared = pixels(&first, &second, None).unwrap();
        let image = difference(&first, &second, &compared.marks);
        let at = |x: usize| &image.rgba[4 * x..4 * x + 3];
        assert_eq!(
            (at(30), at(16), at(28)),
            (&WRONG[..], &OPEN[..], &[16, 0, 0][..])
        );
    }
}
