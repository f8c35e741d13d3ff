//! Contact sheets: rows of images with captions.

use std::ops::Range;

use super::FilmError;
use crate::frame::Frame;
use crate::overlay::{caption, caption_height, caption_strip};
use crate::view::Viewport;

/// A part of a contact sheet, such as a clip: a heading and its images in order.
#[derive(Debug, Clone)]
pub struct Sheet {
    /// Above the images.
    pub heading: String,
    /// The images, all of one size, each with its caption.
    pub images: Vec<(Frame, String)>,
}

/// Most images side by side.
const COLUMNS: usize = 6;

/// Most pixels on a side, unless one image is larger: what browsers and chats still show.
const SIDE: u32 = 4096;

/// Space between images, in pixels.
const GAP: u32 = 4;

/// Colour between the images.
const GROUND: [u8; 4] = [46, 49, 54, 255];

/// Splits parts with `counts` images each into as few sheets as hold them, between rows. Returns the images of each sheet, by
/// position.
///
/// * `size` – width and height of each image, in pixels.
///
/// # Errors
///
/// [`FilmError::SheetTooLarge`] if a sheet cannot hold even one row.
pub fn pages(counts: &[usize], size: [u32; 2]) -> Result<Vec<Range<usize>>, FilmError> {
    // All pages are as wide as if they were one.
    let widest = counts.iter().copied().max().unwrap_or(0).min(COLUMNS);
    let row_width = widest as u64 * u64::from(size[0]);
    let columns = columns(size[0]);
    let one_row = Layout::of(&[widest.min(columns)], size, None).ok();
    let layout = one_row.filter(|_| row_width <= Viewport::MAX_SIDE.into());
    let layout = layout.ok_or_else(|| too_large(counts, size))?;
    let most = (Viewport::MAX_PIXELS / u64::from(layout.width))
        .min(Viewport::MAX_SIDE.into())
        .min(layout.height.max(SIDE).into());
    let row = |is_headed: bool| {
        let heading = if is_headed { layout.heading } else { 0 };
        layout.row_height(size) + u64::from(heading)
    };
    let mut pages = Vec::from_iter([Range::default()]);
    let mut height = 0;
    for count in counts {
        for (index, start) in (0..*count).step_by(columns).enumerate() {
            let end = pages.last().map_or(0, |page| page.end);
            if height + row(index == 0) > most {
                pages.push(end..end);
                height = 0;
            }
            // A page repeats the heading of a part that it continues.
            height += row(index == 0 || height == 0);
            if let Some(page) = pages.last_mut() {
                page.end += columns.min(count - start);
            }
        }
    }
    Ok(pages)
}

/// How many images of this width stand side by side.
fn columns(width: u32) -> usize {
    let fit = (SIDE + GAP) / width.saturating_add(GAP);
    (fit as usize).clamp(1, COLUMNS)
}

fn too_large(counts: &[usize], [width, height]: [u32; 2]) -> FilmError {
    let images = counts.iter().sum();
    FilmError::SheetTooLarge {
        images,
        width,
        height,
    }
}

