//! `B212`: foreign-scale.

use super::body::{Body, metres_high};
use crate::lint::analysis::armature;
use crate::lint::core::numbers::{metres, times};
use crate::lint::{
    About, Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Subject, Through,
    declare_rule, follows,
};

/// From a toy soldier of 3 cm to a giant of 30 m. The units in question differ by 100 and more.
const TIMES: Limit = Limit::new("times", 30.0, LimitRange::from(1.0))
    .about("maximum ratio between the height of a body and a metre, either way");

declare_rule! {
    /// ## What it does
    /// Looks for bodies that are taller than `times` (30) metres, or smaller than a metre divided by `times`, in the unit that
    /// the file states.
    ///
    /// A body is a skinned model whose joints are named after a head and feet, paws or hooves, or after a head, hands and
    /// legs. Files that state no unit are not checked. `B210` checks a height that you configure.
    ///
    /// ## Why is this bad?
    /// The file is in another unit than it states, for example in centimetres instead of metres. The character is a
    /// hundred times too large in every scene, physics becomes unstable, and clips of other files tear it apart.
    ///
    /// ## How to fix
    /// - Export in the unit that the file states.
    /// - Blender: *Scene → Units*, and *Apply Scalings* or *Scale* in the export. glTF is always in metres.
    /// - Maya, 3ds Max: the unit in the FBX export's *Advanced Options → Units*.
    /// - Exporters: scale positions, translations and bind matrices together, or state the unit.
    /// - If the model is that large or small: raise `times`.
    ///
    /// ## References
    /// - glTF 2.0 §3.4 (metres); FBX `GlobalSettings`, `UnitScaleFactor` (centimetres); COLLADA 1.4.1, `unit`.
    ForeignScale, "B212", "foreign-scale", Warning, limits: [TIMES]
}

impl Rule for ForeignScale {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::If(is_scaled) => ["B209"], Through::Model => ["B210", "B211", "G811"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &TIMES);
        let is_stated = cx.asset.space.metres_per_unit.is_some();
        let height = metres_high(cx).filter(|height| is_stated && *height > 0.0);
        let Some(height) = height.filter(|_| Body::of(cx).is_creature()) else {
            return;
        };
        let ratio = height.max(1.0 / height);
        if ratio <= limit {
            return;
        }
        out.add(Offence::above(&Subject::FILE, "model", ratio, limit), |subject| {
            let how = if height > 1.0 { "high" } else { "low" };
            let (high, ratio) = (metres(height), times(ratio));
            let message = format!(
                "the body is {high} high, {ratio} as {how} as a metre: another unit than the file states?"
            );
            (subject, message)
        });
    }
}

/// Whether the body would have a plausible height without the scale that `cause` reports.
fn is_scaled(cx: &Context<'_>, (cause, _): About<'_>, _: About<'_>) -> bool {
    let factor = armature::scale_of_all(cx, cause);
    metres_high(cx).zip(factor).is_some_and(|(height, factor)| {
        let height = height / factor;
        height.max(1.0 / height) <= cx.limit(&ForeignScale::META, &TIMES)
    })
}
