//! Where the elements of accessors are, and what refers to accessors.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::compressed::codec;
use super::json::Json;
use super::numbers::{Component, width};

/// Elements in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(super) buffer: usize,
    start: usize,
    pub(super) stride: usize,
    /// Of an element, in bytes.
    pub(super) size: usize,
    pub(super) count: usize,
    /// Whether the elements are among what codecs decoded, instead of in a buffer.
    pub(super) is_compressed: bool,
}

impl Place {
    /// * `json` – an accessor, or a part of a sparse one, with a buffer view.
    pub(super) fn of(root: &Json, json: &Json, size: usize, count: usize) -> Option<Self> {
        let number = |json: &Json, name: &str| match json.get(name) {
            Some(own) => own.whole(),
            None => Some(0),
        };
        let index = json.get("bufferView")?.whole()?;
        let view = root.at(&format!("bufferViews/{index}"))?;
        let offset = number(json, "byteOffset")?;
        let stride = view.get("byteStride").map_or(Some(size), Json::whole)?;
        let place = Self {
            buffer: view.get("buffer")?.whole()?,
            start: number(view, "byteOffset")?.checked_add(offset)?,
            stride: stride.max(1),
            size,
            count,
            is_compressed: codec(view).is_some(),
        };
        let length = view.get("byteLength")?.whole()?;
        (place.length()?.checked_add(offset)? <= length).then_some(place)
    }

    /// The elements of a decoded part.
    pub(super) fn in_decoded(part: usize, size: usize, count: usize) -> Self {
        Self {
            buffer: part,
            start: 0,
            stride: size,
            size,
            count,
            is_compressed: true,
        }
    }

    /// The same elements elsewhere.
    pub(super) fn moved(self, buffer: usize, start: usize) -> Self {
        Self {
            buffer,
            start,
            ..self
        }
    }

    /// All bytes of a view, or of the stream that replaces it.
    pub(super) fn whole(view: &Json) -> Option<Self> {
        let number = |name: &str| view.get(name).and_then(Json::whole);
        Some(Self {
            buffer: number("buffer")?,
            start: number("byteOffset").unwrap_or(0),
            stride: 1,
            size: number("byteLength")?,
            count: 1,
            is_compressed: false,
        })
    }

    /// From the first byte to the last; `None` if there are too many to count.
    fn length(&self) -> Option<usize> {
        let Some(last) = self.count.checked_sub(1) else {
            return Some(0);
        };
        self.stride.checked_mul(last)?.checked_add(self.size)
    }

    pub(super) fn end(&self) -> usize {
        self.length()
            .map_or(usize::MAX, |length| self.start.saturating_add(length))
    }

    pub(super) fn elements(self) -> impl Iterator<Item = Range<usize>> {
        (0..self.count).map(move |element| {
            let start = self.start + element * self.stride;
            start..start + self.size
        })
    }

    /// Whether two share a byte. Elements side by side in one row of attributes do not.
    pub(super) fn meets(&self, other: &Self) -> bool {
        if self.buffer != other.buffer || self.start >= other.end() || other.start >= self.end() {
            return false;
        }
        if self.stride != other.stride || self.stride == self.size {
            return true;
        }
        // Where the other's elements begin in the rows of this one.
        let stride = self.stride;
        let distance = (other.start % stride + stride - self.start % stride) % stride;
        !(distance >= self.size && distance + other.size <= stride)
    }
}

/// The accessors of a view.
pub(super) fn accessors_of(root: &Json, view: usize) -> Vec<usize> {
    let accessors = root.get("accessors").into_iter().flat_map(Json::items);
    let own = accessors
        .enumerate()
        .filter(|(_, accessor)| accessor.get("bufferView").and_then(Json::whole) == Some(view));
    own.map(|(index, _)| index).collect()
}

/// All bytes that something else than the accessor number `index` may read.
pub(super) fn others(root: &Json, index: usize) -> impl Iterator<Item = Place> {
    let accessors = root.get("accessors").into_iter().flat_map(Json::items);
    // The views of which only the listed elements are read, and those that are read as a whole: by images, by codecs, by the parts
    // of sparse accessors.
    let (mut in_part, mut whole) = (BTreeSet::new(), BTreeSet::new());
    let mut places = Vec::new();
    for (number, accessor) in accessors.enumerate() {
        for part in ["sparse/indices/bufferView", "sparse/values/bufferView"] {
            whole.extend(accessor.at(part).and_then(Json::whole));
        }
        let read = || {
            let component = Component::of(accessor.get("componentType")?.whole()?)?;
            let size = width(&accessor.get("type")?.string()?)? * component.size();
            Place::of(root, accessor, size, accessor.get("count")?.whole()?)
        };
        let view = accessor.get("bufferView").and_then(Json::whole);
        match read() {
            Some(place) => {
                in_part.extend(view);
                places.extend(Some(place).filter(|_| number != index));
            }
            None => whole.extend(view),
        }
    }
    let views = root.get("bufferViews").into_iter().flat_map(Json::items);
    for (number, view) in views.enumerate() {
        let own = Some(view).filter(|_| whole.contains(&number) || !in_part.contains(&number));
        places.extend(
            [own, codec(view)]
                .into_iter()
                .flatten()
                .filter_map(Place::whole),
        );
    }
    places.into_iter()
}

/// The paths of the references to each accessor.
pub(super) fn users(root: &Json) -> BTreeMap<usize, BTreeSet<String>> {
    let mut users: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    let mut add = |path: String, reference: Option<&Json>| {
        if let Some(accessor) = reference.and_then(Json::whole) {
            users.entry(accessor).or_default().insert(path);
        }
    };
    let lists = |path: &str| root.at(path).map_or(0, |list| list.items().len());
    let members = |path: &str| root.at(path).into_iter().flat_map(Json::members);
    for mesh in 0..lists("meshes") {
        for primitive in 0..lists(&format!("meshes/{mesh}/primitives")) {
            let own = format!("meshes/{mesh}/primitives/{primitive}");
            let indices = format!("{own}/indices");
            add(indices.clone(), root.at(&indices));
            let targets = lists(&format!("{own}/targets"));
            let targets = (0..targets).map(|target| format!("{own}/targets/{target}"));
            for group in targets.chain([format!("{own}/attributes")]) {
                for (name, accessor) in members(&group) {
                    add(format!("{group}/{name}"), Some(accessor));
                }
            }
        }
    }
    let mut add_at = |path: String| add(path.clone(), root.at(&path));
    for skin in 0..lists("skins") {
        add_at(format!("skins/{skin}/inverseBindMatrices"));
    }
    for animation in 0..lists("animations") {
        for sampler in 0..lists(&format!("animations/{animation}/samplers")) {
            add_at(format!("animations/{animation}/samplers/{sampler}/input"));
            add_at(format!("animations/{animation}/samplers/{sampler}/output"));
        }
    }
    for node in 0..lists("nodes") {
        let group = format!("nodes/{node}/extensions/EXT_mesh_gpu_instancing/attributes");
        for (name, accessor) in members(&group) {
            add(format!("{group}/{name}"), Some(accessor));
        }
    }
    users
}
