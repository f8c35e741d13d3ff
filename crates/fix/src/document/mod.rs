//! A glTF file in which single values are changed, and everything else stays as it is.

mod channels;
mod compressed;
mod container;
pub(crate) mod json;
mod numbers;
mod places;
mod unused;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use data_encoding::{BASE64, BASE64_NOPAD};
use percent_encoding::percent_decode_str;

use container::Container;
pub(crate) use json::Json;
pub(crate) use numbers::Component;
use numbers::width;
use places::Place;
use unused::Used;

use crate::paths::open_regular;
use crate::rig::Decoded;

/// Why a part of a file is left as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub(crate) enum Refusal {
    /// A codec has encoded the numbers, for parts that share them or in a build without its decoder.
    #[error(
        "its data are compressed; decode the file first, for example with `npx @gltf-transform/cli copy`"
    )]
    Compressed,
    /// The data cannot be read as the repair needs them.
    #[error("its data are stored in a way that is not repaired")]
    Storage,
    /// The result would be too large for its container.
    #[error("the file would become too large")]
    TooLarge,
}

/// A file, taken apart.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    container: Container,
    pub(crate) json: Json,
    buffers: Vec<Buffer>,
    /// The paths of all references to each accessor.
    users: BTreeMap<usize, BTreeSet<String>>,
    /// What codecs made of its compressed parts.
    decoded: Rc<Vec<Decoded>>,
    /// The accessors that Draco has compressed; see [`compressed::streams`].
    streams: BTreeMap<usize, Option<usize>>,
    /// What was referred to when the file was opened.
    used: Used,
    /// The compressed and sparse parts that are stored plainly, by their paths.
    pub(crate) plain: BTreeSet<String>,
}

#[derive(Debug, Clone)]
struct Buffer {
    bytes: Vec<u8>,
    home: Home,
    is_changed: bool,
}

/// Where the bytes of a buffer are.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Home {
    /// In the binary chunk.
    Chunk,
    /// In a data URI of base64, with this beginning.
    Uri(String),
    /// In another file, which is not written; `None` if it cannot be read.
    Outside(Option<PathBuf>),
}

/// The beginning of the URIs of new buffers.
const OCTETS: &str = "data:application/octet-stream;base64,";

/// What the bytes of a view are for.
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

/// An accessor whose numbers can be read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Accessor {
    pub(crate) count: usize,
    /// Numbers per element.
    pub(crate) width: usize,
    /// What a codec decoded may be of another type than the file states.
    pub(crate) component: Component,
    pub(crate) normalized: bool,
    place: Option<Place>,
    is_sparse: bool,
}

impl Accessor {
    /// What a stored number is divided by.
    pub(crate) fn whole(&self) -> f64 {
        if self.normalized {
            self.component.whole()
        } else {
            1.0
        }
    }
}

impl Document {
    /// Takes a file apart; `None` if it is not whole.
    ///
    /// * `folder` – the folder that the paths of buffers are relative to.
    /// * `named` – the files that the model may name. Buffers elsewhere count as empty.
    /// * `decoded` – what codecs made of its compressed parts.
    pub(crate) fn open(
        file: &[u8],
        folder: &Path,
        named: &[PathBuf],
        decoded: Vec<Decoded>,
    ) -> Option<Self> {
        let (container, text, binary) = container::open(file)?;
        let json = Json::parse(&text)?;
        let mut buffers = Vec::new();
        let stated = json.get("buffers");
        for (index, buffer) in stated.into_iter().flat_map(Json::items).enumerate() {
            let loaded = match buffer.get("uri").and_then(Json::string) {
                None => {
                    let chunk = binary.clone().filter(|_| index == 0);
                    chunk.map(|bytes| (bytes, Home::Chunk))
                }
                Some(uri) => load(&uri, folder, named),
            };
            let (bytes, home) = loaded.unwrap_or((Vec::new(), Home::Outside(None)));
            buffers.push(Buffer {
                bytes,
                home,
                is_changed: false,
            });
        }
        let users = places::users(&json);
        Some(Self {
            container,
            buffers,
            streams: compressed::streams(&json, &users, &decoded),
            used: Used::of(&json),
            decoded: Rc::new(decoded),
            plain: BTreeSet::new(),
            users,
            json,
        })
    }

