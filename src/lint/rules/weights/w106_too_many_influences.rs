//! `W106`: too-many-influences.

use crate::lint::analysis::joints;
use crate::lint::core::numbers::as_f64;
use crate::lint::{Context, Findings, Limit, LimitRange, Offence, Rule, Settings, declare_rule};

/// One set of `JOINTS_0` and `WEIGHTS_0`: what a glTF client should support at least (glTF 2.0 §3.7.3.3), and what most
/// engines use on phones.
const MAX_INFLUENCES: Limit = Limit::new("max_influences", 4.0, LimitRange::WHOLE)
    .about("maximum number of influences per vertex; replaces the profile's limit");

declare_rule! {
    TooManyInfluences, "W106", "too-many-influences", Warning,
    limits = &[MAX_INFLUENCES], attribute = Some("WEIGHTS_0")
}

impl Rule for TooManyInfluences {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let Some(limit) = limit(cx.settings) else {
            return;
        };
        for skinned in joints::skinned(cx.asset) {
            let group = cx.mesh(skinned.instance);
            for (vertex, influences) in skinned.mesh.influences.iter().enumerate() {
                let count = influences
                    .iter()
                    .filter(|influence| influence.weight != 0.0)
                    .count();
                let value = as_f64(count);
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

/// The configured limit, else the lens's or the profile's, which may be none; without either, the default.
fn limit(settings: &Settings) -> Option<f64> {
    let meta = &TooManyInfluences::META;
    let configured = settings
        .limits
        .contains_key(&(meta.code, MAX_INFLUENCES.key));
    if let Some(lens) = settings.lens.as_ref().filter(|_| !configured) {
        return lens.lens().influences.value.map(|most| most.get().into());
    }
    match settings.profile {
        Some(profile) if !configured => profile.max_influences.map(f64::from),
        _ => Some(settings.limit(meta, &MAX_INFLUENCES)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::{PROFILES, Profile};

    static UNLIMITED: Profile = Profile {
        max_influences: None,
        ..PROFILES[0]
    };

    #[test]
    fn the_configuration_goes_before_the_profile() {
        let mut settings = Settings::default();
        assert_eq!(limit(&settings), Some(4.0));
        settings.profile = Some(&UNLIMITED);
        assert_eq!(limit(&settings), None);
        settings.lens = Some("unreal".parse().unwrap());
        assert_eq!(limit(&settings), Some(8.0));
        settings.lens = Some("unreal:influences=unlimited".parse().unwrap());
        assert_eq!(limit(&settings), None);
        let key = (TooManyInfluences::META.code, MAX_INFLUENCES.key);
        settings.limits.insert(key, 8.0);
        assert_eq!(limit(&settings), Some(8.0));
    }
}
