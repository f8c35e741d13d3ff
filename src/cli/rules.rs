//! `skincheck rules`: lists the rules, engines and presets.

use super::check::is_colorful;
use super::output::Target;
use super::skin::FILE;
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
    let view = View {
        color: is_colorful(),
        ..View::default()
    };
    let text = match (args.engines, args.presets, args.json) {
        (false, false, false) => report::list_rules(view),
        (false, false, true) => report::list_rules_json(),
        (true, ..) => report::list_engines(view) + "\n" + FILE,
        (_, true, _) => report::list_presets(view),
    };
    Target::Stdout.write(text.as_bytes())
}
