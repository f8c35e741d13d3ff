//! Recognizes models whose rest pose is a frame of their own animation.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DMat3, DMat4, DVec3};

use super::spread;
use crate::lint::analysis::joints::Skinned;
use crate::pose;
use crate::rig::{Asset, Bounds, Channel, Clip, NodeId, Skin};
use crate::units::Seconds;

/// A rate above this counts ticks, not frames.
const MOST_FRAMES_A_SECOND: f64 = 120.0;

/// The most sample times of all clips together, starts first: half a minute of frames at 60 per second.
const MOST_SAMPLES: usize = 2048;

/// The most joints posed for all skins together, and the most joints of clips examined: a second or two. Models have
/// fewer than 2^24, but a hostile file may have thousands of skins, joints and clips at once.
const MOST_WORK: usize = 1 << 28;

/// The most joints on all paths together. Paths of good models share few joints, but a file may have as many paths as
/// joints, each as long.
const MOST_ON_PATHS: usize = 1 << 20;

/// A skin whose rest pose is not its bind pose.
pub(super) struct Resting<'a> {
    asset: &'a Asset,
    skin: &'a Skin,
    /// `world_from_joint` at rest.
    worlds: &'a [DMat4],
    /// The slots of the skin with weights, the topmost first.
    slots: Vec<usize>,
    /// The corners of the bounding box of the meshes.
    corners: [DVec3; 8],
    /// The largest distance of a vertex from its rest position.
    allowed: f64,
    /// The largest distance of a vertex in the frame that the rest pose was taken from.
    near: f64,
    /// The channels that a clip must drive to leave no trace of the rest pose.
    needs: Vec<Need>,
}

/// The difference of a joint between bind pose and rest pose.
struct Need {
    /// The joint and its ancestors, up to the next one that is bound.
    path: Vec<NodeId>,
    moved: bool,
    rotated: bool,
    /// Whether no other weighted joint is below it.
    is_leaf: bool,
}

/// The components of a joint that a clip animates.
#[derive(Clone, Copy, Default)]
struct Driven {
    moves: bool,
    /// Rotation or scale.
    rotates: bool,
}

