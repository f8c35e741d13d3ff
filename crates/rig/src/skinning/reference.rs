//! Skinning in f64, one vertex at a time, by the textbook formulas.
//!
//! Shares the checks and conventions of [`deform`](super::deform), and none of its arithmetic: each influence moves the
//! vertex on its own and the positions are blended, weights are divided at the end, and normals are transformed by an
//! inverse.
//!
//! Shares no arithmetic with [`dual_quaternion`](super): rotations are found as eigenvectors, and each motion
//! is a rotation and a translation that move the vertex to the position its joint gives it.

use glam::{DMat3, DMat4, DQuat, DVec3};

use super::SkinningError;
use super::dual_quaternion::FLAT;
use super::posed::{PosedInstance, largest_slot, posed_instances};
use super::weights::CANCELLED;
use crate::pose::ModelPose;
use crate::rig::{
    Asset, Influence, InstanceId, Mesh, MeshId, MorphTarget, NodeId, Skin, SkinSlot,
    SkinningOptions, WeightPolicy,
};

/// Like [`DeformedMesh`](crate::rig::DeformedMesh), in f64.
#[derive(Debug, Clone, PartialEq)]
pub struct DeformedMeshF64 {
    /// The index of the instance in the asset.
    pub instance: InstanceId,
    /// World space.
    pub positions: Vec<DVec3>,
    /// Unit length, or zero where the surface is degenerate.
    pub normals: Vec<DVec3>,
    /// Unit length, or zero.
    pub tangents: Vec<DVec3>,
    /// Unit length, or zero.
    pub bitangents: Vec<DVec3>,
}

/// Skins every mesh instance of `asset` in f64, in order, with the meaning of [`deform`](super::deform).
///
/// * `pose` – of the skeleton of `asset`, in world space; its f32 matrices are taken as exact.
///
/// # Errors
///
/// Same as [`deform`](super::deform).
pub fn deform(
    asset: &Asset,
    pose: &ModelPose,
    options: &SkinningOptions,
) -> Result<Vec<DeformedMeshF64>, SkinningError> {
    let slot = |mesh: MeshId| largest_slot(&asset[mesh]);
    posed_instances(asset, pose, slot)?
        .map(|instance| Ok(deform_instance(&instance?, pose, *options)))
        .collect()
}

fn deform_instance(
    instance: &PosedInstance<'_>,
    pose: &ModelPose,
    options: SkinningOptions,
) -> DeformedMeshF64 {
    let body = Body {
        mesh: instance.mesh,
        palette: instance
            .skin
            .as_ref()
            .map(|posed| palette(posed.skin, pose)),
        world_from_node: instance.world_from_node.as_dmat4(),
        morph_weights: instance.morph_weights,
        options,
    };
    let vertices = 0..body.mesh.positions.len();
    let across = |(normal, at): (DVec3, usize)| normal_by(&body.world_from_mesh(at), normal);
    let along = |(tangent, at): (DVec3, usize)| unit(body.world_from_mesh(at) * tangent);
    DeformedMeshF64 {
        instance: instance.id,
        positions: vertices.map(|vertex| body.position(vertex)).collect(),
        normals: body.normals().zip(0..).map(across).collect(),
        tangents: body.tangents().zip(0..).map(along).collect(),
        bitangents: body.bitangents().zip(0..).map(along).collect(),
    }
}

fn palette(skin: &Skin, pose: &ModelPose) -> Vec<DMat4> {
    let world = |joint: NodeId| pose[joint].as_dmat4();
    let slots = skin.joints.iter().zip(&skin.inverse_bind_matrices);
    let matrices = slots.map(|(joint, inverse_bind)| world(*joint) * inverse_bind.as_dmat4());
    matrices.collect()
}

/// One instance in one pose.
struct Body<'a> {
    mesh: &'a Mesh,
    /// `None` without a skin.
    palette: Option<Vec<DMat4>>,
    world_from_node: DMat4,
    morph_weights: &'a [f32],
    options: SkinningOptions,
}

