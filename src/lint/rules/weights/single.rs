//! Weights that are wrong by themselves.

use crate::lint::analysis::uses;
use crate::lint::{Context, Findings, Offence};
use crate::rig::Location;

/// Reports each weight of each mesh that `offence` finds fault with, at its vertex.
///
/// * `offence` – what is wrong with a weight of the mesh at a place, if anything.
/// * `message` – of a weight.
pub(super) fn report(
    cx: &Context<'_>,
    out: &mut Findings,
    offence: impl for<'g> Fn(&'g Location, f32) -> Option<Offence<'g>>,
    message: impl Fn(f32) -> String,
) {
    for instance in uses::shown(cx.asset) {
        let mesh = cx.asset.mesh_of(instance);
        let group = cx.mesh(instance);
        for (vertex, influences) in mesh.influences.iter().enumerate() {
            for weight in influences.iter().map(|influence| influence.weight) {
                if let Some(offence) = offence(&group, weight) {
                    out.add(offence, |location| {
                        (cx.at_vertex(location, instance, vertex), message(weight))
                    });
                }
            }
        }
    }
}
