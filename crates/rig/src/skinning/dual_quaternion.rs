//! Dual quaternion skinning in f32.
//!
//! Each joint moves a vertex `p` to `y = M p` and rotates its surroundings by the rotation `r` of `M`. These rigid
//! motions are blended: with the vertex as the origin, the dual quaternion of the motion has the real part `r` and the
//! dual part `½ y r`. The blended one, `Σ w r` and `Σ w ½ y r`, carries the vertex to
//!
//! ```text
//! vector part of (Σ w y r) conj(Σ w r) / |Σ w r|²
//! ```
//!
//! `r` and `-r` are the same rotation. Each is taken with the sign that is nearer to the rotation of the joint with the
//! largest weight, so the blend follows the shorter arc and does not depend on the order of influences.
//!
//! The part of `M` that is not a rotation (scale and shear, `S = Rᵀ M`) moves the vertex through `y`, and is blended
//! linearly for directions on the surface. With the vertex as the origin, the result does not depend on the space that
//! the mesh was modelled in. Without scale this is the algorithm of the paper; with scale, it is Blender's *Preserve
//! Volume*.
//!
//! # Reference
//!
//! L. Kavan, S. Collins, J. Žára, C. O'Sullivan, "Geometric Skinning with Approximate Dual Quaternion Blending", ACM
//! Transactions on Graphics 27 (4), 2008: §4.1 blending, §4.2 its invariance, §4.4 scale and shear apart. Blender, change
//! 108134: the deformed vertex as the pivot of scale.

use glam::{DMat3, DQuat, Mat3, Mat4, Vec3};
use rayon::prelude::*;

use super::kernel::{Skinned, transformed_normal, unit};
use super::morph::Vertices;
use super::posed::PosedInstance;
use super::weights::of_vertex;
use crate::rig::{Influence, Mesh, SkinningOptions};

/// An instance in a pose with vertices that are skinned by dual quaternions.
#[derive(Debug)]
pub(super) struct DualQuaternions<'a> {
    mesh: &'a Mesh,
    options: SkinningOptions,
    slots: Vec<Slot>,
    world_from_node: Mat4,
}

/// A slot of the palette, decomposed.
#[derive(Debug, Clone, Copy)]
struct Slot {
    matrix: Mat4,
    rotation: Quaternion,
    /// Scale and shear, which the matrix applies before it rotates.
    stretch: Mat3,
}

/// A quaternion of any length. glam multiplies quaternions in an order that depends on the processor.
#[derive(Debug, Clone, Copy)]
struct Quaternion {
    vector: Vec3,
    scalar: f32,
}

/// The position that a vertex is skinned to, and the transform of directions there.
#[derive(Debug, Clone, Copy)]
struct Moved {
    position: Vec3,
    linear: Mat3,
}

impl<'a> DualQuaternions<'a> {
    /// `None` if all vertices are skinned linearly.
    pub(super) fn of(instance: &PosedInstance<'a>, options: SkinningOptions) -> Option<Self> {
        let skin = instance.skin.as_ref()?;
        let mesh = instance.mesh;
        mesh.has_dual_quaternions(options.method).then(|| Self {
            mesh,
            options,
            slots: skin.palette.iter().map(Slot::of).collect(),
            world_from_node: instance.world_from_node,
        })
    }

    /// Skins `which` of `vertices`.
    pub(super) fn skin(&self, vertices: &Vertices<'_>, which: &[u32]) -> Skinned {
        let moved = |vertex: &u32| {
            let vertex = *vertex as usize;
            self.moved(vertex, vertices.positions[vertex])
        };
        let moved: Vec<Moved> = which.par_iter().map(moved).collect();
        let directions = |source: &[Vec3], transform: fn(Mat3, Vec3) -> Vec3| {
            let is_whole = source.len() == vertices.positions.len();
            let pairs = which.iter().zip(&moved).filter(|_| is_whole);
            let directions =
                pairs.map(|(vertex, moved)| transform(moved.linear, source[*vertex as usize]));
            directions.collect()
        };
        let along = |linear: Mat3, direction| unit(linear * direction);
        Skinned {
            positions: moved.iter().map(|moved| moved.position).collect(),
            normals: directions(&vertices.normals, transformed_normal),
            tangents: directions(&vertices.tangents, along),
            bitangents: directions(&vertices.bitangents, along),
        }
    }

    fn moved(&self, vertex: usize, point: Vec3) -> Moved {
        let influences = self.mesh.influences.of(vertex);
        let influences: Vec<Influence> = of_vertex(influences, self.options).collect();
        if influences.is_empty() {
            return Moved::by(&self.world_from_node, point);
        }
        let method = self.options.method;
        let share = self.mesh.dual_quaternion_share(vertex, method);
        let linear = self.linear(&influences, point);
        match self.rigid(&influences, point) {
            Some(rigid) if share < 1.0 => Moved {
                position: linear.position * (1.0 - share) + rigid.position * share,
                linear: linear.linear * (1.0 - share) + rigid.linear * share,
            },
            Some(rigid) => rigid,
            None => linear,
        }
    }

    fn linear(&self, influences: &[Influence], point: Vec3) -> Moved {
        let mut sum = Moved {
            position: Vec3::ZERO,
            linear: Mat3::ZERO,
        };
        for influence in influences {
            let slot = Moved::by(&self.slots[influence.slot.index()].matrix, point);
            sum.position += slot.position * influence.weight;
            sum.linear += slot.linear * influence.weight;
        }
        sum
    }

