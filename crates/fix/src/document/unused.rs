//! Views and buffers that nothing refers to any more: new bytes take their place, and the rest is removed.

use std::collections::BTreeSet;

use super::{Document, Home, Json};

/// The lists whose items are removed, and the members that refer to them by number.
const LISTS: [(&str, &str); 2] = [("bufferViews", "bufferView"), ("buffers", "buffer")];

/// The items of each list that something refers to.
#[derive(Debug, Clone, Default)]
pub(super) struct Used([BTreeSet<usize>; 2]);

impl Used {
    pub(super) fn of(root: &Json) -> Self {
        Self(LISTS.map(|(_, member)| {
            let mut used = BTreeSet::new();
            references(root, member, &mut used);
            used
        }))
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

impl Document {
    /// A view that was used once.
    pub(super) fn unused_view(&self) -> Option<usize> {
        let [used, _] = Used::of(&self.json).0;
        self.used.0[0].difference(&used).next().copied()
    }

    /// Removes the views and buffers that were used once. Returns the indices of the removed buffers.
    ///
    /// Nothing is removed if an extension refers to views by members of other names.
    pub(super) fn without_unused(&self) -> (Json, BTreeSet<usize>) {
        let mut json = self.json.clone();
        let mut removed_buffers = BTreeSet::new();
        if json.mentions("EXT_structural_metadata") {
            return (json, removed_buffers);
        }
        for (list, (name, member)) in LISTS.into_iter().enumerate() {
            let used = Used::of(&json).0;
            let mut removed = &self.used.0[list] - &used[list];
            if name == "buffers" {
                removed.retain(|index| self.buffers[*index].home != Home::Chunk);
                removed_buffers.clone_from(&removed);
            }
            if removed.is_empty() {
                continue;
            }
            if let Some(own) = json.at_mut(name) {
                own.remove_items(&removed);
            }
            json.each_member(member, &mut |value| {
                if let Some(number) = value.whole() {
                    let before = removed.range(..number).count();
                    if before > 0 {
                        *value = Json::Text((number - before).to_string());
                    }
                }
            });
        }
        (json, removed_buffers)
    }
}