    /// The file.
    pub(crate) fn close(&self) -> Result<Vec<u8>, Refusal> {
        let (mut json, removed) = self.without_unused();
        let mut binary = None;
        let buffers = self.buffers.iter().enumerate();
        let kept = buffers.filter(|(index, _)| !removed.contains(index));
        for (index, (_, buffer)) in kept.enumerate() {
            if buffer.home == Home::Chunk {
                binary = Some(buffer.bytes.as_slice());
            }
            let Some(own) = json.at_mut(&format!("buffers/{index}")) else {
                return Err(Refusal::Storage);
            };
            if !buffer.is_changed {
                continue;
            }
            // A chunk may be longer than its buffer, by its padding.
            let length = own.get("byteLength").and_then(Json::whole);
            let end = length.and_then(|length| length.checked_next_multiple_of(4));
            if end.is_none_or(|end| end < buffer.bytes.len()) {
                own.set("byteLength", Json::Text(buffer.bytes.len().to_string()));
            }
            if let Home::Uri(head) = &buffer.home {
                let uri = format!("{head}{}", BASE64.encode(&buffer.bytes));
                own.set("uri", Json::Text(json::quoted(&uri)));
            }
        }
        let file = self.container.close(&json.to_text(), binary);
        file.ok_or(Refusal::TooLarge)
    }

    /// The buffers in other files.
    pub(crate) fn outside(&self) -> impl Iterator<Item = &Path> {
        self.buffers.iter().filter_map(|buffer| match &buffer.home {
            Home::Outside(path) => path.as_deref(),
            _ => None,
        })
    }

    /// The bytes of each image that is in a buffer.
    pub(crate) fn images(&self) -> Vec<Option<&[u8]>> {
        let images = self.json.get("images").into_iter().flat_map(Json::items);
        let bytes = images.map(|image| {
            let view = image.get("bufferView")?.whole()?;
            let place = Place::whole(self.json.at(&format!("bufferViews/{view}"))?)?;
            self.bytes(place)?.get(place.elements().next()?)
        });
        bytes.collect()
    }

    /// An accessor, by its number.
    pub(crate) fn accessor(&self, index: usize) -> Result<Accessor, Refusal> {
        let json = self.json.at(&format!("accessors/{index}"));
        let json = json.ok_or(Refusal::Storage)?;
        let read = || {
            let component = Component::of(json.get("componentType")?.whole()?)?;
            Some(Accessor {
                count: json.get("count")?.whole()?,
                width: width(&json.get("type")?.string()?)?,
                component,
                normalized: matches!(json.get("normalized"), Some(Json::Text(text)) if text == "true"),
                place: None,
                is_sparse: json.get("sparse").is_some(),
            })
        };
        let mut accessor: Accessor = read().ok_or(Refusal::Storage)?;
        if let Some((place, stored)) = self.in_stream(index, &accessor)? {
            return Ok(Accessor {
                component: stored,
                normalized: accessor.normalized && stored != Component::F32,
                place: Some(place),
                is_sparse: false,
                ..accessor
            });
        }
        if json.get("bufferView").is_some() {
            let size = accessor.width * accessor.component.size();
            accessor.place = Some(self.place_of(json, size, accessor.count)?);
        }
        Ok(accessor)
    }

