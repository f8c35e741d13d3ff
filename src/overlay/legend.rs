//! Legends, captions and other text in images.

use font8x8::{BASIC_FONTS, GREEK_FONTS, LATIN_FONTS, UnicodeFonts};

use crate::frame::Frame;
use crate::view::Legend;

/// The least side of an image for a legend inside, in pixels.
pub(crate) const LEAST_SIDE: u32 = 320;

/// The least side of an image for letters of twice the size, in pixels.
const LARGE: u32 = 960;

/// The least width for such letters in a strip below the image.
const WIDE: u32 = 1400;

/// Heights of a legend to try, relative to the image: smaller ones if more would cover the model.
const PARTS_OF_HEIGHT: [f64; 3] = [0.7, 0.45, 0.25];

/// The least fraction of a legend's pixels that must not cover the model.
const LEAST_FREE: f64 = 0.95;

/// Width of a gradient in glyphs.
const RAMP: u32 = 21;

/// Draws `legend` into the corner of `frame` where it covers the model least: bottom left, bottom right, top left or top
/// right. Without depths, at the bottom left.
pub(crate) fn draw_legend(legend: &Legend, frame: &mut Frame) {
    let is_large = frame.width.min(frame.height) >= LARGE;
    let side = if is_large { 16 } else { 8 };
    let mut chosen = None;
    for part in PARTS_OF_HEIGHT {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a part of the height"
        )]
        let height = (f64::from(frame.height) * part) as u32;
        let panel = panel(legend, [frame.width, height], side);
        let (covered, corner) = best_corner(frame, &panel);
        let pixels = f64::from(panel.width) * f64::from(panel.height);
        #[expect(clippy::cast_precision_loss, reason = "pixels of an image")]
        let is_free = covered as f64 <= (1.0 - LEAST_FREE) * pixels;
        chosen = Some((panel, corner));
        if is_free {
            break;
        }
    }
    if let Some((panel, corner)) = chosen {
        copy(frame, &panel, corner);
    }
}

/// The corner where `panel` covers the model least, and the number of covered pixels.
fn best_corner(frame: &Frame, panel: &Frame) -> (usize, [u32; 2]) {
    let far = [frame.width - panel.width, frame.height - panel.height];
    let corners = [[0, far[1]], far, [0, 0], [far[0], 0]];
    let covered = corners.map(|corner| (covered(frame, corner, panel), corner));
    // The first of equally good corners.
    covered
        .into_iter()
        .min_by_key(|(covered, _)| *covered)
        .unwrap_or((0, corners[0]))
}

/// `image` with `legend` in a strip below.
#[must_use]
pub(crate) fn with_legend(image: &Frame, legend: &Legend) -> Frame {
    let side = if image.width >= WIDE { 16 } else { 8 };
    let panel = panel(legend, [image.width, u32::MAX], side);
    let mut out = Frame::blank(image.width, image.height + panel.height);
    paint(
        &mut out,
        [0, image.height],
        [image.width, panel.height],
        STRIP,
    );
    copy(&mut out, image, [0, 0]);
    copy(&mut out, &panel, [0, image.height]);
    out
}

/// The number of the model's pixels that `panel` covers at `corner`.
fn covered(frame: &Frame, [x, y]: [u32; 2], panel: &Frame) -> usize {
    let rows = (y..y + panel.height).map(|row| {
        let start = (row * frame.width + x) as usize;
        let depths = frame.depth.get(start..start + panel.width as usize);
        depths.map_or(0, |depths| {
            depths.iter().filter(|depth| **depth < 1.0).count()
        })
    });
    rows.sum()
}

fn copy(frame: &mut Frame, part: &Frame, [x, y]: [u32; 2]) {
    let length = 4 * part.width as usize;
    for (row, line) in (y as usize..).zip(part.rgba.chunks_exact(length.max(1))) {
        let start = 4 * (row * frame.width as usize + x as usize);
        frame.rgba[start..start + length].copy_from_slice(line);
    }
}

