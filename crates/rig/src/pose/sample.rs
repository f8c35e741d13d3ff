//! Sampling of clips.

use glam::{Mat4, Quat, Vec3};

use super::track::{Cursor, TimeIndex};
use super::{PlaybackError, Pose, expressions, rest, visibility};
use crate::rig::{Asset, Channel, Clip, LocalTransform, MorphChannel, NodeId};
use crate::units::Seconds;

/// The local transform of every node, every morph weight, and the visibility, at `time` of `clip`.
///
/// * `clip` – of `asset`, or of another file with its joints already matched to `asset`'s.
/// * `time` – absolute in the clip. Before a track's first key its first value holds, after the last its last; see
///   [`resolve`](super::resolve) for looping and for times outside the clip.
///
/// Translation, rotation and scale without a track keep the node's rest value, decomposed if the rest is a matrix. A
/// rotation whose keys are zero or not finite keeps it too. A node without a channel keeps its rest transform bit for
/// bit, including shear. Sampled rotations are unit quaternions. Where keys share a time, the last of them applies
/// from that time on.
///
/// # Errors
///
/// [`PlaybackError::NotFinite`] if `time` is NaN or infinite, and [`PlaybackError::UnknownNode`] if `clip` is of another
/// skeleton, with more nodes.
///
/// # Reference
///
/// glTF 2.0 §3.11 "Animations" and appendix C "Animation Sampler Interpolation Modes".
///
/// ```
/// # mod skincheck { pub use skincheck_rig::{glam, pose, rig, units}; }
/// # use skincheck::glam::Vec3;
/// # let asset = skincheck::rig::leg();
/// # let knee = skincheck::rig::NodeId(1);
/// use skincheck::{pose, units::Seconds};
///
/// // Half of a half turn.
/// let local = pose::sample(&asset, &asset.clips[0], Seconds(0.5))?;
/// let tip = local[knee].to_matrix().transform_vector3(Vec3::X);
/// assert!(tip.abs_diff_eq(Vec3::Y, 1e-6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sample(asset: &Asset, clip: &Clip, time: Seconds) -> Result<Pose, PlaybackError> {
    Sampler::new(asset, clip).at(time)
}

/// [`sample`] for a finite time; the times of a [valid](Asset::validate) clip are finite.
#[doc(hidden)]
#[must_use]
pub fn sample_finite(asset: &Asset, clip: &Clip, time: Seconds) -> Pose {
    Sampler::new(asset, clip).at_finite(time)
}

/// Samples a clip at one time after the other. Made for ascending times: for each track, it remembers the last keys and
/// the values computed from them. The poses equal those of [`sample`] to the bit.
#[derive(Debug, Clone)]
pub struct Sampler<'a> {
    asset: &'a Asset,
    clip: &'a Clip,
    /// The values of parts that no track drives.
    rest: Pose,
    /// A node that the clip drives and the asset lacks.
    unknown: Option<NodeId>,
    /// One per channel.
    cursors: Vec<Cursors>,
    /// One per morph channel.
    morph_cursors: Vec<Cursor<Vec<f32>>>,
}

/// The cursors of a channel's tracks.
#[derive(Debug, Clone, Default)]
struct Cursors {
    translation: Cursor<Vec3>,
    rotation: Cursor<Quat>,
    scale: Cursor<Vec3>,
    matrix: Cursor<Mat4>,
}

impl<'a> Sampler<'a> {
    /// A sampler of `clip`.
    ///
    /// * `clip` – as for [`sample`].
    #[must_use]
    pub fn new(asset: &'a Asset, clip: &'a Clip) -> Self {
        let mut driven = clip.channels.iter().map(|channel| channel.node);
        Self {
            asset,
            clip,
            unknown: driven.find(|node| asset.skeleton.get(*node).is_none()),
            rest: rest(asset),
            cursors: vec![Cursors::default(); clip.channels.len()],
            morph_cursors: vec![Cursor::default(); clip.morph_channels.len()],
        }
    }

