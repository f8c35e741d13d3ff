//! `D601`: nonfinite-vertex.

use glam::Vec3;

use crate::analysis::joints::watched as shown;
use crate::core::context::Analysis;
use crate::core::findings::Counted;
use crate::pose::ModelPose;
use crate::rig::{Mesh, MeshInstance};
use crate::skinning::{DistinctPositions, PreparedMeshes};
use crate::{Context, Findings, Follows, Offence, Rule, Sample, Through, declare_rule, follows};

declare_rule! {
    NonfiniteVertex, "D601", "nonfinite-vertex", Error, Proved
}

impl Rule for NonfiniteVertex {
    fn watches(&self) -> bool {
        true
    }

    fn follows_from(&self) -> &'static [Follows] {
        follows![
            Through::Vertices => ["G801", "W101"],
            Through::Mended => ["T407", "C510", "B201"],
        ]
    }

    fn watch(&self, cx: &Context<'_>, sample: &Sample<'_>, out: &mut Findings) {
        for (posed, extent) in sample.meshes.iter().zip(sample.extents()) {
            if !extent.finite {
                report(cx, sample, posed, out);
            }
        }
        let (asset, is_shown) = (cx.asset, shown(cx.asset));
        for (index, instance) in asset.instances.iter().enumerate() {
            if is_shown(instance) || stays_finite(cx, sample.pose, index) {
                continue;
            }
            let skin = cx.get::<PreparedMeshes>();
            let is_this = |other: &MeshInstance| std::ptr::eq(other, instance);
            let posed = skin.distinct_positions(asset, sample.pose, is_this);
            // The pose was skinned to get here, so this cannot fail.
            for posed in posed.unwrap_or_default() {
                report(cx, sample, &posed, out);
            }
        }
    }
}

fn report(
    cx: &Context<'_>,
    sample: &Sample<'_>,
    posed: &DistinctPositions<'_>,
    out: &mut Findings,
) {
    let instance = &cx.asset[posed.instance];
    let mut found = Counted::default();
    for (vertex, position) in posed.iter().enumerate() {
        if !position.is_finite() {
            found.add(0.0, (vertex, position));
        }
    }
    let Some((vertex, position)) = found.which else {
        return;
    };
    let group = cx.mesh(instance);
    let offence = Offence::of(&group, "vertex").vertices(&found.vertices);
    out.add_many(offence, found.count, |at| {
        let at = cx.at_vertex(sample.location(at), instance, vertex);
        (
            at,
            format!(
                "is skinned to ({}, {}, {})",
                position.x, position.y, position.z
            ),
        )
    });
}

/// Whether no vertex of an instance that follows its node can overflow f32; a conservative test.
fn stays_finite(cx: &Context<'_>, pose: &ModelPose, index: usize) -> bool {
    let instance = &cx.asset.instances[index];
    let reach = &cx.get::<Reaches>().0[instance.mesh.index()];
    let weights = pose.morph_weights.get(index).into_iter().flatten();
    let offsets = weights
        .zip(&reach.targets)
        .map(|(weight, reach)| f64::from(weight.abs() * reach));
    let farthest = f64::from(reach.positions) + offsets.sum::<f64>();
    let matrix = &pose[instance.node];
    let numbers = matrix.to_cols_array().map(f32::abs);
    let largest = f64::from(numbers.into_iter().fold(0.0, f32::max));
    let all_finite = matrix.is_finite() && farthest.is_finite();
    all_finite && 4.0 * largest * farthest.max(1.0) < f64::from(f32::MAX)
}

/// The largest coordinates of each mesh.
struct Reaches(Vec<Reach>);

impl Analysis for Reaches {
    fn of(cx: &Context<'_>) -> Self {
        Self(cx.asset.meshes.iter().map(Reach::of).collect())
    }
}

/// The largest finite coordinates of a mesh, by magnitude.
#[derive(Debug)]
struct Reach {
    positions: f32,
    /// Of the offsets of each morph target.
    targets: Vec<f32>,
}

impl Reach {
    fn of(mesh: &Mesh) -> Self {
        let largest = |positions: &[Vec3]| {
            let numbers = positions.iter().flat_map(Vec3::to_array).map(f32::abs);
            numbers
                .filter(|number| number.is_finite())
                .fold(0.0, f32::max)
        };
        let targets = mesh.morph_targets.iter();
        Self {
            positions: largest(&mesh.positions),
            targets: targets.map(|target| largest(&target.positions)).collect(),
        }
    }
}
