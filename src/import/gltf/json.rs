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
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_that_ends_too_early_is_told_from_one_that_is_wrong() {
        let cut_off = parse(b"{\"asset\":\n {\"vers").unwrap_err();
        assert_eq!(cut_off, GltfError::CutOff { line: 2, column: 7 });
        let wrong = parse(b"{\"asset\":\n oops}").unwrap_err().to_string();
        assert!(wrong.contains("at line 2 column 2"), "{wrong}");
    }

    #[test]
    fn a_text_of_any_depth_is_refused_without_a_crash() {
        let deep = "[".repeat(1 << 20);
        let error = parse(deep.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("recursion limit"), "{error}");
    }

    #[test]
    fn numbers_are_made_whole_only_where_they_have_to_be() {
        let mut document = json!({
            "accessors": [{"count": 3.0, "bufferView": 1e300, "byteOffset": 4_294_967_296_u64, "max": [1.0]}],
            "nodes": [{"mesh": 4_294_967_296_u64, "translation": [2.0, 5_000_000_000_u64, 0.5], "children": [1.0, 1.5]}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 2.0}}]}],
        });
        mend(&mut document);
        let expected = json!({
            "accessors": [{"count": 3, "bufferView": 1e300, "byteOffset": 4_294_967_296_u64}],
            "nodes": [{"mesh": NOTHING, "translation": [2.0, 5_000_000_000_u64, 0.5], "children": [1, 1.5]}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 2}}]}],
        });
        assert_eq!(document, expected);
    }

    #[test]
    fn extras_go_but_the_names_of_morph_targets_stay() {
        let mut document = json!({
            "extras": "anything",
            "meshes": [{"primitives": [], "extras": {"targetNames": ["smile", 5]}}, {"primitives": []}],
        });
        let removed = mend(&mut document);
        assert_eq!(
            removed.target_names,
            [vec!["smile".to_owned(), String::new()], vec![]]
        );
        assert_eq!(
            document,
            json!({"meshes": [{"primitives": []}, {"primitives": []}]})
        );
    }

    #[test]
    fn channels_of_things_that_are_no_nodes_are_counted() {
        let pointer = json!({"sampler": 0, "target": {"path": "pointer"}});
        let node = json!({"sampler": 0, "target": {"path": "scale", "node": 0}});
        let mut document = json!({"animations": [{"channels": [pointer, node, pointer]}]});
        assert_eq!(mend(&mut document).loose_channels, [2]);
        assert_eq!(
            document["animations"][0],
            json!({"channels": [node], "samplers": []})
        );
    }

    #[test]
    fn a_texture_without_a_picture_of_its_own_takes_that_of_an_extension() {
        let webp = json!({"extensions": {"EXT_texture_webp": {"source": 3}}});
        let mut document = json!({"textures": [webp, {"source": 1}, {}]});
        mend(&mut document);
        let sources: Vec<_> = list(&mut document, "textures")
            .map(|texture| texture["source"].clone())
            .collect();
        assert_eq!(sources, [json!(3), json!(1), json!(NOTHING)]);
    }

    #[test]
    fn a_document_of_the_wrong_shape_is_left_as_it_is() {
        for odd in [
            json!(null),
            json!([1]),
            json!({"meshes": 3, "textures": [7], "animations": {"a": []}}),
        ] {
            let mut document = odd.clone();
            mend(&mut document);
            assert_eq!(document, odd);
        }
    }
}
