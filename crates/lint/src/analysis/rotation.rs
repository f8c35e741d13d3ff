//! The rotation that brings one set of vectors closest to another.

use std::array;

use glam::{DMat3, DQuat, DVec4};

/// The rotation `q` that maximizes the sum of `to · (q from)`, by Davenport's q-method: the eigenvector of the largest
/// eigenvalue of a symmetric 4×4 matrix, which is that sum. The eigenvalue is found by power iteration of the matrix,
/// shifted so that no other is larger in size. It starts close to no rotation, so that of several equal ones, as of points
/// on a line, the smallest is found.
///
/// * `products` – the sum of `to fromᵀ`.
/// * `largest` – at least the sum of the products of their lengths.
pub(crate) fn closest(products: &DMat3, largest: f64) -> DQuat {
    /// More than enough for an angle to within a degree.
    const STEPS: usize = 200;
    let columns = products.to_cols_array_2d();
    let b = |row: usize, column: usize| columns[column][row];
    let trace = b(0, 0) + b(1, 1) + b(2, 2);
    let skew = [b(2, 1) - b(1, 2), b(0, 2) - b(2, 0), b(1, 0) - b(0, 1)];
    let element = |row: usize, column: usize| match (row, column) {
        (3, 3) => trace,
        (3, other) | (other, 3) => skew[other],
        _ if row == column => 2.0 * b(row, row) - trace,
        _ => b(row, column) + b(column, row),
    };
    let matrix: [[f64; 4]; 4] = array::from_fn(|row| array::from_fn(|column| element(row, column)));
    let mut q = DVec4::new(0.001, 0.002, 0.003, 1.0);
    let times = |q: DVec4| DVec4::from_array(matrix.map(|row| DVec4::from_array(row).dot(q)));
    for _ in 0..STEPS {
        q = (times(q) + q * largest).normalize_or_zero();
    }
    DQuat::from_vec4(q)
}

/// The sum of `to · (q from)`.
///
/// * `products` – the sum of `to fromᵀ`.
pub(crate) fn agreement(products: &DMat3, q: DQuat) -> f64 {
    let rotation = DMat3::from_quat(q);
    (0..3)
        .map(|axis| products.col(axis).dot(rotation.col(axis)))
        .sum()
}
