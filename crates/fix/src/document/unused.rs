//! Accessors, views and buffers that nothing refers to any more: new bytes take the place of views, and the rest is removed.

use std::collections::BTreeSet;

use super::{Document, Home, Json, places};

/// What the document refers to by number.
#[derive(Debug, Clone, Default)]
pub(super) struct Used {
    accessors: BTreeSet<usize>,
    views: BTreeSet<usize>,
    buffers: BTreeSet<usize>,
}

impl Used {
    pub(super) fn of(root: &Json) -> Self {
        let mut used = Self {
            accessors: places::users(root).into_keys().collect(),
            ..Self::default()
        };
        references(root, "bufferView", &mut used.views);
        references(root, "buffer", &mut used.buffers);
        used
    }
}

/// The numbers of all members of a name, at any depth that is read.
fn references(json: &Json, name: &str, found: &mut BTreeSet<usize>) {
    for (key, value) in json.members() {
        if key == name {
            found.extend(value.whole());
        }
        references(value, name, found);
    }
    for item in json.items() {
        references(item, name, found);
    }
}

/// The beginnings of names of extensions that refer to accessors, views and buffers in the usual ways, or not at all.
const KNOWN: [&str; 14] = [
    "EXT_mesh_gpu_instancing",
    "EXT_meshopt_",
    "EXT_texture_",
    "KHR_accessor_",
    "KHR_animation_pointer",
    "KHR_draco_",
    "KHR_lights_",
    "KHR_materials_",
    "KHR_mesh_quantization",
    "KHR_meshopt_",
    "KHR_node_",
    "KHR_texture_",
    "KHR_xmp_",
    "VRM",
];

/// Whether all extensions are of kinds whose references are known.
fn is_known(root: &Json) -> bool {
    let used = root.get("extensionsUsed").into_iter().flat_map(Json::items);
    let mut names = used.filter_map(Json::string);
    names.all(|name| KNOWN.iter().any(|kind| name.starts_with(kind)))
}

/// Corrects a reference to an item behind removed ones.
fn shift(reference: &mut Json, removed: &BTreeSet<usize>) {
    if let Some(number) = reference.whole() {
        let before = removed.range(..number).count();
        if before > 0 {
            *reference = Json::Text((number - before).to_string());
        }
    }
}

impl Document {
    /// A view that was used once.
    pub(super) fn unused_view(&self) -> Option<usize> {
        if !is_known(&self.json) {
            return None;
        }
        let mut used = BTreeSet::new();
        references(&self.json, "bufferView", &mut used);
        self.used.views.difference(&used).next().copied()
    }

    /// The document without what was used once, and the indices of the removed buffers.
    pub(super) fn without_unused(&self) -> (Json, BTreeSet<usize>) {
        let mut json = self.json.clone();
        if !is_known(&json) {
            return (json, BTreeSet::new());
        }
        let removed = &self.used.accessors - &Used::of(&json).accessors;
        if !removed.is_empty() {
            for path in places::users(&json).values().flatten() {
                if let Some(reference) = json.at_mut(path) {
                    shift(reference, &removed);
                }
            }
            remove(&mut json, "accessors", &removed);
        }
        let removed = &self.used.views - &Used::of(&json).views;
        if !removed.is_empty() {
            json.each_member("bufferView", &mut |reference| shift(reference, &removed));
            remove(&mut json, "bufferViews", &removed);
        }
        let mut removed = &self.used.buffers - &Used::of(&json).buffers;
        removed.retain(|index| self.buffers[*index].home != Home::Chunk);
        if !removed.is_empty() {
            json.each_member("buffer", &mut |reference| shift(reference, &removed));
            remove(&mut json, "buffers", &removed);
        }
        (json, removed)
    }
}

/// Removes items of a list, and the list if none is left.
fn remove(json: &mut Json, list: &str, removed: &BTreeSet<usize>) {
    if let Some(own) = json.at_mut(list) {
        own.remove_items(removed);
        if own.items().len() == 0 {
            json.remove(list);
        }
    }
}
