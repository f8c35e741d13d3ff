//! `C503`: no-tick-rate.

use crate::lint::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Checks that a file with times in ticks or frames states how many there are per second.
    ///
    /// The level is info, because some engines have formats without a rate and take it from the settings of the game.
    ///
    /// ## Why is this bad?
    /// The clip's speed is unknown. Readers assume a rate (assimp's users 25, others 24, 30 or the format's own
    /// default), so the file plays at a different speed in each, and sounds and events drift away from the motion.
    ///
    /// ## How to fix
    /// - State the clip's frame rate in the file.
    /// - Exporters: write the scene's frame rate: `AnimTicksPerSecond` of DirectX .x files, `framerate` of IQM, `Frame
    ///   Time` of BVH, `frameRate` of MD5.
    /// - By hand, in text formats: add the line.
    /// - Code: take the rate from the user rather than from a default.
    ///
    /// ## References
    /// - assimp, `aiAnimation::mTicksPerSecond`: 0 if the imported file does not specify it.
    NoTickRate, "C503", "no-tick-rate", Info
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
    use crate::lint::testing::reported;
    use crate::pose::rigs::{asset_of, clip};
    use crate::rig::{Asset, TickRate};

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
