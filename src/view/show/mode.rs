//! What a mode consists of.

use std::fmt;
use std::num::NonZeroU32;

use super::vertices::{ColorSource, Vertices};
use crate::rig::{Asset, MeshInstance, NodeId};

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

    /// What this mode shows of the vertices of `instance`.
    ///
    /// * `max_influences` – how many influences of a vertex skinning blends.
    pub(crate) fn vertices<'a>(
        self,
        asset: &'a Asset,
        instance: &'a MeshInstance,
        max_influences: Option<NonZeroU32>,
    ) -> Vertices<'a> {
        Vertices::new(asset, instance, self.source(), self.joint, max_influences)
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
