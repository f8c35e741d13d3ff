//! `D601`: nonfinite-vertex.

use super::Counted;
use crate::lint::rule::declare_rule;
use crate::lint::{Context, Findings, Moment, Offence, Rule, RuleMeta};
use crate::rig::{InstanceId, Mesh};

declare_rule! {
    /// ## What it does
    /// Looks for vertices that skinning puts nowhere: at NaN or infinity, in any pose, though all that goes into them is
    /// finite.
    ///
    /// Where the file itself holds NaN or infinity, `G801` (places), `W101` (weights), `T407` (transforms) and `C510`
    /// (keys) say so, and this rule is silent.
    ///
    /// ## Why is this bad?
    /// Triangles of such a vertex vanish, flicker or cover the screen, each graphics driver in its own way; bounding boxes
    /// that take it in are NaN as a whole, so that the model is culled or never is.
    ///
    /// ## How to fix
    /// Finite numbers whose products are not are far too large: look for scales and translations of 1e19 and more in the
    /// joints and the clip that the finding names, often a unit that was converted twice or a number that was read in the
    /// wrong byte order.
    ///
    /// ## References
    /// - IEEE 754-2019 §7.4 (overflow), §7.2 (invalid operation).
    NonfiniteVertex, "D601", "nonfinite-vertex", Error
}

impl Rule for NonfiniteVertex {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn watches(&self) -> bool {
        true
    }

    fn watch(&self, cx: &Context<'_>, moment: &Moment<'_>, out: &mut Findings) {
        if !cx.prepared.transforms_are_finite(cx.asset) {
            return;
        }
        let meshes = moment.meshes.iter().zip(moment.extents()).enumerate();
        for (index, (posed, _)) in meshes.filter(|(_, (_, extent))| !extent.finite) {
            let instance = &cx.asset.instances[InstanceId::from_index(index).index()];
            let mesh = cx.asset.mesh_of(instance);
            let mut found = Counted::default();
            for (vertex, place) in posed.iter().enumerate() {
                if !place.is_finite() && is_finite(mesh, vertex) {
                    found.add(0.0, (vertex, place));
                }
            }
            let Some((vertex, place)) = found.which else {
                continue;
            };
            let group = cx.mesh(instance);
            out.add_many(Offence::of(&group, "vertex"), found.count, |at| {
                let at = cx.at_vertex(moment.place(cx.asset, at), instance, vertex);
                (
                    at,
                    format!("is skinned to ({}, {}, {})", place.x, place.y, place.z),
                )
            });
        }
    }
}

/// Whether the mesh itself has numbers there.
fn is_finite(mesh: &Mesh, vertex: usize) -> bool {
    let targets = &mesh.morph_targets;
    let offsets = targets
        .iter()
        .filter_map(|target| target.positions.get(vertex));
    mesh.positions[vertex].is_finite()
        && offsets.into_iter().all(|offset| offset.is_finite())
        && mesh
            .influences
            .of(vertex)
            .iter()
            .all(|influence| influence.weight.is_finite())
}
