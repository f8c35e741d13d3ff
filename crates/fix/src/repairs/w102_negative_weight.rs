//! `W102`: a negative weight becomes 0.

use super::weights::{Influence, each_vertex};
use super::{Changed, Job};

pub(super) fn repair(job: &mut Job<'_>) -> Changed {
    each_vertex(job, |influences, _| {
        let mut is_changed = false;
        for influence in influences
            .iter_mut()
            .filter(|influence| influence.weight < 0.0)
        {
            *influence = Influence::NONE;
            is_changed = true;
        }
        is_changed
    })
}