/// The legend: its title, the gradient with labels below, and a line for each colour while there is room.
///
/// * `most` – the largest width and height, in pixels.
/// * `side` – of a glyph, in pixels.
fn panel(legend: &Legend, most: [u32; 2], side: u32) -> Frame {
    let line = side + side / 2;
    let margin = side / 2;
    let ramp_lines = if legend.ramp.is_empty() { 0 } else { 2 };
    let room = (most[1].saturating_sub(2 * margin) / line).saturating_sub(1 + ramp_lines);
    let lines = lines(legend, room);
    let widest = lines
        .iter()
        .map(|(_, text)| width_of(text, side) + 2 * side);
    let ramp = if ramp_lines > 0 { RAMP * side } else { 0 };
    let width = widest.chain([ramp, width_of(&legend.title, side)]).max();
    let width = (width.unwrap_or(0) + 2 * margin).min(most[0]);
    let count = 1 + ramp_lines + u32::try_from(lines.len()).unwrap_or(0);
    let mut frame = Frame::blank(width, (count * line + 2 * margin - side / 2).min(most[1]));
    let size = [frame.width, frame.height];
    paint(&mut frame, [0, 0], size, STRIP);
    let inner = width.saturating_sub(2 * margin);
    write(
        &mut frame,
        &legend.title,
        [margin, margin],
        inner / side,
        side,
    );
    let mut y = margin + line;
    if ramp_lines > 0 {
        draw_ramp(&mut frame, legend, [margin, y], inner, side);
        y += ramp_lines * line;
    }
    for (color, text) in lines {
        if let Some(color) = color {
            paint(&mut frame, [margin, y], [side, side], color);
        }
        let at = [margin + 2 * side, y];
        write(
            &mut frame,
            &text,
            at,
            (inner / side).saturating_sub(2),
            side,
        );
        y += line;
    }
    frame
}

/// One line per colour; if there are more than `room`, the last says how many are omitted.
fn lines(legend: &Legend, room: u32) -> Vec<(Option<[u8; 3]>, String)> {
    let room = room as usize;
    let all = legend.swatches.len();
    let kept = if all > room {
        room.saturating_sub(1)
    } else {
        all
    };
    let swatches = legend.swatches.iter().take(kept);
    let lines = swatches.map(|swatch| (Some(swatch.color), swatch.meaning.clone()));
    let more = (kept < all && room > 0).then(|| (None, format!("and {} more", all - kept)));
    lines.chain(more).collect()
}

/// The gradient with its labels below, the ends first; labels that would overlap are omitted.
fn draw_ramp(frame: &mut Frame, legend: &Legend, [x, y]: [u32; 2], width: u32, side: u32) {
    for column in 0..width {
        let index = u64::from(column) * legend.ramp.len() as u64 / u64::from(width);
        let color = legend.ramp[usize::try_from(index).unwrap_or(0)];
        paint(frame, [x + column, y], [1, side], color);
    }
    let last = legend.ticks.len().saturating_sub(1);
    let (ends, between): (Vec<_>, Vec<_>) =
        (legend.ticks.iter().enumerate()).partition(|(index, _)| *index == 0 || *index == last);
    let mut taken: Vec<[u32; 2]> = Vec::new();
    for (_, tick) in ends.into_iter().chain(between) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "inside the image"
        )]
        let at = (tick.at.clamp(0.0, 1.0) * width.saturating_sub(1) as f32) as u32;
        let text = width_of(&tick.label, side);
        let left = at.saturating_sub(text / 2).min(width.saturating_sub(text));
        let is_free = taken
            .iter()
            .all(|[from, to]| left + text + side / 2 <= *from || *to + side / 2 <= left);
        if is_free {
            taken.push([left, left + text]);
            paint(
                frame,
                [x + at, y + side],
                [(side / 8).max(1), side / 4],
                INK,
            );
            let below = [x + left, y + side + side / 2];
            write(frame, &tick.label, below, width / side, side);
        }
    }
}

/// Columns and rows of a glyph.
const GLYPH: u32 = 8;

/// Colour of the text and of the strip behind it.
const INK: [u8; 3] = [240; 3];
pub(super) const STRIP: [u8; 3] = [24, 26, 30];

