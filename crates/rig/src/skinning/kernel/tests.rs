//! The plain kernel's bits, on every instruction set and for any number of threads.

use proptest::prelude::*;

use super::*;
use crate::rig::strategies::repeated_weights;
use crate::rig::{Influences, SkinSlot, SkinningMethod, SkinningOptions, WeightPolicy};
use crate::simd::levels;
use crate::skinning::{plain, weights};
use crate::units::law::{Verdict, check};

const SLOTS: usize = 3;
/// Vertices of several chunks; of no more than two under Miri, which takes a hundred times as long.
const MANY: u16 = if cfg!(miri) { 4_100 } else { 10_000 };
const OPTIONS: SkinningOptions = SkinningOptions {
    weights: WeightPolicy::AsIs,
    max_influences: None,
    method: SkinningMethod::Linear,
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
    repeated_weights(SLOTS, weight, 0..8)
}

fn case() -> impl Strategy<Value = Case> {
    let attributes = (vector(), vector(), vector(), vector());
    let vertices = prop::collection::vec((attributes, influences()), 1..90);
    let palette = prop::collection::vec(matrix(), SLOTS);
    (vertices, palette, matrix()).prop_map(|(vertices, palette, world_from_node)| {
        let vectors =
            |of: fn(&(Vec3, Vec3, Vec3, Vec3)) -> Vec3| vertices.iter().map(|v| of(&v.0)).collect();
        let count = u32::try_from(vertices.len()).unwrap();
        Case {
            influences: Influences::from_vertices(vertices.iter().map(|vertex| vertex.1.clone())),
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

fn skin(job: &Job<'_>) -> Skinned {
    super::skin(job, Skinned::default())
}

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

fn the_plain_kernel_gives_the_same_bits(skin: impl Fn(&Job<'_>) -> Skinned) -> Verdict<Case> {
    check(&case(), |case| {
        let effective = weights::effective(&case.influences, OPTIONS);
        let plain = plain::skin(&plain::Job {
            vertices: &case.vertices,
            influences: &effective,
            palette: &case.palette,
            world_from_node: case.world_from_node,
        });
        let job = Job {
            vertices: &case.vertices,
            which: None,
            influences: Some(&effective),
            palette: &case.palette,
            world_from_node: case.world_from_node,
        };
        let fast = skin(&job);
        prop_assert_eq!(bits(&fast.positions), bits(&plain.positions));
        prop_assert_eq!(bits(&fast.normals), bits(&plain.normals));
        prop_assert_eq!(bits(&fast.tangents), bits(&plain.tangents));
        prop_assert_eq!(bits(&fast.bitangents), bits(&plain.bitangents));
        let some = skin(&Job {
            which: Some(&case.which),
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
    for level in levels() {
        let skin = |job: &Job<'_>| skin_at(level, job, Skinned::default());
        the_plain_kernel_gives_the_same_bits(skin).unwrap();
    }
}

#[test]
fn a_last_bit_that_differs_is_caught() {
    let scaled = |job: &Job<'_>| {
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
    let positions: Vec<Vec3> = (0..MANY).map(at).collect();
    let weights = (0..MANY).map(|vertex| {
        let weight = f32::from(vertex) / f32::from(MANY);
        let both = [(0, weight), (1, 1.0 - weight)].map(|(slot, weight)| Influence {
            slot: SkinSlot(slot),
            weight,
        });
        both.into_iter().take(usize::from(vertex % 3))
    });
    let influences = Influences::from_vertices(weights);
    let vertices = Vertices {
        positions: positions.clone().into(),
        normals: positions.into(),
        tangents: Vec::new().into(),
        bitangents: Vec::new().into(),
    };
    let effective = weights::effective(&influences, OPTIONS);
    let palette = [0.3, 1.7].map(|x| Mat4::from_scale(Vec3::new(x, 0.7, 1.1)));
    let plain = plain::skin(&plain::Job {
        vertices: &vertices,
        influences: &effective,
        palette: &palette,
        world_from_node: Mat4::IDENTITY,
    });
    for threads in [1, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let job = Job {
            vertices: &vertices,
            which: None,
            influences: Some(&effective),
            palette: &palette,
            world_from_node: Mat4::IDENTITY,
        };
        let skinned = pool.build().unwrap().install(|| skin(&job));
        assert_eq!(skinned.positions.len(), usize::from(MANY));
        assert!(skinned == plain);
    }
}

#[test]
fn a_vertex_without_weights_follows_its_node() {
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
