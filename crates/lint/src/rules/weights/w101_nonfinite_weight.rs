//! `W101`: nonfinite-weight.

use super::coverage::report_single;
use crate::rig::DefectKind;
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    NonfiniteWeight, "W101", "nonfinite-weight", Error, Proved, attribute = Some("WEIGHTS_0")
}

impl Rule for NonfiniteWeight {
    fn needs(&self) -> &'static [DefectKind] {
        &[DefectKind::NonfiniteWeight]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        report_single(
            cx,
            out,
            |group, weight| (!weight.is_finite()).then(|| Offence::of(group, "weight")),
            |weight| format!("a weight is {weight}"),
        );
    }
}
