//! `W104`: a vertex without weights gets those of the nearest vertex that has some, along the surface.

use super::surface::bind_to_nearest;
use super::weights::{Sets, each_group};
use super::{Changed, Job};

pub(super) fn repair(job: &mut Job<'_>) -> Changed {
    each_group(job, |document, sets, vertices, changed| {
        let bare = vertices
            .iter()
            .copied()
            .filter(|vertex| !has_weight(sets, *vertex));
        let bare = bare.collect();
        bind_to_nearest(document, sets, &bare, has_weight, changed)
    })
}

fn has_weight(sets: &Sets, vertex: usize) -> bool {
    sets.of(vertex)
        .iter()
        .any(|influence| influence.weight > 0.0)
}