/// Side of a glyph in an image of this `width`, in pixels: twice the font's own size if that leaves room for words.
#[must_use]
pub(crate) fn glyph_side(width: u32) -> u32 {
    if width >= 384 { 2 * GLYPH } else { GLYPH }
}

/// Writes `text` on a dark strip at the top left of the given rectangle, truncated with `..` if it is too long.
///
/// The glyphs are those of the public-domain font `font8x8`: Latin and Greek; other characters become `?`.
///
/// * `x`, `y` – the strip's top left corner, in pixels.
/// * `width` – the strip's width, in pixels.
/// * `side` – of a glyph, in pixels: a multiple of 8.
pub(crate) fn caption(frame: &mut Frame, text: &str, [x, y]: [u32; 2], width: u32, side: u32) {
    let margin = side / 4;
    paint(frame, [x, y], [width, side + 2 * margin], STRIP);
    let room = width.saturating_sub(2 * margin) / side;
    write(frame, text, [x + margin, y + margin], room, side);
}

/// Writes at most `room` characters of `text` without a strip.
///
/// * `at` – the top left corner of the first, in pixels.
/// * `side` – of a glyph, in pixels: a multiple of 8.
pub(super) fn write(frame: &mut Frame, text: &str, [x, y]: [u32; 2], room: u32, side: u32) {
    for (index, character) in (0..).zip(fitted(text, room as usize)) {
        draw(frame, glyph(character), [x + index * side, y], side / GLYPH);
    }
}

/// Width of `text` in pixels.
pub(super) fn width_of(text: &str, side: u32) -> u32 {
    u32::try_from(text.chars().count())
        .unwrap_or(u32::MAX)
        .saturating_mul(side)
}

/// The first `room` characters.
fn fitted(text: &str, room: usize) -> impl Iterator<Item = char> {
    let is_cut = text.chars().count() > room;
    let kept = if is_cut { room.saturating_sub(2) } else { room };
    let dots = if is_cut { ".." } else { "" };
    text.chars().take(kept).chain(dots.chars()).take(room)
}

/// One byte per row from the top; the lowest bit is the leftmost pixel.
fn glyph(character: char) -> [u8; 8] {
    let known = BASIC_FONTS
        .get(character)
        .or_else(|| LATIN_FONTS.get(character))
        .or_else(|| GREEK_FONTS.get(character));
    known.or_else(|| BASIC_FONTS.get('?')).unwrap_or_default()
}

fn draw(frame: &mut Frame, glyph: [u8; 8], [x, y]: [u32; 2], scale: u32) {
    for (row, bits) in (0..).zip(glyph) {
        for column in 0..GLYPH {
            if bits >> column & 1 == 1 {
                let at = [x + column * scale, y + row * scale];
                paint(frame, at, [scale; 2], INK);
            }
        }
    }
}

