//! Stage: the rest pose.

use super::both::Both;
use super::morphs::weights_apart;
use super::report::{Kind, Stage, StageReport};
use super::tally::Tally;
use super::{tolerance, transforms};
use crate::rig::Location;

/// Compares the transforms of the joints that both importers have, and the morph weights of the meshes.
pub(super) fn compare(both: &Both<'_>) -> StageReport {
    let mut tally = Tally::new(Stage::RestPose);
    transforms::compare(both, &both.rest, &Location::FILE, &mut tally);
    compare_morph_weights(both, &mut tally);
    tally.finish()
}

/// Only if both have equally many targets; otherwise the vertices show the difference.
fn compare_morph_weights(both: &Both<'_>, tally: &mut Tally) {
    let [a, b] = both.morph_weights(&both.rest);
    for (key, a) in &a {
        let Some(b) = b.get(key).filter(|b| b.len() == a.len()) else {
            continue;
        };
        let apart = weights_apart(a, b);
        if apart > tolerance::WEIGHT {
            tally.add(Kind::RestMorphWeights, apart, |worst| {
                worst
                    .at(Location::mesh(both.matching.path_of_key(*key)))
                    .saying([a, b].map(|weights| list(weights)))
                    .off_part(apart)
            });
        }
    }
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