impl Body<'_> {
    fn position(&self, vertex: usize) -> DVec3 {
        self.moved(vertex).0
    }

    /// The transform of directions at a vertex.
    fn world_from_mesh(&self, vertex: usize) -> DMat3 {
        self.moved(vertex).1
    }

    fn moved(&self, vertex: usize) -> (DVec3, DMat3) {
        let base = self.mesh.positions[vertex].as_dvec3();
        let morphed = base + self.offset(vertex, |target| &target.positions);
        let share = match self.palette {
            Some(_) => self.mesh.dual_quaternion_share(vertex, self.options.method),
            None => 0.0,
        };
        blended(self.weighted(vertex), morphed, share.into())
    }

    /// The matrices of the influences of a vertex, and their weights.
    fn weighted(&self, vertex: usize) -> Vec<(DMat4, f64)> {
        let keeps_to_node = vec![(self.world_from_node, 1.0)];
        let Some(palette) = &self.palette else {
            return keeps_to_node;
        };
        let weights = final_weights(self.mesh.influences.of(vertex), self.options);
        if weights.is_empty() {
            return keeps_to_node;
        }
        let matrix = |joint: SkinSlot| palette[joint.index()];
        let weighted = weights.into_iter();
        weighted
            .map(|(slot, weight)| (matrix(slot), weight))
            .collect()
    }

    fn offset(&self, vertex: usize, list: impl Fn(&MorphTarget) -> &Vec<glam::Vec3>) -> DVec3 {
        let mut sum = DVec3::ZERO;
        for (target, &weight) in self.mesh.morph_targets.iter().zip(self.morph_weights) {
            match list(target).get(vertex) {
                Some(offset) if weight != 0.0 => sum += offset.as_dvec3() * f64::from(weight),
                _ => {}
            }
        }
        sum
    }

    fn normals(&self) -> impl Iterator<Item = DVec3> {
        let base = self.mesh.normals.iter().enumerate();
        base.map(|(vertex, n)| n.as_dvec3() + self.offset(vertex, |target| &target.normals))
    }

    fn tangents(&self) -> impl Iterator<Item = DVec3> {
        let base = self.mesh.tangents.iter().enumerate();
        base.map(|(vertex, t)| t.as_dvec3() + self.offset(vertex, |target| &target.tangents))
    }

    fn bitangents(&self) -> Box<dyn Iterator<Item = DVec3> + '_> {
        let mesh = self.mesh;
        let base = mesh.bitangents.iter().map(|b| b.as_dvec3());
        let lists = [mesh.normals.len(), mesh.tangents.len()];
        if !self.frames_move() || lists != [mesh.bitangents.len(); 2] {
            return Box::new(base);
        }
        let frames = self.normals().zip(self.tangents());
        let before = mesh.normals.iter().zip(&mesh.tangents);
        let sides = before.map(|(n, t)| n.as_dvec3().cross(t.as_dvec3()));
        let all = frames.zip(sides).zip(base);
        Box::new(all.map(|(((n, t), side), b)| {
            let anew = n.cross(t);
            if side.dot(b) < 0.0 { -anew } else { anew }
        }))
    }

    /// Whether an active target moves normals or tangents.
    fn frames_move(&self) -> bool {
        let mut targets = self.mesh.morph_targets.iter().zip(self.morph_weights);
        targets.any(|(target, &weight)| {
            weight != 0.0 && !(target.normals.is_empty() && target.tangents.is_empty())
        })
    }
}

/// The position of a vertex at `point`, and the transform of directions there.
///
/// * `weighted` – matrices and weights.
/// * `share` – of dual quaternion skinning: 0 to 1.
#[doc(hidden)]
#[must_use]
pub fn blended(weighted: Vec<(DMat4, f64)>, point: DVec3, share: f64) -> (DVec3, DMat3) {
    let (mut position, mut linear) = (DVec3::ZERO, DMat3::ZERO);
    for (matrix, weight) in &weighted {
        // Transforms by each influence, then blends: another order than that of the paths under test.
        position += matrix.transform_point3(point) * *weight;
        linear += DMat3::from_mat4(*matrix) * *weight;
    }
    if share == 0.0 || weighted.is_empty() {
        return (position, linear);
    }
    match blend_dual_quaternions(&largest_first(weighted), point) {
        Some((rigid, rigid_linear)) => (
            position.lerp(rigid, share),
            linear * (1.0 - share) + rigid_linear * share,
        ),
        None => (position, linear),
    }
}

