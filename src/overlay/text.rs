//! Text in images.

use font8x8::{BASIC_FONTS, GREEK_FONTS, LATIN_FONTS, UnicodeFonts};

use crate::frame::Frame;

/// Columns and rows of a glyph.
const GLYPH: u32 = 8;

/// Colour of the text and of the strip behind it.
pub(super) const INK: [u8; 3] = [240; 3];
pub(super) const STRIP: [u8; 3] = [24, 26, 30];

/// Side of a glyph in an image of this `width`, in pixels: twice the font's own size if that leaves room for words.
#[must_use]
pub fn glyph_side(width: u32) -> u32 {
    if width >= 384 { 2 * GLYPH } else { GLYPH }
}

/// Writes `text` on a dark strip at the top left of the given rectangle, truncated with `..` if it is too long.
///
/// The glyphs are those of the public-domain font `font8x8`: Latin and Greek; other characters become `?`.
///
/// * `x`, `y` – the strip's top left corner, in pixels.
/// * `width` – the strip's width, in pixels.
/// * `side` – of a glyph, in pixels: a multiple of 8.
pub fn caption(frame: &mut Frame, text: &str, [x, y]: [u32; 2], width: u32, side: u32) {
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
    let known = BASIC_FONTS.get(character);
    let known = known.or_else(|| LATIN_FONTS.get(character));
    let known = known.or_else(|| GREEK_FONTS.get(character));
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
    use super::*;

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
