//! `C518`: target-missing.

use crate::finding::Level;
use crate::rig::DefectKind;
use crate::{Context, Findings, Rule, declare_rule};

declare_rule! {
    TargetMissing, "C518", "target-missing", Error, Proved
}

impl Rule for TargetMissing {
    fn needs(&self) -> &'static [DefectKind] {
        &[DefectKind::TargetMissing]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for (kind, lesser) in [
            (DefectKind::TargetMissing, None),
            (DefectKind::AimlessChannel, Some(Level::Info)),
        ] {
            for defect in cx.asset.evidence.of(kind) {
                out.add_defect(cx, defect, "channel", lesser);
            }
        }
    }
}
