//! Locates the subject of a finding in its file.

use crate::lint::core::context::Context;
use crate::lint::core::meta::RuleMeta;
use crate::rig::{DefectKind, Format, Location, Mesh, NodeId, Origins, escaped};

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
        let instance = location.ids.instance;
        let instance = instance.map(|id| &self.asset[id]);
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
    use crate::lint::testing::arm;
    use crate::lint::{Settings, find_rule};
    use crate::pose::rigs::{asset_of, named_joint};
    use crate::rig::{LocalTransform, MeshId, MeshInstance};

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
            let origin = cx.origin(meta, &cx.location(cx.mesh(instance)));
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
            let location = cx.location(cx.joint(NodeId::from_index(node)));
            assert_eq!(cx.origin(meta, &location).as_deref(), Some(*expected));
        }
        assert_eq!(cx.origin(meta, &Location::FILE), None);
    }
}
