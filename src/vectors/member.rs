//! A case, its file, and what is expected of it, as JSON that people read.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::answer::{self, Answer, Compared, Pose, Tolerance, Wrong};
use super::cases::Case;
use crate::diff::reference::{self, Reference};
use crate::import::own_gltf;
use crate::rig::{Asset, ClipId, SkinningOptions};
use crate::units::Seconds;
use crate::{laws, pose, skinning};

/// A case, read back from its file.
pub(crate) struct Member {
    pub(crate) case: &'static Case,
    /// The text of the file.
    pub(crate) gltf: String,
    /// In seconds.
    pub(crate) times: Vec<f64>,
    pub(super) json: Map<String, Value>,
    pub(super) asset: Asset,
    pub(super) expected: Vec<Pose>,
}

/// What an engine must support to answer a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Needs {
    /// The most influences of a vertex; 0 without a skin.
    pub(crate) influences: usize,
    /// Of its animation: `STEP`, `LINEAR` or `CUBICSPLINE`.
    pub(crate) interpolations: Vec<String>,
    /// Whether it has morph targets.
    pub(crate) morphs: bool,
    /// Extensions of glTF.
    pub(crate) extensions: Vec<String>,
}

impl Member {
    pub(super) fn new(case: &'static Case, tolerance: &laws::Tolerance) -> Self {
        let draft = (case.draft)();
        let times = draft.times.clone();
        let json = draft.finish(case.tests, case.wrong);
        let gltf = of_gltf(&json);
        let asset = own_gltf(&gltf).unwrap_or_else(|error| panic!("{}: {error}", case.name));
        let expected = answer::of(&asset, &times, tolerance);
        Self {
            expected: expected.expect("no rotation is by half a turn"),
            case,
            gltf,
            times,
            json,
            asset,
        }
    }

    /// What is expected, as an engine would answer it.
    pub(crate) fn answer(&self) -> Answer {
        Answer {
            poses: self.expected.clone(),
            ..Answer::default()
        }
    }

    /// The largest errors that are allowed at any time.
    pub(crate) fn tolerance(&self) -> Tolerance {
        let all = self.expected.iter().filter_map(|pose| pose.tolerance);
        all.fold(Tolerance::default(), |worst, own| Tolerance {
            nodes: worst.nodes.max(own.nodes),
            vertices: worst.vertices.max(own.vertices),
        })
    }

    /// Compares an answer with what is expected.
    pub(super) fn judge(&self, answer: &Answer) -> Result<Compared, Wrong> {
        answer::judge(&self.expected, answer)
    }

    pub(crate) fn needs(&self) -> Needs {
        let meshes = self
            .asset
            .instances
            .iter()
            .map(|instance| (instance, self.asset.mesh_of(instance)));
        let influences = meshes.clone().map(|(instance, mesh)| match instance.skin {
            Some(_) => mesh.influences.iter().map(<[_]>::len).max().unwrap_or(0),
            None => 0,
        });
        let samplers = self.json["animations"][0]["samplers"].as_array();
        let texts = |list: Option<&Vec<Value>>| -> Vec<String> {
            let texts = list.into_iter().flatten().filter_map(Value::as_str);
            texts.map(str::to_owned).collect()
        };
        let kinds = samplers
            .into_iter()
            .flatten()
            .map(|sampler| sampler["interpolation"].clone());
        let kinds = texts(Some(&kinds.collect()));
        Needs {
            influences: influences.max().unwrap_or(0),
            interpolations: Vec::from_iter(BTreeSet::from_iter(kinds)),
            morphs: meshes
                .clone()
                .any(|(_, mesh)| !mesh.morph_targets.is_empty()),
            extensions: texts(self.json.get("extensionsUsed").and_then(Value::as_array)),
        }
    }

    /// What is expected, as a reference for `diff`.
    pub(crate) fn reference(&self) -> Reference {
        let (asset, clip) = (&self.asset, ClipId(0));
        let poses = self.times.iter().map(|time| {
            let time = Seconds(*time);
            let local = pose::sample(asset, &asset[clip], time).expect("its tracks are whole");
            let mut pose = pose::model_pose(asset, &local);
            let exact = laws::expected(asset, time.0, &laws::Tolerance::F32_TIME)
                .expect("no rotation is by half a turn");
            pose.nodes = exact.nodes.iter().map(|(node, _)| node.as_mat4()).collect();
            let deformed = skinning::deform(asset, &pose, &SkinningOptions::default());
            let mut meshes = deformed.expect("its skins are whole");
            for (mesh, exact) in meshes.iter_mut().zip(&exact.meshes) {
                mesh.positions = exact
                    .iter()
                    .map(|(position, _)| position.as_vec3())
                    .collect();
            }
            reference::Pose {
                clip,
                time,
                pose,
                meshes,
            }
        });
        let mut reference = reference::of_model(asset, poses.collect());
        // The bytes are those of the set, not of the program.
        reference.generator = format!("skincheck vectors {}", super::VERSION);
        reference
    }
}

/// Columns of a line.
const LINE: usize = 120;

/// Members of a glTF file that come first; the others follow in alphabetical order.
const FIRST: [&str; 4] = ["asset", "scene", "scenes", "nodes"];

/// A glTF document as the text of a file.
fn of_gltf(document: &Map<String, Value>) -> String {
    let first = FIRST
        .iter()
        .filter_map(|name| Some((*name, document.get(*name)?)));
    let others = document
        .iter()
        .map(|(name, value)| (name.as_str(), value))
        .filter(|(name, _)| !FIRST.contains(name));
    let mut text = String::new();
    let members = first.chain(others).map(|(name, value)| (Some(name), value));
    block(['{', '}'], members, 0, &mut text);
    text + "\n"
}

fn add(value: &Value, indent: usize, text: &mut String) {
    let line = value.to_string();
    match value {
        Value::Object(members) if indent + line.len() > LINE => {
            let members = members
                .iter()
                .map(|(name, value)| (Some(name.as_str()), value));
            block(['{', '}'], members, indent, text);
        }
        Value::Array(items) if indent + line.len() > LINE => {
            block(
                ['[', ']'],
                items.iter().map(|item| (None, item)),
                indent,
                text,
            );
        }
        _ => *text += &line,
    }
}

fn block<'a>(
    [open, close]: [char; 2],
    entries: impl Iterator<Item = (Option<&'a str>, &'a Value)>,
    indent: usize,
    text: &mut String,
) {
    let margin = |indent: usize| " ".repeat(indent);
    text.push(open);
    for (index, (name, value)) in entries.enumerate() {
        *text += if index == 0 { "\n" } else { ",\n" };
        *text += &margin(indent + 2);
        if let Some(name) = name {
            let _ = write!(text, "\"{name}\": ");
        }
        add(value, indent + 2, text);
    }
    text.push('\n');
    *text += &margin(indent);
    text.push(close);
}
