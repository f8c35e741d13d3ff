//! The input of rules.

use std::path::Path;
use std::ptr;
use std::sync::OnceLock;

use super::cache::Cache;
use super::cross::CrossCheck;
use super::meta::{Limit, RuleMeta};
use super::names::Names;
use super::settings::Settings;
use crate::deadline::Deadline;
use crate::diff;
use crate::rig::{
    Asset, Clip, ClipId, Driver, Ids, Influence, InstanceId, Location, MaterialId, MeshInstance,
    NodeId, Skin, SkinId,
};
use crate::units::Seconds;

/// A model to check, and its settings.
///
/// Caches the analyses of the model, so that each is computed once for all rules and poses.
#[derive(Debug)]
pub struct Context<'a> {
    /// The model.
    pub asset: &'a Asset,
    /// Its file.
    pub path: &'a Path,
    /// Its settings.
    pub settings: &'a Settings,
    /// A second skinning path and a second importer. Without them, the rules that need them are not checkable.
    pub cross: Option<&'a CrossCheck>,
    /// The comparison with the model that it was made from, which is the one before.
    pub changes: Option<&'a diff::Report>,
    /// The deadline of the rules.
    pub(in crate::lint) deadline: Deadline,
    names: OnceLock<Names>,
    analyses: Cache,
}

impl<'a> Context<'a> {
    /// * `asset` – valid by [`Asset::validate`].
    /// * `path` – the file that it was read from.
    #[must_use]
    pub fn new(asset: &'a Asset, path: &'a Path, settings: &'a Settings) -> Self {
        Self {
            asset,
            path,
            settings,
            cross: None,
            changes: None,
            deadline: Deadline::NEVER,
            names: OnceLock::new(),
            analyses: Cache::default(),
        }
    }

    /// Sets the deadline of the rules. Findings after it are incomplete.
    #[must_use]
    pub fn until(self, deadline: Deadline) -> Self {
        Self { deadline, ..self }
    }
}

/// A value that rules derive from a model, cached by the [`Context`].
pub(in crate::lint) trait Analysis: Send + Sync + 'static {
    /// Computes it for the model of `cx`.
    fn of(cx: &Context<'_>) -> Self;
}

