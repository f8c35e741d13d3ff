//! Between locations, which are names, and subjects, which are ids.

use super::context::Context;
use super::names::{ByName, stem};
use super::subject::{Subject, Which};
use crate::rig::{ClipId, Ids, InstanceId, Location, MaterialId, PoseName, SkinId};

fn is_shared<Id: PartialEq>(known: &ByName<Id>, name: Option<&String>) -> bool {
    name.is_some_and(|name| known.get(name) == Some(&None))
}

impl Context<'_> {
    /// The subject of a location that an importer or a comparison states: by its ids where they fit its names, and of what
    /// has only a name, by the id of the one part of that name.
    pub(crate) fn subject(&self, location: &Location) -> Subject {
        fn which<'a, Id: Copy>(
            name: Option<&String>,
            id: Option<Id>,
            known: &ByName<Id>,
            own: impl Fn(Id) -> Option<&'a String>,
        ) -> Option<Which<Id>> {
            let name = name?;
            let id = id.filter(|id| own(*id) == Some(name));
            let id = id.or_else(|| *known.get(name)?);
            Some(id.map_or_else(|| Which::Name(name.clone()), Which::Id))
        }
        let (asset, names, ids) = (self.asset, self.names(), location.ids);
        let node = |id| Some(&asset.skeleton.get(id)?.name);
        let skin = |id: SkinId| Some(&asset.skins.get(id.index())?.name);
        let material = |id: MaterialId| Some(&asset.materials.get(id.index())?.name);
        let clip = |id: ClipId| Some(&asset.clips.get(id.index())?.name);
        let mesh = location.mesh.as_ref().map(|name| {
            let is_it = |id: &InstanceId| {
                let own = asset.instances.get(id.index());
                own.is_some_and(|own| asset.mesh_name(own) == name)
            };
            let id = ids.instance.filter(is_it);
            let id = id.or_else(|| *names.instances.get(name)?);
            id.map_or_else(
                || Which::Name(name.clone()),
                |id| Which::Id(names.shown(id)),
            )
        });
        let influence = |(name, weight): &(String, f32)| {
            Some((which(Some(name), None, &names.nodes, node)?, *weight))
        };
        let pose = match &location.pose {
            Some(PoseName::Range(pose)) => pose.clone().find(asset).ok(),
            _ => None,
        };
        Subject {
            mesh,
            skin: which(location.skin.as_ref(), ids.skin, &names.skins, skin),
            joint: which(location.joint.as_ref(), ids.node, &names.nodes, node),
            nameless: false,
            other_joint: ids.other_node,
            material: which(
                location.material.as_ref(),
                ids.material,
                &names.materials,
                material,
            ),
            clip: which(location.clip.as_ref(), ids.clip, &names.clips, clip),
            part: location.part.clone(),
            vertex: location.vertex,
            influences: location.joints.iter().filter_map(influence).collect(),
            influence: ids.influence,
            time: location.time,
            pose,
        }
    }

    /// The names of a subject.
    pub(crate) fn location(&self, subject: Subject) -> Location {
        fn named<Id: Copy>(part: Option<Which<Id>>, name: impl Fn(Id) -> String) -> Option<String> {
            part.map(|part| match part {
                Which::Id(id) => name(id),
                Which::Name(name) => name,
            })
        }
        let (asset, names) = (self.asset, self.names());
        let ids = Ids {
            instance: subject.instance(),
            skin: subject.skin.as_ref().and_then(Which::id),
            node: subject.joint.as_ref().and_then(Which::id),
            other_node: subject.other_joint,
            influence: subject.influence,
            material: subject.material.as_ref().and_then(Which::id),
            clip: subject.clip.as_ref().and_then(Which::id),
        };
        let mesh = named(subject.mesh, |shown| {
            self.mesh_name(&asset[shown.instance]).to_owned()
        });
        let clip = named(subject.clip, |id| asset[id].name.clone());
        let label = |joint| self.joint_label(joint);
        let influence = |(joint, weight)| Some((named(Some(joint), label)?, weight));
        let pose = subject.pose.map(|pose| pose.named(asset));
        Location {
            ambiguous: is_shared(&names.instances, mesh.as_ref())
                || is_shared(&names.clips, clip.as_ref()),
            mesh,
            skin: named(subject.skin, |id| asset[id].name.clone()),
            joint: named(subject.joint, |id| stem(self.joint_name(id)).to_owned()),
            plain: ids.node.is_some_and(|node| names.is_plain(node)),
            material: named(subject.material, |id| asset[id].name.clone()),
            clip,
            part: subject.part,
            vertex: subject.vertex,
            joints: subject
                .influences
                .into_iter()
                .filter_map(influence)
                .collect(),
            time: subject.time,
            pose: pose.map(PoseName::Range),
            ids,
        }
    }
}
