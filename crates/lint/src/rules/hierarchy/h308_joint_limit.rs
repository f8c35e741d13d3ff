//! `H308`: joint-limit.

use crate::analysis::joints;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::lists::distinct;
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, Settings, declare_rule};

/// As much as a 16-bit joint index can name: no limit.
const MAX_JOINTS: Limit = Limit::new("max_joints", 65_536.0, LimitRange::WHOLE)
    .about("maximum number of joints per skin; replaces the engine's limit");

const JOINTS: Gauge = Gauge::new("joints of a skin", ReadingUnit::Count);

declare_rule! {
    JointLimit, "H308", "joint-limit", Warning, Proved, limits = &[MAX_JOINTS]
}

impl Rule for JointLimit {
    fn uncheckable(&self, cx: &Context<'_>) -> Option<String> {
        let is_set = limit(cx.settings).is_some();
        cx.unset(
            &Self::META,
            is_set,
            "no max_joints and no engine that limits joints",
        )
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let Some((limit, owner)) = limit(cx.settings) else {
            return;
        };
        let locations = joints::skin_locations(cx);
        for (id, skin) in joints::skins(cx.asset) {
            let count = distinct(skin.joints.iter().copied()).len();
            let value = f64::from(u32::try_from(count).unwrap_or(u32::MAX));
            let group = &locations[id.index()];
            out.measure(JOINTS, [value, limit], || group.clone());
            if value <= limit {
                continue;
            }
            let offence = Offence::above(group, "skin", value, limit);
            out.add(offence, |subject| {
                let supported = match owner {
                    Some(title) => format!("{title} supports {limit}"),
                    None => format!("limit {limit}"),
                };
                (subject, format!("{count} joints; {supported}"))
            });
        }
    }
}

/// The configured limit, else the engine's with its title.
fn limit(settings: &Settings) -> Option<(f64, Option<&'static str>)> {
    let meta = &JointLimit::META;
    if let Some(configured) = settings.limits.get(&(meta.code, MAX_JOINTS.key)) {
        return Some((*configured, None));
    }
    let engine = settings.engine.as_ref()?.engine();
    Some((engine.joints?.value.into(), Some(engine.title)))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn the_configuration_goes_before_the_engine() {
        let mut settings = Settings::default();
        assert_eq!(limit(&settings), None);
        settings.engine = Some("bevy".parse().unwrap());
        assert_eq!(limit(&settings), Some((256.0, Some("Bevy"))));
        let key = (JointLimit::META.code, MAX_JOINTS.key);
        settings.limits.insert(key, 75.0);
        assert_eq!(limit(&settings), Some((75.0, None)));
    }
}
