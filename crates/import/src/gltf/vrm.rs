//! What VRM adds to a document: the humanoid (`VRMC_vrm` 1.0, `VRM` 0.x).

pub(super) mod constraints;
pub(super) mod expressions;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::json::{Root, VRM_0, VRM_1, VRM_ANIMATION};
use super::lenient::{List, Whole};
use super::nodes::Nodes;
use crate::log::Notes;
use crate::rig::{HumanBone, Humanoid, VrmVersion};
use crate::text::printable;

/// How many characters of a name a note shows.
const LONGEST: usize = 60;

/// The extension of VRM 1.0, and of its animations.
#[derive(Deserialize)]
struct Vrm1 {
    humanoid: Humanoid1,
}

/// What else an animation lists.
#[derive(Deserialize)]
struct Face {
    #[serde(default)]
    expressions: Expressions,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Expressions {
    preset: BTreeMap<String, Bone1>,
    custom: BTreeMap<String, Bone1>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Humanoid1 {
    human_bones: BTreeMap<String, Bone1>,
}

#[derive(Deserialize)]
struct Bone1 {
    node: Whole,
}

/// The extension of VRM 0.x.
#[derive(Deserialize)]
struct Vrm0 {
    humanoid: Humanoid0,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Humanoid0 {
    human_bones: List<Bone0>,
}

#[derive(Deserialize)]
struct Bone0 {
    bone: String,
    node: Whole,
}

/// The humanoid of the document, if it states one that can be read. Its nodes are joints of `nodes`. Bones that are unknown, or
/// whose nodes are missing, are omitted with a note.
pub(super) fn humanoid(root: &Root<'_>, nodes: &Nodes, notes: &mut Notes) -> Option<Humanoid> {
    let (name, version, stated) = stated(root, notes)?;
    let mut bones = BTreeMap::new();
    for (bone, node) in stated {
        let location = format!("extensions.{name}.humanoid.humanBones");
        match (known(&bone, version), nodes.joint(node)) {
            (None, _) => notes.add(
                location,
                format!("the bone {:?} is unknown", printable(&bone, LONGEST)),
            ),
            (Some(_), Err(missing)) => notes.add(location, format!("{bone} is {missing}")),
            (Some(bone), Ok(joint)) => {
                if bones.insert(bone, joint).is_some() {
                    notes.add(
                        location,
                        format!("{bone} is listed twice; the last one counts"),
                    );
                }
            }
        }
    }
    let mut humanoid = Humanoid::of(version, bones);
    if version == VrmVersion::Animation {
        add_expressions(&mut humanoid, root, nodes, notes);
    }
    Some(humanoid)
}

/// Adds the nodes that stand for expressions.
fn add_expressions(humanoid: &mut Humanoid, root: &Root<'_>, nodes: &Nodes, notes: &mut Notes) {
    let text = root.extension(VRM_ANIMATION);
    let Some(face) = text.and_then(|text| parsed::<Face>(VRM_ANIMATION, text, notes)) else {
        return;
    };
    let Expressions { preset, custom } = face.expressions;
    for (name, Bone1 { node }) in preset.into_iter().chain(custom) {
        match nodes.joint(node) {
            Ok(joint) => {
                humanoid.expressions.insert(name, joint);
            }
            Err(missing) => {
                let message = format!(
                    "the expression {:?} is {missing}",
                    printable(&name, LONGEST)
                );
                notes.add(format!("extensions.{VRM_ANIMATION}"), message);
            }
        }
    }
}

type Stated = (&'static str, VrmVersion, Vec<(String, Whole)>);

/// The bones and nodes that the newest extension of the document lists.
fn stated(root: &Root<'_>, notes: &mut Notes) -> Option<Stated> {
    for (name, version) in [
        (VRM_1, VrmVersion::V1),
        (VRM_ANIMATION, VrmVersion::Animation),
    ] {
        if let Some(text) = root.extension(name) {
            let Vrm1 { humanoid } = parsed(name, text, notes)?;
            let bones = humanoid
                .human_bones
                .into_iter()
                .map(|(bone, Bone1 { node })| (bone, node))
                .collect();
            return Some((name, version, bones));
        }
    }
    let Vrm0 { humanoid } = parsed(VRM_0, root.extension(VRM_0)?, notes)?;
    let bones = humanoid
        .human_bones
        .iter()
        .map(|own| (own.bone.clone(), own.node))
        .collect();
    Some((VRM_0, VrmVersion::V0, bones))
}

fn parsed<'a, T: Deserialize<'a>>(name: &str, text: &'a RawValue, notes: &mut Notes) -> Option<T> {
    let parsed = serde_json::from_str(text.get());
    let report = |error: &serde_json::Error| {
        notes.add(
            format!("extensions.{name}"),
            format!("it is ignored: {error}"),
        );
    };
    parsed.inspect_err(report).ok()
}

/// The bone with a name of `version`: thumbs begin one bone further out in 0.x.
fn known(name: &str, version: VrmVersion) -> Option<HumanBone> {
    let of_thumb = |name: &str| match version {
        VrmVersion::V0 => match name.split_once("Thumb")? {
            (side, "Proximal") => Some(format!("{side}ThumbMetacarpal")),
            (side, "Intermediate") => Some(format!("{side}ThumbProximal")),
            _ => None,
        },
        _ => None,
    };
    HumanBone::named(of_thumb(name).as_deref().unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::gltf::testing::Model;
    use crate::rig::{Asset, NodeId};

    fn with(extension: &str, value: &Value) -> Asset {
        let mut model = Model::of_nodes(&json!([
            {"name": "root", "children": [1]},
            {"name": "thumb", "children": [2]},
            {"name": "tip"},
        ]));
        model.json["extensions"] = json!({ extension: value });
        model.read()
    }

    fn bones(asset: &Asset) -> Vec<(&'static str, u32)> {
        let humanoid = asset.humanoid.iter();
        let bones = humanoid.flat_map(|humanoid| &humanoid.bones);
        bones
            .map(|(bone, NodeId(node))| (bone.name(), *node))
            .collect()
    }

    fn notes(asset: &Asset) -> String {
        let notes = asset
            .notes
            .iter()
            .map(|note| format!("{}: {}\n", note.location, note.message));
        notes.collect()
    }

    #[test]
    fn bones_are_read_from_both_versions_under_the_names_of_the_newer() {
        let new = with(
            "VRMC_vrm",
            &json!({"humanoid": {"humanBones": {"hips": {"node": 0}, "leftThumbProximal": {"node": 1}}}}),
        );
        assert_eq!(bones(&new), [("hips", 0), ("leftThumbProximal", 1)]);
        let old = with(
            "VRM",
            &json!({"humanoid": {"humanBones": [
                {"bone": "hips", "node": 0},
                {"bone": "leftThumbProximal", "node": 1},
                {"bone": "leftThumbIntermediate", "node": 2},
            ]}}),
        );
        let expected = [
            ("hips", 0),
            ("leftThumbMetacarpal", 1),
            ("leftThumbProximal", 2),
        ];
        assert_eq!(bones(&old), expected);
        assert_eq!(notes(&old) + &notes(&new), "");
    }

    #[test]
    fn what_is_wrong_is_noted_and_the_rest_is_read() {
        let odd = with(
            "VRMC_vrm",
            &json!({"humanoid": {"humanBones": {"hips": {"node": 0}, "tail": {"node": 1}, "head": {"node": 9}}}}),
        );
        assert_eq!(bones(&odd), [("hips", 0)]);
        let said = notes(&odd);
        assert!(
            said.contains("\"tail\" is unknown") && said.contains("head is node 9"),
            "{said}"
        );
        let twice = json!([{"bone": "hips", "node": 0}, {"bone": "hips", "node": 1}]);
        let twice = with("VRM", &json!({"humanoid": {"humanBones": twice}}));
        assert_eq!(bones(&twice), [("hips", 1)]);
        assert!(notes(&twice).contains("listed twice"));
        let broken = with("VRMC_vrm", &json!({"humanoid": 7}));
        assert_eq!(broken.humanoid, None);
        assert!(notes(&broken).contains("extensions.VRMC_vrm: it is ignored"));
    }
}
