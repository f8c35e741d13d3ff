//! The model that an engine skins.

use std::num::NonZeroU32;

use super::engine::{Kept, Rounding, Storage, Sum};
use super::error::EngineError;
use super::{TargetEngine, clips, weights};
use crate::rig::{
    Asset, Blending, Influence, Influences, SkinSlot, SkinningOptions, WeightPolicy, WeightStorage,
    largest,
};

impl TargetEngine {
    /// Turns `asset` into the model that the engine skins. Skin it with the options of [`skinning`](Self::skinning).
    ///
    /// # Errors
    ///
    /// - [`EngineError::NotEmulated`] if no source says what the engine does to weights.
    /// - [`EngineError::TooManyKeys`] if a clip is too long to be sampled as the engine does.
    pub fn apply(&self, asset: &mut Asset) -> Result<(), EngineError> {
        self.emulate(asset, Self::read)
    }

    /// As [`apply`](Self::apply), but no influence is dropped or rounded.
    ///
    /// # Errors
    ///
    /// As those of [`apply`](Self::apply).
    pub fn apply_uncut(&self, asset: &mut Asset) -> Result<(), EngineError> {
        self.emulate(asset, |target, influences, _| {
            target.divided(influences.to_vec())
        })
    }

    fn emulate(
        &self,
        asset: &mut Asset,
        read: impl Fn(&Self, &[Influence], WeightStorage) -> Vec<Influence>,
    ) -> Result<(), EngineError> {
        let engine = self.engine();
        if !engine.is_emulated() {
            let engine = engine.name;
            return Err(EngineError::NotEmulated { engine });
        }
        for mesh in &mut asset.meshes {
            let vertices = mesh.influences.iter();
            let read = vertices.map(|influences| read(self, influences, mesh.weight_storage));
            mesh.influences = Influences::from_vertices(read);
            if engine.blends_matrices.is_some() {
                mesh.blending = Blending::Linear;
            }
        }
        let rotations = engine.rotations.map(|stated| stated.value);
        for clip in &mut asset.clips {
            clips::interpolate(clip, rotations)?;
            if let Some(rate) = engine.rate.and_then(|stated| stated.value) {
                clips::resample(clip, rate)?;
                clips::interpolate(clip, rotations)?;
            }
        }
        Ok(())
    }

    /// How the engine skins the model that [`apply`](Self::apply) makes.
    ///
    /// * `other` – used for what no source states.
    #[must_use]
    pub fn skinning(&self, other: SkinningOptions) -> SkinningOptions {
        SkinningOptions {
            weights: match self.engine().sum.map(|stated| stated.value) {
                None => other.weights,
                Some(Sum::Homogeneous) => WeightPolicy::Normalize,
                Some(Sum::Divided | Sum::Undivided) => WeightPolicy::AsIs,
            },
            max_influences: None,
            ..other
        }
    }

    /// The influences of a vertex as the engine stores them.
    ///
    /// * `in_file` – their storage in the file.
    fn read(&self, influences: &[Influence], in_file: WeightStorage) -> Vec<Influence> {
        let most = self.engine().influences.map(|stated| stated.value);
        self.stored(self.divided(self.kept(influences, most)), in_file)
    }

    /// The influences that the engine keeps of a vertex.
    ///
    /// * `most` – their maximum number; `None` for all.
    #[doc(hidden)]
    #[must_use]
    pub fn kept(&self, influences: &[Influence], most: Option<NonZeroU32>) -> Vec<Influence> {
        match self.engine().kept.map(|stated| stated.value) {
            None => influences.to_vec(),
            Some(Kept::Largest) => largest(influences, most).into_owned(),
            Some(Kept::First) => {
                let most = most.map_or(usize::MAX, |most| most.get() as usize);
                influences[..most.min(influences.len())].to_vec()
            }
        }
    }

    /// The influences divided by the sum of their weights, if the engine does that.
    #[doc(hidden)]
    #[must_use]
    pub fn divided(&self, mut influences: Vec<Influence>) -> Vec<Influence> {
        let sum = self.engine().sum.map(|stated| stated.value);
        if sum == Some(Sum::Divided) && !weights::divide(&mut influences) {
            return match self.engine().unweighted_follow_first_joint {
                None => Vec::new(),
                Some(_) => vec![Influence::new(SkinSlot(0), 1.0)],
            };
        }
        influences
    }

    /// Whether a source states how it rounds weights to bits.
    #[must_use]
    pub fn rounds_weights(&self) -> bool {
        let storage = self.engine().storage.map(|stated| stated.value);
        matches!(storage, Some(Storage::Parts { rounding, .. }) if rounding.is_some())
    }

