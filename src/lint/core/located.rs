//! Between locations, which are names, and subjects, which are ids.

use super::context::Context;
use super::names::{ByName, stem};
use super::subject::{Subject, Which};
use crate::rig::{
    ClipId, ExpressionId, Ids, InstanceId, Location, MaterialId, NamedWeight, NodeId, Part,
    PoseName, SkinId,
};

fn is_shared<Id: PartialEq>(known: &ByName<Id>, name: Option<&String>) -> bool {
    name.is_some_and(|name| known.get(name) == Some(&None))
}

impl<Id> Which<Id> {
    /// Its name.
    ///
    /// * `name` – of a part.
    fn named(self, name: impl FnOnce(Id) -> String) -> String {
        match self {
            Self::Id(id) => name(id),
            Self::Name(name) => name,
        }
    }
}

/// A name that no id refers to, or the `known` one of the id.
fn named<Id>(which: Option<Which<Id>>, known: Option<String>) -> Option<String> {
    match which {
        Some(Which::Name(name)) => Some(name),
        _ => known,
    }
}

impl Context<'_> {
    /// The subject of a location that an importer or a comparison states: by its ids where they fit its names, and of what
    /// has only a name, by the id of the one part of that name.
    pub(crate) fn subject(&self, location: &Location) -> Subject {
        fn which<'a, Id: Copy>(
            name: &String,
            id: Option<Id>,
            known: &ByName<Id>,
            own: impl Fn(Id) -> Option<&'a String>,
        ) -> Which<Id> {
            let id = id.filter(|id| own(*id) == Some(name));
            let id = id.or_else(|| *known.get(name)?);
            id.map_or_else(|| Which::Name(name.clone()), Which::Id)
        }
        let (asset, names, ids) = (self.asset, self.names(), location.ids);
        let node = |id| Some(&asset.skeleton.get(id)?.name);
        let skin = |id: SkinId| Some(&asset.skins.get(id.index())?.name);
        let material = |id: MaterialId| Some(&asset.materials.get(id.index())?.name);
        let clip = |id: ClipId| Some(&asset.clips.get(id.index())?.name);
        let expression = |id: ExpressionId| Some(&asset.expressions.get(id.index())?.name);
        let expression = |name| which(&name, ids.expression, &names.expressions, expression);
        let mesh = |name: &String| {
            let is_it = |id: &InstanceId| {
                let own = asset.instances.get(id.index());
                own.is_some_and(|own| asset.mesh_name(own) == name)
            };
            let id = ids
                .instance
                .or_else(|| names.primitives.get(&ids.primitive?).copied());
            let id = id.filter(is_it);
            let id = id.or_else(|| *names.instances.get(name)?);
            id.map_or_else(
                || Which::Name(name.clone()),
                |id| Which::Id(names.shown(id)),
            )
        };
        let influence = |own: &NamedWeight| {
            let joint = which(&own.joint, own.id, &names.nodes, node);
            (joint, own.weight)
        };
        let pose = match &location.pose {
            Some(PoseName::Range(pose)) => pose.clone().find(asset).ok(),
            _ => None,
        };
        Subject {
            mesh: location.mesh.as_ref().map(mesh),
            primitive: ids.primitive,
            skin: location
                .skin
                .as_ref()
                .map(|name| which(name, ids.skin, &names.skins, skin)),
            joint: location
                .joint
                .as_ref()
                .map(|name| which(name, ids.node, &names.nodes, node)),
            nameless: false,
            other_joint: ids.other_node,
            material: location
                .material
                .as_ref()
                .map(|name| which(name, ids.material, &names.materials, material)),
            clip: location
                .clip
                .as_ref()
                .map(|name| which(name, ids.clip, &names.clips, clip)),
            channel: ids.channel,
            part: location.part.clone().map(|part| part.map(expression)),
            vertex: location.vertex,
            influences: location.joints.iter().map(influence).collect(),
            influence: ids.influence,
            time: location.time,
            pose,
        }
    }

    /// The names of a subject.
    pub(crate) fn location(&self, subject: Subject) -> Location {
        let (asset, names) = (self.asset, self.names());
        let (expression, target) = match &subject.part {
            Some(Part::Expression(which)) => (which.id(), None),
            Some(Part::Target(index)) => (None, Some(*index)),
            _ => (None, None),
        };
        let ids = Ids {
            instance: subject.instance(),
            primitive: subject.primitive,
            skin: subject.skin.as_ref().and_then(Which::id),
            node: subject.joint.as_ref().and_then(Which::id),
            other_node: subject.other_joint,
            influence: subject.influence,
            material: subject.material.as_ref().and_then(Which::id),
            clip: subject.clip.as_ref().and_then(Which::id),
            channel: subject.channel,
            expression,
            target,
        };
        let known = asset.location(ids);
        let joint = known.joint.map(|name| stem(&name).to_owned());
        let mesh = named(subject.mesh, known.mesh);
        let clip = named(subject.clip, known.clip);
        let expression = |own: Which<_>| own.named(|id: ExpressionId| asset[id].name.clone());
        let influence = |(joint, weight): (Which<NodeId>, f32)| NamedWeight {
            id: joint.id(),
            joint: joint.named(|joint| self.joint_label(joint)),
            weight,
        };
        let pose = subject.pose.map(|pose| pose.named(asset));
        Location {
            ambiguous: is_shared(&names.instances, mesh.as_ref())
                || is_shared(&names.clips, clip.as_ref()),
            mesh,
            skin: named(subject.skin, known.skin),
            joint: named(subject.joint, joint),
            plain: ids.node.is_some_and(|node| names.is_plain(node)),
            material: named(subject.material, known.material),
            clip,
            part: subject.part.map(|part| part.map(expression)),
            vertex: subject.vertex,
            joints: subject.influences.into_iter().map(influence).collect(),
            time: subject.time,
            pose: pose.map(PoseName::Range),
            ids: known.ids,
        }
    }
}
