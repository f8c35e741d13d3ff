//! `skincheck doctor`: what this machine can do.

use clap::Args as ClapArgs;
use skincheck::backend::Driver;
use skincheck::report::doctor::Examination;

use super::backend::DriverArgs;
use super::output::Target;

/// Show what this machine can do: importers, OpenGL, threads; what is missing and how to get it
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  skincheck doctor
  skincheck doctor --gl software --json | jq '.opengl.renderer'

Exit codes: 0 all is there, 1 something is missing.")]
pub(super) struct Args {
    /// For machines
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    driver: DriverArgs,
}

impl Args {
    /// Which OpenGL to look for.
    pub(super) fn driver(&self) -> Driver {
        self.driver.driver()
    }
}

/// Whether nothing is missing.
pub(super) fn run(args: &Args) -> anyhow::Result<bool> {
    let examination = Examination::of_this_machine(args.driver());
    let report = if args.json {
        examination.to_json()
    } else {
        examination.to_text()
    };
    Target::Stdout.write(report.as_bytes())?;
    Ok(examination.is_complete())
}
