//! Joints that rest elsewhere than they were bound, and the clips that hide it.

use glam::{DMat3, DMat4, DQuat, DVec3};

use super::spread::inverse;
use crate::analysis::joints::Skinned;
use crate::core::names::edges;
use crate::rig::{Asset, Bounds, Channel, Clip, NodeId, Skin, Track, rotation_angle};

/// The most joints of clips examined for all skins together. Models have fewer, but a hostile file may have thousands of skins, joints and clips at once.
const MOST_WORK: usize = 1 << 24;

/// The rest pose of a skin, compared with its bind pose.
pub(super) struct Resting<'a> {
    asset: &'a Asset,
    skin: &'a Skin,
    /// `world_from_joint` at rest.
    worlds: &'a [DMat4],
    /// The slot of each joint that has weights and a finite transform.
    slots: Vec<Option<usize>>,
    /// The topmost of these joints.
    top: NodeId,
    /// The corners of the bounding box of the meshes.
    corners: [DVec3; 8],
    /// The largest distance of a vertex from its expected position, in the file's units.
    allowed: f64,
    /// All of these joints but the topmost.
    joints: Vec<Compared>,
}

/// What explains that vertices rest elsewhere than they are bound.
pub(super) enum Culprit<'a> {
    Joint(&'a Compared),
    Unknown,
    /// Nothing needs to: there are clips, and none shows a trace of the rest pose.
    Replaced,
}

/// A joint with weights, compared with the nearest one above.
pub(super) struct Compared {
    pub(super) joint: NodeId,
    /// Its rotation from the bind pose, in degrees.
    pub(super) degrees: f64,
    /// The distance of its origin from the bind pose, in the file's units.
    pub(super) distance: f64,
    /// The largest distance of a corner of the meshes' box from the bind pose by its rotation.
    swing: f64,
}

/// What animates a joint, itself or through the joints above it up to the next one with weights.
#[derive(Clone, Copy, Default)]
struct Driven {
    moves: bool,
    /// By a rotation or scale.
    rotates: bool,
}

impl<'a> Resting<'a> {
    /// Compares the skin of `users`; `None` if no joint can be used.
    ///
    /// * `usable` – whether each slot's transform of the meshes is finite.
    /// * `worlds` – `world_from_joint` at rest.
    /// * `allowed` – the largest distance of a vertex from its expected position, in the file's units.
    pub(super) fn of(
        asset: &'a Asset,
        users: &[Skinned<'a>],
        usable: &[bool],
        worlds: &'a [DMat4],
        allowed: f64,
    ) -> Option<Self> {
        let skin = users.first()?.skin;
        let mut slots = vec![None; asset.skeleton.len()];
        let influences = users.iter().flat_map(|user| user.mesh.influences.all());
        for influence in influences.filter(|influence| influence.weight > 0.0) {
            let slot = influence.slot.index();
            slots[skin.joints[slot].index()] = usable[slot].then_some(slot);
        }
        let bounds = Bounds::of_f32(users.iter().flat_map(|user| &user.mesh.positions));
        let top = slots.iter().position(Option::is_some)?;
        let mut resting = Self {
            asset,
            skin,
            worlds,
            slots,
            top: NodeId::from_index(top),
            corners: (!bounds.is_empty()).then(|| bounds.corners())?,
            allowed,
            joints: Vec::new(),
        };
        let mut bases: Vec<NodeId> = Vec::with_capacity(asset.skeleton.len());
        for (joint, node) in asset.skeleton.iter() {
            let base = node.parent.map_or(resting.top, |parent| {
                let is_base = resting.slots[parent.index()].is_some();
                if is_base {
                    parent
                } else {
                    bases[parent.index()]
                }
            });
            bases.push(base);
            if joint != resting.top {
                resting.joints.extend(resting.compared(joint, base));
            }
        }
        Some(resting)
    }

    /// The difference between rest and bind of a joint with weights, relative to `base`.
    fn compared(&self, joint: NodeId, base: NodeId) -> Option<Compared> {
        let inverse_bind = self.inverse_bind(joint)?;
        let base_world = self.worlds[base.index()];
        let rest = inverse(&base_world)? * self.worlds[joint.index()];
        let bind = self.inverse_bind(base)? * inverse(&inverse_bind)?;
        let difference = base_world * (rest - bind);
        let linear = DMat3::from_mat4(difference);
        let swing = self
            .corners
            .map(|corner| (linear * inverse_bind.transform_point3(corner)).length());
        let [from, to] = [bind, rest].map(|matrix| rotation(&matrix));
        Some(Compared {
            joint,
            degrees: rotation_angle(from.conjugate() * to).to_degrees(),
            distance: difference.w_axis.truncate().length(),
            swing: swing.into_iter().fold(0.0, f64::max),
        })
    }

    fn inverse_bind(&self, joint: NodeId) -> Option<DMat4> {
        let slot = self.slots[joint.index()]?;
        Some(self.skin.inverse_bind_matrices[slot].as_dmat4())
    }

    /// NaN counts as far.
    fn is_far(&self, distance: f64) -> bool {
        let is_near = distance <= self.allowed;
        !is_near
    }

    fn is_off(&self, joint: &Compared) -> bool {
        self.is_far(joint.distance) || self.is_far(joint.swing)
    }

    /// The joint that explains the mismatch: of the topmost ones that are off, the one that is off farthest; of those that are
    /// off in some pose of a clip, if there are any.
    pub(super) fn culprit(&self) -> Culprit<'_> {
        let mut candidates = Vec::new();
        let clips = &self.asset.clips;
        let work = clips.len() * self.asset.skins.len();
        if work.saturating_mul(self.slots.len()) <= MOST_WORK {
            let driven = clips
                .iter()
                .map(|clip| self.driven(std::slice::from_ref(clip), Driven::by));
            let driven: Vec<_> = driven.filter(|driven| self.moves(driven)).collect();
            let varied = self.driven(clips, |channel| self.varied(channel));
            let joints = self.joints.iter();
            candidates = joints
                .filter(|own| self.is_bare(own, &driven, &varied))
                .collect();
            if candidates.is_empty() && !driven.is_empty() && !self.is_bound_but_for_few(&varied) {
                return Culprit::Replaced;
            }
        }
        if candidates.is_empty() {
            candidates = self.joints.iter().filter(|own| self.is_off(own)).collect();
        }
        let mut under = vec![false; self.slots.len()];
        for own in &candidates {
            under[own.joint.index()] = true;
        }
        for (joint, parent) in edges(self.asset) {
            under[joint] |= under[parent];
        }
        let topmost = candidates.into_iter().filter(|own| {
            let parent = self.asset.skeleton[own.joint].parent;
            !parent.is_some_and(|parent| under[parent.index()])
        });
        let far = |own: &Compared| own.distance.max(own.swing);
        let farthest = topmost.reduce(|a, b| if far(b) > far(a) { b } else { a });
        farthest.map_or(Culprit::Unknown, Culprit::Joint)
    }

