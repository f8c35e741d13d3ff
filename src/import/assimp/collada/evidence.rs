//! What is wrong with the curves of a document.

use super::error::Unclear;
use crate::rig::{Asset, Clip, Defect, DefectKind, Place};
use crate::units::Seconds;

/// What every sampler that drives something was looked at for: a document with keys out of order or of NaN, or with a
/// sampler without keys, is a [failure](of_failure).
const EXAMINED: [DefectKind; 5] = [
    DefectKind::EmptyChannel,
    DefectKind::UnorderedKeys,
    DefectKind::NegativeTime,
    DefectKind::NonfiniteKey,
    DefectKind::InterpolationLost,
];

/// Of clips that are what the document says.
///
/// * `defects` – that their reader has met.
pub(super) fn of_clips(asset: &mut Asset, defects: Vec<Defect>) {
    for kind in EXAMINED {
        examine(asset, kind);
    }
    asset.evidence.defects.extend(defects);
    let defects: Vec<Defect> = asset.clips.iter().filter_map(negative_time).collect();
    asset.evidence.defects.extend(defects);
}

/// Of clips that are assimp's, because of what is at `place`. Nothing else is known of the curves.
pub(super) fn of_failure(asset: &mut Asset, place: &str, why: &Unclear) {
    let mut tell = |kind, message: &str| {
        examine(asset, kind);
        asset.evidence.defects.push(Defect {
            kind,
            place: Place::FILE.part(part(place)),
            count: 1,
            message: message.to_owned(),
        });
    };
    match why {
        Unclear::Disorder => tell(DefectKind::UnorderedKeys, "the keys are not in order"),
        Unclear::NotFinite => tell(DefectKind::NonfiniteKey, "a key is NaN or infinite"),
        _ => {}
    }
    let message = format!("is not understood ({why}), so that all clips are read as straight");
    tell(DefectKind::InterpolationLost, &message);
}

/// A place in words as the part of a [`Place`], which puts its own quotes.
pub(super) fn part(place: &str) -> String {
    place.replace('"', "")
}

fn examine(asset: &mut Asset, kind: DefectKind) {
    let examined = &mut asset.evidence.examined;
    if let Err(position) = examined.binary_search(&kind) {
        examined.insert(position, kind);
    }
}

/// Keys of the document keep their times, and between two of them come others.
fn negative_time(clip: &Clip) -> Option<Defect> {
    let ends = clip.drivers().filter_map(|driver| driver.track.ends());
    let times = ends.map(|(first, _)| first);
    let early: Vec<f64> = times.filter(|&time| time < 0.0).collect();
    let worst = early.iter().copied().fold(0.0, f64::min);
    (!early.is_empty()).then(|| Defect {
        kind: DefectKind::NegativeTime,
        place: Place::clip(clip.name.clone()).at(Seconds(worst)),
        count: early.len(),
        message: format!("the first key is at {worst:.3} s"),
    })
}
