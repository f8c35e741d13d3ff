//! `skincheck completions`: scripts for shells.

use clap::CommandFactory;
use clap_complete::Shell;

use super::output::Target;

/// Print a shell's completion script
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  skincheck completions bash > ~/.local/share/bash-completion/completions/skincheck
  skincheck completions fish > ~/.config/fish/completions/skincheck.fish")]
pub(super) struct Args {
    /// Which shell
    shell: Shell,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    Target::Stdout.write(&script(args.shell))
}

/// The completion script of a shell.
pub(super) fn script(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut super::Cli::command(), "skincheck", &mut script);
    script
}
