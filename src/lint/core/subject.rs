//! The subject of a fault, by ids: names are resolved when the findings of a model are closed.

use crate::rig::{
    ChannelId, ClipId, Driver, ExpressionId, InstanceId, MaterialId, NodeId, Part, PrimitiveId,
    RangePose, SkinId,
};
use crate::units::Seconds;

/// A part of a model, or a name that no part has, or several have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::lint) enum Which<Id> {
    /// A part.
    Id(Id),
    /// Such as a required joint that the model lacks.
    Name(String),
}

impl<Id: Copy> Which<Id> {
    pub(super) fn id(&self) -> Option<Id> {
        match self {
            Self::Id(id) => Some(*id),
            Self::Name(_) => None,
        }
    }
}

/// An instance of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::lint) struct Shown {
    /// The instance.
    pub(in crate::lint) instance: InstanceId,
    /// The first instance of the same subject: a mesh of several materials has several instances, and so has one that
    /// several nodes show.
    pub(super) first: InstanceId,
}

/// What a fault is about. Fields that do not apply are empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Subject {
    pub(in crate::lint) mesh: Option<Which<Shown>>,
    /// The primitive of the mesh, if the fault is about one; else the findings of a mesh are one, whatever its materials.
    pub(in crate::lint) primitive: Option<PrimitiveId>,
    pub(in crate::lint) skin: Option<Which<SkinId>>,
    /// A joint, or any other node.
    pub(in crate::lint) joint: Option<Which<NodeId>>,
    /// Whether the joint has no name. In the groups of findings, joints without a name are one subject.
    pub(in crate::lint) nameless: bool,
    pub(in crate::lint) material: Option<Which<MaterialId>>,
    pub(in crate::lint) clip: Option<Which<ClipId>>,
    /// The channel of the clip.
    pub(in crate::lint) channel: Option<ChannelId>,
    pub(in crate::lint) part: Option<Part<Which<ExpressionId>>>,
    pub(in crate::lint) vertex: Option<usize>,
    /// The vertex's influences, the strongest first.
    pub(in crate::lint) influences: Vec<(Which<NodeId>, f32)>,
    /// The joint whose weight a fault at a vertex is about.
    pub(in crate::lint) influence: Option<NodeId>,
    pub(in crate::lint) time: Option<Seconds>,
    /// A pose outside any clip.
    pub(in crate::lint) pose: Option<RangePose>,
}

/// What distinguishes a subject from others, whatever its vertex, time and pose.
pub(in crate::lint) type Key = (
    Option<Which<InstanceId>>,
    Option<PrimitiveId>,
    Option<Which<SkinId>>,
    Option<Which<NodeId>>,
    Option<Which<MaterialId>>,
    Option<Which<ClipId>>,
    Option<Part<Which<ExpressionId>>>,
);

impl Subject {
    /// The file as a whole.
    pub(in crate::lint) const FILE: Self = Self {
        mesh: None,
        primitive: None,
        skin: None,
        joint: None,
        nameless: false,
        material: None,
        clip: None,
        channel: None,
        part: None,
        vertex: None,
        influences: Vec::new(),
        influence: None,
        time: None,
        pose: None,
    };

    /// A skin.
    pub(in crate::lint) fn skin(skin: SkinId) -> Self {
        Self {
            skin: Some(Which::Id(skin)),
            ..Self::FILE
        }
    }

    /// The same subject, of a joint.
    #[must_use]
    pub(in crate::lint) fn of_joint(mut self, joint: NodeId) -> Self {
        self.joint = Some(Which::Id(joint));
        self
    }

    /// The same subject, of a channel of the clip.
    #[must_use]
    pub(in crate::lint) fn of_channel(self, channel: ChannelId) -> Self {
        Self {
            channel: Some(channel),
            ..self.of_joint(channel.node).part(channel.path)
        }
    }

    /// The same subject, of the channel of `driver`.
    #[must_use]
    pub(in crate::lint) fn of_driver(self, driver: &Driver<'_>) -> Self {
        self.of_channel(driver.channel())
    }

    /// The same subject, in a clip.
    #[must_use]
    pub(in crate::lint) fn in_clip(mut self, clip: ClipId) -> Self {
        self.clip = Some(Which::Id(clip));
        self
    }

    /// A part of it.
    #[must_use]
    pub(in crate::lint) fn part(mut self, part: impl Into<Part<Which<ExpressionId>>>) -> Self {
        self.part = Some(part.into());
        self
    }

    /// One of its vertices.
    #[must_use]
    pub(in crate::lint) fn vertex(mut self, vertex: usize) -> Self {
        self.vertex = Some(vertex);
        self
    }

    /// A time in it.
    #[must_use]
    pub(in crate::lint) fn at(mut self, time: Seconds) -> Self {
        self.time = Some(time);
        self
    }

    /// The instance of the mesh.
    pub(in crate::lint) fn instance(&self) -> Option<InstanceId> {
        self.mesh.as_ref()?.id().map(|shown| shown.instance)
    }

    /// See [`Key`].
    pub(in crate::lint) fn key(&self) -> Key {
        let mesh = self.mesh.as_ref().map(|mesh| match mesh {
            Which::Id(shown) => Which::Id(shown.first),
            Which::Name(name) => Which::Name(name.clone()),
        });
        (
            mesh,
            self.primitive,
            self.skin.clone(),
            if self.nameless {
                Some(Which::Name(String::new()))
            } else {
                self.joint.clone()
            },
            self.material.clone(),
            self.clip.clone(),
            self.part.clone(),
        )
    }
}
