//! How far f32 skinning may be from f64: a derived bound, not a tuned tolerance.
//!
//! Let `u = 2^-24`, the relative error of one f32 rounding. A value that is a sum of products, in any order, is off by at
//! most `γ(k) Σ |product|` with `γ(k) = k u / (1 - k u)`, where `k` is the largest number of roundings that any one
//! product goes through. For one vertex with `n` influences and `t` active morph targets:
//!
//! | step | roundings of a product |
//! |---|---|
//! | palette slot: 4 products, 3 sums | 4 |
//! | weight: one rounding; its sum is f64, and off by less than another | 2 |
//! | blending: a product, `n - 1` sums | n |
//! | morph: a product, `t` sums | t + 1 |
//! | transforming: a product, 3 sums | 4 |
//! | the reference's own, all of them | 1 |
//!
//! so positions have `k = n + t + 12`, and the products are `|w| |world_from_joint| |inverse_bind| |vertex|`, element
//! by element. Results below 2^-126 round absolutely, by 2^-150, which is counted too.
//!
//! The order makes no difference. A path may multiply a vertex by the inverse bind matrix first, then by the joint's
//! matrix, and blend at the end; it may compute `world * inverse_bind` first; it may fuse products with sums. Each
//! rounds a product no more often. So the bound holds for any path in f32, and two such paths are at most twice the
//! bound apart.
//!
//! Tangents lack the fourth column but are scaled (2 roundings) and normalized. For a vector `v` off by `d`, the unit
//! vector is off by at most `2 |d| / |v|`, and scaling and normalizing themselves add less than `8 u`.
//!
//! A normal is transformed by cofactors, each the difference of two products of two elements. Each element has `n + 8`
//! roundings, so with the product, the difference, and the transform's 3 there are `2 (n + 8) + 5 + t + 1 + 1`. The
//! sign of the determinant is certain only if the determinant exceeds its own error; otherwise there is no bound.
//!
//! A bitangent is a tangent, or, where morph targets move the frame, the cross product of two morphed vectors. Its number
//! of roundings then replaces the tangent's `t + 1` by `2 (t + 1) + 2`. Its side is certain only if
//! `normal × tangent · bitangent` of the mesh exceeds its own error.
//!
//! # Reference
//!
//! N. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition, 2002, §3.1.

mod dual_quaternion;

use glam::{DMat3, DMat4, DVec3, Mat4, Vec3};

use super::SkinningError;
use super::posed::{PosedInstance, PosedSkin, largest_slot, posed_instances};
use super::reference::final_weights;
use crate::pose::ModelPose;
use crate::rig::{Asset, InstanceId, MeshId, MorphTarget, NodeId, SkinningOptions};

/// Bounds on the distance between f32 and f64 skinning, one per vertex. Lists are as long as those of the mesh.
///
/// For directions, they hold where no element of a matrix is subnormal.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshBound {
    /// The index of the instance in the asset.
    pub instance: InstanceId,
    /// In the asset's unit of length; infinite where f32 may overflow.
    pub positions: Vec<f64>,
    /// The bounds of unit normals; 2 where rounding may turn the normal over or the surface is degenerate.
    pub normals: Vec<f64>,
    /// The bounds of unit tangents; 2 where rounding may turn the tangent over.
    pub tangents: Vec<f64>,
    /// The bounds of unit bitangents; 2 where rounding may turn the bitangent over.
    pub bitangents: Vec<f64>,
}

/// The rounding of results below 2^-126.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Underflow {
    /// Results keep fewer bits: IEEE 754's gradual underflow, as on the CPU.
    Gradual,
    /// Results may become 0, and so may operands: OpenGL leaves this to the driver (GLSL 4.60 §4.7.1).
    Flushed,
}

