//! A model whose weights are stored otherwise, posed beside the model itself.

use crate::lint::analysis::deformation::rest;
use crate::lint::analysis::part::Part;
use crate::lint::core::context::Context;
use crate::lint::core::counted::Counted;
use crate::lint::core::numbers::diagonals_beside;
use crate::lint::{Findings, Moment, Offence};
use crate::rig::{Asset, Influence, Mesh, SkinningOptions};
use crate::skinning::Attributes;

/// Those vertices of a model that have other weights when they are stored otherwise, with these.
#[derive(Debug)]
pub(in crate::lint) struct Stored(Part);

impl Stored {
    /// * `options` – how they are skinned.
    /// * `change` – the weights that a vertex gets; `None` for a vertex that keeps its own and need not be looked at.
    ///
    /// `None` if that is so for all.
    pub(super) fn of(
        asset: &Asset,
        options: SkinningOptions,
        change: impl Fn(&[Influence]) -> Option<Vec<Influence>>,
    ) -> Option<Self> {
        let changed = |_, mesh: &Mesh| {
            let weights = mesh.influences.iter().enumerate();
            let changed =
                weights.filter_map(|(vertex, influences)| Some((vertex, change(influences)?)));
            changed.collect()
        };
        Part::of(asset, options, changed).map(Self)
    }

    /// Tells `out` of the vertices that are elsewhere than in `moment`.
    ///
    /// * `limit` – how far may be, over the diagonal of what is skinned at rest.
    /// * `words` – said of the distance and the limit, such as `0.42 % of the diagonal` and `0.1`.
    pub(super) fn watch(
        &self,
        cx: &Context<'_>,
        moment: &Moment<'_>,
        limit: f64,
        out: &mut Findings,
        words: impl Fn(&[String; 2]) -> String,
    ) {
        let Some(rest) = rest(cx) else {
            return;
        };
        let meshes = self.0.posed(moment.pose, Attributes::Positions);
        for own in moment.meshes {
            let index = own.instance.index();
            let (instance, other) = (&cx.asset.instances[index], &meshes[index]);
            let mut found = Counted::default();
            for (&vertex, place) in self.0.vertices_of(instance).iter().zip(&other.positions) {
                let distance = f64::from(own.at(vertex).distance(*place)) / rest.size;
                if distance > limit && distance.is_finite() {
                    found.add(distance, vertex);
                }
            }
            let Some(vertex) = found.which else {
                continue;
            };
            let group = cx.mesh(instance);
            let offence = Offence::above(&group, "vertex", found.worst, limit);
            out.add_many(offence, found.count, |place| {
                let place = cx.at_vertex(moment.place(cx.asset, place), instance, vertex);
                (place, words(&diagonals_beside(found.worst, limit, 2)))
            });
        }
    }
}
