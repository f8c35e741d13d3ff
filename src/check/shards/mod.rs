//! Runs in several shards: how they are split, the results of each, and the merged report.

mod merge;
mod results;
mod shard;
mod split;

pub use merge::{MergeError, merge};
pub use results::ResultsError;
pub(super) use results::{Header, Line, Model, Results, SCHEMA, digest, split_of};
pub use shard::{Shard, ShardError};
pub use split::split;
pub(super) use split::weight;
