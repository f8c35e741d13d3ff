//! Positions alone, of vertices in any order.

use glam::Vec3;
use rayon::prelude::*;

#[cfg(target_arch = "x86_64")]
use super::avx2;
use super::blend::{CHUNK, Job, position};

/// The positions of `vertices`, in their order.
pub(super) fn places(job: &Job<'_>, vertices: &[u32]) -> Vec<Vec3> {
    if vertices.len() <= CHUNK {
        return on_this_thread(job, vertices);
    }
    let chunks = vertices.par_chunks(CHUNK);
    let chunks: Vec<Vec<Vec3>> = chunks.map(|chunk| on_this_thread(job, chunk)).collect();
    chunks.concat()
}

fn on_this_thread(job: &Job<'_>, vertices: &[u32]) -> Vec<Vec3> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(unsafe_code, reason = "only some processors can run it")]
        // SAFETY: this processor can.
        return unsafe { avx2::places(job, vertices) };
    }
    everywhere(job, vertices)
}

/// The same on any processor.
fn everywhere(job: &Job<'_>, vertices: &[u32]) -> Vec<Vec3> {
    let positions = &*job.vertices.positions;
    let vertices = vertices.iter().map(|vertex| *vertex as usize);
    vertices
        .map(|vertex| position(job, vertex, positions[vertex]))
        .collect()
}

#[cfg(test)]
mod tests {
    use glam::Mat4;
    use proptest::prelude::*;

    use super::*;
    use crate::rig::{Influence, Influences};
    use crate::skinning::morph::Vertices;

    const SLOTS: u32 = 3;

    fn matrix() -> impl Strategy<Value = Mat4> {
        prop::array::uniform16(-3.0_f32..3.0).prop_map(|m| Mat4::from_cols_array(&m))
    }

    fn influences() -> impl Strategy<Value = Vec<Influence>> {
        let weight = prop_oneof![0.0_f32..1.0, Just(1.0)];
        let influence = (0..SLOTS, weight);
        let influence = influence.prop_map(|(slot, weight)| Influence { slot, weight });
        prop::collection::vec(influence, 0..6)
    }

    /// -0 is not 0.
    fn bits(places: &[Vec3]) -> Vec<[u32; 3]> {
        let places = places.iter();
        places
            .map(|place| place.to_array().map(f32::to_bits))
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn wide_registers_change_no_bit(
            palette in prop::collection::vec(matrix(), SLOTS as usize),
            world_from_node in matrix(),
            vertices in prop::collection::vec((prop::array::uniform3(-9.0_f32..9.0), influences()), 1..40),
        ) {
            let (positions, lists): (Vec<_>, Vec<_>) = vertices.into_iter().unzip();
            let positions: Vec<Vec3> = positions.into_iter().map(Vec3::from).collect();
            let count = positions.len();
            let none = || Vec::new().into();
            let vertices = Vertices { positions: positions.into(), normals: none(), tangents: none(), bitangents: none() };
            let job = Job { vertices: &vertices, influences: &Influences::from_vertices(lists), palette: &palette, world_from_node };
            let backward: Vec<u32> = (0..u32::try_from(count).unwrap()).rev().collect();
            prop_assert_eq!(bits(&places(&job, &backward)), bits(&everywhere(&job, &backward)));
            // As many as take several threads.
            let many: Vec<u32> = backward.iter().copied().cycle().take(2 * CHUNK + 1).collect();
            prop_assert_eq!(bits(&places(&job, &many)), bits(&everywhere(&job, &many)));
        }
    }
}
