//! `skincheck manual`: man pages, and the scripts of all shells, for packages.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;

use super::completions::script;
use crate::frame::write_file;
use crate::shown;

/// Write the man pages and completion scripts that packages install
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  skincheck manual share    # share/man/man1/*.1, share/bash-completion/completions/skincheck and so on")]
pub(super) struct Args {
    /// Folder that is laid out like /usr/share
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let mut command = super::Cli::command().disable_help_subcommand(true);
    // Names the pages after their commands: skincheck-check.
    command.build();
    write_pages(&args.folder.join("man/man1"), &command)?;
    for (shell, folder, name) in [
        (Shell::Bash, "bash-completion/completions", "skincheck"),
        (Shell::Elvish, "elvish/lib", "skincheck.elv"),
        (Shell::Fish, "fish/vendor_completions.d", "skincheck.fish"),
        (Shell::PowerShell, "powershell", "skincheck.ps1"),
        (Shell::Zsh, "zsh/site-functions", "_skincheck"),
    ] {
        write(&args.folder.join(folder), name, &script(shell))?;
    }
    Ok(())
}

/// The page of a command, and those of its subcommands.
fn write_pages(folder: &Path, command: &clap::Command) -> anyhow::Result<()> {
    // A man page omits the description of an option that `-h` hides.
    let shown = command.clone().mut_args(|arg| arg.hide_short_help(false));
    let page = Man::new(shown).source(concat!("skincheck ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    page.render(&mut text)?;
    write(folder, &page.get_filename(), &text)?;
    let mut documented = command
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    documented.try_for_each(|command| write_pages(folder, command))
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", shown::path(folder)))?;
    Ok(write_file(&folder.join(name), bytes)?)
}
