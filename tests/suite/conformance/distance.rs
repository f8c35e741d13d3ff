//! The distance of a pose from its truth.

use skincheck::pose::ModelPose;
use skincheck::rig::{Asset, DeformedMesh};

use super::truth::{Sample, directions};

/// The worst deviations, relative to the diagonal of the pose.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Deviation {
    /// Of the skinned points: nearest neighbours in both directions, and extents in 26 directions.
    pub(super) points: f64,
    /// Of the joints' positions, and of their axes relative to the largest of them.
    pub(super) joints: f64,
    /// The number of the truth's joints that the model has by name, and of all its joints.
    pub(super) found: (usize, usize),
}

impl Deviation {
    pub(super) fn worst(self) -> f64 {
        self.points.max(self.joints)
    }

    pub(super) fn max(self, other: Self) -> Self {
        Self {
            points: worse(self.points, other.points),
            joints: worse(self.joints, other.joints),
            found: self.found.max(other.found),
        }
    }
}

pub(super) fn compare(
    asset: &Asset,
    pose: &ModelPose,
    meshes: &[DeformedMesh],
    sample: &Sample,
) -> Deviation {
    let diagonal = sample.diagonal.filter(|diagonal| *diagonal > 0.0);
    let diagonal = diagonal
        .unwrap_or_else(|| spread(&sample.node_positions.values().copied().collect::<Vec<_>>()));
    let points: Vec<[f64; 3]> = meshes
        .iter()
        .flat_map(|mesh| &mesh.positions)
        .map(|p| p.as_dvec3().to_array())
        .collect();
    let nearest = if sample.positions.is_empty() {
        0.0
    } else {
        between_sets(&points, &sample.positions)
    };
    let points = nearest.max(support(&points, sample));
    let found = sample.node_positions.keys();
    let found = found.filter(|name| asset.skeleton.find(name).is_some());
    Deviation {
        points: points / diagonal,
        joints: joints(asset, pose, sample, diagonal),
        found: (found.count(), sample.node_positions.len()),
    }
}

/// How much the extent of the points differs from the expected one, in the worst of 26 directions.
fn support(points: &[[f64; 3]], sample: &Sample) -> f64 {
    let reach = |direction: [f64; 3]| {
        let along = |point: &[f64; 3]| (0..3).map(|axis| point[axis] * direction[axis]).sum();
        points.iter().map(along).fold(f64::NEG_INFINITY, f64::max)
    };
    let pairs = directions().zip(&sample.support26);
    pairs
        .map(|(direction, expected)| (reach(direction) - expected).abs())
        .fold(0.0, f64::max)
}

/// By name; of several joints with one name, the first.
fn joints(asset: &Asset, pose: &ModelPose, sample: &Sample, diagonal: f64) -> f64 {
    let world = |name: &str| {
        let joint = asset.skeleton.find(name)?;
        Some(pose[joint].as_dmat4().to_cols_array())
    };
    let mut worst = 0.0_f64;
    for (name, position) in &sample.node_positions {
        let Some(world) = world(name) else { continue };
        for axis in 0..3 {
            worst = worse(worst, (world[12 + axis] - position[axis]).abs() / diagonal);
        }
        let Some(expected) = sample.nodes.get(name) else {
            continue;
        };
        let scale = expected[..12]
            .iter()
            .fold(1e-12_f64, |scale, part| scale.max(part.abs()));
        for part in [0, 1, 2, 4, 5, 6, 8, 9, 10] {
            worst = worse(worst, (world[part] - expected[part]).abs() / scale);
        }
    }
    worst
}

/// The larger number. NaN counts as infinite, where `f64::max` would skip it.
pub(super) fn worse(worst: f64, deviation: f64) -> f64 {
    if deviation.is_nan() {
        f64::INFINITY
    } else {
        worst.max(deviation)
    }
}

/// The largest distance from a point of either set to the nearest of the other (Hausdorff).
pub(super) fn between_sets(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    farthest(a, b).max(farthest(b, a))
}

/// The points are sorted along x, so the search for the nearest walks outwards until x alone is farther away. Plain loops:
/// this package is not optimized, and iterators take ten times as long.
fn farthest(from: &[[f64; 3]], to: &[[f64; 3]]) -> f64 {
    let mut sorted = to.to_vec();
    sorted.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut farthest = 0.0_f64;
    for point in from {
        let middle = sorted.partition_point(|other| other[0] < point[0]);
        let (left, right) = sorted.split_at(middle);
        let mut best = f64::INFINITY;
        for other in left.iter().rev() {
            if !comes_nearer(point, other, &mut best) {
                break;
            }
        }
        for other in right {
            if !comes_nearer(point, other, &mut best) {
                break;
            }
        }
        farthest = farthest.max(best);
    }
    farthest.sqrt()
}

/// Whether a point as far along x as `other` can be nearer than the `best` squared distance, which `other` may improve.
fn comes_nearer(point: &[f64; 3], other: &[f64; 3], best: &mut f64) -> bool {
    let [x, y, z] = [
        other[0] - point[0],
        other[1] - point[1],
        other[2] - point[2],
    ];
    let along = x * x;
    if along >= *best {
        return false;
    }
    let squared = along + y * y + z * z;
    if squared < *best {
        *best = squared;
    }
    true
}

/// The diagonal of the positions' bounding box, or 1 where that is 0.
fn spread(positions: &[[f64; 3]]) -> f64 {
    let extent = |axis: usize| {
        let low = positions
            .iter()
            .map(|position| position[axis])
            .fold(f64::INFINITY, f64::min);
        let high = positions
            .iter()
            .map(|position| position[axis])
            .fold(f64::NEG_INFINITY, f64::max);
        high - low
    };
    let diagonal = (0..3)
        .map(|axis| extent(axis) * extent(axis))
        .sum::<f64>()
        .sqrt();
    if diagonal.is_finite() && diagonal > 0.0 {
        diagonal
    } else {
        1.0
    }
}