    /// Whether a clip moves the skin.
    fn moves(&self, driven: &[Driven]) -> bool {
        let mut joints = self.slots.iter().zip(driven);
        joints.any(|(slot, own)| slot.is_some() && (own.moves || own.rotates))
    }

    /// Whether a joint is off in some pose: a clip that moves the skin does not drive it, or its distance from the joint above
    /// is another in all frames, as that of a bone which was bound wrongly.
    fn is_bare(&self, own: &Compared, clips: &[Vec<Driven>], varied: &[Driven]) -> bool {
        let (is_moved, is_rotated) = (self.is_far(own.distance), self.is_far(own.swing));
        let index = own.joint.index();
        let mut clips = clips.iter().map(|driven| driven[index]);
        is_moved && !varied[index].moves
            || clips.any(|driven| is_moved && !driven.moves || is_rotated && !driven.rotates)
    }

    /// What `clips` animate of each joint.
    ///
    /// * `parts` – what a channel animates of its node.
    fn driven(&self, clips: &[Clip], parts: impl Fn(&Channel) -> Driven) -> Vec<Driven> {
        let mut driven = vec![Driven::default(); self.slots.len()];
        for channel in clips.iter().flat_map(|clip| &clip.channels) {
            let Driven { moves, rotates } = parts(channel);
            driven[channel.node.index()].moves |= moves;
            driven[channel.node.index()].rotates |= rotates;
        }
        for (joint, parent) in edges(self.asset) {
            if self.slots[parent].is_none() {
                let above = driven[parent];
                // A rotation above the joint also moves it.
                driven[joint].moves |= above.moves || above.rotates;
                driven[joint].rotates |= above.rotates;
            }
        }
        driven
    }

    /// What `channel` changes visibly.
    fn varied(&self, channel: &Channel) -> Driven {
        let own = DMat3::from_mat4(self.worlds[channel.node.index()]);
        let parent = self.asset.skeleton[channel.node].parent;
        let above = parent.map_or(DMat3::IDENTITY, |parent| {
            DMat3::from_mat4(self.worlds[parent.index()])
        });
        let size = self.corners[7] - self.corners[0];
        let moves = varies(channel.translation.as_ref(), |a, b| {
            self.is_far((above * (b - a).as_dvec3()).length())
        });
        let rotates = varies(channel.rotation.as_ref(), |a, b| {
            let [a, b] = [a, b].map(|value| value.as_dquat() * size);
            self.is_far((own * (b - a)).length())
        });
        let changes = varies(channel.matrix.as_ref(), |a, b| !a.abs_diff_eq(b, 1e-4));
        Driven {
            moves: moves || changes,
            rotates: rotates || changes,
        }
    }

    /// Whether fewer joints are off than there are joints that a clip rotates and that rest exactly as bound. In a frame of a
    /// motion those joints would be off, too. So the rest pose is the bind pose, except for a few joints.
    fn is_bound_but_for_few(&self, varied: &[Driven]) -> bool {
        let (off, bound): (Vec<&Compared>, Vec<_>) =
            self.joints.iter().partition(|own| self.is_off(own));
        let rotating = bound.iter().filter(|own| varied[own.joint.index()].rotates);
        off.len() < rotating.count()
    }
}

impl Driven {
    /// What `channel` has keys for.
    fn by(channel: &Channel) -> Self {
        let is_whole = channel.matrix.is_some();
        Self {
            moves: is_whole || channel.translation.is_some(),
            rotates: is_whole || channel.rotation.is_some() || channel.scale.is_some(),
        }
    }
}

/// Whether a key of a track differs from the first one.
fn varies<T: Copy>(track: Option<&Track<T>>, differ: impl Fn(T, T) -> bool) -> bool {
    let keys = track.map_or(&[][..], |track| &track.keys);
    keys.iter().any(|key| differ(keys[0].value, key.value))
}

/// The rotation of a matrix, whatever its scales.
fn rotation(matrix: &DMat4) -> DQuat {
    let linear = DMat3::from_mat4(*matrix);
    let axes = [linear.x_axis, linear.y_axis, linear.z_axis].map(DVec3::normalize_or_zero);
    DQuat::from_mat3(&DMat3::from_cols(axes[0], axes[1], axes[2])).normalize()
}

#[cfg(test)]
mod tests;