    /// `None` where negative weights cancel the rotations.
    fn rigid(&self, influences: &[Influence], point: Vec3) -> Option<Moved> {
        let towards = self.slots[largest(influences).slot.index()].rotation;
        let (mut real, mut carried) = (Quaternion::ZERO, Quaternion::ZERO);
        let mut stretch = Mat3::ZERO;
        for influence in influences {
            let slot = &self.slots[influence.slot.index()];
            let image = Moved::by(&slot.matrix, point).position;
            let is_far = slot.rotation.dot(towards) < 0.0;
            let signed = if is_far {
                -influence.weight
            } else {
                influence.weight
            };
            real.add(slot.rotation, signed);
            carried.add(slot.rotation.times_vector(image), signed);
            stretch += slot.stretch * influence.weight;
        }
        let square = real.dot(real);
        (square > f32::MIN_POSITIVE).then(|| Moved {
            position: carried.vector_of_product_with_conjugate(real) / square,
            linear: real.to_matrix(square) * stretch,
        })
    }
}

/// The influence with the largest weight, the first of equal ones.
fn largest(influences: &[Influence]) -> Influence {
    let larger = |a: Influence, b: Influence| if b.weight > a.weight { b } else { a };
    let influences = influences.iter().copied();
    influences.reduce(larger).expect("the vertex has a weight")
}

impl Moved {
    fn by(matrix: &Mat4, point: Vec3) -> Self {
        let [x, y, z, w] = [matrix.x_axis, matrix.y_axis, matrix.z_axis, matrix.w_axis];
        let [x, y, z, w] = [x.truncate(), y.truncate(), z.truncate(), w.truncate()];
        Self {
            position: w + (z * point.z + (y * point.y + x * point.x)),
            linear: Mat3::from_cols(x, y, z),
        }
    }
}

impl Slot {
    /// Splits a matrix in f64, so that only the result is rounded.
    fn of(matrix: &Mat4) -> Self {
        let linear = DMat3::from_mat4(matrix.as_dmat4());
        let rotation = rotation_of(linear);
        let stretch = DMat3::from_quat(rotation).transpose() * linear;
        let rotation = rotation.as_quat();
        Self {
            matrix: *matrix,
            rotation: Quaternion {
                vector: Vec3::new(rotation.x, rotation.y, rotation.z),
                scalar: rotation.w,
            },
            stretch: stretch.as_mat3(),
        }
    }
}

/// A matrix with a smaller determinant, relative to its largest element, counts as flat: its rotation would be rounding
/// noise.
pub(super) const FLAT: f64 = 1e-5;

/// Newton's iteration doubles the number of correct digits each time, but takes some twenty steps to start converging
/// for nearly flat matrices.
const MOST_ROUNDS: usize = 64;

/// The rotation of a palette's slot, as x, y, z and w.
#[doc(hidden)]
#[must_use]
pub fn rotation_of_slot(matrix: &Mat4) -> [f32; 4] {
    let rotation = Slot::of(matrix).rotation;
    rotation.vector.extend(rotation.scalar).to_array()
}

/// The rotation nearest to a matrix: the orthogonal factor of its polar decomposition. For a mirroring matrix, that of
/// its negative; for a flat one, the identity.
///
/// # Reference
///
/// N. Higham, "Computing the Polar Decomposition – with Applications", SIAM Journal on Scientific and Statistical
/// Computing 7 (4), 1986: Newton's iteration.
fn rotation_of(linear: DMat3) -> DQuat {
    let size = linear
        .to_cols_array()
        .into_iter()
        .map(f64::abs)
        .fold(0.0, f64::max);
    let mut rotation = linear * (1.0 / size);
    let determinant = rotation.determinant();
    if determinant.is_nan() || determinant.abs() < FLAT {
        return DQuat::IDENTITY;
    }
    rotation *= determinant.signum();
    for _ in 0..MOST_ROUNDS {
        let next = (rotation + rotation.inverse().transpose()) * 0.5;
        let is_settled = next.abs_diff_eq(rotation, 1e-15);
        rotation = next;
        if is_settled {
            break;
        }
    }
    DQuat::from_mat3(&rotation).normalize()
}

impl Quaternion {
    const ZERO: Self = Self {
        vector: Vec3::ZERO,
        scalar: 0.0,
    };

    fn dot(self, other: Self) -> f32 {
        self.vector.dot(other.vector) + self.scalar * other.scalar
    }

    fn add(&mut self, other: Self, weight: f32) {
        self.vector += other.vector * weight;
        self.scalar += other.scalar * weight;
    }

    /// The vector as a quaternion, times this one.
    fn times_vector(self, vector: Vec3) -> Self {
        Self {
            vector: vector * self.scalar + vector.cross(self.vector),
            scalar: -vector.dot(self.vector),
        }
    }

    fn vector_of_product_with_conjugate(self, other: Self) -> Vec3 {
        self.vector * other.scalar - other.vector * self.scalar - self.vector.cross(other.vector)
    }

    /// The rotation matrix.
    ///
    /// * `square` – the square of its length.
    fn to_matrix(self, square: f32) -> Mat3 {
        let twice = 2.0 / square;
        let column = |axis: Vec3| {
            let across = self.vector.cross(axis);
            axis + (across * self.scalar + self.vector.cross(across)) * twice
        };
        Mat3::from_cols(column(Vec3::X), column(Vec3::Y), column(Vec3::Z))
    }
}

#[cfg(test)]
mod tests;
