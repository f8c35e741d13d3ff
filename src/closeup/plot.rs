//! A finding of a clip over time.

use crate::finding::Finding;
use crate::lint::{Context, Curve, find_rule};
use crate::units::Seconds;

/// The numbers behind a finding of a clip over time.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Plot {
    /// Of the model.
    pub curve: Curve,
    /// Of the model that it was made from, if that has the joint and the clip.
    pub original: Option<Curve>,
    /// The limit that the numbers exceed or fall short of.
    pub limit: Option<f64>,
    /// The time of the finding.
    pub time: Option<Seconds>,
}

impl Plot {
    /// `None` for a finding whose rule has no curve.
    ///
    /// * `original` – the model that the model of `cx` was made from.
    pub(super) fn of(
        cx: &Context<'_>,
        finding: &Finding,
        original: Option<&Context<'_>>,
    ) -> Option<Self> {
        let rule = find_rule(finding.code.0)?;
        let ids = finding.location.ids;
        let clip = cx.asset.clips.get(ids.clip?.index())?;
        let node = cx.asset.skeleton.get(ids.node?)?;
        let curve = rule.curve(cx, clip, ids.node?)?;
        let original = original.and_then(|original| {
            let mut clips = original.asset.clips.iter();
            let clip = clips.find(|own| own.name == clip.name)?;
            let joint = original.asset.skeleton.find(&node.name)?;
            rule.curve(original, clip, joint)
        });
        let limit = finding.measure.and_then(|measure| measure.limit);
        let limit = limit.and_then(|limit| Some(limit * curve.per_measure?));
        Some(Self {
            original,
            limit,
            time: finding.location.time,
            curve,
        })
    }
}
