//! The kernel: blends the palette's matrices for each vertex and transforms it.
//!
//! A block of vertices goes through four steps, each a loop that fills registers of any width:
//!
//! 1. Blend the matrices of the palette, the sixteen elements of a matrix side by side. To blend first and transform once
//!    takes fewer products than to transform once an influence.
//! 2. Lay the matrices out by element instead of by vertex.
//! 3. Transform the positions of all vertices side by side,
//! 4. and their directions. The roots and quotients of unit normals would take most of the time one by one.
//!
//! Each vertex is computed alone, by one fixed order of products and sums that are never contracted. So neither the
//! width of registers nor the chunks that threads work on make a difference to the bits: the instruction sets below
//! are one text, compiled for each.

#![expect(
    clippy::inline_always,
    reason = "what is compiled for several instruction sets must not be compiled apart from them"
)]

use std::mem::MaybeUninit;
use std::ops::Range;

use glam::{Mat4, Vec3};
use rayon::prelude::*;

use super::morph::Vertices;
use super::packed::{BLOCK, Block, CHUNK, Packed};
use crate::rig::Influence;

/// Everything that the kernel reads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Job<'a> {
    /// In mesh space.
    pub(super) vertices: &'a Vertices<'a>,
    /// Which of them are skinned, in which order; all in theirs, if `None`.
    pub(super) which: Option<&'a [u32]>,
    /// Of those that are skinned, each slot in `palette`; all follow the node, if `None`.
    pub(super) influences: Option<&'a Packed>,
    /// `world_from_mesh`, one a slot.
    pub(super) palette: &'a [Mat4],
    /// Of the node that the mesh hangs on: what moves a vertex without influences.
    pub(super) world_from_node: Mat4,
}

/// Skinned attributes in world space. As long as what is skinned, or empty where the mesh has none.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Skinned {
    pub(super) positions: Vec<Vec3>,
    pub(super) normals: Vec<Vec3>,
    pub(super) tangents: Vec<Vec3>,
    pub(super) bitangents: Vec<Vec3>,
}

/// Skins `job`.
pub(super) fn skin(job: &Job<'_>) -> Skinned {
    skin_by(job, run)
}

/// Attributes of one chunk of vertices that are still to be written: positions, normals, tangents, bitangents.
type Chunk<'a> = [&'a mut [MaybeUninit<Vec3>]; 4];

fn skin_by(job: &Job<'_>, run: impl Fn(&Job<'_>, usize, Chunk<'_>) + Sync) -> Skinned {
    let vertices = job.vertices;
    let count = job.which.map_or(vertices.positions.len(), <[u32]>::len);
    let sources = [
        &vertices.positions,
        &vertices.normals,
        &vertices.tangents,
        &vertices.bitangents,
    ];
    let mut skinned = sources.map(|source| {
        let is_whole = source.len() == vertices.positions.len();
        Vec::with_capacity(if is_whole { count } else { 0 })
    });
    let lengths = skinned
        .each_ref()
        .map(|list| if list.capacity() < count { 0 } else { count });
    let chunks = chunks_of(&mut skinned, lengths);
    if let [_, _, ..] = &chunks[..] {
        let chunks = chunks.into_par_iter().enumerate();
        chunks.for_each(|(number, chunk)| run(job, number * CHUNK, chunk));
    } else {
        for chunk in chunks {
            run(job, 0, chunk);
        }
    }
    for (list, length) in skinned.iter_mut().zip(lengths) {
        #[expect(
            unsafe_code,
            reason = "to write zeros first would take as long as skinning"
        )]
        // SAFETY: the list has this capacity, and the chunks, which are all of it, were written by `block` to their ends.
        unsafe {
            list.set_len(length);
        }
    }
    let [positions, normals, tangents, bitangents] = skinned;
    Skinned {
        positions,
        normals,
        tangents,
        bitangents,
    }
}

