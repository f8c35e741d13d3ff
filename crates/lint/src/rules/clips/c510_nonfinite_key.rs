//! `C510`: nonfinite-key.

use crate::rig::DefectKind;
use crate::units::Seconds;
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    NonfiniteKey, "C510", "nonfinite-key", Error, Proved
}

impl Rule for NonfiniteKey {
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
