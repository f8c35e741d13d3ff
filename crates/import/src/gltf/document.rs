//! A document, and how to resolve its references.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::error::GltfError;
use super::json::{
    Accessor, CONSTRAINT, DRACO, FLOAT_16, FLOAT_64, INSTANCING, Image, MESHOPT, Material, Mesh,
    Node, Root, Sampler, Scene, Skin, Texture, VRM_0, VRM_1, VRM_ANIMATION, View,
};
use super::lenient::{List, Text, Whole};
use crate::log::Notes;

/// Reads the JSON text of a document of version 2 that requires no unsupported extension.
///
/// # Errors
///
/// [`GltfError`] for a text that is not a document, for another version, and for a required unsupported extension.
pub(super) fn read(text: &[u8]) -> Result<Root<'_>, GltfError> {
    let root: Root<'_> = serde_json::from_slice(text).map_err(|error| refusal(text, &error))?;
    check(root.asset, &root.extensions_required)?;
    Ok(root)
}

/// Element `index` of `list`.
///
/// * `location` – the part that refers to it.
///
/// # Errors
///
/// [`GltfError::Missing`] if it does not exist.
pub(super) fn part<T: Part>(
    list: &[T],
    index: Whole,
    location: impl FnOnce() -> String,
) -> Result<&T, GltfError> {
    list.get(index.index()).ok_or_else(|| GltfError::Missing {
        location: location(),
        kind: T::KIND,
        index: index.0,
        count: list.len(),
    })
}

/// A part of a document that others refer to by its index.
pub(super) trait Part {
    /// Its name in messages.
    const KIND: &'static str;
}

macro_rules! parts {
    ($($part:ty: $kind:literal),* $(,)?) => {
        $(impl Part for $part {
            const KIND: &'static str = $kind;
        })*
    };
}

parts! {
    Accessor: "accessor",
    View: "bufferView",
    Image<'_>: "image",
    Material<'_>: "material",
    Mesh<'_>: "mesh",
    Node<'_>: "node",
    Scene: "scene",
    Skin<'_>: "skin",
    Texture: "texture",
    Sampler: "sampler",
}

/// The members that decide whether a document can be read at all.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head<'a> {
    #[serde(borrow)]
    asset: Option<&'a RawValue>,
    #[serde(default, borrow)]
    extensions_required: List<Text<'a>>,
}