/// The first `lengths` of what the lists have room for.
fn chunks_of(lists: &mut [Vec<Vec3>; 4], lengths: [usize; 4]) -> Vec<Chunk<'_>> {
    let mut lengths = lengths.into_iter();
    let count = lengths.clone().fold(0, usize::max);
    let mut places = lists.each_mut().map(|list| {
        let length = lengths.next().unwrap_or_default();
        list.spare_capacity_mut()[..length].chunks_mut(CHUNK)
    });
    let next = |_| {
        places
            .each_mut()
            .map(|chunks| chunks.next().unwrap_or_default())
    };
    (0..count.div_ceil(CHUNK)).map(next).collect()
}

/// Skins a chunk, which begins with vertex `start`, with what this processor has.
fn run(job: &Job<'_>, start: usize, chunk: Chunk<'_>) {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx2") {
            #[expect(unsafe_code, reason = "only some processors can run it")]
            // SAFETY: this processor can.
            return unsafe { avx2(job, start, chunk) };
        }
    }
    everywhere(job, start, chunk);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2(job: &Job<'_>, start: usize, chunk: Chunk<'_>) {
    blocks(job, start, chunk, |blended, columns| {
        super::avx2::transpose(blended, columns);
    });
}

fn everywhere(job: &Job<'_>, start: usize, chunk: Chunk<'_>) {
    blocks(job, start, chunk, transpose);
}

/// A number for each vertex of a block.
type Lanes = [f32; BLOCK];

/// A vector for each vertex of a block, by coordinate.
type Vectors = [Lanes; 3];

/// A matrix for each vertex of a block, columns one after the other.
pub(super) type Matrices = [[f32; 16]; BLOCK];

/// The same by column and row, without the last row.
pub(super) type Columns = [Vectors; 4];

/// What is kept of a block between the steps.
struct Scratch {
    blended: Matrices,
    columns: Columns,
    vectors: Vectors,
}

#[inline(always)]
fn blocks(
    job: &Job<'_>,
    start: usize,
    chunk: Chunk<'_>,
    transpose: impl Fn(&Matrices, &mut Columns),
) {
    let mut scratch = Scratch {
        blended: [[0.0; 16]; BLOCK],
        columns: [[[0.0; BLOCK]; 3]; 4],
        vectors: [[0.0; BLOCK]; 3],
    };
    let [positions, normals, tangents, bitangents] = chunk;
    let mut chunks = [normals, tangents, bitangents].map(|list| list.chunks_mut(BLOCK));
    for (number, positions) in positions.chunks_mut(BLOCK).enumerate() {
        let directions = chunks
            .each_mut()
            .map(|chunks| chunks.next().unwrap_or_default());
        block(
            job,
            start + number * BLOCK,
            positions,
            directions,
            &mut scratch,
            &transpose,
        );
    }
}

/// * `directions` – normals, tangents and bitangents; each as long as `positions`, or empty.
#[inline(always)]
fn block(
    job: &Job<'_>,
    start: usize,
    positions: &mut [MaybeUninit<Vec3>],
    directions: [&mut [MaybeUninit<Vec3>]; 3],
    scratch: &mut Scratch,
    transpose: &impl Fn(&Matrices, &mut Columns),
) {
    let Scratch {
        blended,
        columns,
        vectors,
    } = scratch;
    match job.influences {
        Some(influences) => blend(job, &influences.block(start), blended),
        None => blended.fill(job.world_from_node.to_cols_array()),
    }
    transpose(blended, columns);
    let vertices = job.vertices;
    let which = start..start + positions.len();
    gather(job, &vertices.positions, which.clone(), vectors);
    transform(columns, vectors);
    write(vectors, positions);
    let [normals, tangents, bitangents] = directions;
    if normals.is_empty() && tangents.is_empty() && bitangents.is_empty() {
        return;
    }
    scale(columns);
    if !normals.is_empty() {
        gather(job, &vertices.normals, which.clone(), vectors);
        turn_across(columns, vectors);
        write(vectors, normals);
    }
    let along = [
        (&vertices.tangents, tangents),
        (&vertices.bitangents, bitangents),
    ];
    for (source, out) in along {
        if !out.is_empty() {
            gather(job, source, which.clone(), vectors);
            turn_along(columns, vectors);
            write(vectors, out);
        }
    }
}

