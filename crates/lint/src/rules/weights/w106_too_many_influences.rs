//! `W106`: too-many-influences.

use crate::analysis::joints;
use crate::core::numbers::as_f64;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// One set of `JOINTS_0` and `WEIGHTS_0`: what a glTF client should support at least (glTF 2.0 §3.7.3.3), and what most
/// engines use on phones.
const LIMIT: Limit = Limit::new("max_influences", 4.0, LimitRange::WHOLE)
    .about("maximum number of influences per vertex; replaces the engine's limit");

const INFLUENCES: Gauge = Gauge::new("influences of a vertex", ReadingUnit::Count);

declare_rule! {
    TooManyInfluences, "W106", "too-many-influences", Warning, Judged,
    limits = &[LIMIT], attribute = Some("WEIGHTS_0")
}

impl Rule for TooManyInfluences {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let Some(limit) = cx.settings.most_influences() else {
            return;
        };
        let limit = f64::from(limit.get());
        for skinned in joints::skinned(cx.asset) {
            let group = cx.mesh(skinned.instance);
            for (vertex, influences) in skinned.mesh.influences.iter().enumerate() {
                let count = influences
                    .iter()
                    .filter(|influence| influence.weight != 0.0)
                    .count();
                let value = as_f64(count);
                out.measure(INFLUENCES, [value, limit], || group.clone().vertex(vertex));
                if value <= limit {
                    continue;
                }
                let offence = Offence::above(&group, "vertex", value, limit);
                out.add(offence.vertex(vertex), |subject| {
                    let subject = cx.at_vertex(subject, skinned.instance, vertex);
                    (subject, format!("{count} influences, limit {limit}"))
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;
    use crate::{MAX_INFLUENCES, Settings};

    #[test]
    fn the_configuration_goes_before_the_engine() {
        let most = |settings: &Settings| settings.most_influences().map(NonZeroU32::get);
        let mut settings = Settings::default();
        assert_eq!(most(&settings), Some(4));
        settings.engine = Some("unreal".parse().unwrap());
        assert_eq!(most(&settings), Some(8));
        settings.engine = Some("unreal:influences=unlimited".parse().unwrap());
        assert_eq!(most(&settings), None);
        let limit = (TooManyInfluences::META.code, LIMIT.key);
        assert_eq!(limit, MAX_INFLUENCES);
        settings.limits.insert(limit, 6.0);
        assert_eq!(most(&settings), Some(6));
    }
}
