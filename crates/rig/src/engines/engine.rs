//! What is stated of an engine.

use std::num::NonZeroU32;

use serde::{Deserialize, Deserializer};

use crate::units::{Handedness, LengthUnit, SignedAxis};

/// An engine, a format or a platform: what sources say of it. A statement that no source makes is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Engine {
    /// The name on the command line and in the configuration, such as `unity`.
    #[serde(deserialize_with = "text")]
    pub name: Text,
    /// Its title, for people.
    #[serde(deserialize_with = "text")]
    pub title: Text,
    /// The version of the sources.
    #[serde(deserialize_with = "text")]
    pub version: Text,
    /// The maximum number of influences per vertex.
    pub influences: Option<Stated<NonZeroU32>>,
    /// The influences kept if a vertex has more.
    pub kept: Option<Stated<Kept>>,
    /// The use of weights that do not sum to 1.
    pub sum: Option<Stated<Sum>>,
    /// The source that vertices without weights follow the first joint of the skin, and not their mesh's node.
    #[serde(default, deserialize_with = "some_text")]
    pub unweighted_follow_first_joint: Option<Text>,
    /// The storage of weights.
    pub storage: Option<Stated<Storage>>,
    /// The source that matrices are blended even where a file asks for dual quaternions.
    #[serde(default, deserialize_with = "some_text")]
    pub blends_matrices: Option<Text>,
    /// The maximum number of joints per skin.
    pub joints: Option<Stated<u32>>,
    /// The interpolation of rotations between two linear keys.
    pub rotations: Option<Stated<Interpolation>>,
    /// Frames per second that the importer samples clips at; `None` if it keeps the keys.
    pub rate: Option<Stated<Option<f64>>>,
    /// The unit of length.
    pub unit: Option<Stated<LengthUnit>>,
    /// The directions of up, forward and front.
    pub axes: Option<Stated<Axes>>,
    /// How it treats a file with another unit or other axes.
    #[serde(default, deserialize_with = "stated_text")]
    pub conversion: Option<Stated<Text>>,
    /// The settings that users can change in the engine.
    #[serde(default, deserialize_with = "list")]
    pub options: Options,
}

/// A text of the table, which is read once and kept.
pub type Text = &'static str;

/// The options of an engine.
pub type Options = &'static [EngineOption];

/// A statement and its source.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stated<T> {
    /// The limit, the convention or the behaviour.
    pub value: T,
    /// A page with its section, or a file of the engine.
    #[serde(deserialize_with = "text")]
    pub source: Text,
}

fn text<'de, D: Deserializer<'de>>(from: D) -> Result<Text, D::Error> {
    String::deserialize(from).map(|text| &*text.leak())
}

fn some_text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Text>, D::Error> {
    text(from).map(Some)
}

fn stated_text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Stated<Text>>, D::Error> {
    let Stated { value, source } = Stated::<String>::deserialize(from)?;
    let value = value.leak();
    Ok(Some(Stated { value, source }))
}

fn list<'de, D: Deserializer<'de>>(from: D) -> Result<Options, D::Error> {
    let options: Vec<EngineOption> = Vec::deserialize(from)?;
    Ok(options.leak())
}

impl Engine {
    /// Whether sources say what it does to weights.
    #[must_use]
    pub fn is_emulated(&self) -> bool {
        self.kept.is_some()
    }
}

/// The influences kept if a vertex has too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kept {
    /// The first in the file.
    First,
    /// Those with the largest weights.
    Largest,
}

/// The use of weights that do not sum to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sum {
    /// They are divided by their sum before they are stored, and used as stored.
    Divided,
    /// The skinned position is homogeneous, and its w is their sum, so the projection divides by it.
    Homogeneous,
    /// They are used as they are: a sum below 1 pulls the vertex towards the origin.
    Undivided,
}

/// The storage of weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Storage {
    /// f32.
    Float,
    /// The type in the file, rounded to the nearest.
    AsInFile,
    /// A whole number of parts, of which 2^bits - 1 make 1.
    Parts {
        /// Bits per weight.
        bits: u32,
        /// The rounding of the exact number of parts to a whole one; not emulated if no source states it.
        rounding: Option<Rounding>,
    },
}

/// How a weight becomes a whole number of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rounding {
    /// Down, as a conversion to an integer does.
    Down,
}

/// The interpolation of rotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Interpolation {
    /// Along the shortest arc at constant speed.
    Spherical,
    /// Component by component, then normalized: on the same arc, faster in its middle.
    Components,
    /// As components where the dot product of the quaternions is above 0.95, else spherical.
    Mixed,
}

/// The dot product of two quaternions, about 36° apart, above which [`Interpolation::Mixed`] interpolates their components.
pub(super) const NEAR: f64 = 0.95;

/// The axes of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axes {
    /// The up direction: from a standing character's feet to its head.
    pub up: SignedAxis,
    /// The engine's forward: where an unrotated object moves and looks.
    pub forward: SignedAxis,
    /// The direction that a character's face looks in models made for the engine, in the engine's axes. In some engines
    /// it is not forward, so the importer or an artist must rotate characters.
    pub front: SignedAxis,
    /// Its handedness.
    pub handedness: Handedness,
}

/// A setting of an engine that changes what it does.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineOption {
    /// What it sets.
    pub choice: Choice,
    /// The name of the setting in the engine, with its source.
    #[serde(deserialize_with = "text")]
    pub source: Text,
}

/// What an option sets, and its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Choice {
    /// The number of influences per vertex, up to this one, or `unlimited`.
    Influences(u32),
    /// 8 or 16 bits per weight.
    Weights,
    /// Frames per second.
    Rate,
}

impl Choice {
    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Influences(_) => "influences",
            Self::Weights => "weights",
            Self::Rate => "fps",
        }
    }

    /// The values, for help texts and errors: `1 to 8, or unlimited`.
    #[must_use]
    pub fn values(self) -> String {
        match self {
            Self::Influences(most) => format!("1 to {most}, or unlimited"),
            Self::Weights => "8 or 16".to_owned(),
            Self::Rate => "frames per second, 1 to 1000".to_owned(),
        }
    }
}
