//! Handwritten poses: a small TOML or JSON document.
//!
//! ```toml
//! [joint."upper_arm.L"]
//! rotation_euler_degrees = [0, 0, 45]   # about x, then y, then z of the parent; or: rotation = [x, y, z, w]
//!
//! [joint.hips]
//! translation = [0, 0.9, 0.1]           # in the parent's space and units
//! scale = 1.2                           # or one factor per axis: [1, 1.2, 1]
//!
//! [joint."#12"]                         # by index, where the name is empty or not unique
//! rotation = [0, 0.7071068, 0, 0.7071068]
//!
//! [morph]
//! smile = 0.5                           # by the name of the target, on every mesh that has it
//! ```
//!
//! The same in JSON: `{"joint": {"hips": {"translation": [0, 0.9, 0.1]}}, "morph": {"smile": 0.5}}`.
//!
//! Values replace those of the pose; they do not add to them. Parts missing from the document are unchanged.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::path::Path;

use glam::{DQuat, DVec3, Quat, Vec3};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::Pose;
use super::interpolate::unit;
use super::select::{SelectError, find_joint, nearest, suggestion};
use crate::rig::{Asset, LocalTransform, NodeId, Trs};

/// The language of a pose document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoseFormat {
    /// TOML 1.0.
    Toml,
    /// JSON.
    Json,
}

impl PoseFormat {
    /// The format by the extension of `path`; without a known one, JSON if `text` begins with a brace.
    #[must_use]
    pub fn of(path: &Path, text: &str) -> Self {
        let extension = path.extension().unwrap_or_default();
        let braced = without_mark(text).trim_start().starts_with('{');
        let says_toml = extension.eq_ignore_ascii_case("toml");
        if extension.eq_ignore_ascii_case("json") || (braced && !says_toml) {
            Self::Json
        } else {
            Self::Toml
        }
    }
}

/// A pose document that is invalid, or does not match the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PoseFileError {
    /// Not TOML or JSON, or not the keys and values of a pose.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// From 1.
        line: usize,
        /// From 1, in characters.
        column: usize,
        /// The problem there.
        message: String,
    },
    /// NaN, infinite, or beyond the range of f32.
    #[error("{what} of {of:?} is not finite")]
    NotFinite {
        /// Such as `the translation`.
        what: &'static str,
        /// The joint or morph target, as the document names it.
        of: String,
    },
    /// A quaternion without a direction.
    #[error("the rotation of {joint:?} is a zero quaternion")]
    ZeroRotation {
        /// As the document names it.
        joint: String,
    },
    /// Both a quaternion and angles.
    #[error("{joint:?} has both rotation and rotation_euler_degrees; give only one")]
    TwoRotations {
        /// As the document names it.
        joint: String,
    },
    /// One joint by two names, such as its own and `#12`.
    #[error("{first:?} and {second:?} name the same joint")]
    SameJoint {
        /// As the document names it.
        first: String,
        /// As the document names it elsewhere.
        second: String,
    },
    /// The model has no such joint.
    #[error(transparent)]
    Joint(#[from] SelectError),
    /// No mesh has such a morph target.
    #[error("no mesh has a morph target named {wanted:?}{}", suggestion(nearest.as_slice()))]
    UnknownTarget {
        /// As the document names it.
        wanted: String,
        /// The target with the most similar name.
        nearest: Option<String>,
    },
}

/// A pose document, read and checked but not yet matched to a model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PoseFile {
    joints: BTreeMap<String, JointParts>,
    morphs: BTreeMap<String, f32>,
}

/// A document's values for a joint: finite, rotations of unit length.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct JointParts {
    translation: Option<Vec3>,
    rotation: Option<Quat>,
    scale: Option<Vec3>,
}

impl PoseFile {
    /// Reads a document. A leading byte order mark, as editors on Windows write it, is skipped.
    ///
    /// # Errors
    ///
    /// [`PoseFileError`], with the line and column of invalid text, or the joint of an invalid transform.
    pub fn parse(text: &str, format: PoseFormat) -> Result<Self, PoseFileError> {
        read(text, format)?.checked()
    }

