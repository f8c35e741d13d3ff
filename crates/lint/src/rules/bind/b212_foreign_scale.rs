//! `B212`: foreign-scale.

use super::body::{Body, metres_high};
use crate::analysis::armature;
use crate::core::numbers::metres;
use crate::finding::Finding;
use crate::rig::Location;
use crate::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Through, declare_rule, follows,
};

/// From a toy soldier of 3 cm to a giant of 30 m. The units in question differ by 100 and more.
const TIMES: Limit = Limit::new("times", 30.0, LimitRange::from(1.0))
    .about("maximum ratio between the height of a body and a metre, either way");

declare_rule! {
    ForeignScale, "B212", "foreign-scale", Warning, Judged, limits = &[TIMES]
}

impl Rule for ForeignScale {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::If(is_scaled) => ["B209"], Through::Mended => ["B211", "G811"]]
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
        out.add(
            Offence::above(&Location::FILE, "model", ratio, limit),
            |subject| {
                let high = metres(height);
                let message =
                    format!("the body is {high} high: another unit than the file states?");
                (subject, message)
            },
        );
    }
}

/// Whether the body would have a plausible height without the scale that `cause` reports.
fn is_scaled(cx: &Context<'_>, cause: &Finding, _: &Finding) -> bool {
    let factor = armature::scale_of_all(cx, cause);
    metres_high(cx).zip(factor).is_some_and(|(height, factor)| {
        let height = height / factor;
        height.max(1.0 / height) <= cx.limit(&ForeignScale::META, &TIMES)
    })
}
