//! `skincheck rules`: lists the rules, engines and presets.

use super::output::{Target, print, print_prose, view};
use super::skin::FILE;
use crate::report;

/// List the rules, engines and presets of check
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  skincheck rules
  skincheck rules --presets
  skincheck rules --engines
  skincheck rules --json | jq '.rules[] | select(.level == \"error\") | .code'")]
pub(super) struct Args {
    /// Print the rules as JSON
    #[arg(long, conflicts_with_all = ["engines", "presets"])]
    json: bool,
    /// List the engines and formats of --engine instead: limits, what is emulated, options, and the source of each
    #[arg(long)]
    engines: bool,
    /// List the presets instead: what each sets for a discipline, and why
    #[arg(long, conflicts_with = "engines")]
    presets: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let view = view();
    match (args.engines, args.presets, args.json) {
        (false, false, false) => print(&report::list_rules(view)),
        (false, false, true) => Target::Stdout.write(report::list_rules_json().as_bytes()),
        (true, ..) => print_prose(&(report::list_engines(view) + "\n" + FILE)),
        (_, true, _) => print_prose(&report::list_presets(view)),
    }
}
