//! The kernel for positions alone, for processors with AVX2: a register holds two columns of a matrix.
//!
//! The same products and sums in the same order as for every processor, none of them contracted, and so the same bits.

use std::arch::x86_64::{
    __m128, __m256, _mm_add_ps, _mm_mul_ps, _mm_set1_ps, _mm_storeu_ps, _mm256_add_ps,
    _mm256_castps256_ps128, _mm256_extractf128_ps, _mm256_mul_ps, _mm256_set1_ps, _mm256_setr_ps,
};

use glam::{Mat4, Vec3};

use super::blend::Job;
use crate::rig::Influence;

/// The positions of `vertices`.
#[target_feature(enable = "avx2")]
pub(super) fn places(job: &Job<'_>, vertices: &[u32]) -> Vec<Vec3> {
    let positions = &*job.vertices.positions;
    let mut places = Vec::with_capacity(vertices.len());
    for vertex in vertices {
        let vertex = *vertex as usize;
        let matrix = world_from_mesh(job, job.influences.of(vertex));
        places.push(transformed(matrix, positions[vertex]));
    }
    places
}

/// The columns of a matrix, two by two.
type Columns = [__m256; 2];

/// As `world_from_mesh` in [`blend`](super::blend).
#[expect(clippy::float_cmp, reason = "only 1 itself changes nothing")]
#[target_feature(enable = "avx2")]
#[inline]
fn world_from_mesh(job: &Job<'_>, influences: &[Influence]) -> Columns {
    let [first, others @ ..] = influences else {
        return columns(&job.world_from_node);
    };
    let [mut xy, mut zw] = columns(&job.palette[first.slot as usize]);
    if others.is_empty() && first.weight == 1.0 {
        return [xy, zw];
    }
    let weight = _mm256_set1_ps(first.weight);
    (xy, zw) = (_mm256_mul_ps(xy, weight), _mm256_mul_ps(zw, weight));
    for influence in others {
        let weight = _mm256_set1_ps(influence.weight);
        let [more_xy, more_zw] = columns(&job.palette[influence.slot as usize]);
        xy = _mm256_add_ps(xy, _mm256_mul_ps(more_xy, weight));
        zw = _mm256_add_ps(zw, _mm256_mul_ps(more_zw, weight));
    }
    [xy, zw]
}

#[target_feature(enable = "avx2")]
#[inline]
fn columns(matrix: &Mat4) -> Columns {
    let (x, y, z, w) = (matrix.x_axis, matrix.y_axis, matrix.z_axis, matrix.w_axis);
    [
        _mm256_setr_ps(x.x, x.y, x.z, x.w, y.x, y.y, y.z, y.w),
        _mm256_setr_ps(z.x, z.y, z.z, z.w, w.x, w.y, w.z, w.w),
    ]
}

/// As [`Mat4::transform_point3`].
#[target_feature(enable = "avx2")]
#[inline]
fn transformed([xy, zw]: Columns, place: Vec3) -> Vec3 {
    let (x, y) = (_mm256_castps256_ps128(xy), _mm256_extractf128_ps::<1>(xy));
    let (z, w) = (_mm256_castps256_ps128(zw), _mm256_extractf128_ps::<1>(zw));
    let sum = _mm_mul_ps(x, _mm_set1_ps(place.x));
    let sum = _mm_add_ps(_mm_mul_ps(y, _mm_set1_ps(place.y)), sum);
    let sum = _mm_add_ps(_mm_mul_ps(z, _mm_set1_ps(place.z)), sum);
    let [x, y, z, _] = lanes(_mm_add_ps(w, sum));
    Vec3::new(x, y, z)
}

#[expect(unsafe_code, reason = "there is no safe way out of a register")]
#[target_feature(enable = "avx2")]
#[inline]
fn lanes(register: __m128) -> [f32; 4] {
    let mut lanes = [0.0; 4];
    // SAFETY: writes the four lanes, at any alignment.
    unsafe { _mm_storeu_ps(lanes.as_mut_ptr(), register) };
    lanes
}
