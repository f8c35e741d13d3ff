//! `C521`: constant-channel.

use super::paths::diagonal;
use crate::rig::{Asset, DefectKind, Driver, Span, TrackPart};
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// 1e-5: an order above the error of f32 conversions between matrices, Euler angles and quaternions (1e-6), and a
/// fiftieth of a millimetre on a model of two metres.
pub(super) const TOLERANCE: Limit = Limit::new("tolerance", 1e-5, LimitRange::FROM_ZERO).about(
    "maximum deviation from the rest value: of positions in diagonals of the model, of rotations and scales absolute",
);

declare_rule! {
    ConstantChannel, "C521", "constant-channel", Info, Proved, limits = &[TOLERANCE]
}

impl Rule for ConstantChannel {
    /// An importer adds keys to channels without any, which makes them constant.
    fn needs(&self) -> &'static [DefectKind] {
        &[DefectKind::EmptyChannel]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let tolerance = cx.limit(&Self::META, &TOLERANCE);
        let size = diagonal(cx).unwrap_or(1.0);
        for clip in &cx.asset.clips {
            let group = cx.clip(clip);
            for driver in clip.drivers() {
                if !rests(cx.asset, &driver, tolerance, size) {
                    continue;
                }
                let offence = Offence::of(&group, "channel").joint(driver.joint);
                out.add(offence, |subject| {
                    let message = "never leaves the rest value";
                    (subject.channel_id(driver.channel()), message.to_owned())
                });
            }
        }
    }
}

/// Whether the track stays at the rest value.
///
/// * `size` – of the model; the tolerance of positions is a fraction of it.
#[doc(hidden)]
#[must_use]
pub fn rests(asset: &Asset, driver: &Driver<'_>, tolerance: f64, size: f64) -> bool {
    let is_position = driver.part == TrackPart::Translation;
    let tolerance = tolerance * if is_position { size } else { 1.0 };
    let track = driver.track;
    let Some(rest) = rest_of(asset, driver) else {
        return false;
    };
    let negated: Vec<f32> = rest.iter().map(|number| -number).collect();
    let is_rotation = driver.part == TrackPart::Rotation;
    (0..track.count()).all(|key| {
        let value = track.value(key);
        let at_rest =
            near(value, &rest, tolerance) || is_rotation && near(value, &negated, tolerance);
        at_rest && (key + 1 == track.count() || is_flat(driver, key, tolerance))
    })
}

/// Whether the curve from key `key` to the next stays at the rest value.
fn is_flat(driver: &Driver<'_>, key: usize, tolerance: f64) -> bool {
    let Span::Cubic { leave, arrive } = driver.track.span(key) else {
        return true;
    };
    let seconds = driver.track.time(key + 1) - driver.track.time(key);
    let mut tangents = leave.iter().chain(arrive);
    tangents.all(|&tangent| f64::from(tangent.abs()) * seconds <= tolerance)
}

fn near(value: &[f32], rest: &[f32], tolerance: f64) -> bool {
    let mut pairs = value.iter().zip(rest);
    pairs.all(|(value, rest)| (f64::from(*value) - f64::from(*rest)).abs() <= tolerance)
}

/// The rest value of the channel's target.
fn rest_of(asset: &Asset, driver: &Driver<'_>) -> Option<Vec<f32>> {
    let rest = asset.skeleton.get(driver.joint)?.rest;
    match driver.part {
        TrackPart::Translation => Some(rest.to_trs().translation.to_array().to_vec()),
        TrackPart::Rotation => Some(rest.to_trs().rotation.to_array().to_vec()),
        TrackPart::Scale => Some(rest.to_trs().scale.to_array().to_vec()),
        TrackPart::Matrix => Some(rest.to_matrix().to_cols_array().to_vec()),
        TrackPart::Weights => {
            let mut shown = asset.instances.iter();
            let instance = shown.find(|instance| instance.node == driver.joint)?;
            Some(instance.morph_weights.clone())
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::testing::{arm, findings, rotating};

    #[test]
    fn a_channel_that_the_importer_may_have_made_is_not_reported() {
        let mut asset = rotating(arm(), Quat::IDENTITY);
        assert!(findings(&asset, &ConstantChannel).is_empty());
        asset.evidence.examined = ConstantChannel.needs().to_vec();
        assert_eq!(findings(&asset, &ConstantChannel).len(), 1);
    }
}
