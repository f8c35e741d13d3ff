//! Shuffles that the compiler does not generate by itself. They lay matrices out by element in a third of the time of
//! single loads and stores, and change no number.

use std::arch::x86_64::{
    __m256, _mm_storeu_ps, _mm256_castps256_ps128, _mm256_extractf128_ps, _mm256_setr_ps,
    _mm256_shuffle_ps, _mm256_unpackhi_ps, _mm256_unpacklo_ps,
};

use super::layout::{Columns, Matrices};

/// Transposes `blended` to one list per element, four matrices at a time.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn transpose(blended: &Matrices, columns: &mut Columns) {
    let [x, y, z, w] = columns;
    for (index, matrices) in blended.as_chunks().0.iter().enumerate() {
        for (first, pair) in [(0, [&mut *x, &mut *y]), (8, [&mut *z, &mut *w])] {
            for (column, rows) in pair.into_iter().zip(rows(matrices, first)) {
                for (lanes, row) in column.iter_mut().zip(rows) {
                    lanes.as_chunks_mut().0[index] = row;
                }
            }
        }
    }
}

/// The first three rows of two columns of four matrices, which fill four registers.
///
/// * `first` – the index of the first column's first element.
#[target_feature(enable = "avx2")]
#[inline]
fn rows([a, b, c, d]: &[[f32; 16]; 4], first: usize) -> [[[f32; 4]; 3]; 2] {
    let (a, b) = (columns(a, first), columns(b, first));
    let (c, d) = (columns(c, first), columns(d, first));
    // Interleaves rows 0 and 1 of two matrices, and rows 2 and 3.
    let (ab, ab_last) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
    let (cd, cd_last) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
    // Each pair makes one row of all four matrices: of one column in the lower half, of the next in the upper half.
    let rows = [
        _mm256_shuffle_ps::<0b01_00_01_00>(ab, cd),
        _mm256_shuffle_ps::<0b11_10_11_10>(ab, cd),
        _mm256_shuffle_ps::<0b01_00_01_00>(ab_last, cd_last),
    ];
    // Written out because `map` is not inlined into code for some processors only.
    let ((a0, b0), (a1, b1)) = (halves(rows[0]), halves(rows[1]));
    let (a2, b2) = halves(rows[2]);
    [[a0, a1, a2], [b0, b1, b2]]
}

#[target_feature(enable = "avx2")]
#[inline]
fn columns(matrix: &[f32; 16], first: usize) -> __m256 {
    let m = &matrix[first..first + 8];
    _mm256_setr_ps(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7])
}

#[expect(unsafe_code, reason = "there is no safe way out of a register")]
#[target_feature(enable = "avx2")]
#[inline]
fn halves(register: __m256) -> ([f32; 4], [f32; 4]) {
    let (mut low, mut high) = ([0.0; 4], [0.0; 4]);
    // SAFETY: writes four lanes, at any alignment.
    unsafe { _mm_storeu_ps(low.as_mut_ptr(), _mm256_castps256_ps128(register)) };
    // SAFETY: writes four lanes, at any alignment.
    unsafe { _mm_storeu_ps(high.as_mut_ptr(), _mm256_extractf128_ps::<1>(register)) };
    (low, high)
}
