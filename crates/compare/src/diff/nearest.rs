//! The nearest of many points: a k-d tree (J. L. Bentley, "Multidimensional Binary Search Trees Used for Associative
//! Searching", 1975).

use glam::DVec3;

use crate::rig::Bounds;

/// Ranges up to this size are searched linearly.
const LEAF: usize = 8;

/// Points ordered by recursive halving.
pub(crate) struct Nearest {
    /// Each point with its index in the original list.
    points: Vec<(DVec3, usize)>,
    /// The axis that splits the range around each middle, or [`COINCIDENT`].
    axes: Vec<u8>,
}

/// All points of a range are at one position, so it is not split.
const COINCIDENT: u8 = 3;

impl Nearest {
    /// The finite ones of `points`.
    pub(crate) fn new(points: impl IntoIterator<Item = DVec3>) -> Self {
        let numbered = points.into_iter().zip(0..);
        let mut points: Vec<(DVec3, usize)> =
            numbered.filter(|(point, _)| point.is_finite()).collect();
        let mut axes = vec![0; points.len()];
        let mut pending = vec![(0, points.len())];
        while let Some((start, end)) = pending.pop() {
            if end - start <= LEAF {
                continue;
            }
            let middle = start.midpoint(end);
            let Some(axis) = widest_axis(&points[start..end]) else {
                axes[middle] = COINCIDENT;
                continue;
            };
            let by_axis = |a: &(DVec3, usize), b: &(DVec3, usize)| a.0[axis].total_cmp(&b.0[axis]);
            points[start..end].select_nth_unstable_by(middle - start, by_axis);
            axes[middle] = u8::try_from(axis).expect("there are three axes");
            pending.extend([(start, middle), (middle + 1, end)]);
        }
        Self { points, axes }
    }

    /// The index of the point nearest to `to` and its distance, if it is within `radius`; `None` without points, or if `to` is not
    /// finite. Where all points are farther, hardly any is visited.
    pub(crate) fn near(&self, to: DVec3, mut radius: f64) -> Option<(usize, f64)> {
        let mut best = None;
        self.search(to, radius, &mut |number, distance| {
            if distance <= radius {
                best = Some((number, distance));
                // Points at the same distance are no nearer: thousands may coincide.
                radius = distance.next_down();
            }
            radius
        });
        best
    }

    /// The indices of the up to `most` nearest points within `radius` of `to`, nearest first.
    pub(crate) fn within(&self, to: DVec3, radius: f64, most: usize) -> Vec<usize> {
        let mut found: Vec<(f64, usize)> = Vec::new();
        self.search(to, radius, &mut |number, distance| {
            if distance <= radius {
                let rank = found.partition_point(|(other, _)| *other <= distance);
                found.insert(rank, (distance, number));
                found.truncate(most);
            }
            match found.last() {
                Some((farthest, _)) if found.len() == most => farthest.next_down(),
                _ => radius,
            }
        });
        found.into_iter().map(|(_, number)| number).collect()
    }

    /// Calls `visit` with the index and distance of each point that may be within a radius, which `visit` returns and may
    /// shrink.
    fn search(&self, to: DVec3, mut radius: f64, visit: &mut dyn FnMut(usize, f64) -> f64) {
        if !to.is_finite() {
            return;
        }
        // A stack of ranges, each with the least distance that its points can have.
        let mut pending = vec![(0, self.points.len(), 0.0)];
        while let Some((start, end, least)) = pending.pop() {
            if least > radius {
                continue;
            }
            if end - start <= LEAF {
                for &(point, number) in &self.points[start..end] {
                    radius = visit(number, (point - to).length());
                }
                continue;
            }
            let middle = start.midpoint(end);
            let (point, number) = self.points[middle];
            let distance = (point - to).length();
            radius = visit(number, distance);
            if self.axes[middle] == COINCIDENT {
                let others = (start..middle).chain(middle + 1..end);
                for other in others {
                    if distance > radius {
                        break;
                    }
                    radius = visit(self.points[other].1, distance);
                }
                continue;
            }
            let axis = usize::from(self.axes[middle]);
            let ahead = to[axis] - point[axis];
            let (before, after) = ((start, middle), (middle + 1, end));
            let (far, near) = if ahead < 0.0 {
                (after, before)
            } else {
                (before, after)
            };
            pending.push((far.0, far.1, least.max(ahead.abs())));
            pending.push((near.0, near.1, least));
        }
    }
}