    /// Like [`sample`].
    ///
    /// # Errors
    ///
    /// As [`sample`].
    pub fn at(&mut self, time: Seconds) -> Result<Pose, PlaybackError> {
        let mut pose = Pose::default();
        self.at_into(time, &mut pose)?;
        Ok(pose)
    }

    /// Like [`at`](Self::at), into an earlier pose, whose memory is used again.
    ///
    /// # Errors
    ///
    /// As [`sample`].
    pub fn at_into(&mut self, time: Seconds, pose: &mut Pose) -> Result<(), PlaybackError> {
        if !time.0.is_finite() {
            return Err(PlaybackError::NotFinite(time.0));
        }
        if let Some(node) = self.unknown {
            let nodes = self.asset.skeleton.len();
            return Err(PlaybackError::UnknownNode { node, nodes });
        }
        self.fill(time, pose);
        Ok(())
    }

    /// Like [`sample_finite`].
    #[doc(hidden)]
    pub fn at_finite(&mut self, time: Seconds) -> Pose {
        let mut pose = Pose::default();
        self.fill(time, &mut pose);
        pose
    }

    fn fill(&mut self, time: Seconds, pose: &mut Pose) {
        pose.locals.clone_from(&self.rest.locals);
        pose.morph_weights.clone_from(&self.rest.morph_weights);
        pose.visibility.clone_from(&self.rest.visibility);
        let mut index = TimeIndex { time, after: 0 };
        for (channel, cursors) in self.clip.channels.iter().zip(&mut self.cursors) {
            if let Some(local) = pose.locals.get_mut(channel.node.index()) {
                drive(local, channel, cursors, &mut index);
            }
        }
        let morph_channels = self.clip.morph_channels.iter();
        for (channel, cursor) in morph_channels.zip(&mut self.morph_cursors) {
            drive_morphs(pose, self.asset, channel, cursor, &mut index);
        }
        expressions::drive(pose, self.asset, self.clip, time);
        let channels = &self.clip.visibility_channels;
        if !channels.is_empty() {
            pose.visibility = visibility::at(self.asset, channels, time);
        }
    }
}

/// Replaces the parts of `local` that `channel` drives.
fn drive(
    local: &mut LocalTransform,
    channel: &Channel,
    cursors: &mut Cursors,
    index: &mut TimeIndex,
) {
    if let Some(matrix) = cursors.matrix.sample(channel.matrix.as_ref(), index) {
        *local = LocalTransform::Matrix(matrix);
        return;
    }
    let translation = cursors
        .translation
        .sample(channel.translation.as_ref(), index);
    let rotation = cursors.rotation.sample(channel.rotation.as_ref(), index);
    let scale = cursors.scale.sample(channel.scale.as_ref(), index);
    if translation.is_none() && rotation.is_none() && scale.is_none() {
        return;
    }
    // A track drives one part of a transform, which a matrix must be split into.
    if let LocalTransform::Matrix(_) = local {
        *local = LocalTransform::Trs(local.to_trs());
    }
    // In place: most channels drive one part of three.
    if let LocalTransform::Trs(trs) = local {
        trs.translation = translation.unwrap_or(trs.translation);
        trs.rotation = rotation.unwrap_or(trs.rotation);
        trs.scale = scale.unwrap_or(trs.scale);
    }
}

/// Replaces the weights of all instances of the channel's joint. Targets without a weight in the track keep their rest
/// weight; surplus weights are ignored.
fn drive_morphs(
    pose: &mut Pose,
    asset: &Asset,
    channel: &MorphChannel,
    cursor: &mut Cursor<Vec<f32>>,
    index: &mut TimeIndex,
) {
    let Some(weights) = cursor.sample(Some(&channel.weights), index) else {
        return;
    };
    for (instance, driven) in asset.instances.iter().zip(&mut pose.morph_weights) {
        if instance.node == channel.node {
            for (weight, sampled) in driven.iter_mut().zip(&weights) {
                *weight = *sampled;
            }
        }
    }
}

#[cfg(test)]
mod tests;