impl Underflow {
    /// Twice the largest error of a result too small for relative rounding, and of such an operand.
    fn error(self) -> f64 {
        match self {
            Self::Gradual => SUBNORMAL,
            Self::Flushed => 4.0 * f64::from(f32::MIN_POSITIVE),
        }
    }
}

/// Half a unit in the last place of 1.
const UNIT: f64 = 0.5 * f32::EPSILON as f64;

/// Twice the largest error of a result too small for relative rounding.
const SUBNORMAL: f64 = 2.0 * 7.006_492_321_624_085e-46;

/// Half of the largest f32. A sum whose magnitudes add up to less cannot overflow in any order.
const OVERFLOW: f64 = 0.5 * f32::MAX as f64;

/// The error that scaling to the largest element and normalizing add to a unit vector.
const NORMALIZING: f64 = 8.0 * UNIT;

/// The distance of opposite unit vectors: a bound that promises nothing.
const NO_PROMISE: f64 = 2.0;

/// The bounds of every mesh instance of `asset`, in order.
///
/// * `pose`, `options` – as for [`deform`](super::deform).
/// * `underflow` – how the path that is checked rounds tiny results.
///
/// # Errors
///
/// Same as [`deform`](super::deform).
pub fn rounding(
    asset: &Asset,
    pose: &ModelPose,
    options: &SkinningOptions,
    underflow: Underflow,
) -> Result<Vec<MeshBound>, SkinningError> {
    let slot = |mesh: MeshId| largest_slot(&asset[mesh]);
    posed_instances(asset, pose, slot)?
        .map(|instance| Ok(of_instance(&instance?, pose, *options, underflow)))
        .collect()
}

fn of_instance(
    instance: &PosedInstance<'_>,
    pose: &ModelPose,
    options: SkinningOptions,
    underflow: Underflow,
) -> MeshBound {
    let mesh = instance.mesh;
    let body = Magnitudes {
        instance,
        slots: slots(instance, pose),
        options,
        underflow,
    };
    let each = |list: &[Vec3], bound: &dyn Fn(usize) -> f64| (0..list.len()).map(bound).collect();
    MeshBound {
        instance: instance.id,
        positions: each(&mesh.positions, &|vertex| body.position(vertex)),
        normals: each(&mesh.normals, &|vertex| body.normal(vertex)),
        tangents: each(&mesh.tangents, &|vertex| body.tangent(vertex)),
        bitangents: each(&mesh.bitangents, &|vertex| body.bitangent(vertex)),
    }
}

/// A matrix, and the sum of the magnitudes of the products that it is computed from.
#[derive(Debug, Clone, Copy)]
struct Product {
    matrix: DMat4,
    magnitude: DMat4,
}

fn slots(instance: &PosedInstance<'_>, pose: &ModelPose) -> Vec<Product> {
    let Some(PosedSkin { skin, .. }) = &instance.skin else {
        return Vec::new();
    };
    let slots = skin.joints.iter().zip(&skin.inverse_bind_matrices);
    let product = |(joint, inverse_bind): (&NodeId, &Mat4)| {
        let world = pose[*joint].as_dmat4();
        let inverse_bind = inverse_bind.as_dmat4();
        Product {
            matrix: world * inverse_bind,
            magnitude: world.abs() * inverse_bind.abs(),
        }
    };
    slots.map(product).collect()
}

/// The inputs for the bounds of one instance.
struct Magnitudes<'a> {
    instance: &'a PosedInstance<'a>,
    slots: Vec<Product>,
    options: SkinningOptions,
    underflow: Underflow,
}

/// The blended matrix of a vertex.
#[derive(Debug)]
struct Blend {
    /// The number of influences.
    count: usize,
    blended: Product,
    /// Magnitudes, not weighted.
    unweighted: DMat4,
    /// `Σ |weight|`.
    weight: f64,
}

impl Blend {
    const NOTHING: Self = Self {
        count: 0,
        blended: Product {
            matrix: DMat4::ZERO,
            magnitude: DMat4::ZERO,
        },
        unweighted: DMat4::ZERO,
        weight: 0.0,
    };

