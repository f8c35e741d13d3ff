//! `C503`: no-tick-rate.

use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    NoTickRate, "C503", "no-tick-rate", Info, Proved
}

impl Rule for NoTickRate {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for clip in &cx.asset.clips {
            let Some(stated) = clip.rate.stated else {
                continue;
            };
            if stated > 0.0 && stated.is_finite() {
                continue;
            }
            out.add(Offence::of(&cx.clip(clip), "clip"), |subject| {
                let used = clip.rate.used;
                let message = format!("states {stated} ticks per second; {used} assumed");
                (subject, message)
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::rigs::{asset_of, clip};
    use crate::rig::{Asset, TickRate};
    use crate::testing::reported;

    fn stating(stated: Option<f64>) -> Asset {
        let mut walk = clip("Walk", 0.0, 1.0);
        walk.rate = TickRate {
            stated,
            used: 25.0,
            frames: false,
        };
        Asset {
            clips: vec![walk],
            ..asset_of(vec![])
        }
    }

    #[test]
    fn a_rate_that_is_not_a_rate_is_reported() {
        for stated in [0.0, -30.0, f64::NAN, f64::INFINITY] {
            let expected = format!("clip \"Walk\": states {stated} ticks per second; 25 assumed");
            assert_eq!(reported(&NoTickRate, &stating(Some(stated))), [expected]);
        }
    }

    #[test]
    fn a_rate_and_a_file_that_counts_in_seconds_are_fine() {
        for stated in [Some(25.0), Some(0.01), Some(4800.0), None] {
            assert!(
                reported(&NoTickRate, &stating(stated)).is_empty(),
                "{stated:?}"
            );
        }
    }
}
