//! What a comparison decides: settings and measurements become verdicts here, and nowhere else.

use serde::Serialize;

use super::comparison::Measurement;
use super::difference::Difference;
use super::kinds::{Kind, Stage};
use super::options::{Only, Settings};
use crate::finding::Level;
use crate::rig::ClipId;

/// The verdict on a clip or the rest pose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Everything is within the tolerance.
    Same,
    /// The surface is beyond the tolerance, but only by differences that the settings ignore.
    Ignored,
    /// Only the timing differs: on its own time line, the clip moves alike.
    Timing,
    /// A difference is beyond the tolerance.
    Different,
}

/// Whether a take's surface is within the tolerance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SurfaceVerdict {
    Within,
    /// Beyond it, and only by causes that the settings ignore.
    Ignored,
    Beyond,
}

impl Settings {
    /// Decides which differences count: turns the others into remarks, and remarks that count into differences.
    pub(super) fn judge(&self, differences: &mut [Difference], measurements: &[Measurement]) {
        for difference in differences {
            let kind = difference.kind;
            let is_beside = self.only == Some(Only::Surface)
                && (is_name(kind) || may_be_unseen(kind) && !is_seen(difference, measurements));
            if self.ignore.contains(&kind) || is_beside {
                difference.finding.level = Level::Info;
            } else if self.count.contains(&kind) {
                difference.finding.level = Level::Error;
            }
        }
    }
}

fn is_name(kind: Kind) -> bool {
    let is_renamed = matches!(kind, Kind::ClipRenamed | Kind::MorphRenamed);
    kind.stage() == Stage::Hierarchy || is_renamed
}

/// Whether a difference of weights or motion may leave the surface as it is.
fn may_be_unseen(kind: Kind) -> bool {
    let stages = [
        Stage::Bind,
        Stage::Weights,
        Stage::Morphs,
        Stage::Keys,
        Stage::Interpolation,
    ];
    stages.contains(&kind.stage())
}

/// Whether the surface is beyond the tolerance where a difference is.
fn is_seen(difference: &Difference, measurements: &[Measurement]) -> bool {
    measurements.iter().any(|one| {
        let clip = one.clips.map(|[clip, _]| ClipId::from_index(clip));
        let is_of = clip.is_some_and(|clip| difference.finding.is_of(clip));
        one.surface.used > 1.0 && (is_of || difference.finding.location.clip.is_none())
    })
}

impl Verdict {
    /// * `counted` – the kinds of differences of the clip that count.
    pub(super) fn of(surface: SurfaceVerdict, mut counted: impl Iterator<Item = Kind>) -> Self {
        let first = counted.next();
        let is_timing = |kind: Kind| kind.stage() == Stage::Timing;
        match (surface, first) {
            (SurfaceVerdict::Beyond, _) => Self::Different,
            (_, Some(first)) if is_timing(first) && counted.all(is_timing) => Self::Timing,
            (_, Some(_)) => Self::Different,
            (SurfaceVerdict::Ignored, None) => Self::Ignored,
            (SurfaceVerdict::Within, None) => Self::Same,
        }
    }

    /// Whether it is a difference.
    #[must_use]
    pub fn differs(self) -> bool {
        matches!(self, Self::Timing | Self::Different)
    }
}
