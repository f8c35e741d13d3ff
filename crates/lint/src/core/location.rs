//! The names, the ids and the addresses in the file of locations.

use super::context::Context;
use super::names::{ByName, stem};
use crate::core::meta::RuleMeta;
use crate::pose::frame_at;
use crate::rig::{
    ClipId, DefectKind, ExpressionId, Format, Ids, InstanceId, Location, MaterialId, Mesh,
    NamedWeight, NodeId, Origins, Part, PoseName, PrimitiveId, SkinId, escaped,
};

/// An id of what has a name, if it fits that name, else the id of the one part that has it.
fn id_of<'a, Id: Copy>(
    name: Option<&String>,
    id: Option<Id>,
    known: &ByName,
    new: impl Fn(u32) -> Id,
    own: impl Fn(Id) -> Option<&'a String>,
) -> Option<Id> {
    let name = name?;
    let fits = id.filter(|id| own(*id) == Some(name));
    fits.or_else(|| known.get(name)?.map(new))
}

fn is_shared(known: &ByName, name: Option<&String>) -> bool {
    name.is_some_and(|name| known.get(name) == Some(&None))
}

impl Context<'_> {
    /// A location that an importer or a comparison states, with the ids of what it names. A pose of a joint that the model lacks
    /// is dropped.
    #[doc(hidden)]
    pub fn resolved(&self, location: &Location) -> Location {
        let (asset, names, ids) = (self.asset, self.names(), location.ids);
        let node = |id| Some(&asset.skeleton.get(id)?.name);
        let skin = |id: SkinId| Some(&asset.skins.get(id.index())?.name);
        let material = |id: MaterialId| Some(&asset.materials.get(id.index())?.name);
        let clip = |id: ClipId| Some(&asset.clips.get(id.index())?.name);
        let expression = |id: ExpressionId| Some(&asset.expressions.get(id.index())?.name);
        let expression_name = match &location.part {
            Some(Part::Expression(name)) => Some(name),
            _ => None,
        };
        let mesh = |name: &String| {
            let is_it = |id: &InstanceId| {
                let own = asset.instances.get(id.index());
                own.is_some_and(|own| asset.mesh_name(own) == name)
            };
            let of_primitive = || names.instance_of(ids.primitive?);
            let stated = ids.instance.or_else(of_primitive).filter(is_it);
            stated.or_else(|| names.instances.get(name)?.map(InstanceId))
        };
        let influence = |own: &NamedWeight| NamedWeight {
            id: id_of(Some(&own.joint), own.id, &names.nodes, NodeId, node),
            ..own.clone()
        };
        let node = id_of(
            location.joint.as_ref(),
            ids.node,
            &names.nodes,
            NodeId,
            node,
        );
        let is_there = |pose: &PoseName| match pose {
            PoseName::Range(pose) => pose.clone().find(asset).is_ok(),
            PoseName::Bind | PoseName::File(_) => false,
        };
        Location {
            // An id tells nameless joints apart.
            joint: location.joint.clone().filter(|_| node.is_none()),
            joints: location.joints.iter().map(influence).collect(),
            pose: location.pose.clone().filter(is_there),
            ids: Ids {
                instance: location.mesh.as_ref().and_then(mesh),
                skin: id_of(location.skin.as_ref(), ids.skin, &names.skins, SkinId, skin),
                node,
                material: id_of(
                    location.material.as_ref(),
                    ids.material,
                    &names.materials,
                    MaterialId,
                    material,
                ),
                clip: id_of(location.clip.as_ref(), ids.clip, &names.clips, ClipId, clip),
                expression: id_of(
                    expression_name,
                    ids.expression,
                    &names.expressions,
                    ExpressionId,
                    expression,
                ),
                ..ids
            },
            ..location.clone()
        }
    }

    /// `location` with the names of what its ids refer to.
    #[doc(hidden)]
    pub fn named(&self, location: Location) -> Location {
        let (asset, names, ids) = (self.asset, self.names(), location.ids);
        let target = match &location.part {
            Some(Part::Target(index)) => Some(*index),
            _ => ids.target,
        };
        let known = asset.location(Ids { target, ..ids });
        let mesh = known.mesh.or(location.mesh);
        let clip = known.clip.or(location.clip);
        let part = match (location.part, ids.expression) {
            (Some(Part::Expression(_)), Some(id)) => Some(Part::Expression(asset[id].name.clone())),
            (part, _) => part,
        };
        let influence = |own: NamedWeight| NamedWeight {
            joint: own.id.map_or(own.joint, |joint| self.joint_label(joint)),
            weight: own.weight,
            id: own.id,
        };
        Location {
            ambiguous: is_shared(&names.instances, mesh.as_ref())
                || is_shared(&names.clips, clip.as_ref()),
            mesh,
            skin: known.skin.or(location.skin),
            joint: known
                .joint
                .map(|name| stem(&name).to_owned())
                .or(location.joint),
            plain: ids.node.is_some_and(|node| names.is_plain(node)),
            material: known.material.or(location.material),
            clip,
            part,
            joints: location.joints.into_iter().map(influence).collect(),
            ids: known.ids,
            vertex: location.vertex,
            time: location.time,
            frame: ids
                .clip
                .and_then(|clip| frame_at(asset.clips.get(clip.index())?, location.time?)),
            pose: location.pose,
        }
    }

    /// See [`Key`].
    pub(crate) fn key(&self, location: &Location) -> Key {
        key(&self.names().firsts, location)
    }
}

