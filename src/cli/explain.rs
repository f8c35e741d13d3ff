//! `skincheck explain`: the pages of rules.

use skincheck::config::UnknownRule;
use skincheck::lint::{Rule, find_rule};
use skincheck::report::{self, View};

use super::check::is_colorful;
use super::output::Target;

/// Tell what a rule looks for, why that is bad and how to fix it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  skincheck explain W103
  skincheck explain weights-not-normalized
  skincheck explain B205 B206")]
pub(super) struct Args {
    /// Codes or names of rules; skincheck rules lists them
    #[arg(required = true, value_name = "CODE")]
    codes: Vec<String>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let view = View {
        color: is_colorful(),
        ..View::default()
    };
    let found = args.codes.iter().map(|code| find(code));
    let rules: Vec<&dyn Rule> = found.collect::<Result<_, _>>()?;
    let pages = rules.iter().map(|rule| report::explain(rule.meta(), view));
    let pages: Vec<String> = pages.collect();
    Target::Stdout.write(pages.join("\n\n").as_bytes())
}

fn find(code: &str) -> anyhow::Result<&'static dyn Rule> {
    let unknown = || anyhow::anyhow!("{}; skincheck rules lists all", UnknownRule::new(code));
    find_rule(code).ok_or_else(unknown)
}
