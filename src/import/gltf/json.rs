//! From the text of a document to the types of the crate `gltf`, which are stricter than files are and than they have to
//! be for a rig.
//!
//! The text becomes a tree first, which is trimmed to what is read and put into the form that the types ask for. Nothing
//! is lost on the way that changes a shape or a pose; what the standard makes optional, and the types do not, gets its
//! default.

use serde_json::error::Category;
use serde_json::{Map, Value};

use super::error::GltfError;

/// Stands for a reference that the file does not make.
pub(super) const NOTHING: u32 = u32::MAX;

/// Members that hold whole numbers. JSON knows only one kind of number, so that `3.0` is as good as `3`.
const WHOLE: &[&str] = &[
    "buffer",
    "bufferView",
    "byteLength",
    "byteOffset",
    "byteStride",
    "children",
    "componentType",
    "count",
    "index",
    "indices",
    "input",
    "inverseBindMatrices",
    "joints",
    "material",
    "mesh",
    "mode",
    "node",
    "nodes",
    "output",
    "sampler",
    "scene",
    "skeleton",
    "skin",
    "source",
    "texCoord",
    "wrapS",
    "wrapT",
];

/// Those of them that are no reference, so that they may be past [`u32::MAX`].
const SIZES: &[&str] = &["byteLength", "byteOffset", "byteStride", "count"];

/// Lists of a part that may be absent from the file, and may not from the types.
const LISTS: &[(&str, &[&str])] = &[
    ("scenes", &["nodes"]),
    ("skins", &["joints"]),
    ("meshes", &["primitives"]),
    ("animations", &["channels", "samplers"]),
];

/// What a rig needs of a material.
const OF_MATERIAL: &[&str] = &[
    "name",
    "alphaCutoff",
    "alphaMode",
    "doubleSided",
    "pbrMetallicRoughness",
    "extensions",
];

/// And of how it reflects.
const OF_REFLECTION: &[&str] = &[
    "baseColorFactor",
    "baseColorTexture",
    "diffuseFactor",
    "diffuseTexture",
];

/// The tree of a text.
///
/// # Errors
///
/// [`GltfError::CutOff`] and [`GltfError::Syntax`], with line and column.
pub(super) fn parse(text: &[u8]) -> Result<Value, GltfError> {
    serde_json::from_slice(text).map_err(|error| match error.classify() {
        Category::Eof => GltfError::CutOff {
            line: error.line(),
            column: error.column(),
        },
        _ => GltfError::Syntax {
            reason: error.to_string(),
        },
    })
}

/// What [`mend`] took out of the tree.
#[derive(Debug, Default)]
pub(super) struct Removed {
    /// For each mesh the names of its morph targets, by a custom that the standard recommends (§3.7.2.2).
    pub(super) target_names: Vec<Vec<String>>,
    /// For each animation how many channels drive something that is no node.
    pub(super) loose_channels: Vec<usize>,
}

/// Puts the tree of a document into the form that the types ask for.
pub(super) fn mend(document: &mut Value) -> Removed {
    let removed = Removed {
        target_names: list(document, "meshes")
            .map(|mesh| target_names(mesh))
            .collect(),
        loose_channels: list(document, "animations")
            .map(remove_loose_channels)
            .collect(),
    };
    for (parts, lists) in LISTS {
        for part in list(document, parts) {
            lists
                .iter()
                .for_each(|list| default(part, list, Value::Array(Vec::new())));
        }
    }
    list(document, "accessors").for_each(|accessor| remove(accessor, &["min", "max"]));
    list(document, "textures").for_each(mend_texture);
    list(document, "materials").for_each(mend_material);
    tidy(document, "");
    removed
}

/// The parts of a list of the document.
fn list<'a>(document: &'a mut Value, name: &str) -> impl Iterator<Item = &'a mut Value> {
    let list = document.get_mut(name).and_then(Value::as_array_mut);
    list.into_iter().flatten()
}

fn default(part: &mut Value, name: &str, value: Value) {
    if let Some(members) = part.as_object_mut() {
        members.entry(name).or_insert(value);
    }
}

fn remove(part: &mut Value, names: &[&str]) {
    if let Some(members) = part.as_object_mut() {
        for name in names {
            members.remove(*name);
        }
    }
}

fn keep(part: &mut Value, names: &[&str]) {
    if let Some(members) = part.as_object_mut() {
        members.retain(|name, _| names.contains(&name.as_str()));
    }
}

fn target_names(mesh: &Value) -> Vec<String> {
    let names = mesh["extras"]["targetNames"].as_array();
    let names = names.into_iter().flatten();
    names
        .map(|name| name.as_str().unwrap_or_default().to_owned())
        .collect()
}

fn remove_loose_channels(animation: &mut Value) -> usize {
    let Some(channels) = animation.get_mut("channels").and_then(Value::as_array_mut) else {
        return 0;
    };
    let all = channels.len();
    channels.retain(|channel| !channel["target"]["node"].is_null());
    all - channels.len()
}

/// A texture may leave its picture to an extension; WebP is one that can be read.
fn mend_texture(texture: &mut Value) {
    let webp = texture
        .pointer("/extensions/EXT_texture_webp/source")
        .cloned();
    default(texture, "source", webp.unwrap_or_else(|| NOTHING.into()));
}

fn mend_material(material: &mut Value) {
    keep(material, OF_MATERIAL);
    if let Some(reflection) = material.get_mut("pbrMetallicRoughness") {
        keep(reflection, OF_REFLECTION);
    }
}

/// Removes what anybody may add in any form, and makes numbers whole that have to be.
fn tidy(value: &mut Value, name: &str) {
    match value {
        Value::Object(members) => tidy_members(members),
        Value::Array(items) => items.iter_mut().for_each(|item| tidy(item, name)),
        Value::Number(number) if is_whole(name) => {
            if let Some(whole) = whole(number, SIZES.contains(&name)) {
                *value = whole.into();
            }
        }
        _ => {}
    }
}

fn tidy_members(members: &mut Map<String, Value>) {
    members.remove("extras");
    for (name, member) in members {
        tidy(member, name);
    }
}

/// Whether the member is one of [`WHOLE`], or an attribute of vertices, which refers to an accessor.
fn is_whole(name: &str) -> bool {
    let is_attribute = name.starts_with(|first: char| first.is_ascii_uppercase() || first == '_');
    is_attribute || WHOLE.contains(&name)
}

/// `number` without its fraction of 0. A reference too large for the types stays too large: they would cut its upper
/// bits off, and so make another reference of it.
fn whole(number: &serde_json::Number, is_size: bool) -> Option<u64> {
    /// Up to here an f64 is exact.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let fraction_of_0 = |number: f64| number.fract() == 0.0 && (0.0..=EXACT).contains(&number);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked before"
    )]
    let from_float = || {
        number
            .as_f64()
            .filter(|&number| fraction_of_0(number))
            .map(|number| number as u64)
    };
    let whole = number.as_u64().or_else(from_float)?;
    Some(if is_size {
        whole
    } else {
        whole.min(NOTHING.into())
    })
}

#[cfg(test)]
mod tests;
