//! Where two importers differ: ids of their models, which get names when a stage is closed.

use super::matching::{Key, Matching};
use crate::rig::{ChannelId, ClipId, Ids, InstanceId, Location, Part, TrackPart};
use crate::units::Seconds;

/// An id in the model of the first importer; in that of the second, of what the first lacks or is not asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of<Id> {
    First(Id),
    Second(Id),
}

impl<Id> Of<Id> {
    /// * `side` – 0 for the first importer, 1 for the second.
    pub(super) fn new(side: usize, id: Id) -> Self {
        if side == 0 {
            Self::First(id)
        } else {
            Self::Second(id)
        }
    }

    fn first(self) -> Option<Id> {
        match self {
            Self::First(id) => Some(id),
            Self::Second(_) => None,
        }
    }
}

/// Fields that do not apply are empty. Joints have the same [`Key`] in both models.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Place {
    pub(super) joint: Option<Key>,
    /// The joint that shows a mesh.
    pub(super) mesh: Option<Key>,
    /// An instance of the mesh, where one is known.
    pub(super) instance: Option<Of<InstanceId>>,
    pub(super) clip: Option<Of<ClipId>>,
    /// The part of the joint or mesh that the clip drives.
    pub(super) driven: Option<TrackPart>,
    pub(super) time: Option<Seconds>,
}

impl Place {
    pub(super) fn joint(joint: Key) -> Self {
        Self {
            joint: Some(joint),
            ..Self::default()
        }
    }

    pub(super) fn mesh(mesh: Key) -> Self {
        Self {
            mesh: Some(mesh),
            ..Self::default()
        }
    }

    /// A clip of importer `side`.
    pub(super) fn clip(side: usize, clip: ClipId) -> Self {
        Self {
            clip: Some(Of::new(side, clip)),
            ..Self::default()
        }
    }

    /// With names. The ids are those of the first importer's model.
    pub(super) fn named(self, matching: &Matching<'_>) -> Location {
        let [first, second] = matching.trees.each_ref().map(|tree| tree.asset);
        let clip = self
            .clip
            .map(|clip| match clip {
                Of::First(id) => (first, id),
                Of::Second(id) => (second, id),
            })
            .map(|(asset, id)| (asset, &asset[id].name));
        let shown = || matching.shown_by(self.mesh?);
        let node = |key: Key| matching.of_first(key);
        let channel = self.driven.and_then(|path| {
            let node = node(self.joint.or(self.mesh)?)?;
            Some(ChannelId { node, path })
        });
        let ids = Ids {
            instance: self.instance.map_or_else(shown, Of::first),
            node: self.joint.and_then(node),
            clip: self.clip.and_then(Of::first),
            channel,
            ..Ids::NONE
        };
        Location {
            joint: self.joint.map(|key| matching.path(key)),
            mesh: self.mesh.map(|key| matching.path(key)),
            ambiguous: clip.is_some_and(|(asset, name)| {
                asset.clips.iter().filter(|own| own.name == *name).count() > 1
            }),
            clip: clip.map(|(_, name)| name.clone()),
            part: self.driven.map(|part| match part {
                TrackPart::Weights => Part::from("morph weights"),
                part => part.into(),
            }),
            time: self.time,
            ..first.location(ids)
        }
    }
}
