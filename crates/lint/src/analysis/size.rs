//! Sizes that ignore stray points.

use glam::Vec3;

use crate::rig::Bounds;

/// One in this many points at either end of an axis may be a stray.
const POSITIONS_PER_STRAY: usize = 200;

/// Among fewer points, none is a stray.
const FEWEST: usize = 20;

/// Strays make the diagonal at least this many times as long. No intended part of a model has so few vertices and
/// extends so far.
const TIMES: f64 = 10.0;

/// The diagonal of the box around finite `positions`, without strays: the outermost positions along an axis, if they make
/// the diagonal ten times as long or more. At most one in a hundred positions along an axis is a stray.
pub(crate) fn diagonal<'a>(positions: impl IntoIterator<Item = &'a Vec3>) -> f64 {
    let positions: Vec<Vec3> = positions
        .into_iter()
        .copied()
        .filter(|position| position.is_finite())
        .collect();
    let whole = Bounds::of_f32(&positions).diagonal();
    if positions.len() < FEWEST || is_spread(&positions) {
        return whole;
    }
    let core = core(&positions).unwrap_or_default();
    let most = core[0].as_dvec3().distance(core[1].as_dvec3());
    if most > 0.0 && whole > TIMES * most {
        most
    } else {
        whole
    }
}

/// Whether strays certainly do not make the diagonal [`TIMES`] as long; cheaper than finding them.
///
/// Along the longest side of the box around finite `positions`, both the first and the last quarter hold more positions
/// than there may be strays. Without the strays, the box still spans half of that side, and the whole diagonal is at most
/// √3 times the side: a ratio of at most 2√3, which is less than [`TIMES`].
fn is_spread(positions: &[Vec3]) -> bool {
    let low = positions.iter().copied().fold(Vec3::INFINITY, Vec3::min);
    let high = positions
        .iter()
        .copied()
        .fold(Vec3::NEG_INFINITY, Vec3::max);
    let size = high - low;
    let axis = size.max_position();
    let (first, last) = (
        low[axis] + 0.25 * size[axis],
        high[axis] - 0.25 * size[axis],
    );
    let [mut below, mut above] = [0; 2];
    for position in positions {
        below += usize::from(position[axis] < first);
        above += usize::from(position[axis] > last);
    }
    // NaN falls into neither quarter, so that too few are counted, and the strays are searched for.
    let strays = strays(positions.len());
    size.is_finite() && below > strays && above > strays
}

/// How many of this many positions may be strays at either end of an axis.
fn strays(positions: usize) -> usize {
    (positions / POSITIONS_PER_STRAY).max(1)
}

/// The corners of the box that holds all `positions` but the strays at either end of each axis; `None` if there are too few
/// or the box is a point.
pub(crate) fn core(positions: &[Vec3]) -> Option<[Vec3; 2]> {
    let mut positions: Vec<Vec3> = positions
        .iter()
        .copied()
        .filter(|position| position.is_finite())
        .collect();
    if positions.len() < FEWEST {
        return None;
    }
    // Selection takes linear time, sorting would not. Each selection reorders the positions, which no other depends on.
    let strays = strays(positions.len());
    let last = positions.len() - 1 - strays;
    let ends = [strays, last].map(|index| {
        Vec3::from([0, 1, 2].map(|axis| {
            let by_axis = |a: &Vec3, b: &Vec3| a[axis].total_cmp(&b[axis]);
            positions.select_nth_unstable_by(index, by_axis).1[axis]
        }))
    });
    (ends[0] != ends[1]).then_some(ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box of 5 by 5 by 5 positions a unit apart, and others.
    fn with(others: &[Vec3]) -> f64 {
        let along = |index: u8| f32::from(index % 5);
        let positions: Vec<Vec3> = (0..125)
            .map(|i| Vec3::new(along(i), along(i / 5), along(i / 25)))
            .chain(others.iter().copied())
            .collect();
        diagonal(&positions)
    }

    #[test]
    fn near_vertices_count_and_strays_do_not() {
        let own = 48_f64.sqrt();
        assert!((with(&[]) - own).abs() < 1e-12);
        let near = with(&[Vec3::X * 60.0]);
        assert!((near - (3600.0_f64 + 32.0).sqrt()).abs() < 1e-9, "{near}");
        for stray in [Vec3::X * 500.0, Vec3::new(-1e6, 1e6, 0.0), Vec3::NAN] {
            assert!((with(&[stray]) - own).abs() < 1e-12, "{stray}");
        }
        assert!(
            with(&[Vec3::X * 500.0, Vec3::X * 501.0]) > 400.0,
            "two are no stray"
        );
    }

    #[test]
    fn few_positions_have_no_strays() {
        assert!((diagonal(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X * 1e6]) - 1e6).abs() < 1.0);
        assert!(diagonal(&[]).abs() < f64::MIN_POSITIVE);
        assert!(diagonal(&[Vec3::ONE; 100]).abs() < f64::MIN_POSITIVE);
    }
}