/// What distinguishes a location from others, whatever its vertex, time and pose: ids, and the names of what has none.
pub(crate) type Key = (
    [(Option<usize>, Option<String>); 5],
    Option<PrimitiveId>,
    Option<usize>,
    Option<Part>,
);

/// See [`Key`]. Joints without a name are one.
///
/// * `firsts` – for each instance, the first of the same subject: a mesh of several materials has several instances, and so has
///   one that several nodes show.
pub(crate) fn key(firsts: &[InstanceId], location: &Location) -> Key {
    let ids = location.ids;
    let either = |id: Option<usize>, name: &Option<String>| {
        let name = name.as_ref().filter(|_| id.is_none());
        (id, name.cloned())
    };
    let node = ids.node.filter(|_| location.joint.as_deref() != Some(""));
    let parts = [
        either(
            ids.instance.map(|id| firsts[id.index()].index()),
            &location.mesh,
        ),
        either(ids.skin.map(SkinId::index), &location.skin),
        either(node.map(NodeId::index), &location.joint),
        either(ids.material.map(MaterialId::index), &location.material),
        either(ids.clip.map(ClipId::index), &location.clip),
    ];
    let expression = ids.expression.map(ExpressionId::index);
    let part = location.part.clone().filter(|_| expression.is_none());
    (parts, ids.primitive, expression, part)
}

