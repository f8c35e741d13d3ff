//! Stages: clips, posed joints and skinned vertices over time.

use std::collections::BTreeSet;

use glam::DMat4;
use rayon::prelude::*;

use super::common::{Common, Posed, Scale, skinned};
use super::matching::{Key, Matching};
use super::moments::moments;
use super::morphs::MorphOrder;
use super::places::{Apart, compare_worlds};
use super::points;
use super::report::{Off, Place, Stage, StageReport};
use super::rest::weights_apart;
use super::tally::{Details, Tally};
use super::tolerance::{AXES, WEIGHT};
use super::tracks::{Part, explain, morph_shape, shape_of};
use super::vertices::Shown;
use super::{clips, places};
use crate::pose::{self, Pose};
use crate::rig::{Clip, JointId};
use crate::skinning::SkinningError;
use crate::units::Seconds;

/// Moments of all clips together, and of one clip at the most and at the least.
const MOST_MOMENTS: usize = 4096;
const MOST_MOMENTS_OF_A_CLIP: usize = 256;
const LEAST_MOMENTS_OF_A_CLIP: usize = 8;

/// Vertices that are skinned for one clip, all moments together: a second or two.
const MOST_VERTICES: usize = 1 << 26;

/// What is compared, and where.
pub(super) struct Motion<'a> {
    pub(super) matching: &'a Matching<'a>,
    pub(super) morphs: &'a MorphOrder,
    pub(super) shown: &'a [Shown; 2],
    pub(super) common: Common,
    pub(super) scale: Scale,
    /// Of both.
    pub(super) rest: &'a [Posed; 2],
}

/// One joint that either clip drives.
struct Driven {
    pair: [JointId; 2],
    /// What makes up its transform, for both importers.
    chains: [Vec<JointId>; 2],
    /// Length in the common space of a unit of its parent, in the rest pose.
    unit: f64,
}

/// How far something is off, and when most.
#[derive(Clone, Copy)]
struct Worst {
    severity: f64,
    time: f64,
    part: Part,
    off: Off,
}

/// What is found at one moment.
struct Found {
    /// One a driven joint; `None` where it is right.
    joints: Vec<Option<Worst>>,
    /// One a morphed mesh: the difference of weights.
    morphs: Vec<f64>,
    posed: Tally,
    vertices: Tally,
}

