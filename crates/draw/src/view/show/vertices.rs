//! The colours of a surface: the data of a vertex that a mode may use, and the resulting colour.
//!
//! Backends interpolate and shade this colour in their own way, but this module decides it.

use std::borrow::Cow;
use std::num::NonZeroU32;
use std::sync::Arc;

use glam::{Vec3, Vec4};

use super::legend::Measured;
use crate::rig::{Asset, Influence, InstanceId, Mesh, MeshInstance, NodeId};

/// The argument of a mode.
#[derive(Debug, Clone)]
pub(super) enum Asked {
    Nothing,
    /// In ascending order.
    Joints(Arc<[NodeId]>),
    /// Numbers that are not measured yet, with the text after the colon; see [`Show::measured`](super::Show::measured).
    Unmeasured(Arc<str>),
    Measured(Arc<Measured>),
}

/// A source of surface colours. Every backend implements each source; a mode that colours or measures
/// vertices needs no change in any.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ColorSource {
    /// Base colour × texture × vertex colour, with its alpha.
    Material {
        /// In the light of the key and fill lights.
        lit: bool,
    },
    /// Grey, as the lit material.
    Clay,
    /// A linear colour per vertex, interpolated, then shaded by the surface's form.
    VertexColors(fn(&Vertices<'_>, usize) -> Vec3),
    /// A value of 0..1 per vertex, interpolated, then coloured by [`heat`](crate::look::colors::heat) and shaded by the
    /// surface's form.
    VertexValues(fn(&Vertices<'_>, usize) -> f32),
    /// The [checker](crate::look::bitmaps) in texture space, shaded by the surface's form.
    Checker,
    /// World-space normals: 0.5 + 0.5 n.
    Normals,
    /// Distance from the camera, near bright.
    Depth,
    /// The edges of the triangles.
    Edges,
}

impl ColorSource {
    /// Whether colours and alpha are the material's.
    pub(super) fn is_material(self) -> bool {
        matches!(self, Self::Material { .. })
    }

    /// Whether the material is lit.
    pub(super) fn is_lit_material(self) -> bool {
        matches!(self, Self::Material { lit: true })
    }
}

/// The vertices of one mesh instance in one mode.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub struct Vertices<'a> {
    source: ColorSource,
    asked: &'a Asked,
    index: InstanceId,
    instance: &'a MeshInstance,
    mesh: &'a Mesh,
    /// The node of each joint of the skin; empty without one.
    joints: &'a [NodeId],
    max_influences: Option<NonZeroU32>,
}

impl<'a> Vertices<'a> {
    /// * `max_influences` – the most influences of a vertex that skinning blends.
    pub(super) fn new(
        asset: &'a Asset,
        index: InstanceId,
        source: ColorSource,
        asked: &'a Asked,
        max_influences: Option<NonZeroU32>,
    ) -> Self {
        let instance = &asset[index];
        let skin = asset.skin_of(instance);
        Self {
            source,
            asked,
            index,
            instance,
            mesh: asset.mesh_of(instance),
            joints: skin.map_or(&[], |skin| skin.joints.as_slice()),
            max_influences,
        }
    }

    /// Linear RGBA of `vertex`, to be interpolated; a value is stored in all four channels.
    ///
    /// * `base_color` – of the material, linear.
    #[inline]
    #[doc(hidden)]
    #[must_use]
    pub fn color(&self, vertex: usize, base_color: Vec4) -> Vec4 {
        match self.source {
            ColorSource::Material { .. } => {
                let set = self.mesh.color_sets.first();
                let own = set.and_then(|colors| colors.get(vertex));
                base_color * own.copied().unwrap_or(Vec4::ONE)
            }
            ColorSource::Clay => base_color,
            ColorSource::VertexColors(color) => color(self, vertex).extend(1.0),
            ColorSource::VertexValues(value) => Vec4::splat(value(self, vertex)),
            ColorSource::Checker
            | ColorSource::Normals
            | ColorSource::Depth
            | ColorSource::Edges => Vec4::ONE,
        }
    }

    /// Whether a colour is expensive enough to cache.
    pub(crate) fn are_computed(&self) -> bool {
        matches!(
            self.source,
            ColorSource::VertexColors(_) | ColorSource::VertexValues(_)
        )
    }

    /// The position of the number of `vertex` in the shown range, 0 to 1; NaN without a number.
    #[doc(hidden)]
    #[must_use]
    pub fn share_of_range(&self, vertex: usize) -> f32 {
        match self.asked {
            Asked::Measured(measured) => measured.share(self.index, vertex),
            _ => f32::NAN,
        }
    }

    /// Whether `joint` is an argument of the mode.
    pub(super) fn asks_about(&self, joint: NodeId) -> bool {
        match self.asked {
            Asked::Joints(joints) => joints.binary_search(&joint).is_ok(),
            _ => false,
        }
    }

    /// The influences of `vertex` that skinning blends, in the file's order.
    pub(super) fn influences(&self, vertex: usize) -> Cow<'a, [Influence]> {
        let influences = &self.mesh.influences;
        influences.largest_of(vertex, self.max_influences)
    }

    /// Joints and their shares of the weight of `vertex`, which sum to 1. A vertex without weight belongs to its mesh's
    /// node.
    #[doc(hidden)]
    pub fn shares(&self, vertex: usize) -> impl Iterator<Item = (NodeId, f32)> {
        let influences = self.influences(vertex);
        let total: f32 = influences.iter().map(|influence| influence.weight).sum();
        let bound = total > 0.0 && !self.joints.is_empty();
        let count = if bound { influences.len() } else { 0 };
        let by_skin = (0..count).filter_map(move |index| {
            let joint = self.joints.get(influences[index].slot.index())?;
            Some((*joint, influences[index].weight / total))
        });
        let by_node = (!bound).then_some((self.instance.node, 1.0));
        by_skin.chain(by_node)
    }
}

/// The reason why a mode shows nothing of an asset without skins.
///
/// * `effect` – what is drawn instead.
pub(super) fn without_skin(asset: &Asset, effect: &str) -> Option<String> {
    if asset.instances.is_empty() {
        return Some("there is no mesh".to_owned());
    }
    let skinned = asset
        .instances
        .iter()
        .any(|instance| instance.skin.is_some());
    (!skinned).then(|| format!("no mesh has a skin, so {effect}"))
}
