//! `W102`: negative-weight.

use super::coverage::report_single;
use crate::rig::DefectKind;
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    NegativeWeight, "W102", "negative-weight", Error, Proved, attribute = Some("WEIGHTS_0")
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
