//! What a mode consists of.

use std::fmt;

use glam::Vec3;

use super::vertices::Vertices;
use crate::rig::{Asset, NodeId};

/// What the surface's colours show: a mode, and the joint that it asks about.
#[derive(Clone, Copy)]
pub struct Show {
    mode: &'static Mode,
    joint: Option<NodeId>,
}

/// One mode of `--show`.
pub(super) struct Mode {
    /// The word after `--show`.
    pub(super) name: &'static str,
    /// Whether `:JOINT` follows.
    pub(super) needs_joint: bool,
    /// How the colours come about.
    pub(super) source: ColorSource,
    /// Why a picture of an asset shows none of its data; `None` if it does.
    pub(super) missing: fn(&Asset, Show) -> Option<String>,
}

/// How the colours of a surface come about. Every backend implements each source; a mode that colours or measures
/// vertices needs no change in any.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ColorSource {
    /// Base colour × texture × vertex colour, with its alpha.
    Material {
        /// In the light of the lamps.
        lit: bool,
    },
    /// A linear colour per vertex, interpolated, then shaded by the surface's form.
    VertexColors(fn(&Vertices<'_>, usize) -> Vec3),
    /// A value of 0..1 per vertex, interpolated, then coloured by [`heat`](crate::look::colors::heat) and shaded by the
    /// surface's form.
    VertexValues(fn(&Vertices<'_>, usize) -> f32),
    /// The [checker](crate::look::checker) in texture space, shaded by the surface's form.
    Checker,
    /// World-space normals: 0.5 + 0.5 n.
    Normals,
    /// Distance from the camera, near bright.
    Depth,
    /// The edges of the triangles.
    Edges,
}

impl Mode {
    /// A mode without a joint that every asset has data for.
    pub(super) const fn new(name: &'static str, source: ColorSource) -> Self {
        Self {
            name,
            needs_joint: false,
            source,
            missing: |_, _| None,
        }
    }

    /// What a user types.
    pub(super) fn usage(&self) -> String {
        let joint = if self.needs_joint { ":JOINT" } else { "" };
        format!("{}{joint}", self.name)
    }
}

impl ColorSource {
    /// Whether colours and alpha are the material's.
    pub(crate) fn is_material(self) -> bool {
        matches!(self, Self::Material { .. })
    }
}

impl Show {
    pub(super) const fn plain(mode: &'static Mode) -> Self {
        Self { mode, joint: None }
    }

    /// Drops `joint` if `mode` does not need it.
    pub(super) const fn new(mode: &'static Mode, joint: NodeId) -> Self {
        let joint = if mode.needs_joint { Some(joint) } else { None };
        Self { mode, joint }
    }

    /// The name of the mode, as [`parse`](Self::parse) reads it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.mode.name
    }

    /// The joint of [`weights`](Self::weights).
    #[must_use]
    pub fn joint(&self) -> Option<NodeId> {
        self.joint
    }

    /// Why a picture of `asset` shows none of the data that it is meant to show, as a sentence without a full stop;
    /// `None` if it does show some.
    ///
    /// ```
    /// # use skincheck::{rig::AssetBuilder, view::Show};
    /// let reason = Show::UV.missing_data(&AssetBuilder::new().build().unwrap());
    /// assert_eq!(reason.as_deref(), Some("no mesh has texture coordinates"));
    /// ```
    #[must_use]
    pub fn missing_data(&self, asset: &Asset) -> Option<String> {
        (self.mode.missing)(asset, *self)
    }

    pub(crate) fn source(self) -> ColorSource {
        self.mode.source
    }
}

/// Modes differ in their names.
impl PartialEq for Show {
    fn eq(&self, other: &Self) -> bool {
        (self.mode.name, self.joint) == (other.mode.name, other.joint)
    }
}

impl Eq for Show {}

impl fmt::Debug for Show {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.joint {
            Some(joint) => write!(f, "{}:#{}", self.mode.name, joint.0),
            None => f.write_str(self.mode.name),
        }
    }
}
