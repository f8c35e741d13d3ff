//! A finding of a clip over time.

use crate::finding::Finding;
use crate::lint::{Context, Curve, find_rule};
use crate::units::Seconds;

/// The numbers behind a finding of a clip over time.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Plot {
    /// The quantity that the rule compares.
    pub curve: Curve,
    /// The limit that the numbers exceed or fall short of.
    pub limit: Option<f64>,
    /// The time of the finding.
    pub time: Option<Seconds>,
}

impl Plot {
    /// `None` for a finding whose rule has no curve.
    pub(super) fn of(cx: &Context<'_>, finding: &Finding) -> Option<Self> {
        let rule = find_rule(finding.code.0)?;
        let ids = finding.location.ids;
        let clip = cx.asset.clips.get(ids.clip?.index())?;
        let curve = rule.curve(cx, clip, ids.node?)?;
        let limit = finding.measure.and_then(|measure| measure.limit);
        let limit = limit.and_then(|limit| Some(limit * curve.per_measure?));
        Some(Self {
            limit,
            time: finding.location.time,
            curve,
        })
    }
}
