//! `skincheck rules`: lists the rules and profiles.

use super::check::is_colorful;
use super::output::Target;
use crate::report::{self, View};

/// List the rules and profiles of check
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  skincheck rules
  skincheck rules --profiles
  skincheck rules --json | jq '.rules[] | select(.level == \"error\") | .code'")]
pub(super) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// List the profiles instead: limits, unit and axes of engines and formats
    #[arg(long)]
    profiles: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let view = View {
        color: is_colorful(),
        ..View::default()
    };
    let text = match (args.profiles, args.json) {
        (false, false) => report::list_rules(view),
        (false, true) => report::list_rules_json(),
        (true, false) => {
            report::list_profiles(view) + "\nskincheck explain NAME shows the source of each\n"
        }
        (true, true) => report::list_profiles_json(),
    };
    Target::Stdout.write(text.as_bytes())
}