    /// Applies the document's values to `pose`, a pose of `asset`.
    ///
    /// # Errors
    ///
    /// [`PoseFileError`] if `asset` lacks a joint or a morph target of the document; `pose` is then unchanged.
    pub fn apply(&self, asset: &Asset, pose: &mut Pose) -> Result<(), PoseFileError> {
        let joints = self.matched_joints(asset)?;
        self.check_targets(asset)?;
        for (joint, (_, parts)) in joints {
            if let Some(local) = pose.locals.get_mut(joint.index()) {
                *local = parts.over(local);
            }
        }
        self.apply_morphs(asset, pose);
        Ok(())
    }

    fn matched_joints(
        &self,
        asset: &Asset,
    ) -> Result<BTreeMap<NodeId, (&str, &JointParts)>, PoseFileError> {
        let mut matched = BTreeMap::new();
        for (name, parts) in &self.joints {
            let joint = find_joint(asset, name)?;
            if let Some((first, _)) = matched.insert(joint, (name.as_str(), parts)) {
                let (first, second) = (str::to_owned(first), name.clone());
                return Err(PoseFileError::SameJoint { first, second });
            }
        }
        Ok(matched)
    }

    fn check_targets(&self, asset: &Asset) -> Result<(), PoseFileError> {
        let targets = || asset.meshes.iter().flat_map(|mesh| &mesh.morph_targets);
        let names = || targets().map(|target| target.name.as_str());
        match self
            .morphs
            .keys()
            .find(|wanted| !names().any(|name| name == *wanted))
        {
            None => Ok(()),
            Some(wanted) => Err(PoseFileError::UnknownTarget {
                wanted: wanted.clone(),
                nearest: nearest(wanted, names()).into_iter().next(),
            }),
        }
    }

    fn apply_morphs(&self, asset: &Asset, pose: &mut Pose) {
        for (instance, weights) in asset.instances.iter().zip(&mut pose.morph_weights) {
            let targets = &asset.mesh_of(instance).morph_targets;
            for (target, weight) in targets.iter().zip(weights) {
                if let Some(given) = self.morphs.get(&target.name) {
                    *weight = *given;
                }
            }
        }
    }
}

impl JointParts {
    /// Replaces parts of `local` with these. A matrix stays a matrix if nothing replaces a part.
    fn over(&self, local: &LocalTransform) -> LocalTransform {
        if *self == Self::default() {
            return *local;
        }
        let before = local.to_trs();
        LocalTransform::Trs(Trs {
            translation: self.translation.unwrap_or(before.translation),
            rotation: self.rotation.unwrap_or(before.rotation),
            scale: self.scale.unwrap_or(before.scale),
        })
    }
}

/// A whole document.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(default, deserialize_with = "distinct")]
    joint: BTreeMap<String, Joint>,
    #[serde(default, deserialize_with = "distinct")]
    morph: BTreeMap<String, f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Joint {
    translation: Option<[f64; 3]>,
    rotation: Option<[f64; 4]>,
    rotation_euler_degrees: Option<[f64; 3]>,
    scale: Option<Scale>,
}

/// A number for all axes, or one each.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a number or three")]
enum Scale {
    All(f64),
    Each([f64; 3]),
}

impl Scale {
    fn axes(self) -> [f64; 3] {
        match self {
            Self::All(scale) => [scale; 3],
            Self::Each(axes) => axes,
        }
    }
}

/// Reads `text`; errors state their position.
fn read(text: &str, format: PoseFormat) -> Result<Document, PoseFileError> {
    let text = without_mark(text);
    match format {
        PoseFormat::Toml => toml::from_str(text).map_err(|error| toml_error(text, &error)),
        PoseFormat::Json => serde_json::from_str(text).map_err(|error| json_error(&error)),
    }
}

/// Without the byte order mark that some editors write.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

fn toml_error(text: &str, error: &toml::de::Error) -> PoseFileError {
    let offset = error.span().map_or(0, |span| span.start);
    let before = text.get(..offset).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    PoseFileError::Syntax {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        message: error.message().trim_end().replace('\n', ", "),
    }
}