fn check(asset: Option<&RawValue>, required: &[Text<'_>]) -> Result<(), GltfError> {
    check_version(asset)?;
    check_extensions(required.iter().map(|name| &**name))
}

fn check_version(stored: Option<&RawValue>) -> Result<(), GltfError> {
    let asset = asset(stored);
    let malformed = |reason: &str| GltfError::Malformed {
        location: "asset".to_owned(),
        reason: reason.to_owned(),
    };
    // The standard wants a text; 2.0 as a number can only mean the same.
    let number = asset["version"]
        .as_f64()
        .map(|number| format!("{number:.1}"));
    let version = match (&asset["version"], &number) {
        (Value::String(text), _) => text,
        (_, Some(number)) => number,
        (Value::Null, _) => return Err(malformed("version is missing")),
        _ => return Err(malformed("version is not a text, such as \"2.0\"")),
    };
    let refusal = |version: &str| {
        Err(GltfError::Version {
            version: version.to_owned(),
        })
    };
    match asset["minVersion"].as_str() {
        _ if version.split('.').next() != Some("2") => refusal(version),
        Some(least) if is_above_2_0(least) => refusal(least),
        _ => Ok(()),
    }
}

/// Whether `least`, the stated minimum version, is above 2.0 (§3.2).
fn is_above_2_0(least: &str) -> bool {
    let mut numbers = least
        .split('.')
        .map(|number| number.parse().unwrap_or(u64::MAX));
    let [major, minor] = [2, 0].map(|known| numbers.next().unwrap_or(known));
    (major, minor) > (2, 0)
}

/// The message of a parser with words instead of types.
fn in_words(message: &str) -> String {
    const WORDS: [(&str, &str); 5] = [
        ("f64", "a number"),
        ("f32", "a number"),
        ("usize", "a whole number"),
        ("u64", "a whole number"),
        ("u32", "a whole number"),
    ];
    WORDS.iter().fold(message.to_owned(), |text, (kind, word)| {
        text.replace(&format!("expected {kind} "), &format!("expected {word} "))
    })
}

/// The reason why `text` is not a document. Another version or a required unsupported extension takes precedence.
fn refusal(text: &[u8], error: &serde_json::Error) -> GltfError {
    let (line, column) = (error.line(), error.column());
    match error.classify() {
        Category::Eof => GltfError::CutOff { line, column },
        Category::Syntax if ends_in_number(text, line, column) => {
            GltfError::CutOff { line, column }
        }
        Category::Data => {
            let head: Option<Head<'_>> = serde_json::from_slice(text).ok();
            let checked = head.map(|head| check(head.asset, &head.extensions_required));
            let malformed = || GltfError::Malformed {
                location: location_at(text, line, column).unwrap_or_else(|| "document".to_owned()),
                reason: in_words(&error.to_string()),
            };
            checked.and_then(Result::err).unwrap_or_else(malformed)
        }
        _ => GltfError::Syntax {
            reason: error.to_string(),
        },
    }
}

/// Whether the text ends at this position, inside a number. A truncated number such as `-` or `1.` is reported as an
/// invalid one.
fn ends_in_number(text: &[u8], line: usize, column: usize) -> bool {
    let in_number = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
    let mut lines = text.rsplit(|&byte| byte == b'\n');
    let is_last = lines.next().is_some_and(|last| last.len() == column);
    text.last().is_some_and(in_number) && is_last && lines.count() + 1 == line
}

/// The part that contains the given line and column, such as `nodes[3]`.
fn location_at(text: &[u8], line: usize, column: usize) -> Option<String> {
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    let before: usize = lines.take(line.saturating_sub(1)).map(<[u8]>::len).sum();
    let offset = before + column;
    let holds = |raw: &&RawValue| {
        let start = raw.get().as_ptr().addr() - text.as_ptr().addr();
        (start..=start + raw.get().len()).contains(&offset)
    };
    let members: BTreeMap<String, &RawValue> = serde_json::from_slice(text).ok()?;
    let (name, member) = members.iter().find(|(_, member)| holds(member))?;
    let parts: Vec<&RawValue> = serde_json::from_str(member.get()).unwrap_or_default();
    let number = parts.iter().position(holds);
    Some(number.map_or_else(|| name.clone(), |number| format!("{name}[{number}]")))
}

/// Extensions that are supported, or change neither shape nor pose.
const FINE: &[&str] = &[
    "KHR_mesh_quantization",
    FLOAT_16,
    FLOAT_64,
    INSTANCING,
    DRACO,
    MESHOPT[0],
    MESHOPT[1],
    "KHR_texture_transform",
    "KHR_animation_pointer",
    "KHR_lights_punctual",
    "KHR_node_visibility",
    "KHR_xmp_json_ld",
    "EXT_texture_webp",
    "KHR_texture_basisu",
    VRM_0,
    VRM_1,
    VRM_ANIMATION,
    CONSTRAINT,
    "VRMC_materials_mtoon",
    "VRMC_springBone",
];

/// Prefix of the extensions that only change the appearance of surfaces.
const MATERIALS: &str = "KHR_materials_";

/// Advice on extensions for which there is a better way than [`WITHOUT`].
const ADVICE: &[(&str, &str)] = &[(
    "EXT_texture_avif",
    "run `npx @gltf-transform/cli png IN OUT.glb --formats avif`, or export it with PNG or JPEG textures",
)];

/// Advice on all others: gltf-pipeline writes a binary file as text, too.
const WITHOUT: &str = "to read the model without it, run `npx gltf-pipeline -i IN -o TEXT.gltf && \
    jq 'del(.extensionsRequired)' TEXT.gltf >OUT.gltf`";

/// Extensions that change a shape or a pose even if they are not required.
const SHAPING: &[(&str, &str)] = &[("MSFT_lod", "only the finest level of detail is read")];

/// Refuses a document that requires an unsupported extension; the result would be another model.
///
/// # Errors
///
/// [`GltfError::Extension`] with the name of the first such extension.
fn check_extensions<'a>(mut required: impl Iterator<Item = &'a str>) -> Result<(), GltfError> {
    let is_read = |name: &&str| FINE.contains(name) || name.starts_with(MATERIALS);
    let Some(name) = required.find(|name| !is_read(name)) else {
        return Ok(());
    };
    let known = ADVICE.iter().find(|(known, _)| *known == name);
    Err(GltfError::Extension {
        name: name.to_owned(),
        advice: known.map_or(WITHOUT, |(_, advice)| advice),
    })
}

