//! A document in the types of the crate `gltf`, and how to follow its references.
//!
//! Only the plain data of the crate is used (`gltf::json`). Its other half takes the document as valid, and panics
//! where a reference leads nowhere, an accessor reaches past its data, or a member has a value of its own invention.

use gltf::json::{
    Accessor, Animation, Buffer, Image, Index, Material, Mesh, Node, Root, Scene, Skin, Texture,
    buffer, texture,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::error::GltfError;
use super::mend::LooseChannel;
use super::parts::{List, Parts};
use super::{extensions, mend};

/// Nodes are all joints, and each of the later stages goes through all of them.
const MAX_NODES: usize = 1 << 20;

/// A document of version 2 that asks for no extension that is not read.
#[derive(Debug)]
pub(super) struct Document {
    /// What the file says, as far as it is needed. References may lead anywhere.
    pub(super) root: Root,
    /// For each mesh the names of its morph targets.
    pub(super) target_names: Vec<Vec<String>>,
    /// For each animation the channels that drive something that is no node, and are left out.
    pub(super) loose_channels: Vec<Vec<LooseChannel>>,
}

impl Document {
    /// Reads the JSON text of a document.
    ///
    /// # Errors
    ///
    /// [`GltfError`] for a text that is no document, one of another version, and one that requires an extension that
    /// is not read.
    pub(super) fn read(text: &[u8]) -> Result<Self, GltfError> {
        let parts = Parts::read(text)?;
        check_version(parts.asset)?;
        extensions::check(parts.extensions_required.as_deref().unwrap_or_default())?;
        check_size(&parts)?;
        let mut loose_channels = Vec::new();
        let animations = told::<Animation>("animations", &parts.animations, |loose| {
            loose_channels.push(loose);
        })?;
        let meshes = parts.meshes.iter().flatten();
        Ok(Self {
            target_names: meshes.map(|mesh| target_names(mesh)).collect(),
            root: Root {
                animations,
                ..typed(&parts)?
            },
            loose_channels,
        })
    }

    /// The part number `index` of its kind.
    ///
    /// * `place` – the part that refers to it.
    ///
    /// # Errors
    ///
    /// [`GltfError::Missing`] if there is none.
    pub(super) fn part<T: Part>(
        &self,
        index: Index<T>,
        place: impl FnOnce() -> String,
    ) -> Result<&T, GltfError>
    where
        Root: AsRef<[T]>,
    {
        let parts: &[T] = self.root.as_ref();
        parts.get(index.value()).ok_or_else(|| GltfError::Missing {
            place: place(),
            kind: T::KIND,
            index: index.value(),
            count: parts.len(),
        })
    }
}

/// A part of a document that others refer to by its number.
pub(super) trait Part {
    /// What a message calls it.
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
    Buffer: "buffer",
    buffer::View: "bufferView",
    Image: "image",
    Material: "material",
    Mesh: "mesh",
    Node: "node",
    Scene: "scene",
    Skin: "skin",
    Texture: "texture",
    texture::Sampler: "sampler",
}

fn check_version(asset: Option<&RawValue>) -> Result<(), GltfError> {
    let asset: Value = asset
        .and_then(|asset| serde_json::from_str(asset.get()).ok())
        .unwrap_or_default();
    let version = asset["version"]
        .as_str()
        .ok_or_else(|| GltfError::Malformed {
            place: "asset".to_owned(),
            reason: "version is missing".to_owned(),
        })?;
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

/// Whether who reads `least`, which a file calls the least version that it can be read as, has to know more than 2.0
/// (§3.2).
fn is_above_2_0(least: &str) -> bool {
    let mut numbers = least
        .split('.')
        .map(|number| number.parse().unwrap_or(u64::MAX));
    let [major, minor] = [2, 0].map(|known| numbers.next().unwrap_or(known));
    (major, minor) > (2, 0)
}

fn check_size(parts: &Parts<'_>) -> Result<(), GltfError> {
    let (count, limit) = (parts.nodes.as_ref().map_or(0, Vec::len), MAX_NODES);
    if count > limit {
        let what = "nodes";
        return Err(GltfError::TooMany { what, count, limit });
    }
    Ok(())
}

/// All but the animations.
fn typed(parts: &Parts<'_>) -> Result<Root, GltfError> {
    let scene = parts.scene.map(|scene| part("scene", "scene", scene));
    Ok(Root {
        accessors: list::<Accessor>("accessors", &parts.accessors)?,
        buffers: list("buffers", &parts.buffers)?,
        buffer_views: list("bufferViews", &parts.buffer_views)?,
        images: list("images", &parts.images)?,
        materials: list("materials", &parts.materials)?,
        meshes: list("meshes", &parts.meshes)?,
        nodes: list("nodes", &parts.nodes)?,
        samplers: list("samplers", &parts.samplers)?,
        scene: scene.transpose()?.map(|(scene, _)| scene),
        scenes: list("scenes", &parts.scenes)?,
        skins: list("skins", &parts.skins)?,
        textures: list("textures", &parts.textures)?,
        extensions_used: parts.extensions_used.clone().unwrap_or_default(),
        ..Root::default()
    })
}

/// Most meshes have none, and are not looked at twice.
fn target_names(mesh: &RawValue) -> Vec<String> {
    if !mesh.get().contains("targetNames") {
        return Vec::new();
    }
    let mesh: Result<Value, _> = serde_json::from_str(mesh.get());
    mesh.map_or_else(|_| Vec::new(), |mesh| mend::target_names(&mesh))
}

fn list<T: DeserializeOwned>(name: &str, list: &List<'_>) -> Result<Vec<T>, GltfError> {
    told(name, list, |_| {})
}

/// Part by part, so that an error can name the one that it is in.
///
/// * `tell` – is told for each part what [`mend::mend`] returns.
fn told<T: DeserializeOwned>(
    name: &str,
    list: &List<'_>,
    mut tell: impl FnMut(Vec<LooseChannel>),
) -> Result<Vec<T>, GltfError> {
    let parts = list.iter().flatten().enumerate();
    parts
        .map(|(index, raw)| {
            let (part, removed) = part(name, &format!("{name}[{index}]"), raw)?;
            tell(removed);
            Ok(part)
        })
        .collect()
}

/// A part as its type, mended if that is not possible otherwise, and what [`mend::mend`] returns.
fn part<T: DeserializeOwned>(
    list: &str,
    place: &str,
    raw: &RawValue,
) -> Result<(T, Vec<LooseChannel>), GltfError> {
    // A texture whose picture is in an extension is one without a picture to the types.
    let may_be_whole = list != "textures";
    match may_be_whole.then(|| as_it_is(raw.get())).flatten() {
        Some(part) => Ok((part, Vec::new())),
        None => mended(list, place, raw.get()),
    }
}

/// As good as all parts of all files can be taken as they are.
fn as_it_is<T: DeserializeOwned>(text: &str) -> Option<T> {
    if has_long_number(text) {
        return None;
    }
    serde_json::from_str(text).ok()
}

/// Whether there may be a whole number past 32 bits: of such a reference the types would cut the upper bits off, and so
/// make another of it.
fn has_long_number(text: &str) -> bool {
    /// Digits of 2^32.
    const DIGITS: u32 = 10;
    let (mut digits, mut is_fraction) = (0, false);
    for byte in text.bytes() {
        match byte {
            b'0'..=b'9' => digits += u32::from(!is_fraction),
            b'.' => is_fraction = true,
            _ => (digits, is_fraction) = (0, false),
        }
        if digits >= DIGITS {
            return true;
        }
    }
    false
}

fn mended<T: DeserializeOwned>(
    list: &str,
    place: &str,
    text: &str,
) -> Result<(T, Vec<LooseChannel>), GltfError> {
    let malformed = |error: serde_json::Error| GltfError::Malformed {
        place: place.to_owned(),
        reason: error.to_string(),
    };
    let mut part: Value = serde_json::from_str(text).map_err(malformed)?;
    let removed = mend::mend(list, &mut part);
    Ok((serde_json::from_value(part).map_err(malformed)?, removed))
}

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::import::gltf::hostile::{places_of, rich};

    fn refusal(text: &str) -> String {
        Document::read(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_document_says_so_with_its_place() {
        assert_eq!(refusal("{}"), "asset: version is missing");
        let nodes = |nodes: &str| {
            refusal(&format!(
                "{{\"asset\": {{\"version\": \"2.0\"}}, \"nodes\": {nodes}}}"
            ))
        };
        let error = nodes("[{}, {\"mesh\": \"a\"}]");
        assert!(
            error.starts_with("nodes[1]: invalid type: string \"a\""),
            "{error}"
        );
        let error = nodes("[{\"mesh\": -1}]");
        assert!(error.starts_with("nodes[0]: invalid"), "{error}");
    }

    #[test]
    fn another_version_is_told_by_its_number() {
        assert_eq!(
            refusal("{\"asset\": {\"version\": \"1.0\"}}"),
            "glTF version 1.0"
        );
        assert_eq!(
            refusal("{\"asset\": {\"version\": \"20\"}}"),
            "glTF version 20"
        );
    }

    #[test]
    fn a_file_that_asks_for_a_later_version_is_refused() {
        let asking = |least: &str| {
            let asset = format!("{{\"version\": \"2.1\", \"minVersion\": \"{least}\"}}");
            Document::read(format!("{{\"asset\": {asset}}}").as_bytes())
        };
        for least in ["2.0", "2", "1.0"] {
            assert!(asking(least).is_ok(), "{least}");
        }
        for least in ["2.1", "3.0", "2.10", "3"] {
            let told = asking(least).unwrap_err().to_string();
            assert_eq!(told, format!("glTF version {least}"));
        }
    }

    #[test]
    fn every_whole_number_may_be_written_as_a_decimal() {
        let mut whole = rich().json;
        whole["bufferViews"][0]["target"] = 34962.into();
        whole["nodes"][0]["camera"] = 0.into();
        whole["samplers"][0] =
            json!({"magFilter": 9728, "minFilter": 9987, "wrapS": 33071, "wrapT": 33648});
        let mut decimal = whole.clone();
        for place in places_of(&whole) {
            let value = decimal
                .pointer_mut(&place)
                .expect("it is one of its places");
            if let Some(number) = value.as_u64() {
                *value = json!(
                    u32::try_from(number)
                        .map(f64::from)
                        .expect("it is a small one")
                );
            }
        }
        assert!(decimal.to_string().contains("\"target\":34962.0"));
        let [whole, decimal] = [whole, decimal].map(|json| {
            let document = Document::read(json.to_string().as_bytes()).unwrap();
            format!("{:?}", document.root)
        });
        assert_eq!(whole, decimal);
    }

    #[test]
    fn a_reference_past_32_bits_leads_nowhere() {
        let text = "{\"asset\": {\"version\": \"2.0\"}, \"nodes\": [{\"mesh\": 4294967296}], \"meshes\": [{}]}";
        let document = Document::read(text.as_bytes()).unwrap();
        let mesh = document.root.nodes[0].mesh.unwrap();
        let error = document
            .part(mesh, || "nodes[0]".to_owned())
            .unwrap_err()
            .to_string();
        assert_eq!(error, "nodes[0]: mesh 4294967295 is missing, there are 1");
    }

    #[test]
    fn more_nodes_than_any_model_has_are_refused() {
        let nodes = "{},".repeat(MAX_NODES);
        let text = format!("{{\"asset\": {{\"version\": \"2.0\"}}, \"nodes\": [{nodes}{{}}]}}");
        assert_eq!(
            refusal(&text),
            "1048577 nodes, and 1048576 are read at the most"
        );
    }
}
