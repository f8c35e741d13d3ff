//! `skincheck explain`: the pages of rules, profiles and presets.

use super::check::is_colorful;
use super::output::Target;
use crate::check::config::{Preset, UnknownRule, find_preset, preset_names};
use crate::lint::{PROFILES, Profile, Rule, find_profile, find_rule};
use crate::names::nearest;
use crate::report::{self, View};

/// Explain a rule (what it finds, why it matters, how to fix it), a profile or a preset
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  skincheck explain W103
  skincheck explain weights-not-normalized
  skincheck explain B205 B206
  skincheck explain unreal
  skincheck explain mocap")]
pub(super) struct Args {
    /// Codes or names of rules (listed by skincheck rules), or names of profiles (skincheck rules --profiles) or presets
    /// (skincheck rules --presets)
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
## unreadable
an error

## What it means
A file could not be read, or its check did not end within `--timeout`. Nothing is known about its faults, so the check
exits with 2. The message says where in the file the reader stopped.

## How to fix
- Export the model again, and see whether the program that it is for can open it.
- A large model may need more than `--import-memory`, `--import-timeout` or `--timeout` allow.
- To skip it, exclude it in skincheck.toml. To accept it with its error, use `--write-baseline` with
  `--accept-unreadable`.
";

/// A thing that has a page.
enum Subject {
    Rule(&'static dyn Rule),
    Profile(&'static Profile),
    Preset(&'static Preset),
    /// The pseudo-rule of a file that cannot be read.
    Unreadable,
}

impl Subject {
    fn find(word: &str) -> anyhow::Result<Self> {
        if word == "unreadable" {
            return Ok(Self::Unreadable);
        }
        let rule = find_rule(word).map(Self::Rule);
        let profile = || find_profile(word).map(Self::Profile);
        let preset = || find_preset(word).map(Self::Preset);
        let found = rule.or_else(profile).or_else(preset);
        found.ok_or_else(|| unknown(word))
    }

    fn page(&self, view: View) -> String {
        match self {
            Self::Rule(rule) => report::explain(rule.meta(), view),
            Self::Profile(profile) => report::explain_profile(profile, view),
            Self::Preset(preset) => report::explain_preset(preset, view),
            Self::Unreadable => report::on_terminal(UNREADABLE, view) + "\n",
        }
    }
}

/// Suggests the most similar rule, profile or preset.
fn unknown(word: &str) -> anyhow::Error {
    let rule = UnknownRule::new(word);
    let profiles = PROFILES.iter().map(|profile| profile.name);
    let meant = nearest(
        word,
        profiles.clone().chain(preset_names()).chain(rule.nearest),
    );
    let is_one = |mut names: Box<dyn Iterator<Item = &'static str>>| {
        meant.filter(|meant| names.any(|name| name == *meant))
    };
    let word = &rule.word;
    if let Some(profile) = is_one(Box::new(profiles)) {
        anyhow::anyhow!(
            "no rule or profile \"{word}\" (did you mean \"{profile}\"?); skincheck rules --profiles lists all profiles"
        )
    } else if let Some(preset) = is_one(Box::new(preset_names())) {
        anyhow::anyhow!(
            "no rule or preset \"{word}\" (did you mean \"{preset}\"?); skincheck rules --presets lists all presets"
        )
    } else {
        rule.into()
    }
}
