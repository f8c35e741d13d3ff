//! Matches the clips of two importers, with their time ranges.
//!
//! `diff` also matches clips by similar names and by motion. Here, another name is a difference.

use super::names::pair_by_name;
use super::report::{Kind, Off};
use super::tally::Tally;
use super::tolerance;
use crate::rig::{Asset, Clip, Location};
use crate::units::Seconds;

/// Pairs clips by name, in order among equal names. The rest is paired by order if both sides have equally many left. A clip
/// that drives nothing may be missing.
pub(super) fn pair_up<'a>(assets: [&'a Asset; 2], tally: &mut Tally) -> Vec<[&'a Clip; 2]> {
    let clips = assets.map(|asset| -> Vec<&Clip> { asset.clips.iter().collect() });
    let named = pair_by_name([&clips[0], &clips[1]], |_, clip| Some(clip.name.as_str()));
    let (mut pairs, mut left) = (named.pairs, named.left);
    let drives = |clip: &&Clip| !clip.channels.is_empty() || !clip.morph_channels.is_empty();
    for clips in &mut left {
        clips.retain(drives);
    }
    if left[0].len() == left[1].len() {
        for (&a, &b) in left[0].iter().zip(&left[1]) {
            pairs.push([a, b]);
            if is_invented(&a.name) && is_invented(&b.name) {
                continue;
            }
            let says = [a, b].map(|clip| format!("\"{}\"", clip.name));
            tally.add(Kind::ClipName, f64::INFINITY, |worst| {
                worst.at(Location::clip(&a.name)).saying(says)
            });
        }
        return pairs;
    }
    for (side, list) in left.iter().enumerate() {
        for clip in list {
            tally.add(Kind::ClipMissing, f64::INFINITY, |worst| {
                worst.at(Location::clip(&clip.name)).only(side, "a clip")
            });
        }
    }
    pairs
}

/// Whether an importer invented the name, because the file has none: skincheck's own importers name such clips
/// `animation_0` and so on, assimp names the only one of a COLLADA file `animation`.
fn is_invented(name: &str) -> bool {
    let number = name.strip_prefix("animation");
    let number = number.map(|rest| rest.strip_prefix('_').unwrap_or(rest));
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Compares start and end of two clips.
pub(super) fn compare_ranges(clips: [&Clip; 2], tally: &mut Tally) {
    let [a, b] = clips;
    let apart = (a.start.0 - b.start.0).abs().max((a.end.0 - b.end.0).abs());
    if apart > tolerance::times(a.end.0.abs().max(b.end.0.abs())) {
        tally.add(Kind::ClipRange, apart, |worst| {
            let range = |clip: &Clip| format!("{:.6} to {:.6} s", clip.start.0, clip.end.0);
            worst
                .at(Location::clip(&a.name))
                .saying(clips.map(range))
                .off(Off::Time {
                    seconds: Seconds(apart),
                })
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_follow_an_invented_name() {
        for name in ["animation", "animation_0", "animation_12", "animation3"] {
            assert!(is_invented(name), "{name}");
        }
        for name in ["", "Walk", "animation_walk", "Animation"] {
            assert!(!is_invented(name), "{name}");
        }
    }
}
