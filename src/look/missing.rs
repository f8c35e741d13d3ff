//! The texture in place of an image that cannot be read.

use std::sync::LazyLock;

use crate::rig::{Bitmap, Image, ImageData};

/// Squares along each side: few enough to be seen on an atlas of small parts, many enough to be seen on a whole body.
const SQUARES: u32 = 16;

const SIDE: u32 = 128;

/// sRGB: magenta, which is nobody's skin, beside a grey that shows the light.
const COLORS: [[u8; 4]; 2] = [[214, 40, 190, 255], [66, 66, 72, 255]];

static BITMAP: LazyLock<Bitmap> = LazyLock::new(|| {
    let square = SIDE / SQUARES;
    let texels = (0..SIDE * SIDE).map(|texel| (texel % SIDE / square + texel / SIDE / square) % 2);
    Bitmap {
        width: SIDE,
        height: SIDE,
        rgba: texels.flat_map(|color| COLORS[color as usize]).collect(),
    }
});

/// The checker.
#[must_use]
pub fn bitmap() -> &'static Bitmap {
    &BITMAP
}

/// The texels to draw for `image`: its own, or the checker if it is missing. `None` for an image that was not asked
/// for.
#[must_use]
pub fn drawn(image: &Image) -> Option<&Bitmap> {
    match &image.data {
        ImageData::Bitmap(bitmap) => Some(bitmap),
        ImageData::Missing(_) => Some(bitmap()),
        ImageData::File(_) | ImageData::Encoded(_) | ImageData::NotFound(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_alternate_along_rows_and_columns() {
        let bitmap = bitmap();
        let at = |x: u32, y: u32| &bitmap.rgba[4 * (y * SIDE + x) as usize..][..4];
        assert_eq!(at(0, 0), COLORS[0]);
        assert_eq!(at(8, 0), COLORS[1]);
        assert_eq!(at(0, 8), COLORS[1]);
        assert_eq!(at(8, 8), COLORS[0]);
    }
}
