//! How clips drive morph weights.

use std::collections::BTreeSet;

use super::common::Posed;
use super::matching::Key;
use super::motion::Motion;
use super::report::{Location, Off};
use super::rest::weights_apart;
use super::tally::{Details, Tally};
use super::tolerance::MORPH_WEIGHT;
use super::tracks::{explain, morph_shape};
use crate::rig::Clip;

impl Motion<'_> {
    /// The joints whose meshes either clip morphs.
    pub(super) fn morphed(&self, pair: [&Clip; 2]) -> Vec<Key> {
        let mut keys = BTreeSet::new();
        for (side, clip) in pair.into_iter().enumerate() {
            let joints = clip.morph_channels.iter().map(|channel| channel.node);
            keys.extend(joints.map(|joint| self.matching.key(side, joint)));
        }
        let shown = [0, 1].map(|side| self.morphs.weights(self.matching, &self.rest[side], side));
        let is_shown = |key: &Key| shown.iter().any(|shown| shown.contains_key(key));
        keys.into_iter().filter(is_shown).collect()
    }

    /// Targets that the other importer lacks count as unmoved.
    pub(super) fn morphs_off(&self, meshes: &[Key], posed: &[Posed; 2]) -> Vec<f64> {
        let [a, b] = [0, 1].map(|side| self.morphs.weights(self.matching, &posed[side], side));
        let [rest_a, rest_b] =
            [0, 1].map(|side| self.morphs.weights(self.matching, &self.rest[side], side));
        let apart = |key: &Key| match (a.get(key), b.get(key)) {
            (Some(a), Some(b)) if a.len() == b.len() => weights_apart(a, b),
            (Some(a), _) => rest_a.get(key).map_or(0.0, |rest| weights_apart(a, rest)),
            (None, Some(b)) => rest_b.get(key).map_or(0.0, |rest| weights_apart(b, rest)),
            (None, None) => 0.0,
        };
        meshes.iter().map(apart).collect()
    }

    pub(super) fn report_morphs(&self, pair: [&Clip; 2], mesh: Key, apart: f64, tally: &mut Tally) {
        let shapes = [0, 1].map(|side| morph_shape(self.matching, side, pair[side], mesh));
        let (kind, says) = explain([shapes[0].as_ref(), shapes[1].as_ref()]);
        if apart > MORPH_WEIGHT {
            tally.add(kind, apart, || Details {
                location: Location {
                    mesh: Some(self.matching.path_of_key(mesh)),
                    clip: Some(pair[0].name.clone()),
                    part: Some("morph weights"),
                    ..Location::default()
                },
                says,
                off: Some(Off::Part(apart)),
            });
        }
    }
}
