//! Stage: the rest pose.

use super::common::{Posed, Scale};
use super::distances::compare_worlds;
use super::matching::Matching;
use super::morphs::MorphOrder;
use super::report::{Kind, Location, Off, Stage, StageReport};
use super::tally::{Details, Tally};
use super::tolerance;

/// Compares the transforms of the joints that both importers have, and the morph weights of the meshes.
pub(super) fn compare(
    matching: &Matching<'_>,
    morphs: &MorphOrder,
    rest: &[Posed; 2],
    scale: Scale,
) -> StageReport {
    let mut tally = Tally::new(Stage::RestPose);
    tally.compared(matching.pairs.len());
    for &pair in &matching.pairs {
        let worlds = [0, 1].map(|side| &rest[side].worlds[pair[side].index()]);
        let location = || Location {
            joint: Some(matching.path_of_pair(pair)),
            ..Location::default()
        };
        compare_worlds(worlds, scale, location, &mut tally);
    }
    compare_morph_weights(matching, morphs, rest, &mut tally);
    tally.finish()
}

/// Only if both have equally many targets; otherwise the vertices show the difference.
fn compare_morph_weights(
    matching: &Matching<'_>,
    morphs: &MorphOrder,
    rest: &[Posed; 2],
    tally: &mut Tally,
) {
    let [a, b] = [0, 1].map(|side| morphs.weights(matching, &rest[side], side));
    for (key, a) in &a {
        let Some(b) = b.get(key).filter(|b| b.len() == a.len()) else {
            continue;
        };
        let apart = weights_apart(a, b);
        if apart > tolerance::WEIGHT {
            tally.add(Kind::RestMorphWeights, apart, || Details {
                location: Location {
                    mesh: Some(matching.path_of_key(*key)),
                    ..Location::default()
                },
                says: [a, b].map(|weights| list(weights)),
                off: Some(Off::Part(apart)),
            });
        }
    }
}

/// The largest difference; infinite if only one is finite.
pub(super) fn weights_apart(a: &[f32], b: &[f32]) -> f64 {
    let apart = |(a, b): (&f32, &f32)| match (a.is_finite(), b.is_finite()) {
        (true, true) => (f64::from(*a) - f64::from(*b)).abs(),
        (false, false) => 0.0,
        _ => f64::INFINITY,
    };
    a.iter().zip(b).map(apart).fold(0.0, f64::max)
}

/// The first few weights for people.
fn list(weights: &[f32]) -> String {
    const SHOWN: usize = 4;
    let shown = weights.iter().take(SHOWN).map(ToString::to_string);
    let mut text = shown.collect::<Vec<_>>().join(" ");
    if weights.len() > SHOWN {
        text.push_str(" …");
    }
    text
}