    /// Where the elements are that an accessor, or a part of a sparse one, describes.
    fn place_of(&self, json: &Json, size: usize, count: usize) -> Result<Place, Refusal> {
        let mut place = Place::of(&self.json, json, size, count).ok_or(Refusal::Storage)?;
        if place.is_compressed {
            let view = json.get("bufferView").and_then(Json::whole);
            let index = self.decoded_view(view.ok_or(Refusal::Storage)?)?;
            let offset = json.get("byteOffset").and_then(Json::whole).unwrap_or(0);
            place = place.moved(index, offset);
        }
        let bytes = self.bytes(place).ok_or(Refusal::Storage)?;
        if place.end() > bytes.len() {
            return Err(Refusal::Storage);
        }
        Ok(place)
    }

    /// The bytes that a place is in.
    fn bytes(&self, place: Place) -> Option<&[u8]> {
        if place.is_compressed {
            Some(&self.decoded.get(place.buffer)?.bytes)
        } else {
            Some(&self.buffers.get(place.buffer)?.bytes)
        }
    }

    /// The numbers of an accessor as stored, element by element.
    pub(crate) fn read(&self, index: usize) -> Result<Vec<f64>, Refusal> {
        let accessor = self.accessor(index)?;
        let total = accessor.count.checked_mul(accessor.width);
        let total = total.ok_or(Refusal::Storage)?;
        let mut numbers = match accessor.place {
            Some(place) => self.decode(place, accessor.component),
            None if total <= MOST_ZEROS => vec![0.0; total],
            None => return Err(Refusal::Storage),
        };
        if !accessor.is_sparse {
            return Ok(numbers);
        }
        let sparse = self.json.at(&format!("accessors/{index}/sparse"));
        let part = |name: &str| {
            sparse
                .and_then(|sparse| sparse.get(name))
                .ok_or(Refusal::Storage)
        };
        let count = part("count")?.whole().ok_or(Refusal::Storage)?;
        let (indices, values) = (part("indices")?, part("values")?);
        let stored = indices.get("componentType").and_then(Json::whole);
        let stored = stored.and_then(Component::of).ok_or(Refusal::Storage)?;
        let size = accessor.width * accessor.component.size();
        let indices = self.decode(self.place_of(indices, stored.size(), count)?, stored);
        let values = self.decode(self.place_of(values, size, count)?, accessor.component);
        for (element, value) in indices.iter().zip(values.chunks_exact(accessor.width)) {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "it was an unsigned integer"
            )]
            let start = *element as usize * accessor.width;
            let own = numbers.get_mut(start..start + accessor.width);
            own.ok_or(Refusal::Storage)?.copy_from_slice(value);
        }
        Ok(numbers)
    }

    fn decode(&self, place: Place, component: Component) -> Vec<f64> {
        let bytes = self.bytes(place).unwrap_or_default();
        let elements = place.elements().map(|range| &bytes[range]);
        let numbers = elements.flat_map(|element| element.chunks_exact(component.size()));
        numbers.map(|number| component.decode(number)).collect()
    }

    /// The references to an accessor, by their paths.
    pub(crate) fn users(&self, accessor: usize) -> impl Iterator<Item = &str> {
        self.users
            .get(&accessor)
            .into_iter()
            .flatten()
            .map(String::as_str)
    }

    /// Replaces the numbers of an accessor for some of its users.
    ///
    /// The bytes are patched where nothing else reads them; otherwise new ones are appended. An accessor that others use too is
    /// copied first. Stated bounds follow the numbers.
    ///
    /// * `users` – the paths of the references that are to see the new numbers.
    /// * `numbers` – all of them, as stored; as many as before.
    pub(crate) fn replace(
        &mut self,
        index: usize,
        users: &BTreeSet<String>,
        numbers: &[f64],
    ) -> Result<(), Refusal> {
        self.unpack(index, users)?;
        let accessor = self.accessor(index)?;
        let before = self.read(index)?;
        let stored = numbers
            .iter()
            .map(|number| accessor.component.stored(*number));
        let numbers = &stored.collect::<Vec<f64>>();
        if before.len() != numbers.len() {
            return Err(Refusal::Storage);
        }
        let is_shared = self.users(index).any(|user| !users.contains(user));
        let place = accessor
            .place
            .filter(|place| !is_shared && !accessor.is_sparse && self.can_patch(index, *place));
        let owner = match place {
            Some(place) => {
                self.patch(place, accessor.component, &before, numbers);
                index
            }
            None => self.append(index, accessor, users, numbers)?,
        };
        self.restate_bounds(owner, accessor.width, numbers);
        Ok(())
    }

    /// Stores the numbers of an accessor in a new place of their own.
    pub(crate) fn rewrite(&mut self, index: usize) -> Result<(), Refusal> {
        let users: BTreeSet<String> = self.users(index).map(str::to_owned).collect();
        self.unpack(index, &users)?;
        let accessor = self.accessor(index)?;
        let numbers = self.read(index)?;
        self.append(index, accessor, &users, &numbers)?;
        Ok(())
    }

    fn can_patch(&self, index: usize, place: Place) -> bool {
        let is_ours = !matches!(self.buffers[place.buffer].home, Home::Outside(_));
        is_ours && !places::others(&self.json, index).any(|other| place.meets(&other))
    }

    /// Writes the elements that differ.
    fn patch(&mut self, place: Place, component: Component, before: &[f64], after: &[f64]) {
        let buffer = &mut self.buffers[place.buffer];
        let width = place.size / component.size();
        let pairs = before.chunks_exact(width).zip(after.chunks_exact(width));
        for ((before, after), range) in pairs.zip(place.elements()) {
            for (number, (old, new)) in before.iter().zip(after).enumerate() {
                if old.to_bits() != new.to_bits() {
                    let mut bytes = Vec::new();
                    component.encode(*new, &mut bytes);
                    let start = range.start + number * component.size();
                    buffer.bytes[start..start + bytes.len()].copy_from_slice(&bytes);
                    buffer.is_changed = true;
                }
            }
        }
    }

    /// Appends the numbers. Returns the accessor that reads them.
    fn append(
        &mut self,
        index: usize,
        accessor: Accessor,
        users: &BTreeSet<String>,
        numbers: &[f64],
    ) -> Result<usize, Refusal> {
        let is_attribute = users
            .iter()
            .any(|user| user.starts_with("meshes/") && !user.ends_with("/indices"));
        let size = accessor.width * accessor.component.size();
        let stride = if is_attribute {
            size.next_multiple_of(4)
        } else {
            size
        };
        let mut bytes = Vec::with_capacity(numbers.len() / accessor.width * stride);
        for element in numbers.chunks_exact(accessor.width) {
            for number in element {
                accessor.component.encode(*number, &mut bytes);
            }
            bytes.resize(bytes.len() + stride - size, 0);
        }
        let stride = (stride > size).then_some(stride);
        let owner = self.own(index, users)?;
        let path = format!("accessors/{owner}");
        let own = self.json.at_mut(&path).ok_or(Refusal::Storage)?;
        for name in ["bufferView", "byteOffset", "sparse"] {
            own.remove(name);
        }
        if accessor.is_sparse {
            self.plain.insert(path.clone());
        }
        let target = if is_attribute {
            Some(ARRAY_BUFFER)
        } else if users.iter().any(|user| user.ends_with("/indices")) {
            Some(ELEMENT_ARRAY_BUFFER)
        } else {
            None
        };
        let view = self.add_view(&bytes, target, stride)?;
        let own = self.json.at_mut(&path).ok_or(Refusal::Storage)?;
        own.set("bufferView", Json::Text(view.to_string()));
        own.set("count", Json::Text(accessor.count.to_string()));
        let component = accessor.component.code();
        if own.get("componentType").and_then(Json::whole) != Some(component) {
            own.set("componentType", Json::Text(component.to_string()));
            if !accessor.normalized {
                own.remove("normalized");
            }
        }
        Ok(owner)
    }

    /// The accessor for these users alone, which is a copy if others use it too.
    fn own(&mut self, index: usize, users: &BTreeSet<String>) -> Result<usize, Refusal> {
        if self.users(index).all(|user| users.contains(user)) {
            return Ok(index);
        }
        let copy = self.json.at(&format!("accessors/{index}")).cloned();
        let accessors = self.json.at_mut("accessors").ok_or(Refusal::Storage)?;
        accessors.push(copy.ok_or(Refusal::Storage)?);
        let copy = accessors.items().len() - 1;
        for user in users {
            if self
                .users
                .get_mut(&index)
                .is_some_and(|all| all.remove(user))
                && let Some(reference) = self.json.at_mut(user)
            {
                *reference = Json::Text(copy.to_string());
                self.users.entry(copy).or_default().insert(user.clone());
            }
        }
        Ok(copy)
    }

    /// Keeps some elements of an accessor for some of its users. All bytes stay.
    ///
    /// * `users` – the paths of the references that are to see only these.
    pub(crate) fn keep(
        &mut self,
        index: usize,
        users: &BTreeSet<String>,
        elements: Range<usize>,
    ) -> Result<(), Refusal> {
        self.unpack(index, users)?;
        let accessor = self.accessor(index)?;
        let place = accessor.place.filter(|_| !accessor.is_sparse);
        let skipped = elements.start * place.ok_or(Refusal::Storage)?.stride;
        let width = accessor.width;
        let mut numbers = self.read(index)?;
        numbers.truncate(elements.end * width);
        numbers.drain(..elements.start * width);
        let owner = self.own(index, users)?;
        let json = self.json.at_mut(&format!("accessors/{owner}"));
        let json = json.ok_or(Refusal::Storage)?;
        json.set("count", Json::Text(elements.len().to_string()));
        if skipped > 0 {
            let offset = json.get("byteOffset").and_then(Json::whole).unwrap_or(0);
            json.set("byteOffset", Json::Text((offset + skipped).to_string()));
        }
        self.restate_bounds(owner, width, &numbers);
        Ok(())
    }

    /// Adds bytes to the last buffer that this file holds. Returns the number of that, and where they start.
    fn add_bytes(&mut self, bytes: &[u8]) -> (usize, usize) {
        let is_new = |buffer: &Buffer| {
            buffer.home == Home::Chunk || buffer.home == Home::Uri(OCTETS.to_owned())
        };
        let known = self.buffers.iter().rposition(is_new);
        let buffer = known.unwrap_or(self.buffers.len());
        if known.is_none() {
            let mut stated = Json::Text("{}".to_owned());
            stated.set("byteLength", Json::Text("0".to_owned()));
            self.json.list("buffers").push(stated);
            self.buffers.push(Buffer {
                bytes: Vec::new(),
                home: Home::Uri(OCTETS.to_owned()),
                is_changed: true,
            });
        }
        let own = &mut self.buffers[buffer];
        own.bytes.resize(own.bytes.len().next_multiple_of(4), 0);
        let start = own.bytes.len();
        own.bytes.extend(bytes);
        own.is_changed = true;
        (buffer, start)
    }

    /// Adds bytes as a buffer view, in the place of an unused one if there is one. Returns its number.
    fn add_view(
        &mut self,
        bytes: &[u8],
        target: Option<u32>,
        stride: Option<usize>,
    ) -> Result<usize, Refusal> {
        let (buffer, start) = self.add_bytes(bytes);
        let length = bytes.len();
        let stride = stride.map_or(String::new(), |stride| format!(",\"byteStride\":{stride}"));
        let target = target.map_or(String::new(), |target| format!(",\"target\":{target}"));
        let view = format!(
            "{{\"buffer\":{buffer},\"byteOffset\":{start},\"byteLength\":{length}{stride}{target}}}"
        );
        let view = Json::parse(&view).ok_or(Refusal::Storage)?;
        if let Some(unused) = self.unused_view()
            && let Some(own) = self.json.at_mut(&format!("bufferViews/{unused}"))
        {
            *own = view;
            return Ok(unused);
        }
        let views = self.json.list("bufferViews");
        views.push(view);
        Ok(views.items().len() - 1)
    }

    /// Adds an accessor of three floats for each vertex. Returns its number.
    pub(crate) fn add_vectors(&mut self, numbers: &[f64]) -> Result<usize, Refusal> {
        let mut bytes = Vec::with_capacity(numbers.len() * 4);
        for number in numbers {
            Component::F32.encode(*number, &mut bytes);
        }
        let view = self.add_view(&bytes, Some(ARRAY_BUFFER), None)?;
        let count = numbers.len() / 3;
        let accessor = format!(
            "{{\"bufferView\":{view},\"componentType\":5126,\"count\":{count},\"type\":\"VEC3\"}}"
        );
        let accessors = self.json.list("accessors");
        accessors.push(Json::parse(&accessor).ok_or(Refusal::Storage)?);
        Ok(accessors.items().len() - 1)
    }

    /// Adds a reference to an accessor.
    ///
    /// * `path` – the object that refers to it, as `name`.
    pub(crate) fn refer(&mut self, path: &str, name: &str, accessor: usize) -> Result<(), Refusal> {
        self.unpack_primitive(path)?;
        let object = self.json.at_mut(path).ok_or(Refusal::Storage)?;
        object.set(name, Json::Text(accessor.to_string()));
        let users = self.users.entry(accessor).or_default();
        users.insert(format!("{path}/{name}"));
        Ok(())
    }

    /// States the bounds of an accessor again, if it states any.
    fn restate_bounds(&mut self, index: usize, width: usize, numbers: &[f64]) {
        if let Some(json) = self.json.at_mut(&format!("accessors/{index}")) {
            for (name, bound) in ["min", "max"].into_iter().zip(bounds(numbers, width)) {
                let stated = json
                    .get(name)
                    .map(|stated| stated.items().map(Json::number));
                let is_other = |stated| !Iterator::eq(stated, bound.iter().copied().map(Some));
                if stated.is_some_and(is_other) {
                    json.set(name, json::numbers(bound));
                }
            }
        }
    }
}

