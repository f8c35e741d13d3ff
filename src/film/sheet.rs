//! Contact sheets: rows of images with captions.

use super::FilmError;
use crate::frame::Frame;
use crate::overlay::{caption, glyph_side};
use crate::view::Viewport;

/// A part of a contact sheet, such as a clip: a heading and its images in order.
#[derive(Debug, Clone)]
pub(crate) struct Sheet {
    /// Above the images.
    pub heading: String,
    /// The images, all of one size, each with its caption.
    pub images: Vec<(Frame, String)>,
}

/// Most images side by side.
const COLUMNS: usize = 6;

/// Space between images, in pixels.
const GAP: u32 = 4;

/// Colour between the images.
const GROUND: [u8; 4] = [46, 49, 54, 255];

/// Whether a sheet of parts with `counts` images each is not too large.
///
/// * `size` – width and height of each image, in pixels.
///
/// # Errors
///
/// [`FilmError::SheetTooLarge`], as [`sheet`].
pub(crate) fn check_sheet(counts: &[usize], size: [u32; 2]) -> Result<(), FilmError> {
    Layout::of(counts, size).map(|_| ())
}

/// Lays out `parts` below each other, each with its heading and at most six images in a row.
///
/// # Errors
///
/// [`FilmError::SheetTooLarge`] if the sheet has more than [`Viewport::MAX_PIXELS`].
pub(crate) fn sheet(parts: &[Sheet]) -> Result<Frame, FilmError> {
    let first = parts.iter().find_map(|part| part.images.first());
    let [width, height] = first.map_or([1, 1], |(frame, _)| [frame.width, frame.height]);
    let counts: Vec<usize> = parts.iter().map(|part| part.images.len()).collect();
    let layout = Layout::of(&counts, [width, height])?;
    let mut out = Frame::blank(layout.width, layout.height);
    for pixel in out.rgba.as_chunks_mut::<4>().0 {
        *pixel = GROUND;
    }
    let mut y = 0;
    for part in parts {
        caption(&mut out, &part.heading, [0, y], layout.width, layout.side);
        y += layout.strip;
        for row in part.images.chunks(COLUMNS) {
            for ((image, text), column) in row.iter().zip(0..) {
                let at = [column * (width + GAP), y];
                copy(&mut out, image, at);
                caption(&mut out, text, [at[0], y + height], width, layout.side);
            }
            y += height + layout.strip + GAP;
        }
    }
    Ok(out)
}

/// Sizes in pixels.
struct Layout {
    width: u32,
    height: u32,
    /// The side of a glyph.
    side: u32,
    /// Height of a caption.
    strip: u32,
}

impl Layout {
    fn of(counts: &[usize], [width, height]: [u32; 2]) -> Result<Self, FilmError> {
        let images = counts.iter().copied();
        let columns = images.clone().max().unwrap_or(0).clamp(1, COLUMNS) as u64;
        let rows: usize = images.clone().map(|count| count.div_ceil(COLUMNS)).sum();
        let side = glyph_side(width);
        let strip = side + side / 4 * 2;
        let total = [
            columns * u64::from(width + GAP) - u64::from(GAP),
            rows as u64 * u64::from(height + strip + GAP) + counts.len() as u64 * u64::from(strip),
        ];
        let size = Viewport::new(total[0], total[1]).map_err(|_| FilmError::SheetTooLarge {
            images: images.sum(),
            width,
            height,
        })?;
        Ok(Self {
            width: size.width,
            height: size.height,
            side,
            strip,
        })
    }
}

fn copy(out: &mut Frame, image: &Frame, [x, y]: [u32; 2]) {
    let row_bytes = 4 * image.width as usize;
    for (row, pixels) in (y as usize..).zip(image.rgba.chunks_exact(row_bytes)) {
        let start = 4 * (row * out.width as usize + x as usize);
        out.rgba[start..start + row_bytes].copy_from_slice(pixels);
    }
}

/// One image of `views`, which are of one size: one alone, or four as two rows of two. Its depths are omitted.
///
/// # Panics
///
/// If there are neither one nor four views.
#[must_use]
pub(crate) fn tiled(mut views: Vec<Frame>) -> Frame {
    if views.len() == 1 {
        return views.remove(0);
    }
    let [a, b, c, d] = &views[..] else {
        panic!("an image has one view or four");
    };
    let row = 4 * a.width as usize;
    let mut rgba = Vec::with_capacity(4 * a.rgba.len());
    for [left, right] in [[a, b], [c, d]] {
        for (left, right) in left
            .rgba
            .chunks_exact(row)
            .zip(right.rgba.chunks_exact(row))
        {
            rgba.extend_from_slice(left);
            rgba.extend_from_slice(right);
        }
    }
    Frame {
        width: 2 * a.width,
        height: 2 * a.height,
        rgba,
        depth: Vec::new(),
    }
}

/// `left` and `right`, of one size, in one image. Its depths are omitted.
///
/// # Panics
///
/// If they differ in height.
#[must_use]
pub(crate) fn beside(left: &Frame, right: &Frame) -> Frame {
    assert_eq!(
        left.height, right.height,
        "images side by side are equally high"
    );
    let rows = |frame: &Frame| 4 * frame.width as usize;
    let pairs = left
        .rgba
        .chunks_exact(rows(left))
        .zip(right.rgba.chunks_exact(rows(right)));
    Frame {
        width: left.width + right.width,
        height: left.height,
        rgba: pairs
            .flat_map(|(left, right)| [left, right].concat())
            .collect(),
        depth: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(value: u8) -> (Frame, String) {
        let mut frame = Frame::blank(40, 30);
        frame.rgba.fill(value);
        (frame, "0 s".to_owned())
    }

    #[test]
    fn images_fill_rows_of_six_below_their_headings() {
        let part = |count| Sheet {
            heading: "Walk".to_owned(),
            images: (0..count).map(plain).collect(),
        };
        let out = sheet(&[part(7), part(1)]).unwrap();
        let strip = 12;
        assert_eq!(
            [out.width, out.height],
            [6 * 44 - 4, 3 * (30 + strip + 4) + 2 * strip]
        );
        let value = |x: u32, y: u32| out.rgba[4 * (y * out.width + x) as usize];
        assert_eq!(value(5, strip + 5), 0);
        assert_eq!(value(5 * 44 + 5, strip + 5), 5);
        assert_eq!(
            value(5, strip + 46 + 5),
            6,
            "the seventh begins the second row"
        );
        assert_eq!(value(5, 2 * (strip + 46) + 5), 0, "the second part follows");
    }

    #[test]
    fn more_pixels_than_an_image_may_have_are_refused() {
        let part = Sheet {
            heading: String::new(),
            images: vec![(Frame::blank(4000, 4000), String::new()); 7],
        };
        let error = sheet(&[part]).expect_err("it has 112 million pixels");
        assert!(
            error.to_string().starts_with("7 images of 4000x4000"),
            "{error}"
        );
    }

    #[test]
    fn four_views_are_two_rows_of_two() {
        let view = |value: u8| {
            let mut frame = Frame::blank(2, 2);
            frame.rgba.fill(value);
            frame
        };
        let image = tiled(vec![view(1), view(2), view(3), view(4)]);
        let pixels: Vec<u8> = image.rgba.iter().step_by(4).copied().collect();
        let expected = [1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4];
        assert_eq!(pixels, expected);
    }
}
