//! `B202`: nonaffine-inverse-bind.

use crate::core::location::Key;
use crate::rig::{Defect, DefectKind, Location};
use crate::{Context, Findings, Offence, Rule, declare_rule};

/// A row this close to 0 0 0 1 is rounding of f32: of a chain of some ten products, and of a division by w.
const ROUNDING: f64 = 1e-5;

declare_rule! {
    NonaffineInverseBind, "B202", "nonaffine-inverse-bind", Error, Proved
}

impl Rule for NonaffineInverseBind {
    fn needs(&self) -> &'static [DefectKind] {
        &[DefectKind::NonaffineInverseBind]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let defects = cx.asset.evidence.of(DefectKind::NonaffineInverseBind);
        let mut defects: Vec<(Key, Location, &Defect)> = defects
            .map(|defect| {
                let mut group = cx.resolved(&defect.location);
                (group.joint, group.ids.node, group.part) = (None, None, None);
                (cx.key(&group), group, defect)
            })
            .collect();
        defects.sort_by(|a, b| a.0.cmp(&b.0));
        for defects in defects.chunk_by(|a, b| a.0 == b.0) {
            let minor = defects.iter().all(|(.., defect)| defect.badness < ROUNDING);
            for (_, group, defect) in defects {
                let offence = Offence {
                    badness: defect.badness,
                    ..Offence::of(group, "matrix")
                };
                out.add_many(offence.info_if(minor), defect.count, |_| {
                    (cx.resolved(&defect.location), defect.message.clone())
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Level;
    use crate::testing::{arm, findings};

    #[test]
    fn a_skin_is_one_finding_and_rounding_is_not_an_error() {
        let mut asset = arm();
        asset.evidence.examined = NonaffineInverseBind.needs().to_vec();
        let mut put = |joint: &str, badness: f64| {
            asset.evidence.defects.push(Defect {
                kind: DefectKind::NonaffineInverseBind,
                location: Location::skin("arm").of_joint(joint),
                count: 1,
                badness,
                message: "the last row is wrong".into(),
            });
            let found = findings(&asset, &NonaffineInverseBind);
            let reported =
                |f: &crate::finding::Finding| (f.level, f.count, f.location.joint.clone());
            found.iter().map(reported).collect::<Vec<_>>()
        };
        let rounded = put("shoulder", 1e-6);
        assert_eq!(rounded, [(Level::Info, 1, Some("shoulder".to_owned()))]);
        let wrong = put("elbow", 0.5);
        assert_eq!(wrong, [(Level::Error, 2, Some("elbow".to_owned()))]);
    }
}