/// Reads an attribute of the vertices that are skinned as number `range`.
#[inline(always)]
fn gather(job: &Job<'_>, source: &[Vec3], range: Range<usize>, vectors: &mut Vectors) {
    match job.which {
        Some(list) => read(
            list[range].iter().map(|vertex| &source[*vertex as usize]),
            vectors,
        ),
        None => read(source[range].iter(), vectors),
    }
}

/// Step 1: `Σ weight * palette[slot]`, in the order of the influences.
#[inline(always)]
fn blend(job: &Job<'_>, block: &Block<'_>, blended: &mut Matrices) {
    for lane in block.bucket(0) {
        blended[usize::from(*lane)] = job.world_from_node.to_cols_array();
    }
    let mut left = block.influences;
    left = blend_bucket::<1>(job, block, left, blended);
    left = blend_bucket::<2>(job, block, left, blended);
    left = blend_bucket::<3>(job, block, left, blended);
    left = blend_bucket::<4>(job, block, left, blended);
    for (lane, count) in block.bucket(5).iter().zip(block.counts) {
        let (own, others) = left.split_at(*count);
        blended[usize::from(*lane)] = sum(job.palette, own);
        left = others;
    }
}

/// The vertices with `N` influences; returns what is left of `influences`.
#[inline(always)]
fn blend_bucket<'a, const N: usize>(
    job: &Job<'_>,
    block: &Block<'_>,
    influences: &'a [Influence],
    blended: &mut Matrices,
) -> &'a [Influence] {
    let lanes = block.bucket(N);
    let (own, others) = influences.split_at(N * lanes.len());
    for (lane, influences) in lanes.iter().zip(own.as_chunks::<N>().0) {
        blended[usize::from(*lane)] = sum(job.palette, influences);
    }
    others
}

/// * `influences` – at least one.
#[inline(always)]
fn sum(palette: &[Mat4], influences: &[Influence]) -> [f32; 16] {
    let matrix = |influence: &Influence| palette[influence.slot as usize].to_cols_array();
    let [first, others @ ..] = influences else {
        return [0.0; 16];
    };
    let mut sum = matrix(first);
    for element in &mut sum {
        *element *= first.weight;
    }
    for influence in others {
        for (sum, element) in sum.iter_mut().zip(matrix(influence)) {
            *sum += element * influence.weight;
        }
    }
    sum
}

/// Step 2.
#[inline(always)]
fn transpose(blended: &Matrices, columns: &mut Columns) {
    for (first, matrices) in blended.as_chunks::<4>().0.iter().enumerate() {
        for (column, rows) in columns.iter_mut().enumerate() {
            for (row, lanes) in rows.iter_mut().enumerate() {
                for (lane, matrix) in matrices.iter().enumerate() {
                    lanes[4 * first + lane] = matrix[4 * column + row];
                }
            }
        }
    }
}

/// Step 3, as [`Mat4::transform_point3`].
#[inline(always)]
fn transform([x, y, z, w]: &Columns, vectors: &mut Vectors) {
    for lane in 0..BLOCK {
        let place = at(vectors, lane);
        let (x, y, z, w) = (at(x, lane), at(y, lane), at(z, lane), at(w, lane));
        put(
            vectors,
            lane,
            w + (z * place.z + (y * place.y + x * place.x)),
        );
    }
}

/// The 3x3 parts over their largest elements, so that neither products nor squares of a tiny or huge scale are lost.
#[inline(always)]
fn scale([x, y, z, _]: &mut Columns) {
    for lane in 0..BLOCK {
        let (of_x, of_y, of_z) = (at(x, lane), at(y, lane), at(z, lane));
        let largest = of_x.abs().max(of_y.abs()).max(of_z.abs());
        let factor = 1.0 / largest.max_element();
        put(x, lane, of_x * factor);
        put(y, lane, of_y * factor);
        put(z, lane, of_z * factor);
    }
}