impl<'a> Resting<'a> {
    /// Collects the data of the skin of `users`; `None` if no joint can be used, or if too many are above the bound
    /// ones.
    ///
    /// * `transforms` – each slot's transform of the meshes at rest, if it counts.
    /// * `worlds` – `world_from_joint` at rest.
    /// * `allowed` – the largest distance of a vertex from its expected position, in the file's units.
    /// * `near` – its largest distance from its position in a frame, as a fraction of its distance from its bound
    ///   position.
    pub(super) fn of(
        asset: &'a Asset,
        users: &[Skinned<'a>],
        transforms: &[Option<DMat4>],
        worlds: &'a [DMat4],
        [allowed, near]: [f64; 2],
    ) -> Option<Self> {
        let influences = users.iter().flat_map(|user| user.mesh.influences.all());
        let weighted = influences.filter(|influence| influence.weight > 0.0);
        let mut slots: BTreeSet<usize> = weighted.map(|influence| influence.slot.index()).collect();
        slots.retain(|slot| transforms[*slot].is_some());
        let mut resting = Self {
            asset,
            skin: users.first()?.skin,
            worlds,
            slots: slots.into_iter().collect(),
            corners: corners(users)?,
            allowed,
            near: allowed,
            needs: Vec::new(),
        };
        let base = transforms[*resting.slots.first()?]?;
        let off = |slot: &usize, corner: &DVec3| {
            let own = transforms[*slot].unwrap_or(base);
            (own - base).transform_point3(*corner).length()
        };
        let slots = resting.slots.iter();
        let off =
            slots.flat_map(|slot| resting.corners.iter().map(move |corner| off(slot, corner)));
        resting.near = allowed + near * off.fold(0.0, f64::max);
        resting.needs = resting.needs()?;
        Some(resting)
    }

    /// Whether the meshes have their rest shape in a frame of a clip, and no other pose shows a trace of that frame.
    pub(super) fn in_a_frame(&self) -> bool {
        let (joints, skins) = (self.asset.skeleton.len(), self.asset.skins.len());
        let most = MOST_WORK / joints.saturating_mul(skins).max(1);
        if self.asset.clips.len() > most {
            return false;
        }
        let mut clips = Vec::new();
        for clip in &self.asset.clips {
            match self.is_driven_by(clip) {
                Some(true) => clips.push(clip),
                Some(false) => return false,
                None => {}
            }
        }
        let shown = self.shown(&clips);
        let is_shown = self.needs.iter().all(|need| need.is_shown(&shown));
        if !is_shown || self.is_bound_but_for_leaves(&clips) {
            return false;
        }
        let starts = clips.iter().map(|clip| (*clip, clip.start));
        let others = clips
            .iter()
            .flat_map(|clip| sample_times(clip).map(|time| (*clip, time)));
        let mut all = starts.chain(others).take(MOST_SAMPLES.min(most));
        all.any(|(clip, time)| self.is_as_at(clip, time))
    }

    /// The joints whose difference from the bind pose shows in some clip.
    pub(super) fn bare(&self) -> Vec<NodeId> {
        let clips = self.asset.clips.iter();
        let driven: Vec<Vec<Driven>> = clips.filter_map(|clip| self.driven_by(clip)).collect();
        let shown = self.shown(&self.asset.clips.iter().collect::<Vec<_>>());
        let is_bare = |need: &&Need| {
            let hidden = driven.iter().all(|driven| need.is_met_by(driven));
            !hidden && (need.moved || need.rotated) || !need.is_shown(&shown)
        };
        self.needs
            .iter()
            .filter(is_bare)
            .map(|need| need.path[0])
            .collect()
    }

    /// The channels that must be driven, for all slots except the topmost, which comes first.
    fn needs(&mut self) -> Option<Vec<Need>> {
        let joint_of = |slot: &usize| (self.skin.joints[*slot], *slot);
        let by_joint = self.slots.iter().rev().map(joint_of).collect();
        let mut left = MOST_ON_PATHS;
        let mut paths = Vec::new();
        for slot in &self.slots {
            let (path, base) = self.path(*slot, &by_joint, left)?;
            left -= path.len();
            paths.push((*slot, path, base));
        }
        let top = paths.iter().position(|(_, _, base)| base.is_none())?;
        self.slots.swap(0, top);
        paths.remove(top);
        let bases: BTreeSet<usize> = paths.iter().filter_map(|(_, _, base)| *base).collect();
        let others = paths.into_iter().map(|(slot, path, base)| {
            let need = self.need(slot, base.unwrap_or(self.slots[0]), path)?;
            let is_leaf = !bases.contains(&slot);
            Some(Need { is_leaf, ..need })
        });
        others.collect()
    }

    /// The joints from that of `slot` upwards to the first one of another of `slots`, and that slot. `None` if there
    /// are more than `most` joints in between.
    fn path(
        &self,
        slot: usize,
        slots: &BTreeMap<NodeId, usize>,
        most: usize,
    ) -> Option<(Vec<NodeId>, Option<usize>)> {
        let mut path = Vec::new();
        let mut next = Some(self.skin.joints[slot]);
        while let Some(joint) = next {
            if let Some(base) = slots.get(&joint).filter(|_| !path.is_empty()) {
                return Some((path, Some(*base)));
            }
            if path.len() == most {
                return None;
            }
            path.push(joint);
            next = self.parent(joint);
        }
        Some((path, None))
    }

    fn parent(&self, joint: NodeId) -> Option<NodeId> {
        self.asset.skeleton.get(joint)?.parent
    }

    /// The difference between rest and bind of the joint of `slot` relative to that of `base`.
    fn need(&self, slot: usize, base: usize, path: Vec<NodeId>) -> Option<Need> {
        let inverse_bind = self.inverse_bind(slot);
        let base_world = self.worlds[self.skin.joints[base].index()];
        let world = self.worlds[self.skin.joints[slot].index()];
        let rest = spread::inverse(&base_world)? * world;
        let bind = self.inverse_bind(base) * spread::inverse(&inverse_bind)?;
        let difference = base_world * (rest - bind);
        let rotation = DMat3::from_mat4(difference);
        let rotated = self
            .corners
            .iter()
            .any(|corner| self.is_far(rotation * inverse_bind.transform_point3(*corner)));
        let moved = self.is_far(difference.w_axis.truncate());
        Some(Need {
            path,
            moved,
            rotated,
            is_leaf: false,
        })
    }

    fn inverse_bind(&self, slot: usize) -> DMat4 {
        self.skin.inverse_bind_matrices[slot].as_dmat4()
    }

    /// NaN counts as far.
    fn is_far(&self, by: DVec3) -> bool {
        let near = by.length() <= self.allowed;
        !near
    }

    /// Whether a clip moves the skin, and if so, whether it animates everything it must.
    fn is_driven_by(&self, clip: &Clip) -> Option<bool> {
        let driven = self.driven_by(clip)?;
        Some(self.needs.iter().all(|need| need.is_met_by(&driven)))
    }

    /// The channels that a clip animates, if it moves the skin.
    fn driven_by(&self, clip: &Clip) -> Option<Vec<Driven>> {
        let mut driven = vec![Driven::default(); self.asset.skeleton.len()];
        for channel in &clip.channels {
            driven[channel.node.index()] = Driven {
                moves: channel.translation.is_some() || channel.matrix.is_some(),
                rotates: rotates(channel),
            };
        }
        let on_paths = self.needs.iter().flat_map(|need| &need.path);
        let mut joints = on_paths.chain(&self.skin.joints);
        let moves = joints.any(|joint| driven[joint.index()].is_any());
        moves.then_some(driven)
    }

    /// For each joint, the components that any of `clips` animates. A constant translation at its rest value does not
    /// count.
    fn shown(&self, clips: &[&Clip]) -> Vec<Driven> {
        let mut shown = vec![Driven::default(); self.asset.skeleton.len()];
        for channel in clips.iter().flat_map(|clip| &clip.channels) {
            let joint = &mut shown[channel.node.index()];
            joint.rotates |= rotates(channel);
            joint.moves |= self.changes(channel.node, &translations(channel));
        }
        shown
    }

    /// Whether only leaves differ from the bind pose, and fewer of them than there are joints that `clips` rotate and
    /// that rest exactly as bound. In a frame of a motion those joints would differ, too. So the rest pose is the bind
    /// pose, and the leaves are bound wrongly.
    fn is_bound_but_for_leaves(&self, clips: &[&Clip]) -> bool {
        let mut rotating = vec![false; self.asset.skeleton.len()];
        for channel in clips.iter().flat_map(|clip| &clip.channels) {
            rotating[channel.node.index()] |= self.rotates(channel.node, &rotations(channel));
        }
        let is_odd = |need: &&Need| need.moved || need.rotated;
        let (odd, bound): (Vec<&Need>, Vec<&Need>) = self.needs.iter().partition(is_odd);
        let is_rotating = |need: &&&Need| need.path.iter().any(|joint| rotating[joint.index()]);
        odd.iter().all(|need| need.is_leaf) && odd.len() < bound.iter().filter(is_rotating).count()
    }

    /// Whether `rotations` move points visibly that are as far from a joint as the meshes are large.
    fn rotates(&self, joint: NodeId, rotations: &[DMat3]) -> bool {
        let to_world = DMat3::from_mat4(self.worlds[joint.index()]);
        let size = self.corners[7] - self.corners[0];
        let at = |value: DMat3| to_world * (value * size);
        let mut values = rotations.iter().copied();
        let first = values.next().unwrap_or_default();
        values.any(|value| self.is_far(at(value) - at(first)))
    }

    /// Whether `translations` move a joint visibly.
    fn changes(&self, joint: NodeId, translations: &[DVec3]) -> bool {
        let above = self
            .parent(joint)
            .map(|parent| self.worlds[parent.index()])
            .map_or(DMat3::IDENTITY, DMat3::from_mat4);
        let mut values = translations.iter().copied();
        let first = values.next().unwrap_or_default();
        values.any(|value| self.is_far(above * (value - first)))
    }

    /// Whether the meshes have their rest shape at `time` of `clip`, wherever they are.
    fn is_as_at(&self, clip: &Clip, time: Seconds) -> bool {
        let posed = spread::worlds(
            self.asset,
            pose::sample_finite(self.asset, clip, time).locals,
        );
        let top = self.skin.joints[self.slots[0]].index();
        let back = self.worlds[top] * posed[top].inverse();
        self.slots.iter().all(|slot| {
            let joint = self.skin.joints[*slot].index();
            let apart = (back * posed[joint] - self.worlds[joint]) * self.inverse_bind(*slot);
            let mut corners = self.corners.iter();
            corners.all(|corner| apart.transform_point3(*corner).length() <= self.near)
        })
    }
}

/// The corners of the bounding box of the meshes; `None` without a finite vertex.
fn corners(users: &[Skinned<'_>]) -> Option<[DVec3; 8]> {
    let positions = users.iter().flat_map(|user| &user.mesh.positions);
    let bounds = Bounds::of_f32(positions);
    (!bounds.is_empty()).then(|| bounds.corners())
}

/// Whether `channel` animates more than a translation.
fn rotates(channel: &Channel) -> bool {
    channel.rotation.is_some() || channel.scale.is_some() || channel.matrix.is_some()
}

/// The keys of its translation.
fn translations(channel: &Channel) -> Vec<DVec3> {
    let parts = channel
        .translation
        .iter()
        .flat_map(|track| &track.keys)
        .map(|key| key.value.as_dvec3());
    let whole = channel
        .matrix
        .iter()
        .flat_map(|track| &track.keys)
        .map(|key| key.value.as_dmat4().w_axis.truncate());
    parts.chain(whole).collect()
}

/// The keys of its rotation; for a matrix, including its scale.
fn rotations(channel: &Channel) -> Vec<DMat3> {
    let parts = channel
        .rotation
        .iter()
        .flat_map(|track| &track.keys)
        .map(|key| DMat3::from_quat(key.value.as_dquat()));
    let whole = channel
        .matrix
        .iter()
        .flat_map(|track| &track.keys)
        .map(|key| DMat3::from_mat4(key.value.as_dmat4()));
    parts.chain(whole).collect()
}

impl Driven {
    fn is_any(self) -> bool {
        self.moves || self.rotates
    }
}

impl Need {
    fn is_met_by(&self, driven: &[Driven]) -> bool {
        let rotates = self.path.iter().any(|joint| driven[joint.index()].rotates);
        (rotates || !self.rotated) && self.is_shown(driven)
    }

    /// Whether the joint moves, if it must. A bone that is longer in all frames than in the bind pose matches no frame,
    /// so it is bound wrongly.
    ///
    /// A joint is moved by its own translation, or by a rotation of a joint above it.
    fn is_shown(&self, driven: &[Driven]) -> bool {
        let driven = |joint: &NodeId| driven[joint.index()];
        let mut above = self.path[1..].iter();
        !self.moved
            || self.path.iter().any(|joint| driven(joint).moves)
            || above.any(|joint| driven(joint).rotates)
    }
}

/// The key times of a clip, and its frames if the file counts in frames.
fn sample_times(clip: &Clip) -> impl Iterator<Item = Seconds> {
    let rate = clip.rate.used;
    let counts_frames = rate > 1.0 && rate <= MOST_FRAMES_A_SECOND;
    let step = if counts_frames {
        1.0 / rate
    } else {
        f64::INFINITY
    };
    let (start, end) = (clip.start.0, clip.end.0);
    let frames = (1..)
        .map(move |frame| Seconds(start + f64::from(frame) * step))
        .take_while(move |frame| frame.0 <= end);
    clip.key_times().into_iter().chain(frames)
}

#[cfg(test)]
mod tests;
