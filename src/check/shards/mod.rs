//! Runs in several shards: how they are split, the results of each, and the merged report.

mod merge;
mod results;
mod shard;

pub use merge::{MergeError, merge};
pub use results::ResultsError;
pub(super) use results::{Header, Line, Model, Results, SCHEMA, digest, split_of};
pub(super) use shard::weight;
pub use shard::{Shard, ShardError, split};
