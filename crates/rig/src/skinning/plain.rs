//! The plain kernel: one vertex after the other, by the operations of glam. The fast [`kernel`](super::kernel) must
//! match it to the bit.

use glam::{Mat3, Mat4, Vec3};

use super::dual_quaternion::DualQuaternions;
use super::kernel::Skinned;
use super::morph::{self, Vertices};
use super::{Attributes, PreparedMeshes, SkinningError, weights};
use crate::pose::ModelPose;
use crate::rig::{Asset, DeformedMesh, Influence, Influences, SkinningOptions};

/// Everything that the kernel reads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Job<'a> {
    /// In mesh space.
    pub(super) vertices: &'a Vertices<'a>,
    /// One list per vertex, weights ready to use, each slot in `palette`. A vertex with an empty list, or without a
    /// list, follows the node.
    pub(super) influences: &'a Influences,
    /// `world_from_mesh`, one per slot.
    pub(super) palette: &'a [Mat4],
    /// The world matrix of the node that the mesh is attached to.
    pub(super) world_from_node: Mat4,
}

/// Like [`deform`](super::deform), by the plain kernel: what every instruction set must match to the bit.
///
/// Instances that blend dual quaternions have no other kernel.
///
/// # Errors
///
/// Same as [`deform`](super::deform).
pub fn deform_plain(
    asset: &Asset,
    pose: &ModelPose,
    options: &SkinningOptions,
) -> Result<Vec<DeformedMesh>, SkinningError> {
    let prepared = PreparedMeshes::new(asset, *options);
    let posed = prepared.posed(asset, pose)?.map(|posed| {
        let (instance, mesh) = posed?;
        if DualQuaternions::of(&instance, *options).is_some() {
            return Ok(prepared.instance((instance, mesh), Attributes::All, Skinned::default()));
        }
        let influences = match &instance.skin {
            Some(_) => weights::effective(&instance.mesh.influences, *options),
            None => Influences::default(),
        };
        let skinned = skin(&Job {
            vertices: &morph::morph(instance.mesh, instance.morph_weights, Attributes::All),
            influences: &influences,
            palette: instance.skin.as_ref().map_or(&[], |skin| &skin.palette),
            world_from_node: instance.world_from_node,
        });
        Ok(skinned.of(instance.id))
    });
    posed.collect()
}

/// Skins all vertices of `job`.
pub(super) fn skin(job: &Job<'_>) -> Skinned {
    let vertices = job.vertices;
    let matrices = 0..vertices.positions.len();
    let matrices: Vec<Mat4> = matrices
        .map(|vertex| world_from_mesh(job, vertex))
        .collect();
    let each = |attribute: &[Vec3], f: fn(&Mat4, Vec3) -> Vec3| {
        let pairs = matrices.iter().zip(attribute);
        pairs.map(|(matrix, &value)| f(matrix, value)).collect()
    };
    Skinned {
        positions: each(&vertices.positions, Mat4::transform_point3),
        normals: each(&vertices.normals, normal),
        tangents: each(&vertices.tangents, tangent),
        bitangents: each(&vertices.bitangents, tangent),
    }
}

/// The blended matrix of one vertex: `Σ weight * palette[slot]`, in the order of the influences.
fn world_from_mesh(job: &Job<'_>, vertex: usize) -> Mat4 {
    let weighted = |i: &Influence| job.palette[i.slot.index()] * i.weight;
    let weighted = job.influences.of(vertex).iter().map(weighted);
    weighted
        .reduce(|sum, other| sum + other)
        .unwrap_or(job.world_from_node)
}

/// Transforms a tangent or bitangent: by the 3x3 part.
fn tangent(world_from_mesh: &Mat4, tangent: Vec3) -> Vec3 {
    direction(scaled_3x3(world_from_mesh) * tangent)
}

/// Transforms a normal: by the inverse transpose of the 3x3 part.
///
/// The inverse transpose is the cofactor matrix over the determinant. Only the direction counts, so the cofactors
/// suffice, with the sign of the determinant. They exist for singular matrices too: where the matrix flattens space to
/// a plane, they give the plane's normal. On a mirrored surface the normal stays on its side.
fn normal(world_from_mesh: &Mat4, normal: Vec3) -> Vec3 {
    let m = scaled_3x3(world_from_mesh);
    let x = m.y_axis.cross(m.z_axis);
    let cofactors = Mat3::from_cols(x, m.z_axis.cross(m.x_axis), m.x_axis.cross(m.y_axis));
    let across = cofactors * normal;
    direction(if m.x_axis.dot(x) < 0.0 {
        -across
    } else {
        across
    })
}

/// Divides the 3x3 part by its largest element, so that products and squares of a tiny or huge scale do not underflow
/// or overflow.
fn scaled_3x3(matrix: &Mat4) -> Mat3 {
    let part = Mat3::from_mat4(*matrix);
    let largest = part.x_axis.abs().max(part.y_axis.abs());
    part * (1.0 / largest.max(part.z_axis.abs()).max_element())
}

/// The unit vector; zero for a vector without a direction, which is zero or not finite.
fn direction(vector: Vec3) -> Vec3 {
    let scaled = vector / vector.abs().max_element();
    scaled.normalize_or_zero()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaled(x: f32, y: f32, z: f32) -> Mat4 {
        Mat4::from_scale(Vec3::new(x, y, z))
    }

    #[test]
    fn a_slope_gets_steeper_where_space_is_stretched() {
        let slope = Vec3::new(1.0, 1.0, 0.0).normalize();
        let expected = Vec3::new(1.0, 4.0, 0.0).normalize();
        let actual = normal(&scaled(4.0, 1.0, 1.0), slope);
        assert!(actual.abs_diff_eq(expected, 1e-6), "{actual} != {expected}");
    }

    #[test]
    fn a_mirror_flips_no_normal() {
        assert_eq!(normal(&scaled(1.0, 1.0, -1.0), Vec3::X), Vec3::X);
        assert_eq!(normal(&scaled(-1.0, 1.0, 1.0), Vec3::X), Vec3::NEG_X);
        assert_eq!(normal(&scaled(-2.0, -2.0, -2.0), Vec3::X), Vec3::NEG_X);
    }

    #[test]
    fn a_flattened_mesh_has_the_normal_of_the_plane() {
        let slope = Vec3::new(1.0, 0.0, 1.0).normalize();
        assert_eq!(normal(&scaled(1.0, 1.0, 0.0), slope), Vec3::Z);
        assert_eq!(normal(&scaled(1.0, 0.0, 0.0), slope), Vec3::ZERO);
        assert_eq!(normal(&Mat4::ZERO, slope), Vec3::ZERO);
    }

    #[test]
    fn neither_tiny_nor_huge_scales_lose_a_direction() {
        for scale in [1e-35, 1e-12, 1.0, 1e12, 1e35] {
            let matrix = scaled(scale, scale, scale);
            assert_eq!(normal(&matrix, Vec3::Y), Vec3::Y, "{scale}");
            assert_eq!(tangent(&matrix, Vec3::Y), Vec3::Y, "{scale}");
            assert_eq!(
                tangent(&Mat4::IDENTITY, Vec3::Y * scale),
                Vec3::Y,
                "{scale}"
            );
        }
    }

    #[test]
    fn directions_that_are_none_become_zero() {
        for bad in [Vec3::ZERO, Vec3::NAN, Vec3::INFINITY] {
            assert_eq!(normal(&Mat4::IDENTITY, bad), Vec3::ZERO);
            assert_eq!(tangent(&Mat4::IDENTITY, bad), Vec3::ZERO);
        }
    }
}
