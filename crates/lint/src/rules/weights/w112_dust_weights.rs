//! `W112`: dust-weights.

use crate::analysis::joints;
use crate::shown::escaped;
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// The smallest weight in 8 bits. Smaller ones become 0 or this, depending on the engine's rounding.
const LEAST_WEIGHT: Limit = Limit::new("least_weight", 1.0 / 255.0, LimitRange::PART)
    .about("minimum weight that is not dust");

declare_rule! {
    DustWeights, "W112", "dust-weights", Info, Proved, limits = &[LEAST_WEIGHT], attribute = Some("WEIGHTS_0")
}

impl Rule for DustWeights {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &LEAST_WEIGHT);
        // Rounded as in a file of 8-bit weights, so that 1 of 255 does not count.
        #[expect(clippy::cast_possible_truncation, reason = "weights are f32")]
        let least = limit as f32;
        for skinned in joints::skinned(cx.asset) {
            let group = cx.mesh(skinned.instance);
            for (vertex, influences) in skinned.mesh.influences.iter().enumerate() {
                for influence in influences {
                    let weight = influence.weight;
                    if !(weight > 0.0 && weight < least) {
                        continue;
                    }
                    let offence = Offence::below(&group, "weight", f64::from(weight), limit);
                    out.add(offence.vertex(vertex), |subject| {
                        let joint = cx.joint_name(skinned.skin[influence.slot]);
                        let joint = escaped(joint);
                        let message =
                            format!("weight {weight:.1e} on joint \"{joint}\", limit {limit:.1e}");
                        (cx.at_vertex(subject, skinned.instance, vertex), message)
                    });
                }
            }
        }
    }
}
