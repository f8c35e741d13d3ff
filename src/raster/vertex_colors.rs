//! The colours of the vertices: the file's own, or data made visible.

use std::borrow::Cow;
use std::num::NonZeroU32;

use glam::{Vec3, Vec4};

use super::DrawInput;
use crate::look::colors::{influence_color, joint_color};
use crate::rig::{Influence, Mesh, MeshInstance, NodeId};
use crate::view::Show;

/// The colours of the vertices of one mesh instance.
#[derive(Debug, Clone, Copy)]
pub(super) struct VertexColors<'a> {
    show: Show,
    instance: &'a MeshInstance,
    mesh: &'a Mesh,
    /// Joint of each palette slot.
    slots: &'a [NodeId],
    base_color: Vec4,
    max_influences: Option<NonZeroU32>,
}

impl<'a> VertexColors<'a> {
    /// * `base_color` – linear; what the file's vertex colours are multiplied with.
    pub(super) fn new(input: &DrawInput<'a>, instance: &'a MeshInstance, base_color: Vec4) -> Self {
        let asset = input.asset;
        let slots = asset
            .skin_of(instance)
            .map_or(&[][..], |skin| skin.joints.as_slice());
        Self {
            show: input.style.show,
            instance,
            mesh: asset.mesh_of(instance),
            slots,
            base_color,
            max_influences: input.max_influences,
        }
    }

    /// Whether the colour of a vertex takes no time to find.
    pub(super) fn are_at_hand(&self) -> bool {
        !matches!(
            self.show,
            Show::Weights(_) | Show::Influences | Show::Joints
        )
    }

    /// Linear RGBA of `vertex`. For [`Show::Weights`] red is the joint's share, to be coloured after interpolation.
    pub(super) fn of(&self, vertex: usize) -> Vec4 {
        match self.show {
            Show::Lit | Show::Texture => self.material_color(vertex),
            Show::Weights(joint) => Vec4::splat(self.share_of(joint, vertex)),
            Show::Values => Vec4::splat(self.value(vertex)),
            Show::Influences => influence_color(self.influence_count(vertex)).extend(1.0),
            Show::Joints => self.mixed_joint_colors(vertex).extend(1.0),
            Show::Normals | Show::Uv | Show::Depth | Show::Wireframe => Vec4::ONE,
        }
    }

    fn value(&self, vertex: usize) -> f32 {
        let values = self.mesh.color_sets.first();
        values
            .and_then(|values| values.get(vertex))
            .map_or(0.0, |value| value.x)
    }

    fn material_color(&self, vertex: usize) -> Vec4 {
        let colors = self.mesh.color_sets.first();
        let own = colors.and_then(|colors| colors.get(vertex));
        self.base_color * own.copied().unwrap_or(Vec4::ONE)
    }

    /// Those that are blended.
    fn influences(&self, vertex: usize) -> Cow<'a, [Influence]> {
        let influences = &self.mesh.influences;
        influences.largest_of(vertex, self.max_influences)
    }

    fn influence_count(&self, vertex: usize) -> usize {
        let pulls = |influence: &&Influence| influence.weight != 0.0;
        self.influences(vertex).iter().filter(pulls).count()
    }

    /// Joints and their shares of the pull on `vertex`, which sum to 1. What no joint pulls, its node does.
    fn shares(&self, vertex: usize) -> impl Iterator<Item = (NodeId, f32)> {
        let influences = self.influences(vertex);
        let total: f32 = influences.iter().map(|influence| influence.weight).sum();
        let bound = total > 0.0 && !self.slots.is_empty();
        let count = if bound { influences.len() } else { 0 };
        let by_skin = (0..count).filter_map(move |index| {
            let joint = self.slots.get(influences[index].joint.index())?;
            Some((*joint, influences[index].weight / total))
        });
        let by_node = (!bound).then_some((self.instance.node, 1.0));
        by_skin.chain(by_node)
    }

    fn share_of(&self, joint: NodeId, vertex: usize) -> f32 {
        let its_own = |(other, share): (NodeId, f32)| (other == joint).then_some(share);
        self.shares(vertex).filter_map(its_own).sum()
    }

    fn mixed_joint_colors(&self, vertex: usize) -> Vec3 {
        self.shares(vertex)
            .map(|(joint, share)| joint_color(joint) * share)
            .sum()
    }
}
