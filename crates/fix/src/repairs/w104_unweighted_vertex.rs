//! `W104`: a vertex without weights gets those of the nearest vertex that has some, along the surface.

use super::surface::bind_to_nearest;
use super::weights::{Sets, each_group};
use super::{Changed, Job};

pub(super) fn repair(job: &mut Job<'_>) -> Changed {
    each_group(job, |document, sets, vertices, changed| {
        let bare = vertices
            .iter()
            .copied()
            .filter(|vertex| !sets.has_weight(*vertex));
        let bare = bare.collect();
        bind_to_nearest(document, sets, &bare, Sets::has_weight, changed);
    })
}
