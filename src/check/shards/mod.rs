//! A run in several shards: the split, the results of each, and one merged report.

mod merge;
mod results;
mod shard;
mod split;

pub use merge::{MergeError, Merged, merge};
pub use results::ResultsError;
pub(super) use results::{Header, Line, Results};
pub use shard::{Shard, ShardError};
pub use split::split;
pub(super) use split::weights;
