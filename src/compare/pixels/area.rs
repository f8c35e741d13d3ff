//! Rectangles of pixels.

/// A rectangle of pixels.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Area {
    left: i32,
    top: i32,
    /// One past the last column.
    right: i32,
    /// One past the last row.
    bottom: i32,
}

impl Area {
    pub(super) fn new(left: usize, top: usize, right: usize, bottom: usize) -> Self {
        let side = |side: usize| i32::try_from(side).unwrap_or(i32::MAX);
        Self {
            left: side(left),
            top: side(top),
            right: side(right),
            bottom: side(bottom),
        }
    }

    pub(super) fn meets(&self, [left, top, right, bottom]: &[i32; 4]) -> bool {
        *left < self.right && *top < self.bottom && *right > self.left && *bottom > self.top
    }

    /// Calls `act` for each pixel that is also in `bounds`, with its index in this area and its column and row.
    #[inline]
    #[expect(clippy::cast_sign_loss, reason = "the pixel is in the area")]
    pub(super) fn each(
        &self,
        [left, top, right, bottom]: &[i32; 4],
        mut act: impl FnMut(usize, i32, i32),
    ) {
        for y in self.top.max(*top)..self.bottom.min(*bottom) {
            let row = (y - self.top) as usize * (self.right - self.left) as usize;
            for x in self.left.max(*left)..self.right.min(*right) {
                act(row + (x - self.left) as usize, x, y);
            }
        }
    }

    #[expect(clippy::cast_sign_loss, reason = "an area is not inverted")]
    pub(super) fn len(&self) -> usize {
        (self.right - self.left) as usize * (self.bottom - self.top) as usize
    }
}
