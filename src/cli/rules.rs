//! `skincheck rules`: lists the rules, profiles and presets.

use super::check::is_colorful;
use super::output::Target;
use crate::report::{self, View};

/// List the rules, profiles and presets of check
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  skincheck rules
  skincheck rules --profiles
  skincheck rules --presets
  skincheck rules --engines
  skincheck rules --json | jq '.rules[] | select(.level == \"error\") | .code'")]
#[expect(clippy::struct_excessive_bools, reason = "one per option")]
pub(super) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// List the profiles instead: limits, unit and axes of engines and formats
    #[arg(long)]
    profiles: bool,
    /// List instead what --as emulates of each engine, with the sources and the options
    #[arg(long, conflicts_with_all = ["profiles", "presets", "json"])]
    engines: bool,
    /// List the presets instead: what each sets for a discipline, and why
    #[arg(long, conflicts_with = "profiles")]
    presets: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let view = View {
        color: is_colorful(),
        ..View::default()
    };
    if args.engines {
        return Target::Stdout.write(report::list_lenses(view).as_bytes());
    }
    let text = match (args.profiles, args.presets, args.json) {
        (false, false, false) => report::list_rules(view),
        (false, false, true) => report::list_rules_json(),
        (true, _, false) => {
            report::list_profiles(view) + "\nskincheck explain NAME shows the source of each\n"
        }
        (true, _, true) => report::list_profiles_json(),
        (_, true, false) => report::list_presets(view),
        (_, true, true) => report::list_presets_json(),
    };
    Target::Stdout.write(text.as_bytes())
}
