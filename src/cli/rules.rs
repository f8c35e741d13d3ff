//! `skincheck rules`: lists the rules, engines and presets.

use super::check::is_colorful;
use super::output::Target;
use crate::report::{self, View};

/// List the rules, engines and presets of check
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  skincheck rules
  skincheck rules --presets
  skincheck rules --engines
  skincheck rules --json | jq '.rules[] | select(.level == \"error\") | .code'")]
pub(super) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// List the engines and formats of --engine instead: limits, what is emulated, options, and the source of each
    #[arg(long)]
    engines: bool,
    /// List the presets instead: what each sets for a discipline, and why
    #[arg(long, conflicts_with = "engines")]
    presets: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let view = View {
        color: is_colorful(),
        ..View::default()
    };
    let text = match (args.engines, args.presets, args.json) {
        (false, false, false) => report::list_rules(view),
        (false, false, true) => report::list_rules_json(),
        (true, _, false) => report::list_engines(view),
        (true, _, true) => report::list_engines_json(),
        (_, true, false) => report::list_presets(view),
        (_, true, true) => report::list_presets_json(),
    };
    Target::Stdout.write(text.as_bytes())
}
