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
//! Anything that the document omits keeps the value of the pose it is applied to. Values replace the pose's values;
//! they do not add to them.

mod document;

use std::collections::BTreeMap;
use std::path::Path;

use glam::{Quat, Vec3};

use super::Pose;
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
        let text = without_mark(text);
        let extension = path.extension().unwrap_or_default();
        let braced = document::without_mark(text).trim_start().starts_with('{');
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

fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
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
        document::read(without_mark(text), format)?.checked()
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

#[cfg(test)]
mod tests;
