//! Vertices with other weights, posed beside the model itself.

use crate::analysis::deformation::rest;
use crate::analysis::part::Part;
use crate::core::context::Context;
use crate::core::findings::Counted;
use crate::core::numbers::{diagonals_beside, metres, significant};
use crate::core::reading::Gauge;
use crate::rig::MeshInstance;
use crate::skinning::Attributes;
use crate::units::Space;
use crate::{Findings, Offence, Sample};

/// The vertex that moves the most.
pub(super) struct Moved<'a> {
    /// The distance and the limit, such as `0.42 % of the diagonal` and `0.1`.
    pub(super) words: [String; 2],
    /// The distance, such as `1.2 cm, 4.5 px if the model spans 1080 px`.
    pub(super) length: String,
    pub(super) instance: &'a MeshInstance,
    /// Its index in the mesh.
    pub(super) vertex: usize,
}

/// The height of a common screen, in pixels.
const SCREEN: f64 = 1080.0;

/// A length in metres or parts of them, or in the model's units if it states none.
fn length(length: f64, space: &Space) -> String {
    match space.metres_per_unit {
        Some(metres_per_unit) => metres(length * metres_per_unit),
        None => format!("{} units", significant(length, 2)),
    }
}

/// Reports to `out` the vertices whose position differs from that in `sample`.
///
/// * `part` – vertices with other weights.
/// * `limit` – the largest distance, over the diagonal of the skinned meshes at rest, and the gauge of that distance.
/// * `words` – formats the worst of them.
pub(super) fn watch(
    part: &Part,
    cx: &Context<'_>,
    sample: &Sample<'_>,
    (gauge, limit): (Gauge, f64),
    out: &mut Findings,
    words: impl Fn(&Moved<'_>) -> String,
) {
    let Some(rest) = rest(cx) else {
        return;
    };
    let meshes = part.posed(sample.pose, Attributes::Positions);
    for own in sample.meshes {
        let index = own.instance.index();
        let (instance, other) = (&cx.asset.instances[index], &meshes[index]);
        let (mut found, mut farthest) = (Counted::default(), (-1.0, None));
        for (&vertex, position) in part.vertices_of(instance).iter().zip(&other.positions) {
            let distance = f64::from(own.at(vertex).distance(*position)) / rest.size;
            if distance > farthest.0 {
                farthest = (distance, Some(vertex));
            }
            if distance > limit && distance.is_finite() {
                found.add(distance, vertex);
            }
        }
        if let (distance, Some(vertex)) = farthest {
            out.measure(gauge, [distance, limit], || {
                cx.mesh(instance).vertex(vertex)
            });
        }
        let Some(vertex) = found.which else {
            continue;
        };
        let group = cx.mesh(instance);
        let offence = Offence::above(&group, "vertex", found.worst, limit);
        out.add_many(offence.vertices(&found.vertices), found.count, |subject| {
            let subject = cx.at_vertex(sample.location(subject), instance, vertex);
            let moved = Moved {
                words: diagonals_beside(found.worst, limit, 2),
                length: format!(
                    "{}, {} px if the model spans {SCREEN} px",
                    length(found.worst * rest.size, &cx.asset.space),
                    significant(found.worst * SCREEN, 2)
                ),
                instance,
                vertex,
            };
            (subject, words(&moved))
        });
    }
}
