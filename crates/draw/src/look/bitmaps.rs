//! The texture of [`Show::UV`](crate::view::Show::UV), and the one in place of an image that cannot be read.

use std::sync::LazyLock;

use crate::rig::{Bitmap, Image, ImageData};

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

static CHECKER: LazyLock<Bitmap> = LazyLock::new(|| {
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
pub fn checker() -> &'static Bitmap {
    &CHECKER
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

/// Squares along each side: few enough to be seen on an atlas of small parts, many enough to be seen on a whole body.
const SQUARES: u32 = 16;

/// One of so many squares along each side is marked.
const MARKED: u32 = 4;

const SIDE: u32 = 128;

/// sRGB: the grey of a mesh without material, and the mark, magenta, which is nobody's skin.
const COLORS: [[u8; 4]; 2] = [[188, 188, 188, 255], [214, 40, 190, 255]];

static MISSING: LazyLock<Bitmap> = LazyLock::new(|| {
    let square = SIDE / SQUARES;
    let is_marked = |square: u32| square % MARKED == MARKED / 2;
    let texels = (0..SIDE * SIDE).map(|texel| {
        let [column, row] = [texel % SIDE / square, texel / SIDE / square];
        usize::from(is_marked(column) && is_marked(row))
    });
    Bitmap {
        width: SIDE,
        height: SIDE,
        rgba: texels.flat_map(|color| COLORS[color]).collect(),
    }
});

/// Clay with marks.
#[must_use]
pub fn missing() -> &'static Bitmap {
    &MISSING
}

/// The texels to draw for `image`: its own, or marked clay if it is missing. `None` for an image that was not asked
/// for.
#[must_use]
pub fn drawn(image: &Image) -> Option<&Bitmap> {
    match &image.data {
        ImageData::Bitmap(bitmap) => Some(bitmap),
        ImageData::Missing(_) => Some(missing()),
        ImageData::File(_) | ImageData::Encoded(_) | ImageData::NotFound(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_squares_are_marked() {
        let bitmap = missing();
        let at = |x: u32, y: u32| &bitmap.rgba[4 * (y * SIDE + x) as usize..][..4];
        assert_eq!(at(0, 0), COLORS[0]);
        assert_eq!(at(16, 16), COLORS[1]);
        assert_eq!(at(16, 8), COLORS[0]);
        assert_eq!(at(24, 16), COLORS[0]);
        assert_eq!(at(48, 16), COLORS[1]);
    }
}
