//! `D609`: exploded.

use crate::analysis::deformation::rest;
use crate::analysis::topology::sides;
use crate::core::reading::{Gauge, ReadingUnit};
use glam::Vec3;

use crate::analysis::deformation::bent::Bent;
use crate::analysis::joints::watched as shown;
use crate::core::numbers::beside;
use crate::rig::{Bounds, InstanceId, Location, NodeId};
use crate::skinning::DistinctPositions;
use crate::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Sample, Through, declare_rule,
    follows,
};

/// No stretching, flying or growing extends so far, but a wrong unit does: a hundred is the factor between metres and
/// centimetres.
const DIAGONALS: Limit = Limit::new("diagonals", 100.0, LimitRange::FROM_ZERO)
    .about("extent of the model in the pose over its diagonal at rest");

/// f32 keeps seven digits, so a model this small relative to its surroundings is a point.
const POINT: Limit = Limit::new("point", 1e-6, LimitRange::FROM_ZERO)
    .about("extent of the model in the pose, over its diagonal at rest, below which it is a point");

/// No intact surface has such a long edge: the joints at its ends are in different units.
const EDGE: Limit = Limit::new("edge", 2.0, LimitRange::FROM_ZERO).about(
    "length of an edge, over the model's diagonal at rest, from which a fifth of `diagonals` \
     is too far",
);

/// The fraction of `diagonals` that is too far for a surface with edges that long. A character with a clip in
/// centimetres on a skeleton in metres spans 70 of its diagonals with stretched arms, and 40 with hanging ones.
const TORN: f64 = 0.2;

const EXTENT: Gauge = Gauge::new("extent", ReadingUnit::Times).ideally(1.0);

declare_rule! {
    Exploded, "D609", "exploded", Hint, Judged, limits = &[DIAGONALS, EDGE, POINT]
}

impl Rule for Exploded {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Mended => ["G811", "B211", "C530", "C531", "C536"]]
    }

    fn watches(&self) -> bool {
        true
    }

    fn watch(&self, cx: &Context<'_>, sample: &Sample<'_>, out: &mut Findings) {
        let whole = united(sample.extents().iter().map(|extent| extent.bounds));
        let Some(size) = size(cx).filter(|_| !whole.is_empty()) else {
            return;
        };
        let limits = [DIAGONALS, EDGE, POINT].map(|limit| cx.limit(&Self::META, &limit));
        let [most, edge, least] = limits;
        let extent = whole.diagonal() / size;
        out.measure(EXTENT, [extent, most], || Location::FILE);
        if extent > most {
            let middle = middle(sample);
            if let Some(farthest) = farthest(sample, middle) {
                report_exploded(cx, sample, out, farthest, [extent, most]);
            }
        } else if let Some((at, extent)) = torn(cx, sample, size, [TORN * most, edge]) {
            report_exploded(cx, sample, out, at, [extent, TORN * most]);
        } else if extent < least && joints_have_a_size(cx, sample) {
            let group = Location::FILE;
            out.add(Offence::below(&group, "pose", extent, least), |subject| {
                let words = "all vertices collapse to one point".to_owned();
                (sample.location(subject), words)
            });
        }
    }
}

fn united(boxes: impl Iterator<Item = Bounds>) -> Bounds {
    boxes.fold(Bounds::EMPTY, Bounds::united)
}

/// The diagonal at rest; `None` for a model without extent at rest.
fn size(cx: &Context<'_>) -> Option<f64> {
    let rest = rest(cx)?;
    let is_shown = shown(cx.asset);
    let boxes = cx
        .asset
        .instances
        .iter()
        .zip(&rest.boxes)
        .filter(|(instance, _)| is_shown(instance));
    let size = united(boxes.map(|(_, bounds)| *bounds)).diagonal();
    (size > 0.0 && size.is_finite()).then_some(size)
}

/// An edge is torn only if it is this many times as long as its joints' scale makes it.
const STRETCH: f64 = 10.0;

/// The diagonal in the bind pose, if there is one: the rest pose may have exploded already.
fn bound_size(cx: &Context<'_>) -> Option<f64> {
    let size = rest(cx)?.bound_size;
    (size > 0.0).then_some(size)
}

