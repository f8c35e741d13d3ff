//! `C510`: nonfinite-key.

use glam::Vec3;

use crate::finding::Finding;
use crate::rig::{Asset, DefectKind, Track};
use crate::units::Seconds;
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    NonfiniteKey, "C510", "nonfinite-key", Error, Proved
}

impl Rule for NonfiniteKey {
    /// The clip without the tracks that have such keys.
    fn mended(&self, cx: &Context<'_>, finding: &Finding) -> Option<Asset> {
        let mut asset = cx.asset.clone();
        let clip = &mut asset.clips[finding.location.ids.clip?.index()];
        for channel in &mut clip.channels {
            let is_finite =
                |track: &Track<Vec3>| track.keys.iter().all(|key| key.value.is_finite());
            channel.translation = channel.translation.take().filter(is_finite);
            channel.scale = channel.scale.take().filter(is_finite);
            let rotation = channel.rotation.take();
            channel.rotation =
                rotation.filter(|track| track.keys.iter().all(|key| key.value.is_finite()));
        }
        Some(asset)
    }

    fn needs(&self) -> &'static [DefectKind] {
        &[DefectKind::NonfiniteKey]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for defect in cx.asset.evidence.of(DefectKind::NonfiniteKey) {
            out.add_defect(cx, defect, "key", None);
        }
        // Importers repair what they report; some let it through.
        for clip in &cx.asset.clips {
            let group = cx.clip(clip);
            for driver in clip.drivers() {
                let is_odd = |key: &usize| !driver.track.value(*key).iter().all(|x| x.is_finite());
                for key in (0..driver.track.count()).filter(is_odd) {
                    let offence = Offence::of(&group, "key").joint(driver.joint);
                    out.add(offence.at(Seconds(driver.track.time(key))), |subject| {
                        let subject = subject.channel_id(driver.channel());
                        let message = "the key is not finite".to_owned();
                        (subject.at(Seconds(driver.track.time(key))), message)
                    });
                }
            }
        }
    }
}