/// Step 4, for directions across the surface: by the inverse transpose of the 3x3 part.
///
/// That is the cofactor matrix over the determinant. Only the direction counts, so the cofactors alone do, with the sign
/// of the determinant; they exist for a matrix without an inverse too (where it flattens space to a plane, they give the
/// plane's normal). A mirrored surface keeps the side that the normal was on.
#[inline(always)]
fn turn_across([x, y, z, _]: &Columns, vectors: &mut Vectors) {
    for lane in 0..BLOCK {
        let (x, y, z) = (at(x, lane), at(y, lane), at(z, lane));
        let cofactors = [y.cross(z), z.cross(x), x.cross(y)];
        let across = product(cofactors, at(vectors, lane));
        let is_mirrored = x.dot(cofactors[0]) < 0.0;
        put(vectors, lane, unit(select(is_mirrored, -across, across)));
    }
}

/// Step 4, for directions along the surface: by the 3x3 part itself.
#[inline(always)]
fn turn_along([x, y, z, _]: &Columns, vectors: &mut Vectors) {
    for lane in 0..BLOCK {
        let columns = [at(x, lane), at(y, lane), at(z, lane)];
        put(vectors, lane, unit(product(columns, at(vectors, lane))));
    }
}

/// As `Mat3 * Vec3`.
#[inline(always)]
fn product([x, y, z]: [Vec3; 3], vector: Vec3) -> Vec3 {
    x * vector.x + y * vector.y + z * vector.z
}

/// Unit length; zero for what has no direction: zero and what is not finite.
#[inline(always)]
fn unit(vector: Vec3) -> Vec3 {
    let scaled = vector / vector.abs().max_element();
    let factor = scaled.length_recip();
    let has_direction = factor.is_finite() && factor > 0.0;
    select(has_direction, scaled * factor, Vec3::ZERO)
}

/// One or the other by coordinate, which takes no jump.
#[inline(always)]
fn select(condition: bool, yes: Vec3, no: Vec3) -> Vec3 {
    let either = |yes: f32, no: f32| if condition { yes } else { no };
    Vec3::new(
        either(yes.x, no.x),
        either(yes.y, no.y),
        either(yes.z, no.z),
    )
}

#[inline(always)]
fn at([x, y, z]: &Vectors, lane: usize) -> Vec3 {
    Vec3::new(x[lane], y[lane], z[lane])
}

#[inline(always)]
fn put([x, y, z]: &mut Vectors, lane: usize, vector: Vec3) {
    (x[lane], y[lane], z[lane]) = (vector.x, vector.y, vector.z);
}

/// What is past the end of `vectors` stays what it was, and is computed in vain.
#[inline(always)]
fn read<'a>(vectors: impl Iterator<Item = &'a Vec3>, [x, y, z]: &mut Vectors) {
    let lanes = x.iter_mut().zip(y).zip(z);
    for (((x, y), z), vector) in lanes.zip(vectors) {
        (*x, *y, *z) = (vector.x, vector.y, vector.z);
    }
}

