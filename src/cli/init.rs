//! `skincheck init`: writes a configuration for a folder of models.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::ensure;
use clap::builder::PossibleValuesParser;
use clap::{Args as ClapArgs, ValueHint};
use textwrap::Options;

use super::output::{Target, print};
use crate::check::config::{FILE_NAME, preset_names};
use crate::check::{files_below, is_model};
use crate::engines::{ENGINES, TargetEngine};
use crate::shown;
use crate::units::amount;

/// Write a commented skincheck.toml for the models of a folder
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  skincheck init
  skincheck init assets --engine unity --preset mobile
  skincheck init --print")]
pub(super) struct Args {
    /// The folder (default: the current one)
    #[arg(default_value = ".", hide_default_value = true, value_hint = ValueHint::DirPath)]
    folder: PathBuf,
    /// Target engine or format, such as unity or unreal:influences=unlimited
    #[arg(long, value_name = "NAME[:OPTION=VALUE,…]")]
    engine: Option<TargetEngine>,
    /// Levels and limits for a discipline
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(preset_names()))]
    preset: Option<String>,
    /// Print the configuration instead of writing it
    #[arg(long)]
    print: bool,
}

/// How long the search for models may take.
const LONGEST_SEARCH: Duration = Duration::from_secs(60);

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let folder = &args.folder;
    let path = match folder.to_str() {
        Some(".") => PathBuf::from(FILE_NAME),
        _ => folder.join(FILE_NAME),
    };
    ensure!(
        folder.is_dir(),
        "{}: not a folder; name the folder of your models",
        shown::path(folder)
    );
    let models = files_below(folder, is_model, LONGEST_SEARCH)?.files;
    let text = configuration(&counts(&models), args);
    if args.print {
        return print(&text);
    }
    ensure!(
        path.symlink_metadata().is_err(),
        "{}: exists already; see what init would write with --print",
        shown::path(&path)
    );
    Target::File(path.clone()).write(text.as_bytes())?;
    let folder = shown::shell_word(&shown::unicode(folder));
    print(&format!(
        "{}: written for {}; what next:\n  skincheck check {folder}\n  skincheck check {folder} --write-baseline accepted.json\n  skincheck \
         check {folder} --baseline accepted.json --deny-warnings\nThe second accepts what is found today; the third, in CI, fails for what \
         is new.\n",
        shown::path(&path),
        amount(models.len(), "model"),
    ))
}

/// The number of models by extension, in lower case.
fn counts(models: &[PathBuf]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let extensions = models.iter().filter_map(|path| path.extension());
    for extension in extensions {
        let extension = extension.to_string_lossy().to_lowercase();
        *counts.entry(extension).or_default() += 1;
    }
    counts
}

/// Settings that the extension of a file implies.
const IMPLIED: [(&str, &str, &str); 2] = [("vrm", "engine", "vrm"), ("bvh", "preset", "mocap")];

fn configuration(counts: &BTreeMap<String, usize>, args: &Args) -> String {
    let mut listed: Vec<_> = counts.iter().collect();
    listed.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let listed = listed
        .iter()
        .map(|(extension, count)| format!("{count} .{extension}"));
    let held = match counts.len() {
        0 => "no models yet".to_owned(),
        _ => listed.collect::<Vec<_>>().join(", "),
    };
    let engine = args.engine.as_ref().map(ToString::to_string);
    let mut text = format!(
        "\
# What skincheck checks in this folder and below: {held}.
# A line that begins with # is a suggestion. `skincheck rules` lists the rules, `skincheck explain W103` describes one.

{}
{}

{}
{}

# Models to skip, as in a .gitignore.
# exclude = [\"wip/\"]

# Fail on warnings too, not only on errors.
# deny-warnings = true

[rules]
# W112 = \"off\"        # or info, hint, warning, error

[clips]
# loops = [\"Walk*\"]   # clips that end as they begin

[joints]
# required = [\"Hips\", \"Head\"]
# feet = [\"LeftFoot\", \"RightFoot\"]   # must not slide on the ground

# [size]
# height = [150, 220]
# unit = \"cm\"
",
        comment(&format!(
            "The engine that the models are for: its limits, unit and axes. One of {}.",
            names(ENGINES.iter().map(|engine| engine.name))
        )),
        setting("engine", engine.as_deref(), "unity"),
        comment(&format!(
            "Levels and limits for a discipline. One of {}; `skincheck explain NAME` says what one sets.",
            names(preset_names())
        )),
        setting("preset", args.preset.as_deref(), "mobile"),
    );
    for (extension, key, value) in IMPLIED {
        if counts.contains_key(extension) {
            let _ = write!(
                text,
                "\n[[overrides]]\nfiles = [\"*.{extension}\"]\n{key} = \"{value}\"\n"
            );
        }
    }
    text.push_str(
        "
# Models whose poses and images `skincheck accept` approves and `skincheck test` compares.
# [[test]]
# model = \"characters/*.glb\"
",
    );
    text
}

/// In lines of at most 100 characters.
fn comment(text: &str) -> String {
    let options = Options::new(100);
    textwrap::fill(text, options.initial_indent("# ").subsequent_indent("# "))
}

/// A setting, or a suggestion.
fn setting(key: &str, value: Option<&str>, suggested: &str) -> String {
    match value {
        Some(value) => format!("{key} = {value:?}"),
        None => format!("# {key} = {suggested:?}"),
    }
}

fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().collect::<Vec<_>>().join(", ")
}
