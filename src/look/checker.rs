//! The texture of [`Show::UV`](crate::view::Show::UV).
//!
//! 8 × 8 squares, labelled A1 to H8 from the first texel. A mirrored label reveals mirrored coordinates; the hue shows
//! the position in the texture.

use std::sync::LazyLock;

use crate::rig::Bitmap;

const CELLS: usize = 8;
const CELL: usize = 64;
const SIZE: u32 = 512;

/// Texels of a label for each dot of a glyph.
const DOT: usize = 4;
const GLYPH_WIDTH: usize = 5;
const GLYPH_HEIGHT: usize = 7;

/// Rows of dots, the leftmost in the highest of five bits.
const LETTERS: [[u8; GLYPH_HEIGHT]; CELLS] = [
    [0x0e, 0x11, 0x11, 0x1f, 0x11, 0x11, 0x11],
    [0x1e, 0x11, 0x11, 0x1e, 0x11, 0x11, 0x1e],
    [0x0e, 0x11, 0x10, 0x10, 0x10, 0x11, 0x0e],
    [0x1e, 0x11, 0x11, 0x11, 0x11, 0x11, 0x1e],
    [0x1f, 0x10, 0x10, 0x1e, 0x10, 0x10, 0x1f],
    [0x1f, 0x10, 0x10, 0x1e, 0x10, 0x10, 0x10],
    [0x0e, 0x11, 0x10, 0x17, 0x11, 0x11, 0x0f],
    [0x11, 0x11, 0x11, 0x1f, 0x11, 0x11, 0x11],
];
const DIGITS: [[u8; GLYPH_HEIGHT]; CELLS] = [
    [0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e],
    [0x0e, 0x11, 0x01, 0x06, 0x08, 0x10, 0x1f],
    [0x0e, 0x11, 0x01, 0x06, 0x01, 0x11, 0x0e],
    [0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02],
    [0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e],
    [0x06, 0x08, 0x10, 0x1e, 0x11, 0x11, 0x0e],
    [0x1f, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08],
    [0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e],
];

/// sRGB hues, one per column.
const HUES: [[u8; 3]; CELLS] = [
    [214, 84, 80],
    [222, 138, 66],
    [216, 190, 74],
    [126, 184, 84],
    [70, 176, 150],
    [78, 146, 210],
    [118, 110, 210],
    [190, 98, 176],
];

static BITMAP: LazyLock<Bitmap> = LazyLock::new(|| {
    let side = 0..CELLS * CELL;
    let texels = side
        .clone()
        .flat_map(|y| side.clone().map(move |x| texel(x, y)));
    Bitmap {
        width: SIZE,
        height: SIZE,
        rgba: texels.flat_map(|[r, g, b]| [r, g, b, 255]).collect(),
    }
});

/// The checker.
#[must_use]
pub fn bitmap() -> &'static Bitmap {
    &BITMAP
}

fn texel(x: usize, y: usize) -> [u8; 3] {
    let (column, row) = (x / CELL, y / CELL);
    let dark = (column + row) % 2 == 1;
    let ink = is_inked(x % CELL, y % CELL, column, row);
    let hue = HUES[column];
    match (ink, dark) {
        (true, true) => [236, 236, 232],
        (true, false) => [34, 34, 38],
        // Further rows are paler.
        (false, true) => hue.map(|channel| shaded(channel, 0.45 + 0.02 * row_share(row))),
        (false, false) => hue.map(|channel| shaded(channel, 0.9 + 0.2 * row_share(row))),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a row's number")]
fn row_share(row: usize) -> f32 {
    row as f32 / CELLS as f32
}

fn shaded(channel: u8, factor: f32) -> u8 {
    super::srgb::unorm(f32::from(channel) / 255.0 * factor)
}

/// Whether the label of a square covers the texel at (`x`, `y`) of it.
fn is_inked(x: usize, y: usize, column: usize, row: usize) -> bool {
    const ADVANCE: usize = GLYPH_WIDTH + 1;
    const LEFT: usize = (CELL - (2 * ADVANCE - 1) * DOT) / 2;
    const TOP: usize = (CELL - GLYPH_HEIGHT * DOT) / 2;
    let (Some(x), Some(y)) = (x.checked_sub(LEFT), y.checked_sub(TOP)) else {
        return false;
    };
    let (x, y) = (x / DOT, y / DOT);
    let glyph = match x / ADVANCE {
        0 => &LETTERS[column],
        1 => &DIGITS[row],
        _ => return false,
    };
    let dots = glyph.get(y).copied().unwrap_or(0);
    let column = x % ADVANCE;
    column < GLYPH_WIDTH && dots & (0x10 >> column) != 0
}
