//! `W109`: influences of the same joint become one.

use super::weights::{Influence, each_vertex, single};
use super::{Changed, Job};

pub(super) fn repair(job: &mut Job<'_>) -> Changed {
    each_vertex(job, |influences, whole| {
        let mut is_changed = false;
        for index in 1..influences.len() {
            let (earlier, later) = influences.split_at_mut(index);
            let own = &mut later[0];
            let is_same = |other: &&mut Influence| {
                other.weight != 0.0 && other.joint.to_bits() == own.joint.to_bits()
            };
            if own.weight != 0.0
                && let Some(first) = earlier.iter_mut().find(is_same)
            {
                first.weight += own.weight;
                if whole <= 1.0 {
                    first.weight = single(first.weight);
                }
                *own = Influence::NONE;
                is_changed = true;
            }
        }
        is_changed
    })
}
