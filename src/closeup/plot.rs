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
    /// The same quantity of the model that it was made from, if that has the joint and the clip.
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
            let own = rule.curve(original, clip, joint)?;
            (own.quantity == curve.quantity).then_some(own)
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

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::finding::{Code, Level};
    use crate::lint::Settings;
    use crate::rig::{Asset, AssetBuilder, Location, Trs};

    /// A hip whose translation ends at `ends[0]` and whose rotation ends at `ends[1]`.
    fn rig(ends: [f64; 2]) -> Asset {
        let mut rig = AssetBuilder::new();
        let hip = rig.node("hip", None, Trs::IDENTITY);
        let run = rig.clip("Run");
        rig.translate(run, hip, [(0.0, Vec3::ZERO), (ends[0], Vec3::X)]);
        rig.rotate(
            run,
            hip,
            [(0.0, Quat::IDENTITY), (ends[1], Quat::from_rotation_x(1.0))],
        );
        rig.build().expect("it is whole")
    }

    #[test]
    fn an_original_is_plotted_if_it_shows_the_same_quantity() {
        let settings = Settings::default();
        let assets = [rig([0.5, 1.0]), rig([1.0, 0.9]), rig([0.7, 1.0])];
        let of = |asset| Context::new(asset, "".as_ref(), &settings);
        let [own, other, same] = assets.each_ref().map(of);
        let location = Location::joint("hip").in_clip("Run").at(Seconds(0.5));
        let location = own.location(own.subject(&location));
        let finding = Finding::new(Code("C520"), Level::Warning, location, "");
        let plot = |original| Plot::of(&own, &finding, Some(original)).expect("it has a curve");
        assert!(plot(&same).original.is_some());
        assert_eq!(plot(&other).original, None, "of its rotation");
    }
}
