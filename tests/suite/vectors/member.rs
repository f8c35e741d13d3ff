//! A case, its file, and what is expected of it.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Map, Value};
use skincheck::import::{self, Isolation, Options};
use skincheck::rig::{Asset, Clip};
use skincheck::units::Seconds;

use super::cases::Case;
use super::expected::{self, Limited, Pose, inverse_transpose};
use super::text;
use crate::engines::{Fault, Plant};
use crate::folder::Folder;

/// A case, read back from its file.
pub(super) struct Member {
    pub(super) case: &'static Case,
    /// The text of the file.
    pub(super) gltf: String,
    /// In seconds.
    pub(super) times: Vec<f64>,
    json: Map<String, Value>,
    pub(super) asset: Asset,
    pub(super) expected: Vec<Pose>,
}

/// What an engine must support to answer a case.
#[derive(Serialize)]
pub(super) struct Needs {
    /// The most influences of a vertex; 0 without a skin.
    influences: usize,
    /// Of its animation: `STEP`, `LINEAR` or `CUBICSPLINE`.
    interpolations: Vec<String>,
    /// Whether it has morph targets.
    morphs: bool,
    /// Extensions of glTF.
    extensions: Vec<String>,
}

impl Member {
    pub(super) fn new(case: &'static Case) -> Self {
        let draft = (case.draft)();
        let times = draft.times.clone();
        let json = draft.finish(case.tests, case.wrong);
        let gltf = text::of(&Value::Object(json.clone()));
        let asset = read(&gltf).unwrap_or_else(|error| panic!("{}: {error}", case.name));
        let poses = expected::poses(&asset, &times, inverse_transpose);
        let mut member = Self {
            expected: poses.expect("no rotation is by half a turn"),
            case,
            gltf,
            times,
            json,
            asset,
        };
        if !case.is_informational {
            member.limit();
        }
        member
    }

    /// Adds what is expected of engines with fewer influences than the case has.
    fn limit(&mut self) {
        for influences in 1..self.influences() {
            let asset = expected::limited(&self.asset, influences);
            let poses = expected::poses(&asset, &self.times, inverse_transpose);
            for (pose, limited) in self.expected.iter_mut().zip(poses.into_iter().flatten()) {
                pose.limited.push(Limited {
                    influences,
                    tolerance: limited.tolerance,
                    meshes: limited.meshes,
                });
            }
        }
    }

    /// The most influences of a vertex.
    pub(super) fn influences(&self) -> usize {
        let skinned = self
            .asset
            .instances
            .iter()
            .filter(|instance| instance.skin.is_some());
        let counts = skinned.flat_map(|instance| {
            let lists = self.asset.mesh_of(instance).influences.iter();
            lists.map(<[_]>::len)
        });
        counts.max().unwrap_or(0)
    }

    pub(super) fn needs(&self) -> Needs {
        let texts = |list: Option<&Value>| -> BTreeSet<String> {
            let list = list.and_then(Value::as_array).into_iter().flatten();
            list.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let samplers = self.json["animations"][0]["samplers"].as_array();
        let kinds = samplers.into_iter().flatten();
        let kinds = kinds
            .map(|sampler| sampler["interpolation"].clone())
            .collect();
        let meshes = self.asset.meshes.iter();
        Needs {
            influences: self.influences(),
            interpolations: Vec::from_iter(texts(Some(&Value::Array(kinds)))),
            morphs: meshes
                .into_iter()
                .any(|mesh| !mesh.morph_targets.is_empty()),
            extensions: Vec::from_iter(texts(self.json.get("extensionsUsed"))),
        }
    }

    /// Whether a fault fails the case. A file that the faulty engine cannot read shows by itself.
    pub(super) fn catches(&self, fault: &Fault) -> bool {
        let answer = match &fault.plant {
            Plant::Engine(engine) => {
                let poses = engine.pose(&self.asset, &self.times);
                poses.map(|poses| expected::answer(&self.asset, &self.times, &poses))
            }
            // Files do not ask for dual quaternions, and weights show in vertices.
            Plant::Weights(_) | Plant::DualQuaternions(_) => None,
            Plant::Normals(rule) => expected::poses(&self.asset, &self.times, *rule),
            Plant::File(change) => {
                let mut json = self.json.clone();
                change(&mut json);
                read(&Value::Object(json).to_string())
                    .ok()
                    .and_then(|mut asset| {
                        if asset.clips.is_empty() {
                            asset.clips.push(Clip::new("clip", Seconds::ZERO));
                        }
                        expected::poses(&asset, &self.times, inverse_transpose)
                    })
            }
        };
        answer.is_some_and(|answer| expected::is_wrong(&self.expected, &answer))
    }
}

/// Reads the text of a glTF file.
fn read(gltf: &str) -> Result<Asset, import::ImportError> {
    let folder = Folder::new();
    folder.write("case.gltf", gltf);
    let options = Options {
        isolation: Isolation::InProcess,
        ..Options::default()
    };
    import::load(&folder.path("case.gltf"), &options)
}