/// Puts the matrix with the largest weight first; of equal weights, the earlier one.
pub(super) fn largest_first(mut weighted: Vec<(DMat4, f64)>) -> Vec<(DMat4, f64)> {
    weighted.sort_by(|a, b| b.1.total_cmp(&a.1));
    weighted
}

/// Slots and weights of a vertex; empty if it has none.
pub(super) fn final_weights(
    influences: &[Influence],
    options: SkinningOptions,
) -> Vec<(SkinSlot, f64)> {
    let mut weights: Vec<(SkinSlot, f64)> = Vec::new();
    for influence in influences {
        weights.push((influence.slot, f64::from(influence.weight)));
    }
    let total = |weights: &[(SkinSlot, f64)]| weights.iter().map(|w| w.1).sum::<f64>();
    let magnitude = |weights: &[(SkinSlot, f64)]| weights.iter().map(|w| w.1.abs()).sum::<f64>();
    let of_file = total(&weights);
    let weightless = weights.iter().all(|w| w.1 == 0.0);
    let cut = drop_smallest(&mut weights, options);
    let kept = total(&weights);
    // Deliberately computed again: the weights of the other paths are compared with these.
    let cancelled = !(kept.is_finite() && kept.abs() > CANCELLED * magnitude(&weights));
    let divisor = match options.weights {
        WeightPolicy::Normalize if cancelled => return Vec::new(),
        WeightPolicy::Normalize => kept,
        WeightPolicy::AsIs if weightless => return Vec::new(),
        WeightPolicy::AsIs if cut && !cancelled => kept / of_file,
        WeightPolicy::AsIs => 1.0,
    };
    weights.iter().map(|w| (w.0, w.1 / divisor)).collect()
}

/// Keeps the largest influences up to the limit, of equal ones the earlier. Returns whether there were more.
fn drop_smallest(weights: &mut Vec<(SkinSlot, f64)>, options: SkinningOptions) -> bool {
    let limit = options
        .max_influences
        .map_or(usize::MAX, |n| n.get() as usize);
    let cut = weights.len() > limit;
    if cut {
        weights.sort_by(|a, b| b.1.total_cmp(&a.1));
        weights.truncate(limit);
    }
    cut
}

/// By the inverse transpose; where there is no inverse, by the normal of the plane that the surface is flattened to.
fn normal_by(world_from_mesh: &DMat3, normal: DVec3) -> DVec3 {
    let inverse = world_from_mesh.inverse();
    if inverse.is_finite() {
        return unit(inverse.transpose() * normal);
    }
    // The normal of the transforms of two directions on the surface.
    let (along, other) = unit(normal).any_orthonormal_pair();
    unit((*world_from_mesh * along).cross(*world_from_mesh * other))
}

/// The unit vector; zero for a vector without a direction.
fn unit(vector: DVec3) -> DVec3 {
    vector.normalize_or_zero()
}

/// The position of a vertex at `point`, and the transform of directions there. `None` where negative weights cancel the
/// rotations.
///
/// * `weighted` – matrices and weights, the largest weight first.
pub(super) fn blend_dual_quaternions(
    weighted: &[(DMat4, f64)],
    point: DVec3,
) -> Option<(DVec3, DMat3)> {
    let first = dual_quaternion_rotation(DMat3::from_mat4(weighted[0].0));
    let (mut real, mut dual) = (DQuat::from_array([0.0; 4]), DQuat::from_array([0.0; 4]));
    let mut stretch = DMat3::ZERO;
    for (matrix, weight) in weighted {
        let linear = DMat3::from_mat4(*matrix);
        let mut rotation = dual_quaternion_rotation(linear);
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
pub(super) fn dual_quaternion_rotation(linear: DMat3) -> DQuat {
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