/// Notes the unsupported extensions that change the model.
pub(super) fn note_extensions(root: &Root<'_>, notes: &mut Notes) {
    for (name, consequence) in SHAPING {
        if root.extensions_used.iter().any(|used| **used == **name) {
            notes.add(
                "file",
                format!("the extension {name} is ignored: {consequence}"),
            );
        }
    }
}

/// Notes a version that is a number: other readers refuse that.
pub(super) fn note_version(root: &Root<'_>, notes: &mut Notes) {
    if asset(root.asset)["version"].is_number() {
        let message = "version is a number, and must be a text, such as \"2.0\"";
        notes.add("asset", message.to_owned());
    }
}

fn asset(stored: Option<&RawValue>) -> Value {
    stored
        .and_then(|asset| serde_json::from_str(asset.get()).ok())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::gltf::hostile::{pointers_of, rich};
    use crate::gltf::lenient::MOST_PARTS;

    fn refusal(text: &str) -> String {
        read(text.as_bytes()).unwrap_err().to_string()
    }

    fn with_nodes(nodes: &str) -> String {
        refusal(&format!(
            "{{\"asset\": {{\"version\": \"2.0\"}}, \"nodes\": {nodes}}}"
        ))
    }

    #[test]
    fn what_was_expected_is_no_type_of_a_program() {
        let error = with_nodes("[{\"rotation\": [\"a\", 0, 0, 1]}]");
        assert!(
            error.contains("string \"a\", expected a number at line"),
            "{error}"
        );
    }

    #[test]
    fn malformed_json_is_refused_with_its_location() {
        assert_eq!(refusal("{}"), "asset: version is missing");
        let list = "{\"asset\": {\"version\": [2]}}";
        let reason = "asset: version is not a text, such as \"2.0\"";
        assert_eq!(refusal(list), reason);
        let error = with_nodes("[{}, {\"mesh\": \"a\"}]");
        assert!(
            error.starts_with("nodes[1]: invalid type: string \"a\""),
            "{error}"
        );
        let error = with_nodes("[{\"mesh\": -1}]");
        assert!(error.starts_with("nodes[0]: invalid"), "{error}");
        let error = with_nodes("\n[{},\n {\"matrix\": []}\n]");
        assert!(error.starts_with("nodes[1]: invalid length 0"), "{error}");
        let error = with_nodes("7");
        assert!(error.starts_with("nodes: invalid type"), "{error}");
    }

    #[test]
    fn a_text_that_ends_too_early_is_distinguished_from_one_that_is_wrong() {
        let read = |text: &'static str| read(text.as_bytes()).unwrap_err();
        let cut_off = read("{\"asset\":\n {\"vers");
        assert_eq!(cut_off, GltfError::CutOff { line: 2, column: 7 });
        let in_number = read("{\"nodes\":\n [-");
        assert_eq!(in_number, GltfError::CutOff { line: 2, column: 3 });
        let wrong = refusal("{\"asset\":\n oops}");
        assert!(wrong.contains("at line 2 column 2"), "{wrong}");
    }

    #[test]
    fn a_text_of_any_depth_is_refused_without_a_crash() {
        for head in ["", "{\"nodes\":", "{\"odd\":"] {
            let deep = format!("{head}{}", "[".repeat(1 << 20));
            assert!(read(deep.as_bytes()).is_err());
        }
    }

    #[test]
    fn another_version_is_reported_by_its_number_whatever_its_parts_look_like() {
        let version = |version: &str| {
            refusal(&format!(
                "{{\"asset\": {{\"version\": \"{version}\"}}, \"nodes\": {{\"a\": 1}}}}"
            ))
        };
        assert_eq!(version("1.0"), "glTF version 1.0");
        assert_eq!(version("20"), "glTF version 20");
    }

    #[test]
    fn a_file_that_asks_for_a_later_version_is_refused() {
        let asking = |least: &str| {
            let asset = format!("{{\"version\": \"2.1\", \"minVersion\": \"{least}\"}}");
            let text = format!("{{\"asset\": {asset}}}");
            read(text.as_bytes()).err().map(|error| error.to_string())
        };
        for least in ["2.0", "2", "1.0"] {
            assert_eq!(asking(least), None, "{least}");
        }
        for least in ["2.1", "3.0", "2.10", "3"] {
            assert_eq!(asking(least), Some(format!("glTF version {least}")));
        }
    }

    #[test]
    fn every_whole_number_may_be_written_as_a_decimal() {
        let whole = rich().json;
        let mut decimal = whole.clone();
        for location in pointers_of(&whole) {
            let value = decimal
                .pointer_mut(&location)
                .expect("it is one of its values");
            if let Some(number) = value.as_u64().and_then(|number| u32::try_from(number).ok()) {
                *value = json!(f64::from(number));
            }
        }
        assert!(decimal.to_string().contains("\"wrapS\":33071.0"));
        let [whole, decimal] = [whole, decimal].map(|mut json| {
            // These are kept as text and parsed later.
            let animations = json["animations"].take();
            let animation: super::super::json::Animation =
                serde_json::from_value(animations[0].clone()).unwrap();
            let text = json.to_string();
            let root = read(text.as_bytes()).unwrap();
            let parts = (&root.accessors, &root.buffer_views, &root.materials);
            format!(
                "{parts:?} {:?} {:?} {:?} {:?} {animation:?}",
                root.meshes, root.nodes, root.samplers, root.skins
            )
        });
        assert_eq!(whole, decimal);
    }

    #[test]
    fn a_reference_past_32_bits_leads_nowhere() {
        let text = "{\"asset\": {\"version\": \"2.0\"}, \"nodes\": [{\"mesh\": 4294967296}], \"meshes\": [{}]}";
        let root = read(text.as_bytes()).unwrap();
        let mesh = root.nodes[0].mesh.unwrap();
        let error = part(&root.meshes, mesh, || "nodes[0]".to_owned())
            .unwrap_err()
            .to_string();
        assert_eq!(error, "nodes[0]: mesh 4294967296 is missing; there are 1");
    }

    #[test]
    fn more_nodes_than_any_model_has_are_refused() {
        let error = with_nodes(&format!("[{}{{}}]", "{},".repeat(MOST_PARTS)));
        let expected = "there are more, and 1048576 are read at the most";
        assert!(
            error.starts_with("nodes") && error.contains(expected),
            "{error}"
        );
    }

    #[test]
    fn required_extensions_of_surfaces_pass_and_others_are_named_with_advice() {
        let with = |names: &[&str]| {
            check_extensions(names.iter().copied()).map_err(|error| error.to_string())
        };
        assert_eq!(
            with(&[
                "KHR_materials_unlit",
                "KHR_texture_transform",
                "EXT_texture_webp",
                "KHR_texture_basisu",
                DRACO,
                MESHOPT[0],
                MESHOPT[1],
                FLOAT_16,
                FLOAT_64,
            ]),
            Ok(())
        );
        assert!(
            with(&["EXT_texture_avif"])
                .unwrap_err()
                .contains("gltf-transform/cli png")
        );
        let unknown = with(&["ACME_physics"]).unwrap_err();
        assert!(unknown.contains("ACME_physics") && unknown.contains("gltf-pipeline"));
    }
}
