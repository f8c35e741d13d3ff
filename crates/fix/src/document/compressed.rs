//! What codecs have compressed: it is read as decoded, and stored plainly before it changes.

use std::collections::{BTreeMap, BTreeSet};

use super::places::{self, Place};
use super::{Accessor, Component, Document, Json, Refusal};
use crate::rig::Decoded;

const DRACO: &str = "KHR_draco_mesh_compression";
const MESHOPT: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// The extension that replaces the bytes of a view.
pub(super) fn codec(view: &Json) -> Option<&Json> {
    let extensions = view.get("extensions")?;
    MESHOPT.into_iter().find_map(|name| extensions.get(name))
}

/// The accessors whose numbers are decoded, with the index of the part; `None` where primitives share one, or attributes with different
/// numbers, so that it has no numbers of its own.
pub(super) fn streams(
    root: &Json,
    users: &BTreeMap<usize, BTreeSet<String>>,
    decoded: &[Decoded],
) -> BTreeMap<usize, Option<usize>> {
    let parts = decoded.iter().enumerate();
    let of_primitives = parts.filter(|(_, part)| part.component_type.is_some());
    let mut streams = BTreeMap::new();
    for (index, part) in of_primitives {
        let Some(accessor) = root.at(&part.part).and_then(Json::whole) else {
            continue;
        };
        let mut users = users.get(&accessor).into_iter().flatten();
        let is_alone = users.all(|user| primitive_of(user) == primitive_of(&part.part));
        let earlier = streams.entry(accessor).or_insert(Some(index));
        let is_same = |earlier: &usize| decoded[*earlier].bytes == part.bytes;
        *earlier = earlier.filter(is_same).filter(|_| is_alone);
    }
    streams
}

/// The primitive that a path lies in.
fn primitive_of(path: &str) -> Option<&str> {
    let (end, _) = path.match_indices('/').nth(3)?;
    path.starts_with("meshes/").then(|| &path[..end])
}

impl Document {
    /// The place of an accessor's decoded numbers, and their type, if Draco has compressed them.
    pub(super) fn in_stream(
        &self,
        index: usize,
        accessor: &Accessor,
    ) -> Result<Option<(Place, Component)>, Refusal> {
        let Some(stream) = self.streams.get(&index) else {
            return Ok(None);
        };
        let index = stream.ok_or(Refusal::Compressed)?;
        let part = &self.decoded[index];
        let component = part
            .component_type
            .and_then(|code| Component::of(code as usize));
        let component = component.ok_or(Refusal::Storage)?;
        let size = accessor.width * component.size();
        if accessor.count.checked_mul(size) != Some(part.bytes.len()) {
            return Err(Refusal::Storage);
        }
        Ok(Some((
            Place::in_decoded(index, size, accessor.count),
            component,
        )))
    }

    /// Whether Draco has compressed an accessor.
    pub(crate) fn is_in_stream(&self, accessor: usize) -> bool {
        self.streams.contains_key(&accessor)
    }

    /// The decoded bytes of a view that meshopt has compressed.
    pub(super) fn decoded_view(&self, view: usize) -> Result<usize, Refusal> {
        let name = format!("bufferViews/{view}");
        let index = self.decoded.iter().position(|part| part.part == name);
        index.ok_or(Refusal::Compressed)
    }

    /// Stores an accessor plainly, and all that its codec has compressed with it.
    ///
    /// * `users` – the paths of the references for which it changes.
    pub(super) fn unpack(
        &mut self,
        accessor: usize,
        users: &BTreeSet<String>,
    ) -> Result<(), Refusal> {
        for user in users {
            self.unpack_primitive(user)?;
        }
        let view = self.json.at(&format!("accessors/{accessor}/bufferView"));
        match view.and_then(Json::whole) {
            Some(view) => self.unpack_view(view),
            None => Ok(()),
        }
    }

    /// Stores a primitive plainly.
    ///
    /// * `path` – of the primitive, or of something in it.
    pub(super) fn unpack_primitive(&mut self, path: &str) -> Result<(), Refusal> {
        let Some(primitive) = primitive_of(path) else {
            return Ok(());
        };
        if self
            .json
            .at(&format!("{primitive}/extensions/{DRACO}"))
            .is_none()
        {
            return Ok(());
        }
        let is_own = |part: &&Decoded| primitive_of(&part.part) == Some(primitive);
        let parts: Vec<String> = self
            .decoded
            .iter()
            .filter(is_own)
            .map(|own| own.part.clone())
            .collect();
        let mut streams = BTreeMap::new();
        for part in &parts {
            let index = self
                .json
                .at(part)
                .and_then(Json::whole)
                .ok_or(Refusal::Storage)?;
            let (mut accessor, numbers) = (self.accessor(index)?, self.read(index)?);
            let stated = self.json.at(&format!("accessors/{index}/componentType"));
            if let Some(stated) = stated.and_then(Json::whole).and_then(Component::of)
                && accessor.component != Component::F32
                && !accessor.normalized
                && numbers.iter().all(|own| stated.holds(*own))
            {
                accessor.component = stated;
            }
            streams.insert(index, (accessor, numbers));
        }
        if streams.is_empty() {
            return Err(Refusal::Compressed);
        }
        self.remove_extension(primitive, DRACO);
        for (index, (accessor, numbers)) in streams {
            self.streams.remove(&index);
            let users = self.users(index).map(str::to_owned).collect();
            self.append(index, accessor, &users, &numbers)?;
            self.restate_bounds(index, accessor.width, &numbers);
        }
        self.plain.insert(primitive.to_owned());
        Ok(())
    }

    /// Stores a view plainly, if meshopt has compressed it.
    fn unpack_view(&mut self, view: usize) -> Result<(), Refusal> {
        let path = format!("bufferViews/{view}");
        if self.json.at(&path).and_then(codec).is_none() {
            return Ok(());
        }
        let bytes = self.decoded[self.decoded_view(view)?].bytes.clone();
        let (buffer, start) = self.add_bytes(&bytes);
        let json = self.json.at_mut(&path).ok_or(Refusal::Storage)?;
        for (name, number) in [
            ("buffer", buffer),
            ("byteOffset", start),
            ("byteLength", bytes.len()),
        ] {
            json.set(name, Json::Text(number.to_string()));
        }
        for name in MESHOPT {
            self.remove_extension(&path, name);
        }
        // A codec may have rounded what the bounds were stated of.
        for index in places::accessors_of(&self.json, view) {
            if let (Ok(accessor), Ok(numbers)) = (self.accessor(index), self.read(index)) {
                self.restate_bounds(index, accessor.width, &numbers);
            }
        }
        self.plain.insert(path);
        Ok(())
    }

    /// Removes an extension from an object, and from the lists of the document if no object has it any more.
    fn remove_extension(&mut self, path: &str, name: &str) {
        let Some(object) = self.json.at_mut(path) else {
            return;
        };
        if let Some(extensions) = object.at_mut("extensions") {
            extensions.remove(name);
            if extensions.members().next().is_none() {
                object.remove("extensions");
            }
        }
        if self.json.mentions(name) {
            return;
        }
        for list in ["extensionsUsed", "extensionsRequired"] {
            let Some(own) = self.json.at_mut(list) else {
                continue;
            };
            let names = own.items().enumerate();
            let removed = names.filter(|(_, own)| own.string().as_deref() == Some(name));
            let removed = removed.map(|(index, _)| index).collect();
            own.remove_items(&removed);
            if own.items().len() == 0 {
                self.json.remove(list);
            }
        }
    }
}
