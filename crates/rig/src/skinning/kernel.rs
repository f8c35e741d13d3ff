//! The kernel: blends the palette's matrices for each vertex and transforms it.
//!
//! A block of vertices goes through four steps, each a loop that compiles to vector code of any width:
//! 1. Blend the matrices of the palette, with the sixteen elements of a matrix side by side. Blending first and
//!    transforming once takes fewer products than transforming once per influence.
//! 2. Transform the positions, with the coordinates of one side by side.
//! 3. Lay the matrices out by element instead of by vertex.
//! 4. Transform the directions of all vertices side by side. One by one, the square roots and quotients of unit normals
//!    would take most of the time.
//!
//! Each vertex is computed on its own, by a fixed order of products and sums that are never contracted. So neither the
//! vector width nor the chunks that threads work on affect the bits: the same source is compiled for each instruction
//! set.

#![expect(
    clippy::inline_always,
    reason = "what is compiled for several instruction sets must not be compiled apart from them"
)]

use std::mem::{MaybeUninit, take};
use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, f32x4};
use glam::{Mat3, Mat4, Vec3};
use rayon::prelude::*;

use super::morph::Vertices;
use crate::rig::{DeformedMesh, Influence, Influences, InstanceId};
use crate::{dispatch, simd};

/// The vertices of a block. Their intermediate results stay in the first-level cache.
const BLOCK: usize = 64;

/// The vertices that a thread takes at a time; fewer are not worth a second thread.
const CHUNK: usize = 4096;

/// A number for each vertex of a block.
type Lanes = [f32; BLOCK];

/// A vector for each vertex of a block, by coordinate.
type Vectors = [Lanes; 3];

/// A matrix for each vertex of a block, columns one after the other.
type Matrices = [[f32; 16]; BLOCK];

/// The same matrices by column and row, without the last row.
type Columns = [Vectors; 3];

/// Everything that the kernel reads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Job<'a> {
    /// In mesh space.
    pub(super) vertices: &'a Vertices<'a>,
    /// The vertices to skin, in order; all, if `None`.
    pub(super) which: Option<&'a [u32]>,
    /// One list per vertex, weights ready to use, each slot in `palette`. A vertex with an empty list follows the node, and
    /// all do if this is `None`.
    pub(super) influences: Option<&'a Influences>,
    /// `world_from_mesh`, one per slot.
    pub(super) palette: &'a [Mat4],
    /// The world matrix of the mesh's node, which moves vertices without influences.
    pub(super) world_from_node: Mat4,
}

/// Skinned attributes in world space: one per skinned vertex, or empty where the mesh has none.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Skinned {
    pub(super) positions: Vec<Vec3>,
    pub(super) normals: Vec<Vec3>,
    pub(super) tangents: Vec<Vec3>,
    pub(super) bitangents: Vec<Vec3>,
}

impl Skinned {
    /// The buffers of `mesh`, which is left without any.
    pub(super) fn reusing(mesh: &mut DeformedMesh) -> Self {
        Self {
            positions: take(&mut mesh.positions),
            normals: take(&mut mesh.normals),
            tangents: take(&mut mesh.tangents),
            bitangents: take(&mut mesh.bitangents),
        }
    }

    /// The pose of `instance`.
    pub(super) fn of(self, instance: InstanceId) -> DeformedMesh {
        DeformedMesh {
            instance,
            positions: self.positions,
            normals: self.normals,
            tangents: self.tangents,
            bitangents: self.bitangents,
        }
    }
}

/// Skins `job` into the buffers of `reused`, whose contents do not matter.
pub(super) fn skin(job: &Job<'_>, reused: Skinned) -> Skinned {
    skin_at(simd::level(), job, reused)
}

/// The attributes of one chunk of vertices, to be written: positions, normals, tangents, bitangents.
type Chunk<'a> = [&'a mut [MaybeUninit<Vec3>]; 4];

/// Skins `job` with the instruction set `level`.
fn skin_at(level: Level, job: &Job<'_>, reused: Skinned) -> Skinned {
    let vertices = job.vertices;
    let count = job.which.map_or(vertices.positions.len(), <[u32]>::len);
    let sources = [
        &vertices.positions,
        &vertices.normals,
        &vertices.tangents,
        &vertices.bitangents,
    ];
    let lengths = sources.map(|source| {
        // An attribute that the mesh lacks, or has for some vertices only, stays empty.
        let is_whole = source.len() == vertices.positions.len();
        if is_whole { count } else { 0 }
    });
    let mut skinned = [
        reused.positions,
        reused.normals,
        reused.tangents,
        reused.bitangents,
    ];
    for (list, length) in skinned.iter_mut().zip(lengths) {
        list.clear();
        list.reserve(length);
    }
    let chunks = chunks_of(&mut skinned, lengths);
    // A single chunk is not worth waking a thread.
    if let [_, _, ..] = &chunks[..] {
        let chunks = chunks.into_par_iter().enumerate();
        chunks.for_each(|(number, chunk)| run(level, job, number * CHUNK, chunk));
    } else {
        for chunk in chunks {
            run(level, job, 0, chunk);
        }
    }
    for (list, length) in skinned.iter_mut().zip(lengths) {
        #[expect(
            unsafe_code,
            reason = "to write zeros first would take as long as skinning"
        )]
        // SAFETY: the list has this capacity, and `block` wrote all chunks, which cover it, to their ends.
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

