//! A lens with the options that a user sets.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use glam::Vec3;

use super::clips;
use super::engines::find_lens;
use super::error::LensError;
use super::statement::{Kept, Lens, Rounding, Setting, Storage, Sum, Unweighted, Values, World};
use super::weights;
use crate::rig::{
    Asset, Blending, Influence, Influences, Mesh, Placement, SkinSlot, SkinningMethod,
    SkinningOptions, WeightPolicy, WeightStorage, largest,
};

/// A lens with the options that a user sets, such as `unreal:influences=unlimited,weights=16`.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// The lens, with the values of the options.
    lens: Box<Lens>,
    /// As given.
    text: String,
    /// The position of the model in the world, if it matters.
    at: Option<Vec3>,
}

impl FromStr for Chosen {
    type Err = LensError;

    fn from_str(text: &str) -> Result<Self, LensError> {
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        let mut lens = *find_lens(name).ok_or_else(|| LensError::UnknownEngine {
            name: name.to_owned(),
        })?;
        for option in options.split(',').filter(|option| !option.is_empty()) {
            let (option, value) = option.split_once('=').unwrap_or((option, ""));
            let mut settings = lens.settings.iter();
            let setting = settings
                .find(|setting| setting.name == option)
                .ok_or_else(|| LensError::UnknownOption {
                    engine: lens.name,
                    option: option.to_owned(),
                })?;
            set(&mut lens, setting, value).ok_or_else(|| LensError::Value {
                engine: lens.name,
                option: setting.name,
                value: value.to_owned(),
                expected: setting.values.describe(),
            })?;
        }
        Ok(Self {
            lens: Box::new(lens),
            text: text.to_owned(),
            at: None,
        })
    }
}

/// Sets an option; `None` if it cannot have the value.
fn set(lens: &mut Lens, setting: &Setting, value: &str) -> Option<()> {
    match setting.values {
        Values::Influences(_) if value == "unlimited" => lens.influences.value = None,
        Values::Influences(most) => {
            let count: NonZeroU32 = value.parse().ok()?;
            lens.influences.value = Some(count).filter(|count| count.get() <= most);
            lens.influences.value?;
        }
        Values::Bits => {
            let bits = value.parse().ok().filter(|bits| [8, 16].contains(bits))?;
            let rounding = Rounding::Repaired;
            lens.storage.value = Storage::Parts { bits, rounding };
        }
        Values::Rate => {
            let rate: f64 = value.parse().ok()?;
            lens.rate.value = Some(rate).filter(|rate| (1.0..=1000.0).contains(rate));
            lens.rate.value?;
        }
    }
    Some(())
}

/// As the user gave it.
impl fmt::Display for Chosen {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)?;
        match self.at {
            Some(at) => write!(out, " at {},{},{}", at.x, at.y, at.z),
            None => Ok(()),
        }
    }
}

impl Chosen {
    /// The lens, with the values of the options.
    #[must_use]
    pub fn lens(&self) -> &Lens {
        &self.lens
    }

    /// The same engine, with the rounding of its matrices at a position in the world.
    ///
    /// * `at` – the position of the model's origin, in the model's unit; `None` for no such rounding.
    ///
    /// # Errors
    ///
    /// [`LensError::NotPlaced`] if no source states in which space the engine holds its matrices.
    pub fn at(self, at: Option<Vec3>) -> Result<Self, LensError> {
        if at.is_some() && self.lens.world.source.is_none() {
            let engine = self.lens.name;
            return Err(LensError::NotPlaced { engine });
        }
        Ok(Self { at, ..self })
    }

    /// Turns `asset` into the model that the engine skins. Skin it with the options of [`skinning`](Self::skinning).
    ///
    /// # Errors
    ///
    /// [`LensError::TooManyKeys`] if a clip is too long to be sampled as the engine does.
    pub fn apply(&self, asset: &mut Asset) -> Result<(), LensError> {
        for mesh in &mut asset.meshes {
            mesh.influences = self.influences(mesh);
            match self.lens.blending.value {
                SkinningMethod::AsInFile => {}
                SkinningMethod::Linear => mesh.blending = Blending::Linear,
                SkinningMethod::DualQuaternion => mesh.blending = Blending::DualQuaternion,
            }
        }
        for clip in &mut asset.clips {
            clips::interpolate(clip, self.lens.rotations.value)?;
            if let Some(rate) = self.lens.rate.value {
                clips::resample(clip, rate)?;
                clips::interpolate(clip, self.lens.rotations.value)?;
            }
        }
        asset.placement = self.placement();
        Ok(())
    }

    /// The position of the model, and the matrices of the engine that lose precision there; `None` without a position.
    #[must_use]
    pub fn placement(&self) -> Option<Placement> {
        let world = self.lens.world.value;
        self.at.map(|at| Placement {
            at,
            nodes: matches!(world, World::Nodes | World::NodesAndPalette),
            palette: matches!(world, World::Palette | World::NodesAndPalette),
        })
    }

