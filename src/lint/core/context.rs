//! What a rule may look at.

use std::path::Path;
use std::sync::OnceLock;

use super::cache::Cache;
use super::cross::CrossCheck;
use super::meta::{Limit, RuleMeta};
use super::names::Names;
use super::settings::Settings;
use crate::deadline::Deadline;
use crate::rig::{Asset, Clip, Driver, Influence, Location, MeshInstance, NodeId, Skin};

/// A model under test, and its settings.
///
/// Keeps the analyses of the model, so that each is made once for all rules and poses.
#[derive(Debug)]
pub struct Context<'a> {
    /// The model.
    pub asset: &'a Asset,
    /// Its file.
    pub path: &'a Path,
    /// Its settings.
    pub settings: &'a Settings,
    /// A second path and a second importer; without them, the rules that need them are not checkable.
    pub cross: Option<&'a CrossCheck>,
    /// When the rules have to be done.
    pub(in crate::lint) deadline: Deadline,
    names: OnceLock<Names>,
    analyses: Cache,
}

impl<'a> Context<'a> {
    /// * `asset` – valid by [`Asset::validate`].
    /// * `path` – where it was read from.
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

    /// The same, with the time until which the rules may take. Later findings are incomplete.
    #[must_use]
    pub fn until(self, deadline: Deadline) -> Self {
        Self { deadline, ..self }
    }

    /// The same, with what the cross-checks need.
    #[must_use]
    pub fn with_cross(self, cross: &'a CrossCheck) -> Self {
        Self {
            cross: Some(cross),
            ..self
        }
    }
}

/// A value that rules compute from a model, cached by the [`Context`].
pub(in crate::lint) trait Analysis: Send + Sync + 'static {
    /// Computes it for the model of `cx`.
    fn of(cx: &Context<'_>) -> Self;
}

impl Context<'_> {
    /// The analysis `T` of the model, made when it is first asked for.
    pub(in crate::lint) fn get<T: Analysis>(&self) -> &T {
        self.analyses.slot::<T>().get_or_init(|| T::of(self))
    }

    fn names(&self) -> &Names {
        self.names.get_or_init(|| Names::of(self.asset))
    }

    /// Why a rule is not checked that was asked for by its code, while nothing is configured that it could look for.
    ///
    /// * `set` – whether something is.
    /// * `what` – what is missing, such as `no loops in [clips]`.
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

    /// The name of a joint, or its number as commands accept it if it has no name.
    #[must_use]
    pub fn joint_label(&self, joint: NodeId) -> String {
        match self.joint_name(joint) {
            "" => format!("#{}", joint.index()),
            name => name.to_owned(),
        }
    }

    /// A mesh as findings name it: by its own name, else by its node's.
    #[must_use]
    pub fn mesh_name(&self, instance: &MeshInstance) -> &str {
        let own = self.asset.mesh_of(instance).name.as_str();
        if own.is_empty() {
            self.joint_name(instance.node)
        } else {
            own
        }
    }

    /// The place of the mesh of `instance`.
    #[must_use]
    pub fn mesh(&self, instance: &MeshInstance) -> Location {
        Location::mesh(self.mesh_name(instance))
    }

    /// The place of a joint.
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

    /// `location` at what `driver` drives.
    #[must_use]
    pub fn at_driver(&self, location: Location, driver: &Driver<'_>) -> Location {
        self.at_joint(location, driver.joint)
            .part(driver.part.name())
    }

    /// `location`, with the rest of what is known about the joint it names, if the name is unique.
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

    /// The place of a clip.
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
