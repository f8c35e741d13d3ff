//! Several views in one image.

use crate::frame::Frame;

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
