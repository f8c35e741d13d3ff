//! `D602`: the ends of edges that span a web get the weights of the nearest vertices that are at none, along the surface.

use super::w114_far_influence::rebind;
use super::{Changed, Job};

pub(super) fn repair(job: &mut Job<'_>) -> Changed {
    rebind(job)
}