/// Lays out `parts` below each other, each with its heading and six images in a row, fewer if they are wide.
///
/// # Errors
///
/// [`FilmError::SheetTooLarge`] if the sheet has more than [`Viewport::MAX_PIXELS`].
pub fn sheet(parts: &[Sheet]) -> Result<Frame, FilmError> {
    let first = parts.iter().find_map(|part| part.images.first());
    let [width, height] = first.map_or([1, 1], |(frame, _)| [frame.width, frame.height]);
    let counts: Vec<usize> = parts.iter().map(|part| part.images.len()).collect();
    let captions = parts.iter().flat_map(|part| &part.images);
    let heights = captions.map(|(_, text)| caption_height(text, width));
    let mut layout = Layout::of(&counts, [width, height], heights.max())?;
    let heading = |part: &Sheet| caption_height(&part.heading, layout.width);
    let headings: Vec<u32> = parts.iter().map(heading).collect();
    let more = headings
        .iter()
        .map(|own| own.saturating_sub(layout.heading));
    let total = u64::from(layout.height) + more.map(u64::from).sum::<u64>();
    let fitting = Viewport::new(layout.width.into(), total);
    layout.height = fitting
        .map_err(|_| too_large(&counts, [width, height]))?
        .height;
    let mut out = Frame::blank(layout.width, layout.height);
    for pixel in out.rgba.as_chunks_mut::<4>().0 {
        *pixel = GROUND;
    }
    let mut y = 0;
    for (part, heading) in parts.iter().zip(headings) {
        let heading = heading.max(layout.heading);
        caption(&mut out, &part.heading, [0, y], [layout.width, heading]);
        y += heading;
        for row in part.images.chunks(columns(width)) {
            for ((image, text), column) in row.iter().zip(0..) {
                let at = [column * (width + GAP), y];
                copy(&mut out, image, at);
                let below = [at[0], y + height];
                caption(&mut out, text, below, [width, layout.strip]);
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
    /// The least height of a heading.
    heading: u32,
    /// Height of a caption.
    strip: u32,
}

impl Layout {
    /// * `caption` – the height of the highest caption; without one, the most that a caption takes: two small lines.
    fn of(
        counts: &[usize],
        [width, height]: [u32; 2],
        caption: Option<u32>,
    ) -> Result<Self, FilmError> {
        let images = counts.iter().copied();
        let in_row = columns(width);
        let columns = images.clone().max().unwrap_or(0).clamp(1, in_row) as u64;
        let rows: usize = images.clone().map(|count| count.div_ceil(in_row)).sum();
        let most = caption_strip(width);
        let strip = caption.map_or(most, |caption| caption.min(most));
        let across = columns * u64::from(width + GAP) - u64::from(GAP);
        let heading = caption_height("", u32::try_from(across).unwrap_or(u32::MAX));
        let total = [
            across,
            rows as u64 * u64::from(height + strip + GAP)
                + counts.len() as u64 * u64::from(heading),
        ];
        let size =
            Viewport::new(total[0], total[1]).map_err(|_| too_large(counts, [width, height]))?;
        Ok(Self {
            width: size.width,
            height: size.height,
            heading,
            strip,
        })
    }

    /// The height of a row of images with their captions, and of the gap below, in pixels.
    fn row_height(&self, [_, height]: [u32; 2]) -> u64 {
        u64::from(height + self.strip + GAP)
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
pub fn tiled(mut views: Vec<Frame>) -> Frame {
    if views.len() == 1 {
        return views.remove(0);
    }
    let [a, b, c, d] = &views[..] else {
        panic!("an image has one view or four");
    };
    let (top, bottom) = (beside(a, b), beside(c, d));
    Frame {
        width: top.width,
        height: top.height + bottom.height,
        rgba: [top.rgba, bottom.rgba].concat(),
        depth: Vec::new(),
    }
}

/// `left` and `right`, of one size, in one image. Its depths are omitted.
///
/// # Panics
///
/// If they differ in height.
#[must_use]
pub fn beside(left: &Frame, right: &Frame) -> Frame {
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
        let strip = caption_height("", 40);
        let row = 30 + strip + 4;
        assert_eq!([out.width, out.height], [6 * 44 - 4, 3 * row + 2 * strip]);
        let value = |x: u32, y: u32| out.rgba[4 * (y * out.width + x) as usize];
        assert_eq!(value(5, strip + 5), 0);
        assert_eq!(value(5 * 44 + 5, strip + 5), 5);
        assert_eq!(
            value(5, strip + row + 5),
            6,
            "the seventh begins the second row"
        );
        assert_eq!(
            value(5, 2 * (strip + row) + 5),
            0,
            "the second part follows"
        );
    }

    #[test]
    fn a_time_with_its_frame_is_whole_below_a_narrow_image() {
        let of = |text: &str| {
            let mut image = plain(7);
            image.1 = text.to_owned();
            let heading = String::new();
            let images = vec![image];
            sheet(&[Sheet { heading, images }]).unwrap().height
        };
        assert!(of("0.6 s (frame 14.4)") > of("0 s"));
    }

    #[test]
    fn a_long_heading_takes_more_lines() {
        let part = |heading: &str| Sheet {
            heading: heading.to_owned(),
            images: vec![plain(7)],
        };
        let [short, long] = ["", "stretches to 9.3 times its length"]
            .map(|heading| sheet(&[part(heading)]).unwrap().height);
        assert!(long > short, "{long}");
    }

    #[test]
    fn a_sheet_without_room_continues_on_another() {
        let all = |counts: &[usize], side| pages(counts, [side, side]).expect("a row has room");
        assert_eq!(all(&[7, 1], 256), std::slice::from_ref(&(0..8)));
        let counts = [6; 76];
        let split = all(&counts, 256);
        let most = split[0].len() / 6;
        assert_eq!(split[..2], [0..6 * most, 6 * most..12 * most]);
        assert_eq!(split.last().map(|page| page.end), Some(456));
        for (parts, fits) in [(most, true), (most + 1, false)] {
            let height = Layout::of(&counts[..parts], [256, 256], None)
                .unwrap()
                .height;
            assert_eq!(height <= SIDE, fits, "{height}");
        }
        let long = all(&[400], 256);
        assert!(long.len() > 1 && long[0].len().is_multiple_of(COLUMNS));
        assert_eq!(all(&[4], 1980), std::slice::from_ref(&(0..4)));
        assert_eq!(
            Layout::of(&[4], [2000, 20], None).unwrap().width,
            2 * 2004 - 4
        );
        assert_eq!(all(&[2], 5000), [0..1, 1..2]);
        assert_eq!(all(&[], 256), std::slice::from_ref(&(0..0)));
        assert!(pages(&[2], [16_000, 16]).is_err());
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