/// `None` if all points coincide.
fn widest_axis(points: &[(DVec3, usize)]) -> Option<usize> {
    let bounds = Bounds::of(points.iter().map(|(point, _)| *point));
    let width = (bounds.high - bounds.low).to_array();
    let widest = (0..3).fold(0, |widest, axis| {
        if width[axis] > width[widest] {
            axis
        } else {
            widest
        }
    });
    (width[widest] > 0.0).then_some(widest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestError, TestRunner};

    use super::*;

    type Find = fn(&Nearest, DVec3) -> Option<f64>;

    /// A brute-force check: no point is nearer than the one found.
    fn the_found_point_is_the_nearest(find: Find) -> Result<(), TestError<Vec<[i8; 3]>>> {
        let config = Config {
            failure_persistence: None,
            cases: 64,
            ..Config::default()
        };
        let mut runner =
            TestRunner::new_with_rng(config.clone(), TestRunner::deterministic().rng().clone());
        let clouds = prop::collection::vec([-9..9_i8, -9..9_i8, -2..2_i8], 1..200);
        runner.run(&clouds, |cloud| {
            let point = |position: &[i8; 3]| DVec3::from_array(position.map(f64::from)) * 0.37;
            let points: Vec<DVec3> = cloud.iter().map(point).collect();
            let tree = Nearest::new(points.iter().copied());
            for from in points.iter().map(|point| *point * 1.3 + DVec3::splat(0.1)) {
                let distances = points.iter().map(|point| (*point - from).length());
                let expected = distances.fold(f64::INFINITY, f64::min);
                let found = find(&tree, from).expect("there are points");
                prop_assert!((found - expected).abs() < 1e-12, "{found} != {expected}");
            }
            Ok(())
        })
    }

    #[test]
    fn the_nearest_point_is_found() {
        let result =
            the_found_point_is_the_nearest(|tree, to| Some(tree.near(to, f64::INFINITY)?.1));
        result.unwrap_or_else(|error| panic!("{error}"));
    }

    #[test]
    fn a_search_of_the_near_half_alone_is_caught() {
        let near_half: Find = |tree, to| {
            let (mut start, mut end) = (0, tree.points.len());
            while end - start > LEAF {
                let middle = start.midpoint(end);
                let axis = usize::from(tree.axes[middle]);
                if to[axis] < tree.points[middle].0[axis] {
                    end = middle;
                } else {
                    start = middle;
                }
            }
            let near = tree.points[start..end].iter();
            near.map(|(point, _)| (*point - to).length())
                .min_by(f64::total_cmp)
        };
        assert!(the_found_point_is_the_nearest(near_half).is_err());
    }

    #[test]
    fn all_points_within_a_radius_are_found_up_to_a_number() {
        let tree = Nearest::new((0..100).map(|x| DVec3::X * f64::from(x)));
        let mut found = tree.within(DVec3::X * 50.0, 2.0, 10);
        assert_eq!(found.first(), Some(&50));
        found.sort_unstable();
        assert_eq!(found, [48, 49, 50, 51, 52]);
        let mut found = tree.within(DVec3::X * 50.0, 20.0, 7);
        found.sort_unstable();
        assert_eq!(found, [47, 48, 49, 50, 51, 52, 53]);
        assert!(
            Nearest::new([DVec3::NAN])
                .near(DVec3::ZERO, f64::INFINITY)
                .is_none()
        );
    }

    #[test]
    fn where_no_point_is_within_a_radius_few_are_visited() {
        let tree = Nearest::new((0..10_000).map(|x| DVec3::X * f64::from(x)));
        let from = DVec3::new(5000.0, 300.0, 0.0);
        let mut visited = 0;
        tree.search(from, 200.0, &mut |_, _| {
            visited += 1;
            200.0
        });
        assert!(visited < 1000, "{visited}");
        assert_eq!(tree.near(from, 299.0), None);
        assert_eq!(tree.near(from, 300.0), Some((5000, 300.0)));
    }

    #[test]
    fn of_many_coincident_points_few_are_visited() {
        let tree = Nearest::new((0..10_000).map(|_| DVec3::ONE));
        let visited = |most: usize, from: DVec3| {
            let mut visited = 0;
            let mut best = f64::INFINITY;
            tree.search(from, f64::INFINITY, &mut |_, distance| {
                visited += 1;
                best = best.min(distance);
                if visited < most {
                    f64::INFINITY
                } else {
                    best.next_down()
                }
            });
            visited
        };
        assert_eq!(tree.near(DVec3::ZERO, 1.0), None);
        for from in [DVec3::ONE, DVec3::ZERO] {
            assert!(visited(1, from) < 100, "{}", visited(1, from));
        }
        assert_eq!(visited(1, DVec3::NAN), 0);
        assert_eq!(tree.within(DVec3::ONE, 1.0, 32).len(), 32);
    }
}
