//! The input of rules, with its cache of analyses.

use std::any::Any;
use std::path::Path;
use std::ptr;
use std::sync::{Arc, OnceLock};

use super::meta::{Limit, RuleMeta};
use super::names::Names;
use super::settings::Settings;
use crate::deadline::Deadline;
use crate::rig::{
    Asset, Clip, ClipId, Ids, Influence, InstanceId, Location, MeshInstance, NamedWeight, NodeId,
    SkinSlot,
};

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
    /// The deadline of the rules.
    pub(crate) deadline: Deadline,
    names: OnceLock<Names>,
    analyses: Cache,
}

impl<'a> Context<'a> {
    /// The input of rules for one model.
    ///
    /// * `asset` – valid by [`Asset::validate`].
    /// * `path` – the file it was read from.
    #[must_use]
    pub fn new(asset: &'a Asset, path: &'a Path, settings: &'a Settings) -> Self {
        Self {
            asset,
            path,
            settings,
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
pub(crate) trait Analysis: Send + Sync + 'static {
    /// Computes it for the model of `cx`.
    fn of(cx: &Context<'_>) -> Self;
}

impl Context<'_> {
    /// The analysis `T` of the model, computed on first use.
    pub(crate) fn get<T: Analysis>(&self) -> &T {
        self.analyses.slot::<T>().get_or_init(|| T::of(self))
    }

    /// For each instance, the first of the same subject.
    pub(super) fn firsts(&self) -> Arc<[InstanceId]> {
        Arc::clone(&self.names().firsts)
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

    /// The mesh of `instance`, by its id.
    #[must_use]
    pub fn mesh(&self, instance: &MeshInstance) -> Location {
        let id = index_of(&self.asset.instances, instance).map(InstanceId::from_index);
        Location {
            ids: Ids {
                instance: id,
                ..Ids::NONE
            },
            ..Location::FILE
        }
    }

    /// A joint, or any other node, by its id. Joints without a name are one location.
    #[must_use]
    pub fn joint(&self, joint: NodeId) -> Location {
        Location {
            joint: self.joint_name(joint).is_empty().then(String::new),
            ..Location::FILE.joint_id(joint)
        }
    }

    /// A clip, by its id.
    #[must_use]
    pub fn clip(&self, clip: &Clip) -> Location {
        let id = index_of(&self.asset.clips, clip).map(ClipId::from_index);
        id.map_or(Location::FILE, |id| Location::FILE.clip_id(id))
    }

    /// `location` at vertex `vertex` of `instance`, with the joints that move it, the strongest first.
    #[must_use]
    pub fn at_vertex(
        &self,
        location: Location,
        instance: &MeshInstance,
        vertex: usize,
    ) -> Location {
        let influences = self.asset.mesh_of(instance).influences.of(vertex);
        let skin = self.asset.skin_of(instance);
        let weighted = |influence: &Influence| {
            let id = *skin?.joints.get(influence.slot.index())?;
            Some(NamedWeight {
                joint: String::new(),
                weight: influence.weight,
                id: Some(id),
            })
        };
        let mut joints: Vec<_> = influences.iter().filter_map(weighted).collect();
        joints.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        Location {
            joints,
            ..location.vertex(vertex)
        }
    }

    /// As [`at_vertex`](Self::at_vertex), of a fault about the weight of one joint, or of the strongest.
    pub(crate) fn at_weight(
        &self,
        location: Location,
        skinned: &MeshInstance,
        vertex: usize,
        slot: Option<SkinSlot>,
    ) -> Location {
        let influences = self.asset.mesh_of(skinned).influences.of(vertex);
        let strongest = influences
            .iter()
            .max_by(|a, b| a.weight.total_cmp(&b.weight));
        let slot = slot.or(strongest.map(|influence| influence.slot));
        let skin = self.asset.skin_of(skinned);
        let mut location = self.at_vertex(location, skinned, vertex);
        location.ids.influence = slot.and_then(|slot| skin?.joints.get(slot.index()).copied());
        location
    }
}

/// The index of `item`, an element of `list`.
fn index_of<T>(list: &[T], item: &T) -> Option<usize> {
    list.iter().position(|own| ptr::eq(own, item))
}

/// A list that only grows and never moves its elements, so that references to them stay valid.
#[derive(Debug, Default)]
struct Cache(OnceLock<Box<Entry>>);

#[derive(Debug)]
struct Entry {
    /// A `OnceLock` of the slot's type.
    slot: Box<dyn Any + Send + Sync>,
    rest: Cache,
}

impl Cache {
    /// The slot for values of type `T`, which starts empty. It is filled outside of the list, so that computing its
    /// value may request others.
    fn slot<T: Send + Sync + 'static>(&self) -> &OnceLock<T> {
        let mut cache = self;
        loop {
            let entry = cache.0.get_or_init(|| {
                Box::new(Entry {
                    slot: Box::new(OnceLock::<T>::new()),
                    rest: Self::default(),
                })
            });
            // Another thread may have added another type here meanwhile.
            match entry.slot.downcast_ref() {
                Some(slot) => return slot,
                None => cache = &entry.rest,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread::ScopedJoinHandle;

    use super::*;

    #[test]
    fn each_type_has_one_slot_for_all_threads() {
        let cache = Cache::default();
        let of_threads = std::thread::scope(|scope| {
            let ask = || {
                let number = cache.slot::<u32>().get_or_init(|| 7);
                let text = cache.slot::<String>().get_or_init(|| "seven".to_owned());
                (
                    std::ptr::from_ref(number) as usize,
                    std::ptr::from_ref(text) as usize,
                )
            };
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
            let asked = threads.into_iter().map(ScopedJoinHandle::join);
            asked.collect::<Result<Vec<_>, _>>().expect("none panics")
        });
        assert!(of_threads.iter().all(|slots| *slots == of_threads[0]));
        assert_eq!(cache.slot::<u32>().get(), Some(&7));
        assert_eq!(cache.slot::<u64>().get(), None);
    }
}
