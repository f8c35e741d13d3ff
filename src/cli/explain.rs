//! `skincheck explain`: the pages of rules and profiles.

use super::check::is_colorful;
use super::output::Target;
use crate::check::config::UnknownRule;
use crate::lint::{PROFILES, Profile, Rule, find_profile, find_rule};
use crate::names::nearest;
use crate::report::{self, View};

/// Explain a rule (what it finds, why it matters, how to fix it) or a profile
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  skincheck explain W103
  skincheck explain weights-not-normalized
  skincheck explain B205 B206
  skincheck explain unreal")]
pub(super) struct Args {
    /// Codes or names of rules (listed by skincheck rules), or names of profiles (skincheck rules --profiles)
    #[arg(required = true, value_name = "CODE")]
    codes: Vec<String>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let view = View {
        color: is_colorful(),
        ..View::default()
    };
    let found = args.codes.iter().map(|word| Subject::find(word));
    let subjects: Vec<Subject> = found.collect::<Result<_, _>>()?;
    let pages = subjects.iter().map(|subject| subject.page(view));
    let pages: Vec<String> = pages.collect();
    Target::Stdout.write(pages.join("\n\n").as_bytes())
}

/// The page of `unreadable`.
const UNREADABLE: &str = "\
unreadable
error

A file could not be read, or its check did not end within --timeout. Nothing is known about its faults, so the check exits \
with 2. The message says where in the file the reader stopped.

How to fix
- Export the model again, and see whether the program that it is for can open it.
- A large model may need more than --import-memory, --import-timeout or --timeout allow.
- To skip it, exclude it in skincheck.toml; to accept it with its error, use --write-baseline with --accept-unreadable.";

/// A thing that has a page.
enum Subject {
    Rule(&'static dyn Rule),
    Profile(&'static Profile),
    /// The pseudo-rule of a file that cannot be read.
    Unreadable,
}

impl Subject {
    fn find(word: &str) -> anyhow::Result<Self> {
        if word == "unreadable" {
            return Ok(Self::Unreadable);
        }
        let rule = find_rule(word).map(Self::Rule);
        let found = rule.or_else(|| find_profile(word).map(Self::Profile));
        found.ok_or_else(|| unknown(word))
    }

    fn page(&self, view: View) -> String {
        match self {
            Self::Rule(rule) => report::explain(rule.meta(), view),
            Self::Profile(profile) => report::explain_profile(profile, view),
            Self::Unreadable => UNREADABLE.to_owned(),
        }
    }
}

/// Suggests the most similar rule or profile.
fn unknown(word: &str) -> anyhow::Error {
    let rule = UnknownRule::new(word);
    let profiles = PROFILES.iter().map(|profile| profile.name);
    let meant = nearest(word, profiles.clone().chain(rule.nearest));
    match meant.filter(|meant| profiles.clone().any(|name| name == *meant)) {
        Some(profile) => anyhow::anyhow!(
            "no rule or profile \"{}\" (did you mean \"{profile}\"?); skincheck rules --profiles lists all profiles",
            rule.word
        ),
        None => anyhow::anyhow!("{rule}; skincheck rules lists all"),
    }
}
