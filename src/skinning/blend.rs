//! The kernel: blends the palette's matrices for each vertex and transforms it.
//!
//! Inputs in, outputs out: nothing here knows of assets. Each vertex is computed alone and in one fixed order of
//! operations, so the chunks that threads work on make no difference to the bits.

use std::ops::Range;

use glam::{Mat3, Mat4, Vec3};
use rayon::prelude::*;

use super::morph::Vertices;
use crate::rig::{Influence, Influences};

/// Everything that the kernel reads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Job<'a> {
    /// In mesh space.
    pub(super) vertices: &'a Vertices<'a>,
    /// One list a vertex, weights ready to use, each slot in `palette`. A vertex with an empty list, or with none,
    /// follows the node.
    pub(super) influences: &'a Influences,
    /// `world_from_mesh`, one a slot.
    pub(super) palette: &'a [Mat4],
    /// Of the node that the mesh hangs on.
    pub(super) world_from_node: Mat4,
}

/// Skinned attributes in world space, each as long as the job's.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Skinned {
    pub(super) positions: Vec<Vec3>,
    pub(super) normals: Vec<Vec3>,
    pub(super) tangents: Vec<Vec3>,
    pub(super) bitangents: Vec<Vec3>,
}

/// Vertices a thread takes at a time; smaller meshes are not worth a second thread.
pub(super) const CHUNK: usize = 4096;

/// Skins all vertices of `job`.
pub(super) fn skin(job: &Job<'_>) -> Skinned {
    let count = job.vertices.positions.len();
    if count <= CHUNK {
        return skin_range(job, 0..count);
    }
    let ranges = (0..count.div_ceil(CHUNK)).into_par_iter();
    let chunk = |index: usize| index * CHUNK..count.min((index + 1) * CHUNK);
    let chunks: Vec<Skinned> = ranges.map(|index| skin_range(job, chunk(index))).collect();
    concatenate(chunks)
}

fn concatenate(chunks: Vec<Skinned>) -> Skinned {
    let mut chunks = chunks.into_iter();
    let mut all = chunks.next().unwrap_or_default();
    for chunk in chunks {
        all.positions.extend(chunk.positions);
        all.normals.extend(chunk.normals);
        all.tangents.extend(chunk.tangents);
        all.bitangents.extend(chunk.bitangents);
    }
    all
}

fn skin_range(job: &Job<'_>, range: Range<usize>) -> Skinned {
    let vertices = job.vertices;
    if vertices.normals.is_empty() && vertices.tangents.is_empty() && vertices.bitangents.is_empty()
    {
        let places = range.clone().zip(&vertices.positions[range]);
        return Skinned {
            positions: places
                .map(|(vertex, place)| position(job, vertex, *place))
                .collect(),
            ..Skinned::default()
        };
    }
    let matrices: Vec<Mat4> = range.clone().map(|v| world_from_mesh(job, v)).collect();
    let each = |attribute: &[Vec3], f: fn(&Mat4, Vec3) -> Vec3| {
        let attribute = attribute.get(range.clone()).unwrap_or_default();
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

/// Where `vertex`, at `place` in its mesh, is.
#[inline]
pub(super) fn position(job: &Job<'_>, vertex: usize, place: Vec3) -> Vec3 {
    let influences = job.influences.of(vertex);
    position_by(job.palette, &job.world_from_node, influences, place)
}

/// Where a vertex that `influences` move is. A weight of 1 changes no bit of the matrix, which is not copied then.
#[expect(clippy::float_cmp, reason = "only 1 itself changes nothing")]
#[inline]
pub(super) fn position_by(
    palette: &[Mat4],
    world_from_node: &Mat4,
    influences: &[Influence],
    place: Vec3,
) -> Vec3 {
    match influences {
        [] => world_from_node.transform_point3(place),
        [only] if only.weight == 1.0 => palette[only.slot as usize].transform_point3(place),
        [first, others @ ..] => blended(palette, first, others).transform_point3(place),
    }
}

/// The blended matrix of one vertex.
#[inline]
fn world_from_mesh(job: &Job<'_>, vertex: usize) -> Mat4 {
    match job.influences.of(vertex) {
        [] => job.world_from_node,
        [first, others @ ..] => blended(job.palette, first, others),
    }
}

/// `Σ weight * palette[slot]`, in the order of the influences.
#[inline]
fn blended(palette: &[Mat4], first: &Influence, others: &[Influence]) -> Mat4 {
    // A loop: `reduce` is not inlined, and takes a third of the time.
    let weighted = |i: &Influence| palette[i.slot as usize] * i.weight;
    let mut blended = weighted(first);
    for influence in others {
        blended += weighted(influence);
    }
    blended
}

/// A direction along the surface: by the 3x3 part.
#[inline]
fn tangent(world_from_mesh: &Mat4, tangent: Vec3) -> Vec3 {
    direction(scaled_3x3(world_from_mesh) * tangent)
}

/// A direction across the surface: by the inverse transpose of the 3x3 part.
///
/// That is the cofactor matrix over the determinant. Only the direction counts, so the cofactors alone do, with the sign
/// of the determinant; they exist for a matrix without an inverse too (where it flattens space to a plane, they give the
/// plane's normal). A mirrored surface keeps the side that the normal was on.
#[inline]
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

/// The 3x3 part over its largest element, so that neither products nor squares of a tiny or huge scale are lost.
#[inline]
fn scaled_3x3(matrix: &Mat4) -> Mat3 {
    let part = Mat3::from_mat4(*matrix);
    let largest = part.x_axis.abs().max(part.y_axis.abs());
    part * (1.0 / largest.max(part.z_axis.abs()).max_element())
}

/// Unit length; zero for what has no direction: zero and what is not finite.
#[inline]
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
    fn a_mirror_turns_no_normal_inside_out() {
        assert_eq!(normal(&scaled(1.0, 1.0, -1.0), Vec3::X), Vec3::X);
        assert_eq!(normal(&scaled(-1.0, 1.0, 1.0), Vec3::X), Vec3::NEG_X);
        assert_eq!(normal(&scaled(-2.0, -2.0, -2.0), Vec3::X), Vec3::NEG_X);
    }

    #[test]
    fn what_is_flattened_has_the_normal_of_the_plane() {
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

    /// A large mesh whose vertices all differ.
    fn large(count: u16) -> (Vertices<'static>, Influences) {
        let at = |vertex: u16| Vec3::new(f32::from(vertex), 1.0, 1.0 / (1.0 + f32::from(vertex)));
        let positions: Vec<Vec3> = (0..count).map(at).collect();
        let weights = (0..count).map(|vertex| {
            let weight = f32::from(vertex) / f32::from(count);
            [(0, weight), (1, 1.0 - weight)].map(|(slot, weight)| Influence { slot, weight })
        });
        let vertices = Vertices {
            positions: positions.clone().into(),
            normals: positions.into(),
            tangents: Vec::new().into(),
            bitangents: Vec::new().into(),
        };
        (vertices, Influences::from_vertices(weights))
    }

    #[test]
    fn chunks_and_threads_do_not_change_a_bit() {
        let (vertices, influences) = large(10_000);
        let job = Job {
            vertices: &vertices,
            influences: &influences,
            palette: &[scaled(0.3, 0.7, 1.1), scaled(1.7, 0.9, 0.1)],
            world_from_node: Mat4::IDENTITY,
        };
        let alone = skin_range(&job, 0..10_000);
        assert_eq!(alone.positions.len(), 10_000);
        assert!(alone.tangents.is_empty());
        for threads in [1, 4] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            assert_eq!(pool.install(|| skin(&job)), alone);
        }
    }
}
