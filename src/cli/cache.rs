//! `skincheck cache`: the verdicts that `check` keeps.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args as ClapArgs, Subcommand, ValueHint};

use super::output::print;
use super::report::Console;
use crate::check::{Cache, CacheStats};
use crate::shown;
use crate::units::amount;

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
    #[arg(long, value_name = "DIR", env = "SKINCHECK_CACHE", value_parser = folder_or_empty(), value_hint = ValueHint::DirPath)]
    cache: Option<PathBuf>,
}

impl FolderArgs {
    fn open(&self) -> anyhow::Result<Cache> {
        let folder = folder_or_default(self.cache.as_deref());
        let folder = folder.context("the user has no cache folder; name one with --cache")?;
        Ok(Cache::at(folder))
    }
}

/// Accepts an empty name, which a CI service passes for a variable that is not set.
pub(super) fn folder_or_empty() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

/// The folder called `named`, or the user's if that is empty.
pub(super) fn folder_or_default(named: Option<&Path>) -> Option<PathBuf> {
    let named = named.filter(|named| !named.as_os_str().is_empty());
    named.map(Path::to_owned).or_else(Cache::user_folder)
}

pub(super) fn run(args: &Args, console: Console) -> anyhow::Result<()> {
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
                "{folder}\n{}, {size} of at most {most} MiB\n",
                amount(verdicts, "verdict")
            ))
        }
        Command::Clean(args) => {
            let cache = args.open()?;
            let folder = shown::path(cache.folder());
            let verdicts = cache.stats().verdicts;
            let failed = || format!("cannot clean {folder}");
            cache.clean().with_context(failed)?;
            console.note(format_args!(
                "removed {} from {folder}",
                amount(verdicts, "verdict")
            ));
            Ok(())
        }
    }
}