/// The first `lengths` elements of the lists' spare capacity, in chunks.
fn chunks_of(lists: &mut [Vec<Vec3>; 4], lengths: [usize; 4]) -> Vec<Chunk<'_>> {
    let mut lengths = lengths.into_iter();
    let count = lengths.clone().fold(0, usize::max);
    let mut chunks = lists.each_mut().map(|list| {
        let length = lengths.next().unwrap_or_default();
        list.spare_capacity_mut()[..length].chunks_mut(CHUNK)
    });
    let next = |_| {
        chunks
            .each_mut()
            .map(|chunks| chunks.next().unwrap_or_default())
    };
    (0..count.div_ceil(CHUNK)).map(next).collect()
}

/// Skins a chunk that begins with vertex `start`.
fn run(level: Level, job: &Job<'_>, start: usize, chunk: Chunk<'_>) {
    dispatch!(level, simd => blocks(simd, job, start, chunk));
}

/// Intermediate results of a block.
struct Scratch {
    blended: Matrices,
    columns: Columns,
    vectors: Vectors,
}

#[inline(always)]
fn blocks<S: Simd>(simd: S, job: &Job<'_>, start: usize, chunk: Chunk<'_>) {
    // One scratch for all blocks stays in the first-level cache.
    let mut scratch = Scratch {
        blended: [[0.0; 16]; BLOCK],
        columns: [[[0.0; BLOCK]; 3]; 3],
        vectors: [[0.0; BLOCK]; 3],
    };
    let [positions, normals, tangents, bitangents] = chunk;
    let mut chunks = [normals, tangents, bitangents].map(|list| list.chunks_mut(BLOCK));
    for (number, positions) in positions.chunks_mut(BLOCK).enumerate() {
        let directions = chunks
            .each_mut()
            .map(|chunks| chunks.next().unwrap_or_default());
        let start = start + number * BLOCK;
        block(simd, job, start, positions, directions, &mut scratch);
    }
}

/// * `directions` – normals, tangents and bitangents; each as long as `positions`, or empty.
#[inline(always)]
fn block<S: Simd>(
    simd: S,
    job: &Job<'_>,
    start: usize,
    positions: &mut [MaybeUninit<Vec3>],
    directions: [&mut [MaybeUninit<Vec3>]; 3],
    scratch: &mut Scratch,
) {
    let Scratch {
        blended,
        columns,
        vectors,
    } = scratch;
    let vertices = job.vertices;
    let which = start..start + positions.len();
    match job.influences {
        Some(influences) => blend(job, influences, which.clone(), blended),
        None => blended.fill(job.world_from_node.to_cols_array()),
    }
    match job.which {
        Some(list) => transform(
            blended,
            list[which.clone()]
                .iter()
                .map(|vertex| vertices.positions[*vertex as usize]),
            positions,
        ),
        None => transform(
            blended,
            vertices.positions[which.clone()].iter().copied(),
            positions,
        ),
    }
    let [normals, tangents, bitangents] = directions;
    if normals.is_empty() && tangents.is_empty() && bitangents.is_empty() {
        return;
    }
    // All directions use the same matrices, so they are laid out once.
    transpose(simd, blended, columns);
    scale(columns);
    if !normals.is_empty() {
        gather(job, &vertices.normals, which.clone(), vectors);
        transform_normals(columns, vectors);
        write(vectors, normals);
    }
    let along = [
        (&vertices.tangents, tangents),
        (&vertices.bitangents, bitangents),
    ];
    for (source, out) in along {
        if !out.is_empty() {
            gather(job, source, which.clone(), vectors);
            transform_tangents(columns, vectors);
            write(vectors, out);
        }
    }
}

/// Reads an attribute of the skinned vertices `range`.
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
fn blend(job: &Job<'_>, influences: &Influences, which: Range<usize>, blended: &mut Matrices) {
    for (blended, index) in blended.iter_mut().zip(which) {
        let vertex = job.which.map_or(index, |list| list[index] as usize);
        *blended = sum(job, influences.of(vertex));
    }
}