/// A vertex of a torn edge, and the extent of the meshes with its skin, if that is too far. In diagonals of the rest
/// pose or the bind pose.
///
/// * `size` – the diagonal at rest.
fn torn(
    cx: &Context<'_>,
    sample: &Sample<'_>,
    size: f64,
    [most, edge]: [f64; 2],
) -> Option<((usize, usize), f64)> {
    let size = bound_size(cx).map_or(size, |bound| bound.min(size));
    let boxes = sample.extents().iter().map(|extent| extent.bounds);
    // Few poses have such an edge.
    if united(boxes.clone()).diagonal() <= most * size {
        return None;
    }
    let mut of_skins = vec![Bounds::EMPTY; cx.asset.skins.len()];
    for (posed, own) in sample.meshes.iter().zip(boxes) {
        let skin = cx.asset[posed.instance].skin;
        if let Some(of_skin) = skin.and_then(|skin| of_skins.get_mut(skin.index())) {
            *of_skin = of_skin.united(own);
        }
    }
    sample.bent().iter().find_map(|bent| {
        let of_skin = of_skins.get(bent.instance.skin?.index())?;
        let extent = of_skin.diagonal() / size;
        let vertex = (extent > most).then(|| torn_edge(bent, edge * size))??;
        Some(((bent.posed.instance.index(), vertex), extent))
    })
}

/// An end of an edge that is longer than `limit` for another reason than the joints' scale.
fn torn_edge(bent: &Bent<'_>, limit: f64) -> Option<usize> {
    let is_torn = |edge: [u32; 2]| {
        let between = |[a, b]: [Vec3; 2]| a.as_dvec3().distance(b.as_dvec3());
        let posed = between(edge.map(|end| bent.posed.at(end as usize)));
        let bound = between(edge.map(|end| bent.bound[end as usize]));
        let scaled = bound * f64::from(bent.stretch(edge));
        posed > limit && posed > STRETCH * scaled && bent.surface.trusts(edge)
    };
    let triangles = bent.surface.pliant.corners.iter();
    let mut edges = triangles.flat_map(|&corners| sides(corners));
    edges.find(|edge| is_torn(*edge)).map(|[a, _]| a as usize)
}

/// * `at` – an instance, and a vertex of it.
fn report_exploded(
    cx: &Context<'_>,
    sample: &Sample<'_>,
    out: &mut Findings,
    (index, vertex): (usize, usize),
    [extent, most]: [f64; 2],
) {
    let instance = &cx.asset.instances[InstanceId::from_index(index).index()];
    let group = cx.mesh(instance);
    out.add(Offence::above(&group, "pose", extent, most), |subject| {
        let extent = beside(extent, most, 0);
        let subject = cx.at_vertex(sample.location(subject), instance, vertex);
        (
            subject,
            format!("the model spans {extent} times its diagonal, limit {most}"),
        )
    });
}

/// The median of each coordinate.
fn middle(sample: &Sample<'_>) -> Vec3 {
    let median = |axis: usize| {
        let positions = sample.meshes.iter().flat_map(DistinctPositions::iter);
        let mut along: Vec<f32> = positions.map(|position| position[axis]).collect();
        let half = along.len() / 2;
        let (_, median, _) = along.select_nth_unstable_by(half, f32::total_cmp);
        *median
    };
    Vec3::new(median(0), median(1), median(2))
}

/// The vertex that is farthest from `middle`: its instance, and its position there.
fn farthest(sample: &Sample<'_>, middle: Vec3) -> Option<(usize, usize)> {
    let mut farthest = (-1.0, None);
    for mesh in sample.meshes {
        for (vertex, position) in mesh.iter().enumerate() {
            let distance = (position.as_dvec3() - middle.as_dvec3()).length();
            if distance > farthest.0 && distance.is_finite() {
                farthest = (distance, Some((mesh.instance.index(), vertex)));
            }
        }
    }
    farthest.1
}

/// Whether any joint of a skin has a scale other than 0.
fn joints_have_a_size(cx: &Context<'_>, sample: &Sample<'_>) -> bool {
    let has_size = |joint: NodeId| {
        let matrix = &sample.pose[joint];
        let axes = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
        axes.iter()
            .any(|axis| axis.truncate().length_squared() > 1e-12)
    };
    let skins = cx
        .asset
        .instances
        .iter()
        .filter_map(|i| cx.asset.skin_of(i));
    skins
        .flat_map(|skin| &skin.joints)
        .any(|joint| has_size(*joint))
}
