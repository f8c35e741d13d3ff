//! Rules about the model that a file was made from: its source, or the file before compression.

mod stages;

use crate::diff::{Kind, Report, Stage};
use crate::finding::Finding;
use crate::lint::Rule;
use crate::lint::core::context::Context;
use crate::lint::core::findings::{Findings, Offence};
use crate::lint::core::meta::RuleMeta;

/// In the order of their codes.
pub(super) static RULES: &[&dyn Rule] = &[
    &stages::SurfaceChanged,
    &stages::BindingChanged,
    &stages::MotionChanged,
    &stages::JointsChanged,
    &stages::ShadingChanged,
];

/// Why a rule of this family is not checked although it was requested.
fn unset(cx: &Context<'_>, meta: &RuleMeta) -> Option<String> {
    cx.unset(
        meta,
        cx.changes.is_some(),
        "no original; name it with --original or in [compare]",
    )
}

/// Reports the differences that the comparison with the original attributes to one of `stages`.
fn report(cx: &Context<'_>, stages: &[Stage], out: &mut Findings) {
    let differences = cx.changes.into_iter().flat_map(Report::differences);
    for difference in differences {
        if let Some(kind) = Kind::of(difference).filter(|kind| stages.contains(&kind.stage())) {
            add(cx, kind, difference, out);
        }
    }
}

fn add(cx: &Context<'_>, kind: Kind, difference: &Finding, out: &mut Findings) {
    let group = cx.subject(&difference.location.by_name()).part(kind.name());
    let offence = Offence {
        badness: difference.measure.map_or(0.0, |measure| measure.value),
        measure: difference.measure,
        ..Offence::of_all(&group, "difference")
    };
    out.add(offence, |subject| (subject, difference.message.clone()));
}