    /// How the engine skins the model that [`apply`](Self::apply) makes.
    ///
    /// * `other` – used for what the lens does not state.
    #[must_use]
    pub fn skinning(&self, other: SkinningOptions) -> SkinningOptions {
        SkinningOptions {
            weights: match self.lens.sum.value {
                Sum::Homogeneous => WeightPolicy::Normalize,
                Sum::Divided | Sum::Undivided => WeightPolicy::AsIs,
            },
            max_influences: None,
            ..other
        }
    }

    /// The option that keeps more of the model, such as `unreal:weights=16`.
    ///
    /// * `helps` – the kind of value.
    pub(crate) fn remedy(&self, helps: impl Fn(Values) -> bool) -> Option<String> {
        let mut settings = self.lens.settings.iter();
        let setting = settings.find(|setting| helps(setting.values))?;
        let value = match setting.values {
            Values::Influences(_) => "unlimited",
            Values::Bits => "16",
            Values::Rate => return None,
        };
        Some(format!("{}:{}={value}", self.lens.name, setting.name))
    }

    fn influences(&self, mesh: &Mesh) -> Influences {
        let vertices = mesh.influences.iter();
        Influences::from_vertices(vertices.map(|all| self.seen(all, mesh.weight_storage)))
    }

    /// The influences of a vertex that the engine reads.
    pub(crate) fn kept(&self, all: &[Influence]) -> Vec<Influence> {
        let limit = self.lens.influences.value;
        match self.lens.kept.value {
            Kept::Largest => largest(all, limit).into_owned(),
            Kept::First => {
                let limit = limit.map_or(usize::MAX, |limit| limit.get() as usize);
                all[..limit.min(all.len())].to_vec()
            }
        }
    }

    /// The influences of a vertex as the engine stores them.
    ///
    /// * `storage` – in the file.
    fn seen(&self, all: &[Influence], storage: WeightStorage) -> Vec<Influence> {
        self.stored(self.divided(self.kept(all)), storage)
    }

    /// The influences divided by the sum of their weights, if the engine does that.
    pub(crate) fn divided(&self, mut kept: Vec<Influence>) -> Vec<Influence> {
        let is_divided = self.lens.sum.value == Sum::Divided;
        if is_divided && !weights::divide(&mut kept) {
            return match self.lens.unweighted.value {
                Unweighted::Node => Vec::new(),
                Unweighted::FirstJoint => vec![Influence::new(SkinSlot(0), 1.0)],
            };
        }
        kept
    }

