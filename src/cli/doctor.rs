//! `skincheck doctor`: shows what this machine supports.

use clap::Args as ClapArgs;

use super::backend::DriverArgs;
use super::output::{Target, print, view};
use crate::report::doctor::Examination;

/// Show what this machine supports (importers, OpenGL, threads) and how to install missing parts
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  skincheck doctor
  skincheck doctor --gl software --json | jq '.opengl.renderer'

Exit codes: 0 nothing is missing, 1 something is missing.")]
pub(super) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(super) driver: DriverArgs,
}

/// Returns whether nothing is missing.
pub(super) fn run(args: &Args) -> anyhow::Result<bool> {
    let examination = Examination::of_this_machine(args.driver.gl);
    if args.json {
        Target::Stdout.write(examination.to_json().as_bytes())?;
    } else {
        print(&examination.to_text(view()))?;
    }
    Ok(examination.is_complete())
}
