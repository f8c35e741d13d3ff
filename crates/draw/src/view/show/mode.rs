//! The trait of modes, and how a mode draws a mesh instance: its material, and the sides of the surface that are drawn.
//!
//! Backends shade and cull in their own way, but this module decides what they draw.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use glam::{Vec2, Vec4};

use super::legend::{Legend, Measured};
use super::vertices::{Asked, ColorSource, Vertices};
use crate::look::colors::UNPAINTED;
use crate::rig::{
    AlphaMode, Asset, DeformedMesh, Finish, InstanceId, Material, Mesh, MeshInstance, NodeId,
    TextureRef,
};

/// A mode of the surface's colours, with its argument.
#[derive(Clone)]
pub struct Show {
    mode: &'static Mode,
    asked: Asked,
}

/// The argument after the name of a mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    /// `:JOINTS`.
    Joints,
    /// Numbers per vertex, measured elsewhere.
    Numbers,
    /// `:FILE`, and numbers.
    ReferenceAndNumbers,
}

/// One mode of `--show`.
pub(super) struct Mode {
    /// The word after `--show`.
    pub(super) name: &'static str,
    pub(super) takes: Takes,
    /// The source of the colours.
    pub(super) source: ColorSource,
    /// The reason why an image of an asset shows none of its data; `None` if it does.
    pub(super) missing: fn(&Asset, &Show) -> Option<String>,
    /// The legend of its colours; `None` if it needs none.
    pub(super) legend: fn(&Asset, &Show) -> Option<Legend>,
}

impl Mode {
    /// A mode that every asset has data for, without a legend.
    pub(super) const fn new(name: &'static str, source: ColorSource) -> Self {
        Self {
            name,
            takes: Takes::Nothing,
            source,
            missing: |_, _| None,
            legend: |_, _| None,
        }
    }

    /// Whether it shows numbers per vertex that are measured elsewhere.
    pub(super) fn is_measured(&self) -> bool {
        matches!(self.takes, Takes::Numbers | Takes::ReferenceAndNumbers)
    }

    /// The name that a user types.
    pub(super) fn usage(&self) -> String {
        let argument = match self.takes {
            Takes::Nothing | Takes::Numbers => "",
            Takes::Joints => ":JOINTS",
            Takes::ReferenceAndNumbers => ":FILE",
        };
        format!("{}{argument}", self.name)
    }
}

impl Show {
    pub(super) const fn plain(mode: &'static Mode) -> Self {
        let asked = Asked::Nothing;
        Self { mode, asked }
    }

    pub(super) const fn asking(mode: &'static Mode, asked: Asked) -> Self {
        Self { mode, asked }
    }

    /// The name of the mode, as [`parse`](Self::parse) reads it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.mode.name
    }

    /// The joints of [`weights`](Self::weights), in ascending order; none in other modes.
    #[must_use]
    pub fn joints(&self) -> &[NodeId] {
        match &self.asked {
            Asked::Joints(joints) => joints,
            _ => &[],
        }
    }

    /// The text after the colon, if the mode shows numbers that must be [`measured`](Self::measured) for each pose: empty, or a
    /// file for `distance`.
    #[must_use]
    pub fn needs_numbers(&self) -> Option<&str> {
        match &self.asked {
            Asked::Unmeasured(argument) => Some(argument),
            _ => None,
        }
    }

    /// This mode with the numbers of one pose.
    #[must_use]
    pub fn measured(&self, numbers: Measured) -> Self {
        Self::asking(self.mode, Asked::Measured(Arc::new(numbers)))
    }

    /// The position of a vertex's number in the shown range, 0 to 1; NaN without one, and in modes without numbers.
    #[doc(hidden)]
    #[must_use]
    pub fn share(&self, instance: InstanceId, vertex: usize) -> f32 {
        match &self.asked {
            Asked::Measured(measured) => measured.share(instance, vertex),
            _ => f32::NAN,
        }
    }

    pub(super) fn asked(&self) -> &Asked {
        &self.asked
    }

    /// The legend of an image of `asset`; `None` for modes without one, such as `lit`.
    #[must_use]
    pub fn legend(&self, asset: &Asset) -> Option<Legend> {
        (self.mode.legend)(asset, self)
    }

    /// The reason why an image of `asset` shows none of the data that it should, as a sentence without a full stop; `None` if
    /// it shows some.
    ///
    /// ```
    /// # mod skincheck { pub use skincheck_rig::rig; pub use skincheck_draw::view; }
    /// # use skincheck::{rig::AssetBuilder, view::Show};
    /// let reason = Show::UV.missing_data(&AssetBuilder::new().build().unwrap());
    /// assert_eq!(reason.as_deref(), Some("no mesh has texture coordinates"));
    /// ```
    #[must_use]
    pub fn missing_data(&self, asset: &Asset) -> Option<String> {
        (self.mode.missing)(asset, self)
    }

    pub(crate) fn source(&self) -> ColorSource {
        self.mode.source
    }

    /// The colours of the vertices of `instance` in this mode.
    ///
    /// * `max_influences` – the most influences of a vertex that skinning blends.
    #[doc(hidden)]
    #[must_use]
    pub fn vertices<'a>(
        &'a self,
        asset: &'a Asset,
        instance: InstanceId,
        max_influences: Option<NonZeroU32>,
    ) -> Vertices<'a> {
        Vertices::new(
            asset,
            instance,
            self.mode.source,
            &self.asked,
            max_influences,
        )
    }
}