    /// The influences as the engine stores them.
    ///
    /// * `storage` – in the file.
    pub(crate) fn stored(
        &self,
        mut kept: Vec<Influence>,
        storage: WeightStorage,
    ) -> Vec<Influence> {
        match (self.lens.storage.value, storage) {
            (Storage::AsInFile, WeightStorage::Unorm8) => weights::round(&mut kept, 8),
            (Storage::AsInFile, WeightStorage::Unorm16) => weights::round(&mut kept, 16),
            (Storage::AsInFile | Storage::Float, _) => {}
            (Storage::Parts { bits, rounding }, _) => weights::store(&mut kept, bits, rounding),
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(text: &str) -> Chosen {
        text.parse().expect(text)
    }

    fn error(text: &str) -> String {
        let error = text.parse::<Chosen>().expect_err(text);
        error.to_string()
    }

    /// The slots and weights that remain of weights on slots 0, 1, 2, …
    fn seen(lens: &str, weights: &[f32]) -> Vec<(u32, f32)> {
        let influences: Vec<Influence> = (0..)
            .zip(weights)
            .map(|(slot, weight)| Influence::new(SkinSlot(slot), *weight))
            .collect();
        let seen = chosen(lens).seen(&influences, WeightStorage::Float);
        seen.iter().map(|own| (own.slot.0, own.weight)).collect()
    }

    const FIVE: [f32; 5] = [0.125, 0.25, 0.25, 0.125, 0.25];

    #[test]
    fn the_largest_of_five_influences_are_divided_by_their_sum() {
        let of = |weight: f32| weight / 0.875;
        assert_eq!(
            seen("unity", &FIVE),
            [(0, of(0.125)), (1, of(0.25)), (2, of(0.25)), (4, of(0.25))]
        );
    }

    #[test]
    fn the_first_of_five_influences_are_divided_by_their_sum() {
        let of = |weight: f32| weight / 0.75;
        assert_eq!(
            seen("three", &FIVE),
            [(0, of(0.125)), (1, of(0.25)), (2, of(0.25)), (3, of(0.125))]
        );
    }

    #[test]
    fn the_first_of_five_influences_stay_as_they_are_where_the_engine_does_not_divide() {
        let four = [(0, 0.125), (1, 0.25), (2, 0.25), (3, 0.125)];
        assert_eq!(seen("playcanvas", &FIVE), four);
        let policy = |lens: &str| chosen(lens).skinning(SkinningOptions::default()).weights;
        assert_eq!(policy("playcanvas"), WeightPolicy::Normalize);
        assert_eq!(policy("three"), WeightPolicy::AsIs);
    }

    #[test]
    fn eight_bits_are_rounded_and_the_largest_weight_repairs_the_sum() {
        let third = 1.0 / 3.0;
        let parts = |parts: f32| parts / 255.0;
        assert_eq!(
            seen("unreal", &[third, third, third]),
            [(0, parts(85.0)), (1, parts(85.0)), (2, parts(85.0))]
        );
        // 127.5 rounds to 128 twice, which is one part too many.
        assert_eq!(
            seen("unreal", &[0.5, 0.5]),
            [(0, parts(127.0)), (1, parts(128.0))]
        );
        let [(_, first), (_, second)] = seen("unreal:weights=16", &[0.3, 0.7])[..] else {
            panic!("two weights stay two");
        };
        assert!((first - 0.3).abs() < 1e-5 && (first + second - 1.0).abs() < 1e-7);
    }

    #[test]
    fn sixteen_bits_are_cut_off() {
        let parts = |parts: f32| parts / 65535.0;
        assert_eq!(
            seen("godot", &[0.5, 0.5]),
            [(0, parts(32767.0)), (1, parts(32767.0))]
        );
    }

    #[test]
    fn a_vertex_without_weights_follows_what_the_engine_says() {
        assert_eq!(seen("three", &[]), [(0, 1.0)]);
        assert_eq!(seen("unity", &[]), []);
    }

    #[test]
    fn an_engine_that_blends_matrices_does_so_where_a_file_asks_for_dual_quaternions() {
        let blending = |lens: &str| {
            let mesh = Mesh {
                blending: Blending::DualQuaternion,
                ..Mesh::default()
            };
            let skeleton = crate::rig::Skeleton::new(Vec::new()).unwrap();
            let mut asset = Asset {
                meshes: vec![mesh],
                ..Asset::of(skeleton)
            };
            chosen(lens).apply(&mut asset).unwrap();
            asset.meshes.remove(0).blending
        };
        assert_eq!(blending("unity"), Blending::Linear);
        assert_eq!(blending("unreal"), Blending::DualQuaternion);
    }

    #[test]
    fn an_option_overrides_what_the_engine_does_by_default() {
        assert_eq!(seen("unity:influences=2", &FIVE).len(), 2);
        assert_eq!(seen("unreal:influences=unlimited", &[0.1; 12]).len(), 12);
        assert_eq!(seen("unreal", &[0.1; 12]).len(), 8);
        assert_eq!(chosen("godot:fps=60").lens().rate.value, Some(60.0));
        assert_eq!(chosen("Unity").lens().name, "unity");
    }

    #[test]
    fn an_unknown_engine_is_answered_with_those_that_exist() {
        assert_eq!(
            error("unrael"),
            "no engine \"unrael\" (did you mean \"unreal\"?); the engines are three, babylon, playcanvas, bevy, panda3d, \
             raylib, godot, filament, unity, unreal, roblox"
        );
    }

    #[test]
    fn an_unknown_option_is_answered_with_those_of_the_engine() {
        assert_eq!(
            error("unity:influence=4"),
            "unity has no option \"influence\" (did you mean \"influences\"?); it has influences (1 to 255, or unlimited)"
        );
        assert_eq!(
            error("roblox:influences=8"),
            "roblox has no option \"influences\"; it has none"
        );
    }

    #[test]
    fn a_place_is_an_error_for_an_engine_whose_space_no_source_states() {
        let far = Vec3::new(1e4, 0.0, -2.5);
        let placed = chosen("unreal:weights=16")
            .at(Some(far))
            .expect_err("nothing is stated");
        assert_eq!(
            placed.to_string(),
            "no source states in which space unreal holds its matrices, so it does not support --at; these engines do: three, \
             babylon, playcanvas, bevy, godot, filament"
        );
        let placed = chosen("three").at(Some(far)).unwrap();
        assert_eq!(placed.to_string(), "three at 10000,0,-2.5");
    }

    #[test]
    fn a_value_that_an_option_cannot_have_is_an_error() {
        assert_eq!(
            error("unreal:weights=12"),
            "unreal:weights=12: expected 8 or 16"
        );
        assert_eq!(
            error("unity:influences=256"),
            "unity:influences=256: expected 1 to 255, or unlimited"
        );
        assert_eq!(
            error("godot:fps=NaN"),
            "godot:fps=NaN: expected frames per second, 1 to 1000"
        );
        assert_eq!(
            error("godot:fps"),
            "godot:fps=: expected frames per second, 1 to 1000"
        );
    }
}
