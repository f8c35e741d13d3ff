//! The part of a run for this process.

use std::num::NonZeroUsize;

use clap::Args as ClapArgs;

use super::output::Target;
use crate::check::{Shard, ShardError};

/// Which part of a run this is.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Scale")]
pub(super) struct ShardArgs {
    /// Run part M of N, balanced by size, such as 3/16
    ///
    /// auto (or auto/N) reads M and N from the CI environment (Bazel, GitLab, Kubernetes).
    #[arg(long, value_name = "M/N", value_parser = ShardArg::parse, hide_short_help = true)]
    shard: Option<ShardArg>,
}

/// `3/16`, `auto` or `auto/16`.
#[derive(Debug, Clone, Copy)]
enum ShardArg {
    This(Shard),
    Engine(Option<NonZeroUsize>),
}

impl ShardArg {
    fn parse(text: &str) -> Result<Self, ShardError> {
        if text == "auto" {
            return Ok(Self::Engine(None));
        }
        if let Some(count) = text.strip_prefix("auto/") {
            let count = count.parse().map_err(|_| ShardError::Malformed)?;
            return Ok(Self::Engine(Some(count)));
        }
        text.parse().map(Self::This)
    }
}

impl ShardArgs {
    /// Whether `--shard` is given.
    pub(super) fn is_given(&self) -> bool {
        self.shard.is_some()
    }

    /// The requested part, if any.
    pub(super) fn shard(&self) -> anyhow::Result<Option<Shard>> {
        Ok(match self.shard {
            None => None,
            Some(ShardArg::This(shard)) => Some(shard),
            Some(ShardArg::Engine(count)) => Some(of_engine(count)?),
        })
    }
}

/// The part that the CI engine assigns to this process. Bazel is notified that sharding is supported.
fn of_engine(count: Option<NonZeroUsize>) -> anyhow::Result<Shard> {
    let shard = Shard::from_engine(count, |name| std::env::var(name).ok())?;
    if let Some(status) = std::env::var_os("TEST_SHARD_STATUS_FILE") {
        Target::File(status.into()).write(b"")?;
    }
    Ok(shard)
}