/// Modes differ in their names, and numbers in where they are kept.
impl PartialEq for Show {
    fn eq(&self, other: &Self) -> bool {
        self.mode.name == other.mode.name
            && match (&self.asked, &other.asked) {
                (Asked::Nothing, Asked::Nothing) => true,
                (Asked::Joints(own), Asked::Joints(others)) => own == others,
                (Asked::Unmeasured(own), Asked::Unmeasured(others)) => own == others,
                (Asked::Measured(own), Asked::Measured(others)) => Arc::ptr_eq(own, others),
                _ => false,
            }
    }
}

impl Eq for Show {}

impl fmt::Debug for Show {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.asked {
            Asked::Joints(joints) => write!(f, "{}:{joints:?}", self.mode.name),
            _ => f.write_str(self.mode.name),
        }
    }
}

/// The appearance of one mesh instance in one mode.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub struct Appearance {
    /// Linear RGBA that multiplies the vertex colours.
    pub(crate) base_color: Vec4,
    /// Opaque in every mode that does not show the material.
    #[doc(hidden)]
    pub alpha: AlphaMode,
    /// The material's texture, if the mode shows it and the mesh has coordinates for it.
    #[doc(hidden)]
    pub texture: Option<TextureRef>,
    /// The material's, in the mode that lights it; without textures that the mesh has no coordinates for.
    pub(crate) finish: Finish,
    /// Whether back faces are culled.
    #[doc(hidden)]
    pub one_sided: bool,
}

/// The sides of triangles that are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sides {
    /// Both, each with its normal facing the viewer.
    Both,
    /// The side whose corners run counter-clockwise.
    CounterClockwise,
    /// The other side, because the pose mirrors the mesh.
    Clockwise,
}

impl Appearance {
    /// The appearance of `instance` in the mode `show`.
    #[doc(hidden)]
    #[must_use]
    pub fn of(asset: &Asset, instance: &MeshInstance, show: &Show) -> Self {
        let mesh = asset.mesh_of(instance);
        let material = mesh.material.and_then(|id| asset.materials.get(id.index()));
        let painted = material.filter(|_| show.source().is_material());
        let one_sided = material.is_some_and(|material| !material.two_sided);
        Self {
            base_color: painted.map_or(UNPAINTED, |material| material.base_color),
            alpha: painted.map_or(AlphaMode::Opaque, |material| material.alpha),
            texture: painted.and_then(|material| usable_texture(material, mesh)),
            finish: painted
                .filter(|_| show.source().is_lit_material())
                .map_or_else(Finish::default, |material| usable_finish(material, mesh)),
            // Without normals, the sides cannot be told apart once a pose mirrors.
            one_sided: one_sided && !mesh.normals.is_empty(),
        }
    }

    /// The coordinates of its textures at the vertices of `mesh`; of the first set without a texture.
    pub(crate) fn uvs<'m>(&self, mesh: &'m Mesh) -> &'m [Vec2] {
        let reflection = self.finish.reflection.and_then(|own| own.texture);
        let bumps = self.finish.bumps.map(|own| own.texture);
        let texture = self.texture.or(reflection).or(bumps);
        let set = texture.map_or(0, |texture| texture.uv_set as usize);
        mesh.uv_sets.get(set).map_or(&[][..], Vec::as_slice)
    }

    /// The sides that are drawn of `posed`, which is a pose of `mesh`.
    pub(crate) fn sides(&self, mesh: &Mesh, posed: &DeformedMesh) -> Sides {
        if !self.one_sided {
            Sides::Both
        } else if posed.is_mirrored(mesh) {
            Sides::Clockwise
        } else {
            Sides::CounterClockwise
        }
    }
}

/// The texture of `material`; `None` if the mesh lacks its coordinates.
fn usable_texture(material: &Material, mesh: &Mesh) -> Option<TextureRef> {
    let texture = material.base_color_texture?;
    mesh.uv_sets.get(texture.uv_set as usize)?;
    Some(texture)
}

/// The finish of `material`, with those of its textures that share one set of coordinates, which the mesh has.
fn usable_finish(material: &Material, mesh: &Mesh) -> Finish {
    let Finish {
        mut reflection,
        mut bumps,
    } = material.finish;
    let set = material.textures().next().map(|texture| texture.uv_set);
    let is_usable = |texture: &TextureRef| {
        let uvs = mesh.uv_sets.get(texture.uv_set as usize);
        Some(texture.uv_set) == set && uvs.is_some_and(|uvs| !uvs.is_empty())
    };
    if let Some(reflection) = &mut reflection {
        reflection.texture = reflection.texture.filter(is_usable);
    }
    bumps = bumps.filter(|bumps| is_usable(&bumps.texture));
    Finish { reflection, bumps }
}
