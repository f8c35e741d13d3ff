//! `skincheck crosscheck`: two implementations on the same model.

mod importers;

use clap::Args as ClapArgs;

use super::report::{Console, Outcome};

/// Compare two implementations on the same model, and name the first stage that differs
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  skincheck crosscheck --importers model.fbx
  skincheck crosscheck --importers=fbx,assimp a.fbx b.fbx --json

Exit codes: 0 they agree, 1 they differ, 2 a file could not be compared.")]
pub(super) struct Args {
    #[command(flatten)]
    importers: importers::ImporterArgs,
}

pub(super) fn run(args: &Args, console: Console) -> anyhow::Result<Outcome> {
    importers::run(&args.importers, console)
}
