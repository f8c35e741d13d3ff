//! Clips lines in clip space, before the division.

use glam::DVec4;

/// How far outside the image marks are clipped, in half images: enough for any thickness.
const GUARD: f64 = 64.0;

/// The half spaces of the clip volume: `plane · clip >= 0`. Near, far, and the guard.
const VOLUME: [DVec4; 6] = [
    DVec4::new(0.0, 0.0, 1.0, 1.0),
    DVec4::new(0.0, 0.0, -1.0, 1.0),
    DVec4::new(1.0, 0.0, 0.0, GUARD),
    DVec4::new(-1.0, 0.0, 0.0, GUARD),
    DVec4::new(0.0, 1.0, 0.0, GUARD),
    DVec4::new(0.0, -1.0, 0.0, GUARD),
];

/// Whether `point` is in the volume.
pub(super) fn contains(point: DVec4) -> bool {
    VOLUME.iter().all(|plane| plane.dot(point) >= 0.0)
}

/// The part of the line from `a` to `b` that is in the volume.
pub(super) fn cut_line(a: DVec4, b: DVec4) -> Option<[DVec4; 2]> {
    cut(VOLUME, a, b)
}

/// The part of the line from `a` to `b` that is inside the guard and at most `nearer` times the depth of the view volume in
/// front of the near plane. There is no far limit.
pub(super) fn cut_nearer(a: DVec4, b: DVec4, nearer: f64) -> Option<[DVec4; 2]> {
    let [_, _, sides @ ..] = VOLUME;
    let [left, right, top, bottom] = sides;
    cut(
        [DVec4::new(0.0, 0.0, 1.0, nearer), left, right, top, bottom],
        a,
        b,
    )
}

fn cut<const N: usize>(planes: [DVec4; N], a: DVec4, b: DVec4) -> Option<[DVec4; 2]> {
    let (mut start, mut end) = (0.0_f64, 1.0_f64);
    for plane in planes {
        let (from, to) = (plane.dot(a), plane.dot(b));
        match (from >= 0.0, to >= 0.0) {
            (true, true) => {}
            (true, false) => end = end.min(from / (from - to)),
            (false, true) => start = start.max(from / (from - to)),
            (false, false) => return None,
        }
    }
    let at = |t: f64| a + (b - a) * t;
    (start <= end).then(|| [at(start), at(end)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_where_it_leaves_and_lost_where_it_never_enters() {
        let (a, b) = (
            DVec4::new(0.0, 0.0, 0.0, 1.0),
            DVec4::new(0.0, 0.0, 2.0, 1.0),
        );
        let [start, end] = cut_line(a, b).expect("it starts inside");
        assert_eq!((start, end), (a, DVec4::new(0.0, 0.0, 1.0, 1.0)));
        assert_eq!(cut_line(b, b), None);
        assert!(contains(a) && !contains(b));
    }
}