    fn add(&mut self, product: Product, weight: f64) {
        self.count += 1;
        self.blended.matrix += product.matrix * weight;
        self.blended.magnitude += product.magnitude * weight.abs();
        self.unweighted += product.magnitude;
        self.weight += weight.abs();
    }
}

impl Magnitudes<'_> {
    fn blend(&self, vertex: usize) -> Blend {
        let mut blend = Blend::NOTHING;
        if self.instance.skin.is_some() {
            let influences = self.instance.mesh.influences.of(vertex);
            for (slot, weight) in final_weights(influences, self.options) {
                blend.add(self.slots[slot.index()], weight);
            }
        }
        if blend.count == 0 {
            let matrix = self.instance.world_from_node.as_dmat4();
            let magnitude = matrix.abs();
            blend.add(Product { matrix, magnitude }, 1.0);
        }
        blend
    }

    /// The morphed attribute of a vertex, the magnitude of its terms, and how many targets were added.
    fn morphed(
        &self,
        base: Vec3,
        vertex: usize,
        list: impl Fn(&MorphTarget) -> &Vec<Vec3>,
    ) -> (DVec3, DVec3, usize) {
        let base = base.as_dvec3();
        let (mut sum, mut magnitude, mut count) = (base, base.abs(), 0);
        let targets = self.instance.mesh.morph_targets.iter();
        for (target, &weight) in targets.zip(self.instance.morph_weights) {
            if let Some(offset) = list(target).get(vertex).filter(|_| weight != 0.0) {
                let offset = offset.as_dvec3() * f64::from(weight);
                sum += offset;
                magnitude += offset.abs();
                count += 1;
            }
        }
        (sum, magnitude, count)
    }

    fn position(&self, vertex: usize) -> f64 {
        let carried = self.carried(vertex).map(|carried| carried.position);
        carried.unwrap_or_else(|| self.linear_position(vertex))
    }

    fn linear_position(&self, vertex: usize) -> f64 {
        let base = self.instance.mesh.positions[vertex];
        let (_, magnitude, targets) = self.morphed(base, vertex, |target| &target.positions);
        let blend = self.blend(vertex);
        let relative = blend.blended.magnitude.transform_point3(magnitude);
        // k of the table above.
        let rounding = gamma(blend.count + targets + 12) * relative.length();
        let all = blend.blended.magnitude + blend.unweighted;
        // An error below 2^-126 is absolute, so its effect depends on later factors, not on its own size: errors of the
        // morphed vertex and of the matrices are carried through the transform,
        let carried = all.transform_point3(magnitude + DVec3::ONE).length() * count(1 + targets);
        // and those of the blended matrix through the vertex's coordinates.
        let made = (2.0 * blend.weight + count(blend.count + 2)) * (1.0 + magnitude.element_sum());
        if relative.max_element() < OVERFLOW {
            rounding + self.underflow.error() * (carried + 2.0 * made)
        } else {
            f64::INFINITY
        }
    }
}

fn gamma(roundings: usize) -> f64 {
    let product = count(roundings) * UNIT;
    if product < 1.0 {
        product / (1.0 - product)
    } else {
        f64::INFINITY
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of one vertex are far below 2^53"
)]
fn count(count: usize) -> f64 {
    count as f64
}

impl Magnitudes<'_> {
    fn tangent(&self, vertex: usize) -> f64 {
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

    fn normal(&self, vertex: usize) -> f64 {
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

    fn bitangent(&self, vertex: usize) -> f64 {
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
fn unit_error(off: f64, vector: DVec3) -> f64 {
    let error = 2.0 * off / vector.length() + NORMALIZING;
    if error < NO_PROMISE {
        error
    } else {
        NO_PROMISE
    }
}

fn cofactors(m: DMat3) -> DMat3 {
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
