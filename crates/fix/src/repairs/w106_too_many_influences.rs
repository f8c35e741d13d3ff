//! `W106`: the largest influences are kept, as many as the engine supports, in the first sets.

use super::weights::{Influence, each_vertex};
use super::{Changed, Job};

pub(super) fn repair(job: &mut Job<'_>) -> Changed {
    let most = job
        .most_influences
        .map_or(usize::MAX, |most| most.get() as usize);
    each_vertex(job, |influences, _| {
        let count = influences.len();
        let mut order: Vec<usize> = (0..count)
            .filter(|index| influences[*index].weight != 0.0)
            .collect();
        if order.len() <= most {
            return false;
        }
        order.sort_by(|a, b| influences[*b].weight.total_cmp(&influences[*a].weight));
        order.truncate(most);
        order.sort_unstable();
        let mut kept: Vec<Influence> = order.into_iter().map(|index| influences[index]).collect();
        kept.resize(count, Influence::NONE);
        *influences = kept;
        true
    })
}
