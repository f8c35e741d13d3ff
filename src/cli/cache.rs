//! `skincheck cache`: the verdicts that `check` keeps.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args as ClapArgs, Subcommand, ValueHint};
use skincheck::check::{Cache, CacheStats};
use skincheck::shown;

use super::output::print;

/// Show or remove the cached verdicts of check
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  skincheck cache stats
  skincheck cache clean --cache .skincheck-cache")]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show the location and size of the cache
    Stats(FolderArgs),
    /// Remove all verdicts
    Clean(FolderArgs),
}

#[derive(Debug, ClapArgs)]
struct FolderArgs {
    /// Folder of the cache (default: the user's cache folder)
    #[arg(long, value_name = "DIR", env = "SKINCHECK_CACHE", value_hint = ValueHint::DirPath)]
    cache: Option<PathBuf>,
}

impl FolderArgs {
    fn open(&self) -> anyhow::Result<Cache> {
        let folder = self.cache.clone().or_else(Cache::user_folder);
        let folder = folder.context("the user has no cache folder; name one with --cache")?;
        Ok(Cache::at(folder))
    }
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    match &args.command {
        Command::Stats(args) => {
            let cache = args.open()?;
            let CacheStats {
                verdicts,
                bytes,
                most_bytes,
                ..
            } = cache.stats();
            let folder = shown::path(cache.folder());
            let [size, most] = [bytes, most_bytes].map(|bytes| bytes.div_ceil(1 << 20));
            print(&format!(
                "{folder}\n{verdicts} verdicts, {size} of at most {most} MiB\n"
            ))
        }
        Command::Clean(args) => {
            let cache = args.open()?;
            let folder = shown::path(cache.folder());
            cache
                .clean()
                .with_context(|| format!("cannot clean {folder}"))
        }
    }
}
