//! The input of rules.

use std::path::Path;
use std::sync::OnceLock;

use super::cache::Cache;
use super::cross::CrossCheck;
use super::meta::{Limit, RuleMeta};
use super::names::Names;
use super::settings::Settings;
use crate::deadline::Deadline;
use crate::rig::{Asset, Clip, Driver, Influence, Location, MeshInstance, NodeId, Skin};

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

    /// Sets what the cross-checks need.
    #[must_use]
    pub fn with_cross(self, cross: &'a CrossCheck) -> Self {
        Self {
            cross: Some(cross),
            ..self
        }
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

    fn names(&self) -> &Names {
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
        let own = self.asset.mesh_of(instance).name.as_str();
        if own.is_empty() {
            self.joint_name(instance.node)
        } else {
            own
        }
    }

    /// The location of the mesh of `instance`.
    #[must_use]
    pub fn mesh(&self, instance: &MeshInstance) -> Location {
        Location::mesh(self.mesh_name(instance))
    }

    /// The location of a joint.
    #[must_use]
    pub fn joint(&self, joint: NodeId) -> Location {
        self.at_joint(Location::FILE, joint)
    }

    /// `location` at a joint.
    #[must_use]
    pub fn at_joint(&self, location: Location, joint: NodeId) -> Location {
        Location {
            node: Some(joint),
            plain: self.names().is_plain(joint),
            ..location.of_joint(self.joint_name(joint))
        }
    }

    /// `location` at the target of `driver`.
    #[must_use]
    pub fn at_driver(&self, location: Location, driver: &Driver<'_>) -> Location {
        self.at_joint(location, driver.joint)
            .part(driver.part.name())
    }

    /// `location`, completed with everything known about the joint that it names, if the name is unique.
    #[must_use]
    pub fn located(&self, location: Location) -> Location {
        let name = location
            .joint
            .as_deref()
            .filter(|_| location.node.is_none());
        let joint = name.and_then(|name| self.names().only(name));
        match joint {
            Some(joint) => self.at_joint(location, joint),
            None => location,
        }
    }

    /// The location of a clip.
    #[must_use]
    pub fn clip(&self, clip: &Clip) -> Location {
        Location::clip(clip.name.as_str())
    }

    /// The names of the joints of `influences` with their weights, the strongest first.
    #[must_use]
    pub fn influencing(&self, skin: &Skin, influences: &[Influence]) -> Vec<(String, f32)> {
        let name = |influence: &Influence| {
            let joint = skin.joints.get(influence.joint.index()).copied();
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
