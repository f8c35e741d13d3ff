//! `W112`: weights below the resolution of 8 bits become 0.

use super::weights::{Influence, each_vertex};
use super::{Changed, Job};

pub(super) fn repair(job: &mut Job<'_>) -> Changed {
    each_vertex(job, |influences, whole| {
        let mut is_changed = false;
        // Compared as f32, as the rule does.
        #[expect(clippy::cast_possible_truncation, reason = "weights are f32")]
        let is_dust = |weight: f64| weight > 0.0 && ((weight / whole) as f32) < 1.0 / 255.0;
        for influence in influences
            .iter_mut()
            .filter(|influence| is_dust(influence.weight))
        {
            *influence = Influence::NONE;
            is_changed = true;
        }
        is_changed
    })
}
