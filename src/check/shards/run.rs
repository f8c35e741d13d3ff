//! What identifies a run, so that shards of different runs are not merged.

use serde::{Deserialize, Serialize};

use super::Shard;

/// The part of a run that a report is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunPart {
    /// The shard.
    pub shard: Shard,
    /// The run.
    pub run: RunIdentity,
    /// The index of each file of the report in the whole run.
    pub indices: Vec<usize>,
}

/// What all shards of a run have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct RunIdentity {
    /// The version of skincheck, and a digest of its sources.
    pub program: String,
    /// A digest of the settings of each model, of the import options, and of the changes that the run is limited to.
    pub configuration: String,
    /// The number of models.
    pub models: usize,
    /// A digest of the paths and sizes of all models, which decide how they are split.
    pub split: String,
}

impl RunIdentity {
    /// How it differs from the identity that another shard states, if it does.
    pub(crate) fn difference(&self, other: &Self) -> Option<&'static str> {
        let differences = [
            (
                self.program != other.program,
                "the version or build of skincheck",
            ),
            (
                self.models != other.models,
                "the number of models, so one was added or removed in between",
            ),
            (self.split != other.split, "the models or their sizes"),
            (
                self.configuration != other.configuration,
                "the configuration",
            ),
        ];
        let mut differences = differences.into_iter();
        differences.find_map(|(differs, what)| differs.then_some(what))
    }
}

/// The hash of several texts.
pub(in crate::check) fn digest(texts: impl Iterator<Item = String>) -> String {
    let mut hasher = blake3::Hasher::new();
    for text in texts {
        hasher.update(text.as_bytes());
        hasher.update(b"\n");
    }
    hasher.finalize().to_hex().to_string()
}