/// Paints the part of a rectangle that is inside the image.
pub(super) fn paint(
    frame: &mut Frame,
    [x, y]: [u32; 2],
    [width, height]: [u32; 2],
    [red, green, blue]: [u8; 3],
) {
    let right = x.saturating_add(width).min(frame.width);
    let bottom = y.saturating_add(height).min(frame.height);
    for row in y..bottom {
        for column in x..right {
            let pixel = 4 * (row as usize * frame.width as usize + column as usize);
            frame.rgba[pixel..pixel + 4].copy_from_slice(&[red, green, blue, u8::MAX]);
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::rig::{AssetBuilder, NodeId, Trs};
    use crate::view::{Measured, Show};

    fn ramp() -> Legend {
        let asset = AssetBuilder::new().build().expect("nothing is whole");
        let numbers = Measured {
            title: "stretch".into(),
            ticks: vec![(1.0, "1x".into()), (2.0, "2x".into())],
            ..Measured::default()
        };
        let show = Show::distance(numbers);
        show.legend(&asset).expect("it has one")
    }

    /// As many joints as vertices.
    fn swatches(count: u16) -> Legend {
        let mut rig = AssetBuilder::new();
        let joints: Vec<NodeId> = (0..count)
            .map(|index| rig.node(&format!("joint {index}"), None, Trs::IDENTITY))
            .collect();
        let mesh = rig.mesh(crate::rig::Mesh {
            positions: vec![Vec3::ZERO; usize::from(count)],
            ..crate::rig::Mesh::default()
        });
        rig.skin(mesh, joints.into_iter().map(|joint| [(joint, 1.0)]));
        let asset = rig.build().expect("it is whole");
        Show::JOINTS.legend(&asset).expect("it has one")
    }

    #[test]
    fn the_corner_is_the_one_with_least_of_the_model() {
        let corner = |x: std::ops::Range<usize>, y: std::ops::Range<usize>| {
            let mut frame = Frame::blank(640, 640);
            for row in y {
                frame.depth[640 * row..][x.clone()].fill(0.5);
            }
            draw_legend(&ramp(), &mut frame);
            let opaque = |x: usize, y: usize| frame.rgba[4 * (640 * y + x) + 3] == 255;
            [
                opaque(0, 639),
                opaque(639, 639),
                opaque(0, 0),
                opaque(639, 0),
            ]
        };
        assert_eq!(corner(300..340, 0..640), [true, false, false, false]);
        assert_eq!(corner(0..300, 0..640), [false, true, false, false]);
        assert_eq!(corner(0..640, 320..640), [false, false, true, false]);
    }

    #[test]
    fn a_gradient_goes_from_the_low_colour_to_the_high_one() {
        let legend = ramp();
        let panel = panel(&legend, [640, 640], 8);
        let row = 8 / 2 + 12 + 4;
        let pixel = |x: u32| {
            let start = 4 * (row * panel.width + x) as usize;
            [0, 1, 2].map(|channel| panel.rgba[start + channel])
        };
        assert_eq!(pixel(4), legend.ramp[0]);
        assert_eq!(pixel(panel.width - 5), *legend.ramp.last().expect("full"));
    }

    #[test]
    fn colours_without_room_are_counted() {
        let legend = swatches(100);
        let lines = lines(&legend, 10);
        assert_eq!(lines.len(), 10);
        assert_eq!(lines[9], (None, "and 91 more".to_owned()));
        let mut frame = Frame::blank(400, 200);
        draw_legend(&legend, &mut frame);
    }

    #[test]
    fn no_image_is_too_small() {
        for [width, height] in [[1, 1], [8, 200], [200, 8], [40, 40]] {
            for legend in [ramp(), swatches(3)] {
                draw_legend(&legend, &mut Frame::blank(width, height));
                let _ = with_legend(&Frame::blank(width, height), &legend);
            }
        }
    }

    fn inked(text: &str, width: u32) -> Vec<usize> {
        let mut frame = Frame::blank(width, 12);
        caption(&mut frame, text, [0, 0], width, 8);
        let pixels = frame.rgba.as_chunks::<4>().0.iter();
        let ink = pixels.enumerate().filter(|(_, pixel)| pixel[..3] == INK);
        ink.map(|(index, _)| index).collect()
    }

    #[test]
    fn letters_are_upright_and_read_from_left_to_right() {
        // The stem of an L is on its left, its foot at the bottom.
        let rows = inked("L", 12).into_iter().map(|pixel| pixel / 12);
        let counts = rows.fold([0; 12], |mut counts, row| {
            counts[row] += 1;
            counts
        });
        assert!(counts[3] < counts[8], "{counts:?}");
        assert!(inked(" L", 20).iter().all(|pixel| pixel % 20 >= 10));
    }

    #[test]
    fn a_long_text_ends_in_dots_inside_the_strip() {
        assert_eq!(fitted("walking", 4).collect::<String>(), "wa..");
        assert_eq!(fitted("walk", 4).collect::<String>(), "walk");
        assert_eq!(fitted("walk", 1).collect::<String>(), ".");
        assert_eq!(fitted("walk", 0).count(), 0);
    }

    #[test]
    fn a_character_without_a_glyph_becomes_a_question_mark() {
        assert_eq!(inked("漢", 12), inked("?", 12));
        assert_ne!(inked("é", 12), inked("?", 12));
    }
}
