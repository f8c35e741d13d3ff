//! What an engine supports, and the tolerance that follows.

use std::num::NonZeroU32;

use serde::Deserialize;

use super::{Tolerance, skinning};
use crate::rig::{Asset, Span, Track};

/// What an engine declares about itself. The default supports everything, in f32.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Capabilities {
    /// Its name and version, for reports.
    pub engine: Option<String>,
    /// The maximum number of influences per vertex. The engine keeps the largest and normalizes them.
    pub influences: Option<NonZeroU32>,
    /// Bits per stored weight, up to 16. The engine rounds weights to the nearest value, and makes them sum to 1
    /// again.
    pub weight_bits: Option<NonZeroU32>,
    /// The rate at which the engine resamples clips, in samples per second; it blends between samples. `None` if it
    /// evaluates curves.
    pub resampled_fps: Option<f64>,
    /// The interpolations it supports; all if `None`.
    pub interpolations: Option<Vec<Interpolation>>,
    /// Whether it skins by dual quaternions instead of matrices.
    pub dual_quaternions: bool,
    /// Whether it supports morph targets; it does if `None`.
    pub morphs: Option<bool>,
    /// Whether it divides weights by their sum; it does if `None`.
    pub normalizes: Option<bool>,
}

/// An interpolation of glTF.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Interpolation {
    /// Holds each key.
    Step,
    /// Linear, or spherical for rotations.
    Linear,
    /// Cubic Hermite splines.
    Cubic,
}

impl Capabilities {
    /// The first invalid number, in words; `None` if all are valid.
    #[must_use]
    pub fn problem(&self) -> Option<&'static str> {
        if self.weight_bits.is_some_and(|bits| bits.get() > 16) {
            return Some("`weight_bits` is above 16");
        }
        let is_rate = |fps: f64| fps.is_finite() && fps > 0.0;
        (!self.resampled_fps.is_none_or(is_rate)).then_some("`resampled_fps` is not above 0")
    }

    /// The tolerance of a program with these capabilities that computes in f32. Each bound is derived where it is used:
    /// `motion::wander` for samples of clips, `rounding::stored` for influences and weights.
    #[must_use]
    pub fn tolerance(&self) -> Tolerance {
        Tolerance {
            resampled: self.resampled_fps.map_or(0.0, |fps| 1.0 / fps),
            influences: self.influences,
            weight_step: self.weight_bits.map_or(0.0, |bits| {
                1.0 / (f64::from(1_u32 << bits.get().min(16)) - 1.0)
            }),
            ..Tolerance::F32_TIME
        }
    }

    /// Whether the engine supports an asset's interpolations, morph targets and sums of weights.
    pub(super) fn support(&self, rig: &Asset) -> bool {
        fn all<T>(track: Option<&Track<T>>, known: &[Interpolation]) -> bool {
            let is_known = |span: &Span<T>| {
                known.contains(&match span {
                    Span::Step => Interpolation::Step,
                    Span::Linear => Interpolation::Linear,
                    Span::Cubic { .. } => Interpolation::Cubic,
                })
            };
            track.is_none_or(|track| track.keys.iter().all(|key| is_known(&key.span)))
        }
        if self.morphs == Some(false)
            && rig.meshes.iter().any(|mesh| !mesh.morph_targets.is_empty())
        {
            return false;
        }
        let mut lists = rig.meshes.iter().flat_map(|mesh| mesh.influences.iter());
        if self.normalizes == Some(false) && !lists.all(skinning::has_unit_sum) {
            return false;
        }
        let Some(known) = &self.interpolations else {
            return true;
        };
        rig.clips.iter().all(|clip| {
            clip.channels.iter().all(|channel| {
                all(channel.translation.as_ref(), known)
                    && all(channel.rotation.as_ref(), known)
                    && all(channel.scale.as_ref(), known)
            }) && clip
                .morph_channels
                .iter()
                .all(|channel| all(Some(&channel.weights), known))
        })
    }
}
