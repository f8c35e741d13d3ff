//! `W117`: mirror-asymmetry.

pub(super) mod body;

use crate::analysis::joints;
use crate::core::numbers::beside;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};
use body::{Body, Tolerances};

/// The share of the weight that differs. Tools that mirror weights stay within two steps of 8-bit weights, 0.008;
/// weights painted by eye on both sides differ by a tenth and more. In between, 0.05 moves a vertex by 5 % of the
/// distance by which two neighbouring joints separate.
const DIFFERENCE: Limit = Limit::new("difference", 0.05, LimitRange::PART)
    .about("share of the weight that differs between the two sides");

/// The share of a mesh's vertices with a mirror image. On a body with a bag or a scar, far more than three in four have
/// one; on a model that faces elsewhere or is posed, almost none.
const PARTNERS: Limit = Limit::new("partners", 0.75, LimitRange::PART)
    .about("minimum share of vertices with a mirror image; other meshes are skipped");

/// In diagonals. 16-bit positions are off by half a step, 0.8e-5 of the extent, on either side, and so is the plane;
/// f32 and text with six digits are off by less. It is 0.1 mm on a person, less than the distance between vertices.
const PLACE: Limit = Limit::new("place", 5e-5, LimitRange::FROM_ZERO)
    .about("maximum distance between a vertex and its mirror image, over the diagonal");

/// In diagonals. Automatically fitted skeletons miss symmetry by some 1 % of a person's height. Except for fingers,
/// which have names, joints are farther apart than 2 %.
const JOINTS: Limit = Limit::new("joints", 0.02, LimitRange::FROM_ZERO)
    .about("maximum distance between a joint and its mirror image, over the diagonal");

const LOPSIDED: Gauge = Gauge::new("weight that differs from side to side", ReadingUnit::Part);

declare_rule! {
    MirrorAsymmetry, "W117", "mirror-asymmetry", Hint, Judged, on_request = true,
    limits = &[DIFFERENCE, PARTNERS, PLACE, JOINTS], attribute = Some("WEIGHTS_0")
}

impl Rule for MirrorAsymmetry {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let [limit, partners, position, joints] =
            [DIFFERENCE, PARTNERS, PLACE, JOINTS].map(|limit| cx.limit(&Self::META, &limit));
        for skinned in joints::skinned(cx.asset) {
            let tolerances = Tolerances { position, joints };
            let Some(body) = Body::of(cx.asset, &skinned, tolerances, partners) else {
                continue;
            };
            let group = cx.mesh(skinned.instance);
            for vertex in 0..skinned.mesh.positions.len() {
                let Some((image, distance)) = body.image(vertex) else {
                    continue;
                };
                out.measure(LOPSIDED, [distance, limit], || group.clone().vertex(vertex));
                if distance <= limit {
                    continue;
                }
                let offence = Offence::above(&group, "vertex", distance, limit);
                out.add(offence.vertex(vertex), |subject| {
                    let subject = cx.at_weight(subject, skinned.instance, vertex, None);
                    (subject, message(vertex, image, distance, limit))
                });
            }
        }
    }
}

fn message(vertex: usize, image: usize, distance: f64, limit: f64) -> String {
    let other = if image == vertex {
        "on its own other side".to_owned()
    } else {
        format!("at its mirror image, vertex {image}")
    };
    let distance = beside(distance, limit, 2);
    format!("{distance} of the weight is on different joints than {other}, limit {limit}")
}

#[cfg(test)]
mod tests;
