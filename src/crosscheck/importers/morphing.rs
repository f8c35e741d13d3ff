//! How clips drive morph weights.

use std::collections::BTreeSet;

use super::both::Both;
use super::matching::Key;
use super::morphs::weights_apart;
use super::posed::Posed;
use super::tally::Tally;
use super::tolerance::MORPH_WEIGHT;
use super::tracks::{explain, track_of};
use crate::rig::{Clip, Location, TrackPart};

/// The joints whose meshes either clip morphs.
pub(super) fn morphed(both: &Both<'_>, clips: [&Clip; 2]) -> Vec<Key> {
    let mut keys = BTreeSet::new();
    for (side, clip) in clips.into_iter().enumerate() {
        let joints = clip.morph_channels.iter().map(|channel| channel.node);
        keys.extend(joints.map(|joint| both.matching.key(side, joint)));
    }
    let shown = both.morph_weights(&both.rest);
    keys.retain(|key| shown.iter().any(|shown| shown.contains_key(key)));
    keys.into_iter().collect()
}

/// How far apart the weights of `meshes` are. Targets that the other importer lacks count as unmoved.
pub(super) fn deviations(both: &Both<'_>, meshes: &[Key], posed: &[Posed; 2]) -> Vec<f64> {
    let [a, b] = both.morph_weights(posed);
    let [rest_a, rest_b] = both.morph_weights(&both.rest);
    let apart = |key: &Key| match (a.get(key), b.get(key)) {
        (Some(a), Some(b)) if a.len() == b.len() => weights_apart(a, b),
        (Some(a), _) => rest_a.get(key).map_or(0.0, |rest| weights_apart(a, rest)),
        (None, Some(b)) => rest_b.get(key).map_or(0.0, |rest| weights_apart(b, rest)),
        (None, None) => 0.0,
    };
    meshes.iter().map(apart).collect()
}

/// Reports the largest deviation of a mesh over time.
pub(super) fn report(both: &Both<'_>, clips: [&Clip; 2], mesh: Key, apart: f64, tally: &mut Tally) {
    if apart <= MORPH_WEIGHT {
        return;
    }
    let tracks = [0, 1].map(|side| {
        track_of(clips[side], TrackPart::Weights, |joint| {
            both.matching.key(side, joint) == mesh
        })
    });
    let (kind, says) = explain(tracks);
    tally.add(kind, apart, |worst| {
        let mesh = Location::mesh(both.matching.path_of_key(mesh));
        worst
            .at(mesh.in_clip(&clips[0].name).part("morph weights"))
            .saying(says)
            .off_part(apart)
    });
}