#[inline(always)]
fn write([x, y, z]: &Vectors, out: &mut [MaybeUninit<Vec3>]) {
    for (((x, y), z), out) in x.iter().zip(y).zip(z).zip(out) {
        out.write(Vec3::new(*x, *y, *z));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::pose::law::{Verdict, check};
    use crate::rig::{Influences, SkinningOptions, WeightPolicy};
    use crate::skinning::{plain, weights};

    const SLOTS: u32 = 3;
    const OPTIONS: SkinningOptions = SkinningOptions {
        weights: WeightPolicy::AsIs,
        max_influences: None,
    };

    /// A mesh in a pose, and an order in which it is skinned.
    #[derive(Debug, Clone)]
    struct Case {
        vertices: Vertices<'static>,
        influences: Influences,
        palette: Vec<Mat4>,
        world_from_node: Mat4,
        which: Vec<u32>,
    }

    fn vector() -> impl Strategy<Value = Vec3> {
        let number = prop_oneof![8 => -9.0_f32..9.0, 1 => Just(0.0), 1 => Just(-0.0)];
        prop::array::uniform3(number).prop_map(Vec3::from)
    }

    /// Any matrix; now and then a flat, mirrored, tiny or huge one.
    fn matrix() -> impl Strategy<Value = Mat4> {
        let matrix = prop::array::uniform16(-3.0_f32..3.0).prop_map(|m| Mat4::from_cols_array(&m));
        let scale = prop::sample::select(vec![
            Vec3::ONE,
            Vec3::NEG_X + Vec3::Y,
            Vec3::splat(1e-30),
            Vec3::splat(1e30),
            Vec3::ZERO,
        ]);
        (matrix, scale).prop_map(|(matrix, scale)| matrix * Mat4::from_scale(scale))
    }

    fn influences() -> impl Strategy<Value = Vec<Influence>> {
        let weight = prop_oneof![-0.5_f32..1.0, Just(1.0)];
        let influence = (0..SLOTS, weight);
        let influence = influence.prop_map(|(slot, weight)| Influence { slot, weight });
        prop::collection::vec(influence, 0..8)
    }

    fn case() -> impl Strategy<Value = Case> {
        let attributes = (vector(), vector(), vector(), vector());
        let vertices = prop::collection::vec((attributes, influences()), 1..90);
        let palette = prop::collection::vec(matrix(), SLOTS as usize);
        (vertices, palette, matrix()).prop_map(|(vertices, palette, world_from_node)| {
            let vectors = |of: fn(&(Vec3, Vec3, Vec3, Vec3)) -> Vec3| {
                vertices.iter().map(|v| of(&v.0)).collect()
            };
            let count = u32::try_from(vertices.len()).unwrap();
            Case {
                influences: Influences::from_vertices(
                    vertices.iter().map(|vertex| vertex.1.clone()),
                ),
                vertices: Vertices {
                    positions: vectors(|v| v.0),
                    normals: vectors(|v| v.1),
                    tangents: vectors(|v| v.2),
                    bitangents: vectors(|v| v.3),
                },
                palette,
                world_from_node,
                which: (0..count).rev().step_by(2).collect(),
            }
        })
    }

    type Skin = fn(&Job<'_>) -> Skinned;

    /// -0 is not 0, and NaN is NaN.
    fn bits(vectors: &[Vec3]) -> Vec<[u32; 3]> {
        let bits = |number: f32| {
            if number.is_nan() {
                u32::MAX
            } else {
                number.to_bits()
            }
        };
        vectors
            .iter()
            .map(|vector| vector.to_array().map(bits))
            .collect()
    }

    fn the_plain_kernel_gives_the_same_bits(skin: Skin) -> Verdict<Case> {
        check(&case(), |case| {
            let effective = weights::effective(&case.influences, OPTIONS);
            let plain = plain::skin(&plain::Job {
                vertices: &case.vertices,
                influences: &effective,
                palette: &case.palette,
                world_from_node: case.world_from_node,
            });
            let count = case.vertices.positions.len();
            let packed = Packed::of(&case.influences, OPTIONS, count, |vertex| vertex);
            let job = Job {
                vertices: &case.vertices,
                which: None,
                influences: Some(&packed),
                palette: &case.palette,
                world_from_node: case.world_from_node,
            };
            let fast = skin(&job);
            prop_assert_eq!(bits(&fast.positions), bits(&plain.positions));
            prop_assert_eq!(bits(&fast.normals), bits(&plain.normals));
            prop_assert_eq!(bits(&fast.tangents), bits(&plain.tangents));
            prop_assert_eq!(bits(&fast.bitangents), bits(&plain.bitangents));
            let which = |index: usize| case.which[index] as usize;
            let packed = Packed::of(&case.influences, OPTIONS, case.which.len(), which);
            let some = skin(&Job {
                which: Some(&case.which),
                influences: Some(&packed),
                ..job
            });
            let expected = |all: &[Vec3]| -> Vec<Vec3> {
                let which = case.which.iter();
                which.map(|vertex| all[*vertex as usize]).collect()
            };
            prop_assert_eq!(bits(&some.positions), bits(&expected(&plain.positions)));
            prop_assert_eq!(bits(&some.normals), bits(&expected(&plain.normals)));
            Ok(())
        })
    }

    #[test]
    fn every_instruction_set_gives_the_bits_of_the_plain_kernel() {
        the_plain_kernel_gives_the_same_bits(skin).unwrap();
        the_plain_kernel_gives_the_same_bits(|job| skin_by(job, everywhere)).unwrap();
    }

    #[test]
    fn a_last_bit_that_differs_is_caught() {
        let scaled: Skin = |job| {
            let mut palette = job.palette.to_vec();
            for matrix in &mut palette {
                matrix.w_axis *= 1.0 + f32::EPSILON;
            }
            skin(&Job {
                palette: &palette,
                ..*job
            })
        };
        assert!(the_plain_kernel_gives_the_same_bits(scaled).is_err());
    }

    #[test]
    fn chunks_and_threads_do_not_change_a_bit() {
        let at = |vertex: u16| Vec3::new(f32::from(vertex), 1.0, 1.0 / (1.0 + f32::from(vertex)));
        let positions: Vec<Vec3> = (0..10_000).map(at).collect();
        let weights = (0..10_000_u16).map(|vertex| {
            let weight = f32::from(vertex) / 10_000.0;
            let both = [(0, weight), (1, 1.0 - weight)];
            let both = both.map(|(slot, weight)| Influence { slot, weight });
            both.into_iter().take(usize::from(vertex % 3))
        });
        let influences = Influences::from_vertices(weights);
        let vertices = Vertices {
            positions: positions.clone().into(),
            normals: positions.into(),
            tangents: Vec::new().into(),
            bitangents: Vec::new().into(),
        };
        let palette = [0.3, 1.7].map(|x| Mat4::from_scale(Vec3::new(x, 0.7, 1.1)));
        let plain = plain::skin(&plain::Job {
            vertices: &vertices,
            influences: &weights::effective(&influences, OPTIONS),
            palette: &palette,
            world_from_node: Mat4::IDENTITY,
        });
        for threads in [1, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let packed = Packed::of(&influences, OPTIONS, 10_000, |vertex| vertex);
            let job = Job {
                vertices: &vertices,
                which: None,
                influences: Some(&packed),
                palette: &palette,
                world_from_node: Mat4::IDENTITY,
            };
            let skinned = pool.build().unwrap().install(|| skin(&job));
            assert_eq!(skinned.positions.len(), 10_000);
            assert!(skinned == plain);
        }
    }

    #[test]
    fn what_has_no_weights_follows_its_node() {
        let positions: Vec<Vec3> = (0..100_u8).map(|x| Vec3::X * f32::from(x)).collect();
        let job = Job {
            vertices: &Vertices {
                normals: positions.clone().into(),
                positions: positions.into(),
                tangents: Vec::new().into(),
                bitangents: Vec::new().into(),
            },
            which: None,
            influences: None,
            palette: &[],
            world_from_node: Mat4::from_translation(Vec3::Y),
        };
        let skinned = skin(&job);
        assert_eq!(skinned.positions[99], Vec3::new(99.0, 1.0, 0.0));
        assert_eq!(
            [skinned.normals[0], skinned.normals[99]],
            [Vec3::ZERO, Vec3::X]
        );
        assert!(skinned.tangents.is_empty());
    }
}