impl Context<'_> {
    /// The analysis `T` of the model, computed on first use.
    pub(in crate::lint) fn get<T: Analysis>(&self) -> &T {
        self.analyses.slot::<T>().get_or_init(|| T::of(self))
    }

    pub(super) fn names(&self) -> &Names {
        self.names.get_or_init(|| Names::of(self.asset))
    }

    /// Why a rule is not checked although its code requested it: nothing that it checks is configured.
    ///
    /// * `set` – whether something is configured.
    /// * `what` – the missing setting, such as `no loops in [clips]`.
    #[must_use]
    pub fn unset(&self, meta: &RuleMeta, set: bool, what: &str) -> Option<String> {
        let asked = self.settings.asked.contains(&meta.code);
        (asked && !set).then(|| format!("not checked: {what}"))
    }

    /// The configured limit of a rule.
    #[must_use]
    pub fn limit(&self, meta: &RuleMeta, limit: &Limit) -> f64 {
        self.settings.limit(meta, limit)
    }

    /// The name of a joint.
    #[must_use]
    pub fn joint_name(&self, joint: NodeId) -> &str {
        let joint = self.asset.skeleton.get(joint);
        joint.map_or("", |joint| joint.name.as_str())
    }

    /// The name of a joint; if it has none, its number as commands accept it.
    #[must_use]
    pub fn joint_label(&self, joint: NodeId) -> String {
        match self.joint_name(joint) {
            "" => format!("#{}", joint.index()),
            name => name.to_owned(),
        }
    }

    /// The name of a mesh in findings: its own, or its node's.
    #[must_use]
    pub fn mesh_name(&self, instance: &MeshInstance) -> &str {
        self.asset.mesh_name(instance)
    }

    /// The location of the mesh of `instance`.
    #[must_use]
    pub fn mesh(&self, instance: &MeshInstance) -> Location {
        let mut location = Location::mesh(self.mesh_name(instance));
        location.ids.instance =
            index_of(&self.asset.instances, instance).map(InstanceId::from_index);
        location
    }

    /// The location of a joint.
    #[must_use]
    pub fn joint(&self, joint: NodeId) -> Location {
        self.at_joint(Location::FILE, joint)
    }

    /// `location` at a joint.
    #[must_use]
    pub fn at_joint(&self, location: Location, joint: NodeId) -> Location {
        let mut location = Location {
            plain: self.names().is_plain(joint),
            ..location.of_joint(self.joint_name(joint))
        };
        location.ids.node = Some(joint);
        location
    }

    /// `location` at the target of `driver`.
    #[must_use]
    pub fn at_driver(&self, location: Location, driver: &Driver<'_>) -> Location {
        self.at_joint(location, driver.joint)
            .part(driver.part.name())
    }

    /// `location`, completed with the ids of what it names: those of the only node of a name, and of the first of other
    /// things.
    #[must_use]
    pub(crate) fn located(&self, location: Location) -> Location {
        let names = self.names();
        let joint = location.joint.as_deref().and_then(|name| names.only(name));
        let mut location = match joint {
            Some(joint) if location.ids.node.is_none() => self.at_joint(location, joint),
            _ => location,
        };
        let (asset, ids) = (self.asset, location.ids);
        let has = |skin: &Skin| ids.node.is_none_or(|node| skin.joints.contains(&node));
        let instance = || names.instance(location.mesh.as_deref()?);
        let skin = || {
            let name = location.skin.as_ref()?;
            let mut skins = asset.skins.iter();
            skins.position(|skin| skin.name == *name && has(skin))
        };
        let material = || names.material(location.material.as_deref()?);
        let clip = || {
            let name = location.clip.as_ref()?;
            asset.clips.iter().position(|clip| clip.name == *name)
        };
        location.ids = Ids {
            instance: ids
                .instance
                .or_else(|| instance().map(InstanceId::from_index)),
            skin: ids.skin.or_else(|| skin().map(SkinId::from_index)),
            material: ids
                .material
                .or_else(|| material().map(MaterialId::from_index)),
            clip: ids.clip.or_else(|| clip().map(ClipId::from_index)),
            ..ids
        };
        location
    }

    /// The location of a clip.
    #[must_use]
    pub fn clip(&self, clip: &Clip) -> Location {
        let mut location = Location::clip(clip.name.as_str());
        location.ids.clip = index_of(&self.asset.clips, clip).map(ClipId::from_index);
        location
    }

    /// `location` at a time of a clip.
    pub(in crate::lint) fn at_time(
        &self,
        location: Location,
        clip: ClipId,
        time: Seconds,
    ) -> Location {
        let name = self.asset[clip].name.as_str();
        let mut location = location.in_clip(name).at(time);
        location.ids.clip = Some(clip);
        location
    }

    /// The location of a skin.
    pub(in crate::lint) fn skin(&self, skin: SkinId) -> Location {
        let mut location = Location::skin(self.asset[skin].name.as_str());
        location.ids.skin = Some(skin);
        location
    }

    /// The names of the joints of `influences` with their weights, the strongest first.
    #[must_use]
    pub fn influencing(&self, skin: &Skin, influences: &[Influence]) -> Vec<(String, f32)> {
        let name = |influence: &Influence| {
            let joint = skin.joints.get(influence.slot.index()).copied();
            let name = joint.map_or_else(String::new, |joint| self.joint_label(joint));
            (name, influence.weight)
        };
        let mut named: Vec<(String, f32)> = influences.iter().map(name).collect();
        named.sort_by(|a, b| b.1.total_cmp(&a.1));
        named
    }

    /// `location` at vertex `vertex` of `instance`, with the joints that move it.
    #[must_use]
    pub fn at_vertex(
        &self,
        location: Location,
        instance: &MeshInstance,
        vertex: usize,
    ) -> Location {
        let influences = self.asset.mesh_of(instance).influences.of(vertex);
        let skin = self.asset.skin_of(instance);
        Location {
            joints: skin.map_or_else(Vec::new, |skin| self.influencing(skin, influences)),
            ..location.vertex(vertex)
        }
    }
}

/// The index of `item`, an element of `list`.
fn index_of<T>(list: &[T], item: &T) -> Option<usize> {
    let start = list.as_ptr().addr();
    let index = ptr::from_ref(item).addr().checked_sub(start)? / size_of::<T>();
    list.get(index)
        .filter(|own| ptr::eq(*own, item))
        .map(|_| index)
}
