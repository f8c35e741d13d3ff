//! `W102`: negative-weight.

use super::coverage::report_single;
use crate::lint::{Context, Findings, Offence, Rule, declare_rule};
use crate::rig::DefectKind;

declare_rule! {
    /// ## What it does
    /// Checks that no weight is below 0.
    ///
    /// ## Why is this bad?
    /// A negative weight moves the vertex against its joint, and the other weights overshoot to make up for it. The
    /// result is a dent or spike that grows as the joint rotates. Formats with unsigned weights cannot store it:
    /// engines that compress clamp it to 0 and show a different shape than the authoring tool.
    ///
    /// ## How to fix
    /// - Set the negative weight to 0, and normalize the vertex again.
    /// - Blender keeps weights between 0 and 1, in painting and in modifiers: an export script or an add-on computed
    ///   the negative one.
    /// - Maya: *Component Editor → Smooth Skins* shows them. Set them to 0, then *Skin → Normalize Weights*.
    /// - Exporters: clamp to 0 before normalizing, not after.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.3; glTF-Validator `ACCESSOR_WEIGHTS_NEGATIVE`.
    NegativeWeight, "W102", "negative-weight", Error, attribute: "WEIGHTS_0"
}

impl Rule for NegativeWeight {
    fn needs(&self) -> &'static [DefectKind] {
        &[DefectKind::NegativeWeight]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        // Infinity is W101's.
        let is_negative = |weight: f32| weight < 0.0 && weight.is_finite();
        report_single(
            cx,
            out,
            |group, weight| {
                let offence = || Offence::below(group, "weight", weight.into(), 0.0);
                is_negative(weight).then(offence)
            },
            |weight| format!("a weight is {}, below 0", reported(weight.into())),
        );
    }
}

/// Four decimals, or one significant digit of smaller numbers.
fn reported(weight: f64) -> String {
    let rounded = (weight * 1e4).round() / 1e4;
    if rounded == 0.0 {
        format!("{weight:.0e}")
    } else {
        rounded.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_reported_as_people_write_them() {
        let reported = [-0.25, f64::from(-0.1_f32), -1.0, -2e-7].map(reported);
        assert_eq!(reported, ["-0.25", "-0.1", "-1", "-2e-7"]);
    }
}
