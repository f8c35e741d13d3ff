//! Puts a part of a document into the form that the types of the crate `gltf` ask for, which are stricter than files are
//! and than they have to be for a rig.
//!
//! Nothing is lost on the way that changes a shape or a pose; what the standard makes optional, and the types do not, gets
//! its default.

use serde_json::{Map, Value};

/// Stands for a reference that the file does not make.
pub(super) const NOTHING: u32 = u32::MAX;

/// Members that hold whole numbers. JSON knows only one kind of number, so that `3.0` is as good as `3`.
const WHOLE: &[&str] = &[
    "buffer",
    "bufferView",
    "byteLength",
    "byteOffset",
    "byteStride",
    "camera",
    "children",
    "componentType",
    "count",
    "index",
    "indices",
    "input",
    "inverseBindMatrices",
    "joints",
    "magFilter",
    "material",
    "mesh",
    "minFilter",
    "mode",
    "node",
    "nodes",
    "output",
    "sampler",
    "scene",
    "skeleton",
    "skin",
    "source",
    "target",
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

/// A channel of an animation that drives something that is no node, and is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LooseChannel {
    /// Its number in the file.
    pub(super) index: usize,
    /// Whether no extension says what it drives.
    pub(super) is_aimless: bool,
}

/// Mends a part of the list `list` of a document.
///
/// Returns the channels of an animation that are left out.
pub(super) fn mend(list: &str, part: &mut Value) -> Vec<LooseChannel> {
    let known = LISTS.iter().find(|(known, _)| *known == list);
    for name in known.map_or(&[][..], |(_, names)| names) {
        default(part, name, Value::Array(Vec::new()));
    }
    match list {
        "textures" => mend_texture(part),
        "materials" => mend_material(part),
        _ => {}
    }
    tidy(part, list);
    if list == "animations" {
        remove_loose_channels(part)
    } else {
        Vec::new()
    }
}

fn default(part: &mut Value, name: &str, value: Value) {
    if let Some(members) = part.as_object_mut() {
        members.entry(name).or_insert(value);
    }
}

fn keep(part: &mut Value, names: &[&str]) {
    if let Some(members) = part.as_object_mut() {
        members.retain(|name, _| names.contains(&name.as_str()));
    }
}

/// The names of the morph targets of a mesh, by a custom that the standard recommends (§3.7.2.2).
pub(super) fn target_names(mesh: &Value) -> Vec<String> {
    let names = mesh["extras"]["targetNames"].as_array();
    let names = names.into_iter().flatten();
    names
        .map(|name| name.as_str().unwrap_or_default().to_owned())
        .collect()
}

fn remove_loose_channels(animation: &mut Value) -> Vec<LooseChannel> {
    let channels = animation.get_mut("channels").and_then(Value::as_array_mut);
    let Some(channels) = channels else {
        return Vec::new();
    };
    let is_loose = |channel: &Value| channel["target"]["node"].is_null();
    let numbered = channels.iter().enumerate();
    let loose = numbered.filter(|(_, channel)| is_loose(channel));
    let loose = loose.map(|(index, channel)| LooseChannel {
        index,
        is_aimless: is_aimless(&channel["target"]),
    });
    let loose = loose.collect();
    channels.retain(|channel| !is_loose(channel));
    loose
}

/// An extension may name the target, as `KHR_animation_pointer` does, whose path is `pointer`.
fn is_aimless(target: &Value) -> bool {
    target["extensions"].is_null() && target["path"] != "pointer"
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
