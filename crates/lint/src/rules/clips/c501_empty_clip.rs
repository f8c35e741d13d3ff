//! `C501`: empty-clip.

use crate::rig::{Clip, Defect, DefectKind};
use crate::{Context, Findings, Follows, Offence, Rule, Through, declare_rule, follows};

declare_rule! {
    EmptyClip, "C501", "empty-clip", Hint, Judged
}

impl Rule for EmptyClip {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Clips => ["C518", "C519"]]
    }

    fn needs(&self) -> &'static [DefectKind] {
        &[DefectKind::EmptyChannel]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let (empty, moving): (Vec<&Clip>, Vec<&Clip>) =
            cx.asset.clips.iter().partition(|clip| is_empty(clip));
        let is_static = moving.is_empty()
            && cx.asset.skins.is_empty()
            && cx
                .asset
                .meshes
                .iter()
                .all(|mesh| mesh.morph_targets.is_empty());
        for clip in empty.into_iter().filter(|clip| !is_mended(cx, clip)) {
            let message = "nothing in it moves a node or a morph target";
            let group = cx.clip(clip);
            let offence = Offence::of(&group, "clip").info_if(is_static);
            out.add(offence, |subject| (subject, message.to_owned()));
        }
        for defect in cx.asset.evidence.of(DefectKind::EmptyChannel) {
            if moving.iter().any(|clip| is_of(cx, defect, clip)) {
                out.add_defect(cx, defect, "channel", None);
            }
        }
    }
}

/// Whether no channel of `clip` moves anything.
pub(super) fn is_empty(clip: &Clip) -> bool {
    clip.drivers().next().is_none() && clip.expression_channels.is_empty()
}

/// Whether `clip` had channels that were skipped for a reason that another rule reports.
fn is_mended(cx: &Context<'_>, clip: &Clip) -> bool {
    let mut defects = cx.asset.evidence.defects.iter();
    defects.any(|defect| defect.kind != DefectKind::EmptyChannel && is_of(cx, defect, clip))
}

fn is_of(cx: &Context<'_>, defect: &Defect, clip: &Clip) -> bool {
    let [of_defect, own] = [cx.resolved(&defect.location), cx.clip(clip)].map(|own| own.ids.clip);
    of_defect.is_some() && of_defect == own
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Level;
    use crate::pose::rigs::clip;
    use crate::rig::Asset;
    use crate::testing::{arm, findings};

    #[test]
    fn the_default_take_of_a_static_model_is_an_info() {
        let with_take = |mut asset: Asset| {
            asset.evidence.examined = EmptyClip.needs().to_vec();
            asset.clips = vec![clip("Take 001", 0.0, 1.0)];
            asset
        };
        let cube = Asset {
            skins: vec![],
            meshes: vec![],
            instances: vec![],
            ..arm()
        };
        for (asset, level) in [(cube, Level::Info), (arm(), Level::Hint)] {
            let found = findings(&with_take(asset), &EmptyClip);
            let levels: Vec<Level> = found.iter().map(|found| found.level).collect();
            assert_eq!(levels, [level]);
        }
    }
}
