//! A run in several parts: who checks what, what each part has found, and one report from all.

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
