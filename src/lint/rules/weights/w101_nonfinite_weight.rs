//! `W101`: nonfinite-weight.

use crate::lint::analysis::uses;
use crate::lint::rules::rule::declare_rule;
use crate::lint::{Context, Findings, Offence, Rule};
use crate::rig::DefectKind;

declare_rule! {
    /// ## What it does
    /// Checks that every weight is a finite number: neither NaN nor infinite.
    ///
    /// ## Why is this bad?
    /// A blend with NaN in it is NaN. The vertex is nowhere, and with it every triangle that it belongs to: holes on one
    /// graphics card, triangles that flash across the whole picture on another, and bounds that make the whole mesh vanish.
    ///
    /// ## How to fix
    /// - Usually a vertex without weights was normalized, which is 0 divided by 0: in Blender *Weights → Normalize All*, in
    ///   Maya *Skin → Prune Small Weights* after giving the vertex to a joint, and export again.
    /// - Exporters: do not divide by a sum of 0; give such a vertex to the nearest joint, or to the root.
    ///
    /// ## References
    /// - glTF 2.0 §3.6.2.4 (floating-point data holds no NaN and no infinity); glTF-Validator `ACCESSOR_INVALID_FLOAT`.
    NonfiniteWeight, "W101", "nonfinite-weight", Error
}

impl Rule for NonfiniteWeight {
    fn needs(&self) -> &'static [DefectKind] {
        &[DefectKind::NonfiniteWeight]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for instance in uses::shown(cx.asset) {
            let mesh = cx.asset.mesh_of(instance);
            let group = cx.mesh(instance);
            for (vertex, influences) in mesh.influences.iter().enumerate() {
                for influence in influences {
                    let weight = influence.weight;
                    if weight.is_finite() {
                        continue;
                    }
                    out.add(Offence::of(&group, "weight"), |place| {
                        let place = cx.at_vertex(place, instance, vertex);
                        (place, format!("a weight is {weight}"))
                    });
                }
            }
        }
    }
}
