//! `D605`: volume-loss.

use crate::analysis::deformation::bodies::LEAST_ROUNDNESS;
use crate::core::numbers::percents;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Sample, Through, declare_rule,
    follows,
};

/// A limb that linear blending twists by θ keeps 1 - (1 - cos θ)/3 of the volume of its blended part: half at 120°, a
/// third at 180°.
const RATIO: Limit = Limit::new("ratio", 0.5, LimitRange::PART)
    .about("volume in the pose over volume in the bind pose");

/// If a body's surface is far larger than a ball's (a two-sided cape, a leaf), its volume depends on its thickness,
/// which every fold changes. A ball has 1, a limb ten times as long as thick 0.3, a plate twenty times as wide as thick
/// 0.03.
const ROUNDNESS: Limit = Limit::new("roundness", LEAST_ROUNDNESS, LimitRange::PART)
    .about("minimum 36π V²/A³ of a part that counts");

/// A part with less of the model's surface, such as a tuft of hair, is as small as what `D604` ignores.
const SMALL: f64 = 0.01;

const VOLUME: Gauge = Gauge::new("volume kept", ReadingUnit::Part).ideally(1.0);

declare_rule! {
    VolumeLoss, "D605", "volume-loss", Hint, Judged, limits = &[RATIO, ROUNDNESS]
}

impl Rule for VolumeLoss {
    fn follows_from(&self) -> &'static [Follows] {
        follows![
            Through::Mended => ["B214", "W119", "B211", "C530", "C531", "C536"],
            Through::Between => ["C538"],
        ]
    }

    fn watches(&self) -> bool {
        true
    }

    fn watch(&self, cx: &Context<'_>, sample: &Sample<'_>, out: &mut Findings) {
        let [limit, roundness] = [RATIO, ROUNDNESS].map(|limit| cx.limit(&Self::META, &limit));
        for bent in sample.bent() {
            let group = cx.mesh(bent.instance);
            for body in &bent.surface.bodies {
                let Some(ratio) = bent.volume_ratio(body, roundness) else {
                    continue;
                };
                let corner = body.triangles[0][0] as usize;
                out.measure(VOLUME, [ratio, limit], || group.clone().vertex(corner));
                if ratio >= limit {
                    continue;
                }
                let all: f64 = sample
                    .bent()
                    .iter()
                    .map(|bent| bent.bound_shape().area)
                    .sum();
                // The shapes hold twice the areas.
                let is_small = 2.0 * body.area(&bent.bound) < SMALL * all;
                let offence = Offence::below(&group, "closed part", ratio, limit).info_if(is_small);
                out.add(offence.vertices(body.triangles.as_flattened()), |subject| {
                    let subject = sample.location(subject);
                    let subject = cx.at_vertex(subject, bent.instance, corner);
                    (subject, message(ratio, limit))
                });
            }
        }
    }
}

fn message(ratio: f64, limit: f64) -> String {
    // From half a per cent on; less is reported as 0 %.
    if ratio <= -0.005 {
        return "a closed part is turned inside out".to_owned();
    }
    let [ratio, limit] = percents(ratio.max(0.0), limit, 0);
    format!("{ratio} % of a closed part's volume is left, limit {limit} %")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_is_inside_out_keeps_no_volume() {
        let left = |percent| format!("{percent} % of a closed part's volume is left, limit 50 %");
        for (kept, reported) in [
            (0.3, left(30)),
            (-0.001, left(0)),
            (-0.2, "a closed part is turned inside out".to_owned()),
            (-62_573.14, "a closed part is turned inside out".to_owned()),
        ] {
            assert_eq!(message(kept, 0.5), reported);
        }
    }
}
