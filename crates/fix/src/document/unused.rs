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

/// The numbers of all members of a name, at any depth that is read, but not those of other programs.
fn references(json: &Json, name: &str, found: &mut BTreeSet<usize>) {
    for (key, value) in json.members().filter(|(key, _)| *key != "extras") {
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

/// Whether all extensions are of kinds whose references are known, and all references to accessors are found by their paths.
fn is_known(root: &Json) -> bool {
    let used = root.get("extensionsUsed").into_iter().flat_map(Json::items);
    let mut names: BTreeSet<String> = used.filter_map(Json::string).collect();
    extensions(root, &mut names);
    let is_found = |(accessor, paths): (usize, BTreeSet<String>)| {
        let mut found = paths.iter().map(|path| root.at(path)?.whole());
        found.all(|found| found == Some(accessor))
    };
    let mut names = names.iter();
    names.all(|name| KNOWN.iter().any(|kind| name.starts_with(kind)))
        && places::users(root).into_iter().all(is_found)
}

/// The names of the extensions of all objects.
fn extensions(json: &Json, found: &mut BTreeSet<String>) {
    for (key, value) in json.members() {
        if key == "extensions" {
            found.extend(value.members().map(|(name, _)| name.to_owned()));
        }
        extensions(value, found);
    }
    for item in json.items() {
        extensions(item, found);
    }
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
    /// A view that the file referred to when it was opened and no longer does.
    pub(super) fn unused_view(&self) -> Option<usize> {
        if !is_known(&self.json) {
            return None;
        }
        let mut used = BTreeSet::new();
        references(&self.json, "bufferView", &mut used);
        self.used.views.difference(&used).next().copied()
    }

    /// The document without what it referred to when it was opened and no longer does, and the indices of the removed buffers.
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
        removed.retain(|index| {
            let own = self.buffers.get(*index);
            own.is_some_and(|own| own.home != Home::Chunk)
        });
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::{Value, json};

    use super::*;
    use crate::testing::{Layout, Model, Storage};

    /// What is left of the document, after an edit, without its skins, which alone refer to accessor and view 5, and without the last
    /// of its views.
    fn without_skins(edit: impl FnOnce(&mut Value)) -> Value {
        let model = Model {
            is_binary: false,
            ..Model::sound(Storage::Float, Layout::Apart)
        };
        let file = model.edited(|document| {
            let views = document["bufferViews"].as_array_mut();
            views.expect("a list").push(json!({"buffer": 9}));
            edit(document);
        });
        let mut document =
            Document::open(&file, Path::new(""), &[], Vec::new()).expect("it is whole");
        document.json.remove("skins");
        remove(&mut document.json, "bufferViews", &[8].into());
        let copy = document.close().expect("it is small");
        serde_json::from_slice(&copy).expect("it is JSON")
    }

    #[test]
    fn what_is_unused_is_removed_and_only_references_follow() {
        let copy = without_skins(|document| {
            document["extras"] = json!({"bufferView": 7, "buffer": 8});
        });
        let count = |list: &str| copy[list].as_array().map(Vec::len);
        assert_eq!(count("accessors"), Some(7));
        assert_eq!(count("bufferViews"), Some(7));
        assert_eq!(
            copy["animations"][0]["samplers"][0],
            json!({"input": 5, "output": 6})
        );
        assert_eq!(copy["extras"], json!({"bufferView": 7, "buffer": 8}));
    }

    #[test]
    fn nothing_is_removed_if_a_reference_may_be_unknown() {
        let edits: [fn(&mut Value); 2] = [
            |document| document["nodes"][0]["extensions"] = json!({"ACME_curve": {"keys": 7}}),
            |document| {
                document["meshes"][0]["primitives"][0]["attributes"]["_A/B"] = json!(7);
            },
        ];
        for edit in edits {
            let copy = without_skins(edit);
            assert_eq!(copy["accessors"].as_array().map(Vec::len), Some(8));
        }
    }
}
