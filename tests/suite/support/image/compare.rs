//! Differences of two images.

use std::fmt;

use skincheck::frame::Frame;
use skincheck::frame::png::DecodedImage;

/// How two images of the same size differ.
#[derive(Debug)]
pub(super) struct Difference {
    pub(super) pixels: usize,
    /// The number of pixels.
    pub(super) of: usize,
    pub(super) worst: Worst,
}

/// The first pixel with the largest difference in a channel.
#[derive(Debug)]
pub(super) struct Worst {
    pub(super) x: usize,
    pub(super) y: usize,
    pub(super) expected: [u8; 4],
    pub(super) actual: [u8; 4],
}

impl Worst {
    /// The largest difference of a channel, of 255.
    pub(super) fn by(&self) -> u8 {
        distance(self.expected, self.actual)
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Worst {
            x,
            y,
            expected,
            actual,
        } = self.worst;
        write!(
            f,
            "{} of {} pixels differ, at worst by {} of 255: at x {x}, y {y} (from the top left) {expected:?} was \
             expected and {actual:?} was drawn",
            self.pixels,
            self.of,
            self.worst.by(),
        )
    }
}

/// The difference of `actual` and `expected`, which have the same size; `None` if they are equal.
pub(super) fn difference(expected: &DecodedImage, actual: &Frame) -> Option<Difference> {
    let pairs = pairs(expected, actual).enumerate();
    let differing: Vec<_> = pairs
        .filter(|(_, (expected, actual))| expected != actual)
        .collect();
    // The last of equals wins, so iterating backwards gives the first.
    let backwards = differing.iter().rev().copied();
    let (index, (expected_color, actual_color)) =
        backwards.max_by_key(|&(_, (expected, actual))| distance(expected, actual))?;
    let width = expected.width as usize;
    Some(Difference {
        pixels: differing.len(),
        of: expected.rgba.len() / 4,
        worst: Worst {
            x: index % width,
            y: index / width,
            expected: expected_color,
            actual: actual_color,
        },
    })
}

/// The expected image, dimmed, with every differing pixel in a signal colour: orange, or red from 16 levels on.
pub(super) fn image_of_difference(expected: &DecodedImage, actual: &Frame) -> Frame {
    let mark = |(expected, actual)| match distance(expected, actual) {
        0 => dim(expected),
        1..16 => [255, 160, 0, 255],
        _ => [255, 0, 0, 255],
    };
    Frame {
        width: expected.width,
        height: expected.height,
        rgba: pairs(expected, actual).flat_map(mark).collect(),
        depth: Vec::new(),
    }
}

/// The expected and the actual colour of each pixel.
fn pairs(expected: &DecodedImage, actual: &Frame) -> impl Iterator<Item = ([u8; 4], [u8; 4])> {
    let (expected, _) = expected.rgba.as_chunks();
    let (actual, _) = actual.rgba.as_chunks();
    expected.iter().copied().zip(actual.iter().copied())
}

fn dim([red, green, blue, _]: [u8; 4]) -> [u8; 4] {
    [red / 4, green / 4, blue / 4, 255]
}

fn distance(a: [u8; 4], b: [u8; 4]) -> u8 {
    let channels = a.into_iter().zip(b);
    channels.map(|(a, b)| a.abs_diff(b)).max().unwrap_or(0)
}
