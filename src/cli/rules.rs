//! `skincheck rules`: what there is to check.

use skincheck::report::{self, View};

use super::check::is_colorful;
use super::output::Target;

/// List the rules that check looks by, or its profiles
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  skincheck rules
  skincheck rules --profiles
  skincheck rules --json | jq '.rules[] | select(.level == \"error\") | .code'")]
pub(super) struct Args {
    /// As JSON, for machines
    #[arg(long)]
    json: bool,
    /// The profiles instead: limits, unit and axes of engines and formats
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
            report::list_profiles(view)
                + "\nskincheck explain NAME tells where each of these is from\n"
        }
        (true, true) => report::list_profiles_json(),
    };
    Target::Stdout.write(text.as_bytes())
}