impl Motion<'_> {
    /// Compares the rest pose's vertices, then clip after clip.
    ///
    /// # Errors
    ///
    /// [`SkinningError`] if there are too many vertices.
    pub(super) fn compare(&self) -> Result<[StageReport; 3], SkinningError> {
        let mut of_clips = Tally::new(Stage::Clips);
        let mut posed = Tally::new(Stage::PosedJoints);
        let mut vertices = Tally::new(Stage::SkinnedVertices);
        let rest = [0, 1].map(|side| pose::rest(self.matching.trees[side].asset));
        self.compare_vertices(&rest, &Place::default(), &mut vertices)?;
        let pairs = clips::pair_up(self.matching, &mut of_clips);
        let most = (MOST_MOMENTS / pairs.len().max(1))
            .clamp(LEAST_MOMENTS_OF_A_CLIP, MOST_MOMENTS_OF_A_CLIP);
        for pair in pairs {
            clips::compare_ranges(pair, &mut of_clips);
            let (joints, meshes) = (self.driven(pair), self.morphed(pair));
            of_clips.compared(joints.len() + meshes.len());
            let found = self.over_time(pair, most, &joints, &meshes)?;
            for (index, joint) in joints.iter().enumerate() {
                let worst = found.iter().filter_map(|moment| moment.joints[index]);
                self.tell_joint(pair, joint, worst, &mut of_clips);
            }
            for (index, &mesh) in meshes.iter().enumerate() {
                let apart = found.iter().map(|moment| moment.morphs[index]);
                self.tell_morphs(pair, mesh, apart.fold(0.0, f64::max), &mut of_clips);
            }
            for moment in found {
                posed.merge(moment.posed);
                vertices.merge(moment.vertices);
            }
        }
        Ok([of_clips, posed, vertices].map(Tally::finish))
    }

    fn over_time(
        &self,
        pair: [&Clip; 2],
        most: usize,
        joints: &[Driven],
        meshes: &[Key],
    ) -> Result<Vec<Found>, SkinningError> {
        let times = moments(pair, most);
        let count = self.shown.iter().map(|shown| shown.list.len()).sum();
        let skinned = (MOST_VERTICES / std::cmp::max(count, 1)).max(LEAST_MOMENTS_OF_A_CLIP);
        let step = times.len().div_ceil(skinned).max(1);
        let at =
            |(index, &time): (usize, &f64)| self.at(pair, time, joints, meshes, index % step == 0);
        times.par_iter().enumerate().map(at).collect()
    }

    fn at(
        &self,
        pair: [&Clip; 2],
        time: f64,
        joints: &[Driven],
        meshes: &[Key],
        with_vertices: bool,
    ) -> Result<Found, SkinningError> {
        let place = Place {
            clip: Some(pair[0].name.clone()),
            time: Some(Seconds(time)),
            ..Place::default()
        };
        let poses = [0, 1].map(|side| {
            let asset = self.matching.trees[side].asset;
            pose::sample(asset, pair[side], Seconds(time))
        });
        let mut vertices = Tally::new(Stage::SkinnedVertices);
        if with_vertices {
            self.compare_vertices(&poses, &place, &mut vertices)?;
        }
        let posed = self.posed(poses);
        Ok(Found {
            joints: joints
                .iter()
                .map(|joint| self.joint_off(joint, &posed, time))
                .collect(),
            morphs: self.morphs_off(meshes, &posed),
            posed: self.compare_joints(&posed, &place),
            vertices,
        })
    }

    fn posed(&self, poses: [Pose; 2]) -> [Posed; 2] {
        let [a, b] = poses;
        let of = |side: usize, pose| {
            Posed::new(
                self.matching.trees[side].asset,
                pose,
                &self.common.from[side],
            )
        };
        [of(0, a), of(1, b)]
    }

    fn compare_joints(&self, posed: &[Posed; 2], at: &Place) -> Tally {
        let mut tally = Tally::new(Stage::PosedJoints);
        tally.compared(self.matching.pairs.len());
        for &pair in &self.matching.pairs {
            let worlds = [0, 1].map(|side| &posed[side].worlds[pair[side].index()]);
            let place = || Place {
                joint: Some(self.matching.path_of_pair(pair)),
                ..at.clone()
            };
            compare_worlds(worlds, self.scale, place, &mut tally);
        }
        tally
    }

    fn compare_vertices(
        &self,
        poses: &[Pose; 2],
        place: &Place,
        tally: &mut Tally,
    ) -> Result<(), SkinningError> {
        let of = |side: usize| {
            let asset = self.matching.trees[side].asset;
            skinned(asset, &poses[side], &self.common.from[side])
        };
        let skinned = [of(0)?, of(1)?];
        points::compare(
            self.matching,
            self.shown,
            &skinned,
            self.scale,
            place,
            tally,
        );
        Ok(())
    }

    /// The joints that either of two clips drives, by themselves or by a helper.
    ///
    /// A joint that hangs on another's helper is left to the posed joints: its own transform makes up for what it does
    /// not inherit, and is not what the file says.
    fn driven(&self, pair: [&Clip; 2]) -> Vec<Driven> {
        let mut keys = BTreeSet::new();
        for (side, clip) in pair.into_iter().enumerate() {
            let joints = clip.channels.iter().map(|channel| channel.joint);
            keys.extend(joints.map(|joint| self.matching.key(side, joint)));
        }
        let pairs = keys.iter().filter_map(|key| self.matching.pairs.get(key.0));
        let is_plain = |pair: &&[JointId; 2]| {
            let mut sides = pair.iter().zip(&self.matching.trees);
            sides.all(|(joint, tree)| !tree.hangs_on_helper(*joint))
        };
        pairs
            .filter(is_plain)
            .map(|&pair| {
                let chains = [0, 1].map(|side| self.matching.trees[side].chain(pair[side]));
                Driven {
                    unit: self.unit_above(chains[0].first().copied().unwrap_or(pair[0])),
                    chains,
                    pair,
                }
            })
            .collect()
    }

    fn unit_above(&self, joint: JointId) -> f64 {
        let joints = self.matching.trees[0].asset.skeleton.joints();
        let parent = joints[joint.index()].parent;
        let above = parent.map(|parent| &self.rest[0].worlds[parent.index()]);
        let world = above.unwrap_or(&self.common.from[0]);
        let axes = [world.x_axis, world.y_axis, world.z_axis];
        axes.iter().map(|axis| axis.length()).fold(0.0, f64::max)
    }

    fn joint_off(&self, joint: &Driven, posed: &[Posed; 2], time: f64) -> Option<Worst> {
        let own = [0, 1].map(|side| {
            let locals = joint.chains[side].iter();
            let locals = locals.map(|id| posed[side].locals[id.index()]);
            locals.fold(DMat4::IDENTITY, |chain, local| chain * local)
        });
        let apart = Apart::of(&own[0], &own[1], joint.unit, self.scale);
        if !apart.differ() {
            return None;
        }
        let axes_count_more = apart.axes / AXES > apart.place / apart.place_tolerance;
        let (part, off) = if axes_count_more {
            let part = if places::lengths_apart(&own[0], &own[1]) > AXES {
                Part::Scale
            } else {
                Part::Rotation
            };
            (part, Off::Part(apart.axes))
        } else {
            let off = Off::Length {
                absolute: apart.place,
                relative: apart.place / self.scale.diagonal,
            };
            (Part::Translation, off)
        };
        Some(Worst {
            severity: apart.severity(),
            time,
            part,
            off,
        })
    }

    fn tell_joint(
        &self,
        pair: [&Clip; 2],
        joint: &Driven,
        found: impl Iterator<Item = Worst>,
        tally: &mut Tally,
    ) {
        let later_if_worse = |worst: Worst, next: Worst| {
            if next.severity > worst.severity {
                next
            } else {
                worst
            }
        };
        let Some(worst) = found.reduce(later_if_worse) else {
            return;
        };
        let shapes = [0, 1].map(|side| shape_of(pair[side], &joint.chains[side], worst.part));
        let (kind, says) = explain([shapes[0].as_ref(), shapes[1].as_ref()]);
        tally.add(kind, worst.severity, || Details {
            place: Place {
                joint: Some(self.matching.path_of_pair(joint.pair)),
                clip: Some(pair[0].name.clone()),
                time: Some(Seconds(worst.time)),
                part: Some(worst.part.name()),
                ..Place::default()
            },
            says,
            off: Some(worst.off),
        });
    }

    /// The joints whose meshes either of two clips morphs.
    fn morphed(&self, pair: [&Clip; 2]) -> Vec<Key> {
        let mut keys = BTreeSet::new();
        for (side, clip) in pair.into_iter().enumerate() {
            let joints = clip.morph_channels.iter().map(|channel| channel.joint);
            keys.extend(joints.map(|joint| self.matching.key(side, joint)));
        }
        let shown = [0, 1].map(|side| self.morphs.weights(self.matching, &self.rest[side], side));
        let is_shown = |key: &Key| shown.iter().any(|shown| shown.contains_key(key));
        keys.into_iter().filter(is_shown).collect()
    }

    /// Targets that the other importer does not have count as never moved.
    fn morphs_off(&self, meshes: &[Key], posed: &[Posed; 2]) -> Vec<f64> {
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

    fn tell_morphs(&self, pair: [&Clip; 2], mesh: Key, apart: f64, tally: &mut Tally) {
        let shapes = [0, 1].map(|side| morph_shape(self.matching, side, pair[side], mesh));
        let (kind, says) = explain([shapes[0].as_ref(), shapes[1].as_ref()]);
        // Two ways of computing a curve are off by a few roundings more than two ways of writing a weight.
        if apart > 10.0 * WEIGHT {
            tally.add(kind, apart, || Details {
                place: Place {
                    mesh: Some(self.matching.path_of_key(mesh)),
                    clip: Some(pair[0].name.clone()),
                    part: Some("morph weights"),
                    ..Place::default()
                },
                says,
                off: Some(Off::Part(apart)),
            });
        }
    }
}