/// The most numbers of an accessor without bytes of its own.
const MOST_ZEROS: usize = 1 << 24;

/// The least and the greatest of each component.
pub(crate) fn bounds(numbers: &[f64], width: usize) -> [Vec<f64>; 2] {
    let mut bounds = [vec![f64::INFINITY; width], vec![f64::NEG_INFINITY; width]];
    for element in numbers.chunks_exact(width) {
        for (column, number) in element.iter().enumerate() {
            bounds[0][column] = bounds[0][column].min(*number);
            bounds[1][column] = bounds[1][column].max(*number);
        }
    }
    bounds
}

/// The bytes of a buffer; `None` if they cannot be read.
fn load(uri: &str, folder: &Path, named: &[PathBuf]) -> Option<(Vec<u8>, Home)> {
    let is_data = uri
        .get(..5)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"));
    if !is_data {
        let path = String::from_utf8(percent_decode_str(uri).collect()).ok()?;
        let path = folder.join(path);
        let mut bytes = Vec::new();
        let mut file = open_regular(named.iter().find(|own| **own == path)?).ok()?;
        file.read_to_end(&mut bytes).ok()?;
        return Some((bytes, Home::Outside(Some(path))));
    }
    let (head, body) = uri.split_once(',')?;
    let coding = head.rsplit(';').next()?;
    if !coding.eq_ignore_ascii_case("base64") {
        return None;
    }
    let bytes = BASE64_NOPAD
        .decode(body.trim_end_matches('=').as_bytes())
        .ok()?;
    Some((bytes, Home::Uri(format!("{head},"))))
}

impl Json {
    /// The list of this name, which is added to the object if it is not there.
    fn list(&mut self, name: &str) -> &mut Self {
        if self.get(name).is_none() {
            self.set(name, Self::Text("[]".to_owned()));
        }
        self.at_mut(name).expect("it was added")
    }
}
