//! How far rounding may rotate a direction.

use glam::{DMat3, DVec3};

use super::{Magnitudes, NO_PROMISE, NORMALIZING, Product, gamma};

impl Magnitudes<'_> {
    pub(super) fn tangent(&self, vertex: usize) -> f64 {
        let base = self.instance.mesh.tangents[vertex];
        let (tangent, magnitude, targets) = self.morphed(base, vertex, |t| &t.tangents);
        if let Some(carried) = self.carried(vertex) {
            return carried.along((tangent, magnitude), targets);
        }
        let blend = self.blend(vertex);
        let (matrix, size) = parts(blend.blended);
        let off = gamma(blend.count + targets + 13) * (size * magnitude).length();
        unit_error(off, matrix * tangent)
    }

    pub(super) fn normal(&self, vertex: usize) -> f64 {
        let base = self.instance.mesh.normals[vertex];
        let (normal, magnitude, targets) = self.morphed(base, vertex, |t| &t.normals);
        if let Some(carried) = self.carried(vertex) {
            return carried.across((normal, magnitude), targets);
        }
        let blend = self.blend(vertex);
        let (matrix, size) = parts(blend.blended);
        let gamma = gamma(2 * (blend.count + 8) + targets + 7);
        // The determinant with every sign positive: the sum of the magnitudes of its products, to which its error is
        // proportional. A determinant below that error may have either sign.
        let permanent = size.x_axis.dot(permanents(size).x_axis);
        if matrix.determinant().abs() <= 2.0 * gamma * permanent {
            return NO_PROMISE;
        }
        let off = gamma * (permanents(size) * magnitude).length();
        unit_error(off, cofactors(matrix) * normal)
    }

    pub(super) fn bitangent(&self, vertex: usize) -> f64 {
        let Some((bitangent, magnitude, targets)) = self.morphed_bitangent(vertex) else {
            return NO_PROMISE;
        };
        if let Some(carried) = self.carried(vertex) {
            return carried.along((bitangent, magnitude), 2 * targets + 4);
        }
        let blend = self.blend(vertex);
        let (matrix, size) = parts(blend.blended);
        let off = gamma(blend.count + 2 * targets + 16) * (size * magnitude).length();
        unit_error(off, matrix * bitangent)
    }

    /// As `morphed`, for the bitangent, which targets rotate with normal and tangent. `None` where its side is
    /// uncertain.
    fn morphed_bitangent(&self, vertex: usize) -> Option<(DVec3, DVec3, usize)> {
        let mesh = self.instance.mesh;
        let bitangent = mesh.bitangents[vertex].as_dvec3();
        let whole = [mesh.normals.len(), mesh.tangents.len()] == [mesh.bitangents.len(); 2];
        if !whole || !self.frames_move() {
            return Some((bitangent, bitangent.abs(), 0));
        }
        let (n, t) = (mesh.normals[vertex], mesh.tangents[vertex]);
        let side = n.as_dvec3().cross(t.as_dvec3()).dot(bitangent);
        let largest = permanent(n.abs().as_dvec3(), t.abs().as_dvec3()).dot(bitangent.abs());
        // Six roundings: two products and their difference, a product, and two sums.
        if side.abs() <= 2.0 * gamma(6) * largest {
            return None;
        }
        let (normal, normal_size, more) = self.morphed(n, vertex, |target| &target.normals);
        let (tangent, tangent_size, most) = self.morphed(t, vertex, |target| &target.tangents);
        let anew = normal.cross(tangent);
        Some((anew, permanent(normal_size, tangent_size), more.max(most)))
    }

    /// Whether an active target moves normals or tangents.
    fn frames_move(&self) -> bool {
        let targets = self.instance.mesh.morph_targets.iter();
        let mut active = targets.zip(self.instance.morph_weights);
        active.any(|(target, weight)| {
            *weight != 0.0 && !(target.normals.is_empty() && target.tangents.is_empty())
        })
    }
}

/// The 3x3 parts of the matrix and of its magnitudes.
fn parts(product: Product) -> (DMat3, DMat3) {
    let part = DMat3::from_mat4;
    (part(product.matrix), part(product.magnitude))
}

/// The largest distance between the unit vectors of `vector` and of any vector up to `off` away from it.
pub(super) fn unit_error(off: f64, vector: DVec3) -> f64 {
    let error = 2.0 * off / vector.length() + NORMALIZING;
    if error < NO_PROMISE {
        error
    } else {
        NO_PROMISE
    }
}

pub(super) fn cofactors(m: DMat3) -> DMat3 {
    let x = m.y_axis.cross(m.z_axis);
    DMat3::from_cols(x, m.z_axis.cross(m.x_axis), m.x_axis.cross(m.y_axis))
}

/// Cofactors with every sign positive, of a matrix of magnitudes.
fn permanents(m: DMat3) -> DMat3 {
    let (x, y, z) = (m.x_axis, m.y_axis, m.z_axis);
    DMat3::from_cols(permanent(y, z), permanent(z, x), permanent(x, y))
}

/// The cross product with every sign positive.
fn permanent(a: DVec3, b: DVec3) -> DVec3 {
    DVec3::new(
        a.y * b.z + a.z * b.y,
        a.z * b.x + a.x * b.z,
        a.x * b.y + a.y * b.x,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_vector_is_off_by_the_rounding_of_its_length_at_least() {
        assert!(unit_error(0.0, DVec3::X) > 0.0);
        assert!(unit_error(1e-3, DVec3::X * 2.0) > 1e-3);
    }

    #[test]
    fn a_permanent_is_a_cross_product_with_positive_signs() {
        let (a, b) = (DVec3::new(2.0, 3.0, 5.0), DVec3::new(7.0, 11.0, 13.0));
        let expected = DVec3::new(3.0 * 13.0 + 5.0 * 11.0, 35.0 + 26.0, 22.0 + 21.0);
        assert!(permanent(a, b) == expected);
    }
}