    /// The influences as the engine stores them.
    ///
    /// * `in_file` – their storage in the file.
    #[doc(hidden)]
    #[must_use]
    pub fn stored(&self, mut influences: Vec<Influence>, in_file: WeightStorage) -> Vec<Influence> {
        let storage = self.engine().storage.map(|stated| stated.value);
        match (storage, in_file) {
            (Some(Storage::AsInFile), WeightStorage::Unorm8) => weights::round(&mut influences, 8),
            (Some(Storage::AsInFile), WeightStorage::Unorm16) => {
                weights::round(&mut influences, 16);
            }
            (
                Some(Storage::Parts {
                    bits,
                    rounding: Some(Rounding::Down),
                }),
                _,
            ) => {
                weights::round_down(&mut influences, bits);
            }
            _ => {}
        }
        influences
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::ENGINES;
    use crate::rig::Mesh;

    fn target(text: &str) -> TargetEngine {
        text.parse().expect(text)
    }

    /// The slots and weights that remain of weights on slots 0, 1, 2, …
    fn remaining(engine: &str, weights: &[f32]) -> Vec<(u32, f32)> {
        let influences: Vec<Influence> = (0..)
            .zip(weights)
            .map(|(slot, weight)| Influence::new(SkinSlot(slot), *weight))
            .collect();
        let read = target(engine).read(&influences, WeightStorage::Float);
        read.iter()
            .map(|influence| (influence.slot.0, influence.weight))
            .collect()
    }

    const FIVE: [f32; 5] = [0.125, 0.25, 0.25, 0.125, 0.25];

    #[test]
    fn the_largest_of_five_influences_are_divided_by_their_sum() {
        let of = |weight: f32| weight / 0.875;
        assert_eq!(
            remaining("unity", &FIVE),
            [(0, of(0.125)), (1, of(0.25)), (2, of(0.25)), (4, of(0.25))]
        );
    }

    #[test]
    fn the_first_of_five_influences_are_divided_by_their_sum() {
        let of = |weight: f32| weight / 0.75;
        assert_eq!(
            remaining("three", &FIVE),
            [(0, of(0.125)), (1, of(0.25)), (2, of(0.25)), (3, of(0.125))]
        );
    }

    #[test]
    fn the_first_of_five_influences_stay_as_they_are_where_the_engine_does_not_divide() {
        let four = [(0, 0.125), (1, 0.25), (2, 0.25), (3, 0.125)];
        assert_eq!(remaining("playcanvas", &FIVE), four);
        let policy = |engine: &str| target(engine).skinning(SkinningOptions::default()).weights;
        assert_eq!(policy("playcanvas"), WeightPolicy::Normalize);
        assert_eq!(policy("three"), WeightPolicy::AsIs);
    }

    #[test]
    fn weights_are_not_rounded_where_no_source_says_how() {
        let third = 1.0 / 3.0;
        let thirds = [(0, third), (1, third), (2, third)];
        assert_eq!(remaining("unreal", &[third, third, third]), thirds);
    }

    #[test]
    fn sixteen_bits_are_cut_off() {
        let parts = |parts: f32| parts / 65535.0;
        assert_eq!(
            remaining("godot", &[0.5, 0.5]),
            [(0, parts(32767.0)), (1, parts(32767.0))]
        );
    }

    #[test]
    fn a_vertex_without_weights_follows_what_the_engine_says() {
        assert_eq!(remaining("three", &[]), [(0, 1.0)]);
        assert_eq!(remaining("unity", &[]), []);
    }

    #[test]
    fn an_option_changes_the_influences() {
        assert_eq!(remaining("unity:influences=2", &FIVE).len(), 2);
        assert_eq!(
            remaining("unreal:influences=unlimited", &[0.1; 12]).len(),
            12
        );
        assert_eq!(remaining("unreal", &[0.1; 12]).len(), 8);
    }

    #[test]
    fn an_engine_that_blends_matrices_does_so_where_a_file_asks_for_dual_quaternions() {
        let blending = |engine: &str| {
            let mesh = Mesh {
                blending: Blending::DualQuaternion,
                ..Mesh::default()
            };
            let skeleton = crate::rig::Skeleton::new(Vec::new()).unwrap();
            let mut asset = Asset {
                meshes: vec![mesh],
                ..Asset::of(skeleton)
            };
            target(engine).apply(&mut asset).unwrap();
            asset.meshes.remove(0).blending
        };
        assert_eq!(blending("unity"), Blending::Linear);
        assert_eq!(blending("unreal"), Blending::DualQuaternion);
    }

    #[test]
    fn only_engines_whose_weights_are_known_are_emulated() {
        let skeleton = crate::rig::Skeleton::new(Vec::new()).unwrap();
        let mut asset = Asset::of(skeleton);
        let mut refused = Vec::new();
        for engine in ENGINES.iter() {
            if let Err(error) = target(engine.name).apply(&mut asset) {
                assert!(error.to_string().ends_with(
                    "emulated are three, babylon, playcanvas, bevy, panda3d, raylib, godot, \
                     filament, unity, unreal"
                ));
                refused.push(engine.name);
            }
        }
        assert_eq!(refused, ["gltf", "vrm", "roblox"]);
    }
}