fn json_error(error: &serde_json::Error) -> PoseFileError {
    let (line, column) = (error.line(), error.column());
    let message = error.to_string();
    let position = format!(" at line {line} column {column}");
    PoseFileError::Syntax {
        line,
        column,
        message: message
            .strip_suffix(&position)
            .unwrap_or(&message)
            .to_owned(),
    }
}

impl Document {
    /// Checks that everything is finite in f32, and every rotation a unit quaternion.
    fn checked(self) -> Result<PoseFile, PoseFileError> {
        let mut file = PoseFile::default();
        for (name, joint) in self.joint {
            let parts = joint.checked(&name)?;
            file.joints.insert(name, parts);
        }
        for (name, weight) in self.morph {
            let weight = finite("the weight", &name, DVec3::splat(weight))?.x;
            file.morphs.insert(name, weight);
        }
        Ok(file)
    }
}

impl Joint {
    fn checked(self, name: &str) -> Result<JointParts, PoseFileError> {
        let vector = |what, value: Option<[f64; 3]>| {
            let value = value.map(|value| finite(what, name, DVec3::from(value)));
            value.transpose()
        };
        Ok(JointParts {
            translation: vector("the translation", self.translation)?,
            rotation: self.rotation(name)?,
            scale: vector("the scale", self.scale.map(Scale::axes))?,
        })
    }

    fn rotation(&self, name: &str) -> Result<Option<Quat>, PoseFileError> {
        match (self.rotation, self.rotation_euler_degrees) {
            (None, None) => Ok(None),
            (Some(given), None) => from_quaternion(DQuat::from_array(given), name).map(Some),
            (None, Some(angles)) => from_degrees(DVec3::from(angles), name).map(Some),
            (Some(_), Some(_)) => Err(PoseFileError::TwoRotations {
                joint: name.to_owned(),
            }),
        }
    }
}

fn finite(what: &'static str, of: &str, value: DVec3) -> Result<Vec3, PoseFileError> {
    let value = value.as_vec3();
    value.is_finite().then_some(value).ok_or_else(|| {
        let of = of.to_owned();
        PoseFileError::NotFinite { what, of }
    })
}

fn from_quaternion(rotation: DQuat, joint: &str) -> Result<Quat, PoseFileError> {
    finite("the rotation", joint, rotation.xyz())?;
    finite("the rotation", joint, DVec3::splat(rotation.w))?;
    let rotation = unit(rotation).ok_or_else(|| PoseFileError::ZeroRotation {
        joint: joint.to_owned(),
    })?;
    Ok(rotation.as_quat())
}

/// About the parent's x axis first, then its y, then its z axis: `Z · Y · X`, the "XYZ" of Blender, Maya and FBX.
fn from_degrees(angles: DVec3, joint: &str) -> Result<Quat, PoseFileError> {
    finite("the rotation", joint, angles)?;
    let half = angles * (std::f64::consts::PI / 360.0);
    let about = |axis: DVec3, half: f64| {
        let (sin, cos) = (libm::sin(half), libm::cos(half));
        DQuat::from_vec4((axis * sin).extend(cos))
    };
    let x = about(DVec3::X, half.x);
    let y = about(DVec3::Y, half.y);
    let z = about(DVec3::Z, half.z);
    Ok((z * y * x).as_quat())
}

/// A map without duplicate keys. (TOML forbids them; in JSON the last would win unnoticed.)
fn distinct<'de, D, T>(deserializer: D) -> Result<BTreeMap<String, T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    deserializer.deserialize_map(DistinctVisitor(PhantomData))
}

struct DistinctVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for DistinctVisitor<T> {
    type Value = BTreeMap<String, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table of names")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut map = BTreeMap::new();
        while let Some((name, value)) = entries.next_entry::<String, T>()? {
            if map.contains_key(&name) {
                return Err(A::Error::custom(format!("{name:?} comes twice")));
            }
            map.insert(name, value);
        }
        Ok(map)
    }
}

#[cfg(test)]
mod tests;