#[inline(always)]
fn sum(job: &Job<'_>, influences: &[Influence]) -> [f32; 16] {
    let matrix = |influence: &Influence| job.palette[influence.slot.index()].to_cols_array();
    // The first product initializes the sum: adding it to zeros would turn -0 into 0.
    let [first, others @ ..] = influences else {
        return job.world_from_node.to_cols_array();
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
fn transform(
    blended: &Matrices,
    points: impl Iterator<Item = Vec3>,
    out: &mut [MaybeUninit<Vec3>],
) {
    for ((matrix, point), out) in blended.iter().zip(points).zip(out) {
        out.write(transformed(matrix, point));
    }
}

/// As [`Mat4::transform_point3`].
#[inline(always)]
fn transformed(matrix: &[f32; 16], point: Vec3) -> Vec3 {
    let Mat4 {
        x_axis,
        y_axis,
        z_axis,
        w_axis,
    } = Mat4::from_cols_array(matrix);
    (w_axis + (z_axis * point.z + (y_axis * point.y + x_axis * point.x))).truncate()
}

/// Step 3. The compiler does not find these shuffles by itself; single loads and stores take three times as long.
#[inline(always)]
fn transpose<S: Simd>(simd: S, blended: &Matrices, columns: &mut Columns) {
    for (index, matrices) in blended.as_chunks::<4>().0.iter().enumerate() {
        for (k, rows) in columns.iter_mut().enumerate() {
            let mut columns = [f32x4::splat(simd, 0.0); 4];
            for (column, matrix) in columns.iter_mut().zip(matrices) {
                *column = f32x4::load_array_ref(simd, &matrix.as_chunks().0[k]);
            }
            let [a, b, c, d] = columns;
            // Rows 0 and 1 of two matrices alternate, and rows 2 and 3; then those of all four.
            let ((ac, ac_last), (bd, bd_last)) = (a.interleave(c), b.interleave(d));
            let (first, second) = ac.interleave(bd);
            let transposed = [first, second, ac_last.zip_low(bd_last)];
            for (lanes, row) in rows.iter_mut().zip(transposed) {
                lanes.as_chunks_mut().0[index] = row.to_array();
            }
        }
    }
}

/// Divides the 3x3 parts by their largest elements, so that products and squares of a tiny or huge scale do not
/// underflow or overflow. Directions are normalized anyway.
#[inline(always)]
fn scale([x, y, z]: &mut Columns) {
    for lane in 0..BLOCK {
        let (of_x, of_y, of_z) = (at(x, lane), at(y, lane), at(z, lane));
        let largest = of_x.abs().max(of_y.abs()).max(of_z.abs());
        let factor = 1.0 / largest.max_element();
        put(x, lane, of_x * factor);
        put(y, lane, of_y * factor);
        put(z, lane, of_z * factor);
    }
}

/// Step 4, for normals: by the inverse transpose of the 3x3 part.
///
/// The inverse transpose is the cofactor matrix over the determinant. Only the direction counts, so the cofactors
/// suffice, with the sign of the determinant. They exist for singular matrices too: where the matrix flattens space to
/// a plane, they give the plane's normal. On a mirrored surface the normal stays on its side.
#[inline(always)]
fn transform_normals([x, y, z]: &Columns, vectors: &mut Vectors) {
    for lane in 0..BLOCK {
        let (x, y, z) = (at(x, lane), at(y, lane), at(z, lane));
        // The columns of the cofactor matrix; any column times its cofactors is the determinant.
        let cofactors = [y.cross(z), z.cross(x), x.cross(y)];
        let across = product(cofactors, at(vectors, lane));
        let is_mirrored = x.dot(cofactors[0]) < 0.0;
        put(vectors, lane, unit(select(is_mirrored, -across, across)));
    }
}

/// Step 4, for tangents and bitangents: by the 3x3 part itself.
#[inline(always)]
fn transform_tangents([x, y, z]: &Columns, vectors: &mut Vectors) {
    for lane in 0..BLOCK {
        let columns = [at(x, lane), at(y, lane), at(z, lane)];
        put(vectors, lane, unit(product(columns, at(vectors, lane))));
    }
}

/// Like [`transform_normals`], for one direction.
pub(super) fn transformed_normal(linear: Mat3, direction: Vec3) -> Vec3 {
    let axes = [linear.x_axis, linear.y_axis, linear.z_axis];
    let largest = axes.map(|axis| axis.abs().max_element());
    let [x, y, z] = axes.map(|axis| axis * (1.0 / largest[0].max(largest[1]).max(largest[2])));
    let cofactors = [y.cross(z), z.cross(x), x.cross(y)];
    let across = product(cofactors, direction);
    unit(select(x.dot(cofactors[0]) < 0.0, -across, across))
}

/// As `Mat3 * Vec3`.
#[inline(always)]
fn product([x, y, z]: [Vec3; 3], vector: Vec3) -> Vec3 {
    x * vector.x + y * vector.y + z * vector.z
}

/// The unit vector; zero for a vector without a direction, which is zero or not finite.
#[inline(always)]
pub(super) fn unit(vector: Vec3) -> Vec3 {
    // Dividing by the largest coordinate first keeps squares from overflowing or vanishing.
    let scaled = vector / vector.abs().max_element();
    let factor = scaled.length_recip();
    let has_direction = factor.is_finite() && factor > 0.0;
    select(has_direction, scaled * factor, Vec3::ZERO)
}

/// Selects coordinate by coordinate, without a branch.
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

/// Elements past the end of `vectors` are computed but not written.
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
mod tests;
