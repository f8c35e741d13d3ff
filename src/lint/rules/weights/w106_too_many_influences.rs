//! `W106`: too-many-influences.

use crate::lint::analysis::uses;
use crate::lint::rules::rule::declare_rule;
use crate::lint::{Context, Findings, Limit, LimitRange, Offence, Rule, Settings};

/// One set of `JOINTS_0` and `WEIGHTS_0`, which is all that a client of glTF has to support (glTF 2.0 §3.7.3.3), and what
/// most engines do on phones.
const MAX_INFLUENCES: Limit = Limit {
    key: "max_influences",
    default: 4.0,
    range: LimitRange::WHOLE,
    about: "influences a vertex, in place of what the profile allows",
};

declare_rule! {
    /// ## What it does
    /// Checks that no vertex has more influences than the profile allows; without a profile, four.
    ///
    /// `max_influences` sets another number, more or less, whatever the profile allows. Weights of 0 do not count, and a joint
    /// that is named twice (`W109`) counts twice, as it takes two of the places that an engine has. What is lost when the rest
    /// is cut is W107's matter.
    ///
    /// ## Why is this bad?
    /// Engines drop what they cannot hold, usually the smallest weights, and usually without a word. The shape then differs
    /// from what was painted, most at shoulders and hips, where many joints meet; and where neighbouring vertices lose
    /// different joints, the surface gets ripples.
    ///
    /// ## How to fix
    /// - Blender: *Weights → Limit Total* with the limit of the engine, then *Normalize All*.
    /// - Maya: *Skin → Edit Skin → Max Influences* with *Maintain Max Influences*.
    /// - Unity: *Project Settings → Quality → Skin Weights*; Unreal: *Unlimited Bone Influences*, if the platform can.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.3 (more than one set of joints and weights is optional for clients).
    TooManyInfluences, "W106", "too-many-influences", Warning, limits: [MAX_INFLUENCES]
}

impl Rule for TooManyInfluences {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let Some(limit) = limit(cx.settings) else {
            return;
        };
        for skinned in uses::skinned(cx.asset) {
            let group = cx.mesh(skinned.instance);
            for (vertex, influences) in skinned.mesh.influences.iter().enumerate() {
                let count = influences.iter().filter(|pull| pull.weight != 0.0).count();
                #[expect(clippy::cast_precision_loss, reason = "a vertex has few influences")]
                let value = count as f64;
                if value <= limit {
                    continue;
                }
                out.add(Offence::above(&group, "vertex", value, limit), |place| {
                    let place = cx.at_vertex(place, skinned.instance, vertex);
                    (place, format!("{count} influences, limit {limit}"))
                });
            }
        }
    }
}

/// What is configured, else what the profile says, which may be nothing; without a profile the default.
fn limit(settings: &Settings) -> Option<f64> {
    let meta = &TooManyInfluences::META;
    let configured = settings
        .limits
        .contains_key(&(meta.code, MAX_INFLUENCES.key));
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
        let key = (TooManyInfluences::META.code, MAX_INFLUENCES.key);
        settings.limits.insert(key, 8.0);
        assert_eq!(limit(&settings), Some(8.0));
    }
}
