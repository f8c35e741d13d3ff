//! `D601`: nonfinite-vertex.

use super::Counted;
use crate::lint::motion::shown;
use crate::lint::rule::declare_rule;
use crate::lint::{Context, Findings, Moment, Offence, Rule, RuleMeta};
use crate::pose::ModelPose;
use crate::rig::{Mesh, MeshInstance};
use crate::skinning::DistinctPositions;

declare_rule! {
    /// ## What it does
    /// Looks for vertices that skinning moves to NaN or infinity in any pose, although all inputs are finite.
    ///
    /// If the file itself contains NaN or infinity, `G801` (positions), `W101` (weights), `T407` (transforms) and
    /// `C510` (keys) report it, and this rule is silent.
    ///
    /// ## Why is this bad?
    /// Triangles at such a vertex vanish, flicker or cover the screen, depending on the graphics driver. A bounding box
    /// that includes it is NaN as a whole, so the model is always culled or never.
    ///
    /// ## How to fix
    /// Finite numbers with infinite products are far too large. Look for scales and translations of 1e19 and more in
    /// the joints and the clip that the finding names. The usual causes are a unit that was converted twice and a
    /// number read in the wrong byte order.
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
        for (posed, extent) in moment.meshes.iter().zip(moment.extents()) {
            if !extent.finite {
                tell(cx, moment, posed, out);
            }
        }
        let (asset, is_shown) = (cx.asset, shown(cx.asset));
        for (index, instance) in asset.instances.iter().enumerate() {
            if is_shown(instance) || stays_finite(cx, moment.pose, index) {
                continue;
            }
            let skin = cx.prepared.skin(asset);
            let is_this = |other: &MeshInstance| std::ptr::eq(other, instance);
            let posed = skin.distinct_positions(asset, moment.pose, is_this);
            // What is shown was skinned.
            for posed in posed.unwrap_or_default() {
                tell(cx, moment, &posed, out);
            }
        }
    }
}

fn tell(cx: &Context<'_>, moment: &Moment<'_>, posed: &DistinctPositions<'_>, out: &mut Findings) {
    let instance = &cx.asset.instances[posed.instance.index()];
    let mesh = cx.asset.mesh_of(instance);
    let mut found = Counted::default();
    for (vertex, place) in posed.iter().enumerate() {
        if !place.is_finite() && is_finite(mesh, vertex) {
            found.add(0.0, (vertex, place));
        }
    }
    let Some((vertex, place)) = found.which else {
        return;
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

/// Whether no vertex of an instance that follows its node can overflow f32; a conservative test.
fn stays_finite(cx: &Context<'_>, pose: &ModelPose, index: usize) -> bool {
    let instance = &cx.asset.instances[index];
    let reach = cx.prepared.reach(cx.asset, instance.mesh);
    let weights = pose.morph_weights.get(index).into_iter().flatten();
    let offsets = weights.zip(&reach.targets);
    let offsets = offsets.map(|(weight, reach)| f64::from(weight.abs() * reach));
    let farthest = f64::from(reach.positions) + offsets.sum::<f64>();
    let matrix = &pose.joints[instance.joint.index()];
    let numbers = matrix.to_cols_array().map(f32::abs);
    let largest = f64::from(numbers.into_iter().fold(0.0, f32::max));
    let all_finite = matrix.is_finite() && farthest.is_finite();
    all_finite && 4.0 * largest * farthest.max(1.0) < f64::from(f32::MAX)
}

/// Whether the mesh itself is finite there.
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
