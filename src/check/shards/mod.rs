//! Runs in several shards: how models are split, and what identifies the run of a shard.

mod run;
mod shard;

pub(super) use run::digest;
pub use run::{RunIdentity, RunPart};
pub(super) use shard::weight;
pub use shard::{Shard, ShardError, split};
