//! Dual quaternion skinning in f64, with plain dual quaternions.
//!
//! Shares no arithmetic with [`dual_quaternion`](crate::skinning): rotations are found as eigenvectors, and each motion
//! is a rotation and a translation that move the vertex to the position its joint gives it.

use glam::{DMat3, DMat4, DQuat, DVec3};

use crate::skinning::dual_quaternion::FLAT;

/// The position of a vertex at `point`, and the transform of directions there. `None` where negative weights cancel the
/// rotations.
///
/// * `weighted` – matrices and weights, the largest weight first.
pub(in crate::skinning) fn blend(
    weighted: &[(DMat4, f64)],
    point: DVec3,
) -> Option<(DVec3, DMat3)> {
    let first = rotation(DMat3::from_mat4(weighted[0].0));
    let (mut real, mut dual) = (DQuat::from_array([0.0; 4]), DQuat::from_array([0.0; 4]));
    let mut stretch = DMat3::ZERO;
    for (matrix, weight) in weighted {
        let linear = DMat3::from_mat4(*matrix);
        let mut rotation = rotation(linear);
        if rotation.dot(first) < 0.0 {
            rotation = -rotation;
        }
        let moved = matrix.transform_point3(point) - rotation * point;
        let half = DQuat::from_xyzw(0.5 * moved.x, 0.5 * moved.y, 0.5 * moved.z, 0.0);
        real += rotation * *weight;
        dual += raw_product(half, rotation) * *weight;
        stretch += DMat3::from_quat(rotation).transpose() * linear * *weight;
    }
    let length = real.length();
    if length * length <= f64::from(f32::MIN_POSITIVE) {
        return None;
    }
    let (real, dual) = (real * (1.0 / length), dual * (1.0 / length));
    let translation = raw_product(dual, real.conjugate()) * 2.0;
    let translation = DVec3::new(translation.x, translation.y, translation.z);
    Some((real * point + translation, DMat3::from_quat(real) * stretch))
}

/// Hamilton's product, of quaternions of any length.
fn raw_product(a: DQuat, b: DQuat) -> DQuat {
    let (u, v) = (a.xyz(), b.xyz());
    let vector = v * a.w + u * b.w + u.cross(v);
    DQuat::from_xyzw(vector.x, vector.y, vector.z, a.w * b.w - u.dot(v))
}

/// The rotation nearest to a matrix, as the eigenvector with the largest eigenvalue of a symmetric matrix of its
/// elements. For a mirroring matrix, the rotation nearest to its negative; for a flat one, the identity.
///
/// # Reference
///
/// B. Horn, "Closed-form solution of absolute orientation using unit quaternions", Journal of the Optical Society of America
/// A 4 (4), 1987, §4.
pub(in crate::skinning) fn rotation(linear: DMat3) -> DQuat {
    let size = linear
        .to_cols_array()
        .into_iter()
        .map(f64::abs)
        .fold(0.0, f64::max);
    let unit = linear * (1.0 / size);
    let determinant = unit.determinant();
    if determinant.is_nan() || determinant.abs() < FLAT {
        return DQuat::IDENTITY;
    }
    let elements = (unit * determinant.signum()).to_cols_array_2d();
    let at = |row: usize, column: usize| elements[row][column];
    let (xx, yy, zz) = (at(0, 0), at(1, 1), at(2, 2));
    let (yz, zx, xy) = (
        at(1, 2) - at(2, 1),
        at(2, 0) - at(0, 2),
        at(0, 1) - at(1, 0),
    );
    let (sum_yz, sum_zx, sum_xy) = (
        at(1, 2) + at(2, 1),
        at(2, 0) + at(0, 2),
        at(0, 1) + at(1, 0),
    );
    let vector = largest_eigenvector([
        [xx + yy + zz, yz, zx, xy],
        [yz, xx - yy - zz, sum_xy, sum_zx],
        [zx, sum_xy, yy - xx - zz, sum_yz],
        [xy, sum_zx, sum_yz, zz - xx - yy],
    ]);
    DQuat::from_xyzw(vector[1], vector[2], vector[3], vector[0]).normalize()
}

type Matrix = [[f64; 4]; 4];

/// By Jacobi rotations, each of which zeroes one pair of elements off the diagonal.
fn largest_eigenvector(mut matrix: Matrix) -> [f64; 4] {
    let mut vectors: Matrix = [[0.0; 4]; 4];
    for (index, row) in vectors.iter_mut().enumerate() {
        row[index] = 1.0;
    }
    // Convergence is quadratic: a 4×4 matrix takes five or six sweeps.
    for _ in 0..16 {
        for p in 0..3 {
            for q in p + 1..4 {
                annihilate(&mut matrix, &mut vectors, p, q);
            }
        }
    }
    let value = |index: &usize| matrix[*index][*index];
    let largest = (0..4).max_by(|a, b| value(a).total_cmp(&value(b)));
    let column = largest.expect("there are four");
    vectors.map(|row| row[column])
}

fn annihilate(matrix: &mut Matrix, vectors: &mut Matrix, p: usize, q: usize) {
    let off = matrix[p][q];
    if off == 0.0 {
        return;
    }
    let theta = (matrix[q][q] - matrix[p][p]) / (2.0 * off);
    let tangent = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    let rotate = |row: &mut [f64; 4]| {
        let (a, b) = (row[p], row[q]);
        (row[p], row[q]) = (cosine * a - sine * b, sine * a + cosine * b);
    };
    matrix.iter_mut().for_each(rotate);
    vectors.iter_mut().for_each(rotate);
    let [first, second] = [matrix[p], matrix[q]];
    for (column, (a, b)) in first.into_iter().zip(second).enumerate() {
        matrix[p][column] = cosine * a - sine * b;
        matrix[q][column] = sine * a + cosine * b;
    }
}
