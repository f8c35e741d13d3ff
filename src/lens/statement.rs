//! What a lens states.

use std::num::NonZeroU32;

use crate::rig::SkinningMethod;

/// What an engine does to a rig, statement by statement.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Lens {
    /// The name on the command line, such as `unity`.
    pub name: &'static str,
    /// Its title, for people.
    pub title: &'static str,
    /// The version of the sources.
    pub version: &'static str,
    /// The number of influences per vertex; `None` for all.
    pub influences: Stated<Option<NonZeroU32>>,
    /// The influences kept if a vertex has more.
    pub kept: Stated<Kept>,
    /// The use of weights that do not sum to 1.
    pub sum: Stated<Sum>,
    /// What a vertex without weights follows.
    pub unweighted: Stated<Unweighted>,
    /// The storage of weights.
    pub storage: Stated<Storage>,
    /// The skinning method.
    pub blending: Stated<SkinningMethod>,
    /// The number of joints that one draw call supports; `None` without a limit. Larger skins are split or refused, so
    /// this changes no vertex.
    pub joints: Stated<Option<u32>>,
    /// The interpolation of rotations between two linear keys.
    pub rotations: Stated<Interpolation>,
    /// Frames per second that the importer samples clips at; `None` if it keeps the keys.
    pub rate: Stated<Option<f64>>,
    /// The space that its matrices map to, which determines their precision far from the origin.
    pub world: Stated<World>,
    /// The settings that users can change in the engine.
    pub settings: &'static [Setting],
}

/// A statement and its source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stated<T> {
    /// The emulated behaviour.
    pub value: T,
    /// A page, or a file of the engine; `None` if no source states it.
    pub source: Option<&'static str>,
}

impl<T> Stated<T> {
    /// A statement of `source`.
    pub(super) const fn by(source: &'static str, value: T) -> Self {
        Self {
            value,
            source: Some(source),
        }
    }

    /// What is assumed because no source states it.
    pub(super) const fn assumed(value: T) -> Self {
        Self {
            value,
            source: None,
        }
    }
}

/// The influences kept if a vertex has too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// The first in the file.
    First,
    /// Those with the largest weights.
    Largest,
}

/// The use of weights that do not sum to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sum {
    /// They are divided by their sum before they are stored, and used as stored.
    Divided,
    /// The skinned position is homogeneous, and its w is their sum, so the projection divides by it.
    Homogeneous,
    /// They are used as they are: a sum below 1 pulls the vertex towards the origin.
    Undivided,
}

/// What a vertex without weights follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unweighted {
    /// Its mesh's node.
    Node,
    /// The first joint of the skin.
    FirstJoint,
}

/// Which matrices of an engine hold world positions. All are f32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum World {
    /// None: they are relative to the model.
    Relative,
    /// The matrices of nodes; skinning matrices are relative to the model.
    Nodes,
    /// Skinning matrices, which are computed in f64.
    Palette,
    /// The matrices of nodes, and skinning matrices.
    NodesAndPalette,
}

/// The storage of weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// f32.
    Float,
    /// The type in the file, rounded to the nearest.
    AsInFile,
    /// A whole number of parts, of which 2^bits - 1 make 1.
    Parts {
        /// Bits per weight.
        bits: u32,
        /// The rounding of the exact number of parts to a whole one.
        rounding: Rounding,
    },
}

/// How a weight becomes a whole number of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// To the nearest; the largest weight absorbs the difference to a sum of 1.
    Repaired,
    /// Down, as a conversion to an integer does.
    Down,
}

/// The interpolation of rotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// A setting of an engine that changes what it does.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Setting {
    /// Its name on the command line.
    pub name: &'static str,
    /// The values it may have.
    pub values: Values,
    /// The name of the setting in the engine, with its source.
    pub source: &'static str,
}

/// The values of a setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Values {
    /// A number of influences per vertex, up to this one, or `unlimited`.
    Influences(u32),
    /// 8 or 16 bits per weight.
    Bits,
    /// Frames per second.
    Rate,
}

impl Values {
    /// For help texts and errors: `1 to 8, or unlimited`.
    #[must_use]
    pub fn describe(self) -> String {
        match self {
            Self::Influences(most) => format!("1 to {most}, or unlimited"),
            Self::Bits => "8 or 16".to_owned(),
            Self::Rate => "frames per second, 1 to 1000".to_owned(),
        }
    }
}