impl Context<'_> {
    /// The location in the file of `location`, which the rule `meta` reports on. In glTF it is a JSON pointer, such as
    /// `/skins/0/joints/3`; in FBX an object and in COLLADA an element, as in [`Origins`]; in other formats the names
    /// of a node and all its ancestors, such as `Hips/Spine/Head`, with `~1` for a slash and `~0` for a tilde.
    ///
    /// The innermost part with an address counts: the vertex attribute, primitive or mesh; else the channel or clip;
    /// else the joint of the skin, or the node. `None` for the file as a whole.
    #[must_use]
    pub fn origin(&self, meta: &RuleMeta, location: &Location) -> Option<String> {
        let found = self
            .stated(location)
            .or_else(|| self.of_material(location))
            .or_else(|| self.of_mesh(meta, location))
            .or_else(|| self.of_clip(location))
            .or_else(|| self.of_skin(location))
            .or_else(|| self.of_node(location.ids.node?));
        found.filter(|origin| !origin.is_empty())
    }

    fn origins(&self) -> &Origins {
        &self.asset.origins
    }

    /// The object of the document that the importer names.
    fn stated(&self, location: &Location) -> Option<String> {
        location.part.as_ref().filter(|_| self.is_gltf())?.pointer()
    }

    fn is_gltf(&self) -> bool {
        self.asset.format == Format::Gltf
    }

    fn of_material(&self, location: &Location) -> Option<String> {
        let origins = &self.origins().materials;
        origins.get(location.ids.material?.index()).cloned()
    }

    fn of_mesh(&self, meta: &RuleMeta, location: &Location) -> Option<String> {
        let instance = location.ids.instance.map(|id| &self.asset[id]);
        let index = match instance {
            Some(instance) => instance.mesh.index(),
            None => self.mesh_named(location.mesh.as_ref()?)?,
        };
        let Some(mesh) = self.origins().meshes.get(index) else {
            return self.of_node(instance?.node);
        };
        let attribute = self.attribute(meta, &self.asset.meshes[index]);
        Some(format!("{mesh}{}", attribute.unwrap_or_default()))
    }

    /// The first mesh named `name`, which no node shows.
    fn mesh_named(&self, name: &str) -> Option<usize> {
        self.asset.meshes.iter().position(|mesh| mesh.name == name)
    }

    /// Such as `/attributes/NORMAL`; `None` if it is in several accessors or in none.
    fn attribute(&self, meta: &RuleMeta, mesh: &Mesh) -> Option<String> {
        let attribute = meta.attribute.filter(|_| self.is_gltf())?;
        let is_regular = |kind| self.asset.evidence.of(kind).next().is_none();
        let is_there = match attribute {
            "NORMAL" => !mesh.normals.is_empty(),
            "JOINTS_0" | "WEIGHTS_0" => {
                let most = mesh.influences.iter().map(<[_]>::len).max().unwrap_or(0);
                (1..=4).contains(&most) && is_regular(DefectKind::WeightSetMismatch)
            }
            _ => true,
        };
        is_there.then(|| format!("/attributes/{attribute}"))
    }

    fn of_clip(&self, location: &Location) -> Option<String> {
        let index = location.ids.clip?.index();
        let channels = self.origins().channels.get(index).into_iter().flatten();
        let mut of_node = channels.filter(|channel| Some(channel.id.node) == location.ids.node);
        let is_whole = location.part.is_none();
        let channel = of_node.find(|own| is_whole || location.ids.channel == Some(own.id));
        let clip = || self.origins().clips.get(index).cloned();
        channel.map(|channel| channel.origin.clone()).or_else(clip)
    }

    fn of_skin(&self, location: &Location) -> Option<String> {
        let (id, node) = (location.ids.skin?, location.ids.node);
        let Some(origin) = self.origins().skins.get(id.index()) else {
            let mut users = self.asset.instances.iter();
            let user = users.find(|user| user.skin == Some(id));
            return self.of_node(node.or(user.map(|user| user.node))?);
        };
        if !self.is_gltf() {
            let of_node = node.and_then(|node| self.of_node(node));
            return of_node.or_else(|| Some(origin.clone()));
        }
        let mut joints = self.asset[id].joints.iter();
        let slot = node.and_then(|node| joints.position(|joint| *joint == node));
        // Joints that are not nodes are omitted from the list.
        let is_whole = self
            .asset
            .evidence
            .of(DefectKind::JointWithoutNode)
            .next()
            .is_none();
        let joint = slot
            .filter(|_| is_whole)
            .map(|slot| format!("/joints/{slot}"));
        Some(format!("{origin}{}", joint.unwrap_or_default()))
    }

    fn of_node(&self, node: NodeId) -> Option<String> {
        let origins = &self.origins().nodes;
        let stated = origins
            .get(node.index())
            .filter(|origin| !origin.is_empty());
        stated.cloned().or_else(|| {
            let parent = |node: &NodeId| self.asset.skeleton.get(*node)?.parent;
            let path = std::iter::successors(Some(node), parent);
            let mut names: Vec<String> =
                path.map(|node| escaped(&self.joint_label(node))).collect();
            names.reverse();
            Some(names.join("/"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::rigs::{asset_of, named_joint};
    use crate::rig::{LocalTransform, MeshId, MeshInstance};
    use crate::testing::arm;
    use crate::{Settings, find_rule};

    #[test]
    fn of_meshes_with_one_name_each_has_its_own_address() {
        let mut asset = arm();
        asset.meshes.push(asset.meshes[0].clone());
        let second = MeshInstance {
            mesh: MeshId(1),
            ..asset.instances[0].clone()
        };
        asset.instances.push(second);
        let addresses = ["/meshes/0", "/meshes/1"];
        asset.origins.meshes = addresses.map(str::to_owned).into();
        let settings = Settings::default();
        let cx = Context::new(&asset, "model".as_ref(), &settings);
        let meta = find_rule("T401").expect("it is there").meta();
        for (instance, address) in asset.instances.iter().zip(addresses) {
            let origin = cx.origin(meta, &cx.named(cx.mesh(instance)));
            assert_eq!(origin.as_deref(), Some(address));
        }
    }

    #[test]
    fn a_format_without_addresses_has_paths_of_nodes() {
        let rest = LocalTransform::Matrix(glam::Mat4::IDENTITY);
        let joint = |name, parent| named_joint(name, parent, rest);
        let asset = asset_of(vec![
            joint("Hips", None),
            joint("a/b", Some(0)),
            joint("", Some(1)),
        ]);
        let settings = Settings::default();
        let cx = Context::new(&asset, "model".as_ref(), &settings);
        let meta = find_rule("T401").expect("it is there").meta();
        for (node, expected) in ["Hips", "Hips/a~1b", "Hips/a~1b/#2"].iter().enumerate() {
            let location = cx.named(cx.joint(NodeId::from_index(node)));
            assert_eq!(cx.origin(meta, &location).as_deref(), Some(*expected));
        }
        assert_eq!(cx.origin(meta, &Location::FILE), None);
    }
}
