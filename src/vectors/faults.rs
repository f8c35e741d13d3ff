//! Planted faults: engines with one classic mistake each. Those in posing and skinning are engines of the library; those in
//! reading are changes of the file.

mod engines;
mod files;

use super::answer::{self, Answer};
use super::member::Member;
use crate::import::own_gltf;
use crate::laws::{Poser, Tolerance, faulty_engines};
use crate::rig::Clip;
use crate::units::Seconds;
use serde_json::{Map, Value};

/// A fault.
pub(super) struct Fault {
    pub(super) name: &'static str,
    /// In words.
    pub(super) mistake: &'static str,
    plant: Plant,
}

enum Plant {
    /// The file as the engine reads it.
    File(fn(&mut Map<String, Value>)),
    Engine(Box<dyn Poser>),
}

/// All faults, those of the laws first.
pub(super) fn all() -> Vec<Fault> {
    let laws = faulty_engines()
        .into_iter()
        .map(|(name, mistake, engine)| Fault {
            name,
            mistake,
            plant: Plant::Engine(engine),
        });
    laws.chain(engines::all()).chain(files::all()).collect()
}

impl Fault {
    /// The answer of an engine that has the fault; `None` if it cannot read the file, which shows by itself.
    pub(super) fn answer(&self, member: &Member) -> Option<Answer> {
        let times = &member.times;
        match &self.plant {
            Plant::Engine(engine) => {
                let poses = engine.pose(&member.asset, times)?;
                Some(answer::answer(&member.asset, times, &poses))
            }
            Plant::File(change) => {
                let mut json = member.json.clone();
                change(&mut json);
                let mut asset = own_gltf(&Value::Object(json).to_string()).ok()?;
                if asset.clips.is_empty() {
                    asset.clips.push(Clip::new("clip", Seconds::ZERO));
                }
                let poses = answer::of(&asset, times, &Tolerance::F32_TIME)?;
                Some(Answer {
                    poses,
                    ..Answer::default()
                })
            }
        }
    }
}
