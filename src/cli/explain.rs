//! `skincheck explain`: the pages of rules, engines and presets.

use std::path::{Path, PathBuf};

use anyhow::ensure;
use clap::ValueHint;

use super::output::{self, Target};
use super::report::Console;
use crate::check::config::{Preset, UnknownRule, find_preset, preset_names};
use crate::diff::Kind;
use crate::engines::{ENGINES, Engine, find_engine};
use crate::lint::{Rule, find_rule};
use crate::names::nearest;
use crate::report::{Document, explain_html, is_explain_html};
use crate::shown;
use crate::units::amount;

/// Explain a rule (what it finds, why it matters, how to fix it), a kind of difference, an engine or a preset
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  skincheck explain W103
  skincheck explain weights-not-normalized
  skincheck explain B205 B206 --open
  skincheck explain keys-missing
  skincheck explain unreal
  skincheck explain mocap -o mocap.html")]
pub(super) struct Args {
    /// Codes or names of rules (listed by skincheck rules), or names of engines (skincheck rules --engines) or presets
    /// (skincheck rules --presets), or kinds of differences
    #[arg(required = true, value_name = "CODE")]
    codes: Vec<String>,
    /// Write one HTML page and open it in a browser
    ///
    /// Without --output, the file is named after the first CODE, in the current folder.
    #[arg(long)]
    open: bool,
    /// Write one HTML page to this file, or to standard output with -
    #[arg(short, long, value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
}

pub(super) fn run(args: &Args, console: Console) -> anyhow::Result<()> {
    let found = args.codes.iter().map(|word| Subject::find(word));
    let subjects: Vec<Subject> = found.collect::<Result<_, _>>()?;
    let pages: Vec<Document> = subjects.iter().map(Subject::document).collect();
    let target = match &args.output {
        Some(path) => Target::from(path.as_path()),
        None if args.open => {
            let first = pages.first().map_or("", |page| page.id);
            Target::beside(Path::new(first), "html", is_explain_html)?
        }
        None => return print(&pages),
    };
    ensure!(
        !args.open || target.path().is_some(),
        "--open cannot open standard output; name a file with -o"
    );
    target.check(&[])?;
    target.check_extension(&["html", "htm"], "the output is HTML")?;
    target.write(explain_html(&pages).as_bytes())?;
    if let Some(path) = target.path() {
        let pages = amount(pages.len(), "page");
        console.note(format_args!("{}: {pages}", shown::path(path)));
        if args.open {
            output::open_page(path, console);
        }
    }
    Ok(())
}

/// For a terminal.
fn print(pages: &[Document]) -> anyhow::Result<()> {
    let view = output::view();
    let pages: Vec<String> = pages.iter().map(|page| page.on_terminal(view)).collect();
    output::print_prose(&pages.join("\n\n"))
}

/// The page of `unreadable`.
const UNREADABLE: &str = "\
# unreadable

an error

## What it means
A file could not be read, or the work on it exceeded `--timeout` or `--memory`. Nothing is known about its faults, so the check
exits with 2. The message says where in the file the reader stopped.

## How to fix
- Export the model again, and see whether the program that it is for can open it.
- A large model may need more than `--memory` or `--timeout` allow.
- To skip it, exclude it in skincheck.toml. A baseline does not accept it.
";

/// A thing that has a page.
enum Subject {
    Rule(&'static dyn Rule),
    Engine(&'static Engine),
    Preset(&'static Preset),
    /// A kind of difference.
    Kind(Kind),
    /// The pseudo-rule of a file that cannot be read.
    Unreadable,
}

impl Subject {
    fn find(word: &str) -> anyhow::Result<Self> {
        if word == "unreadable" {
            return Ok(Self::Unreadable);
        }
        let rule = find_rule(word).map(Self::Rule);
        let engine = || find_engine(word).map(Self::Engine);
        let preset = || find_preset(word).map(Self::Preset);
        let kind = || Kind::named(word).map(Self::Kind);
        let found = rule.or_else(engine).or_else(preset).or_else(kind);
        found.ok_or_else(|| unknown(word))
    }

    fn document(&self) -> Document {
        match self {
            Self::Rule(rule) => Document::of_rule(rule.meta()),
            Self::Engine(engine) => Document::of_engine(engine),
            Self::Preset(preset) => Document::of_preset(preset),
            Self::Kind(kind) => Document {
                id: kind.name(),
                markdown: of_kind(*kind),
            },
            Self::Unreadable => Document {
                id: "unreadable",
                markdown: UNREADABLE.to_owned(),
            },
        }
    }
}

/// The page of a kind of difference.
fn of_kind(kind: Kind) -> String {
    let (name, stage, about) = (kind.name(), kind.stage().name(), kind.about());
    format!(
        "# {name}\n\na kind of difference, of the stage \"{stage}\"\n\n\
         ## What it means\n{about}\n\n\
         ## What to do\n\
         - The finding names the worst joint or vertex, the time and the cause; `skincheck diff BEFORE AFTER --report\n  \
         html=page.html` shows it.\n\
         - `--ignore {name}` makes it a remark, and `--count {name}` a difference.\n"
    )
}

/// Suggests the most similar rule, engine or preset.
fn unknown(word: &str) -> anyhow::Error {
    let rule = UnknownRule::new(word);
    let engines = ENGINES.iter().map(|engine| engine.name);
    let meant = nearest(
        word,
        engines.clone().chain(preset_names()).chain(rule.nearest),
    );
    let is_one = |mut names: Box<dyn Iterator<Item = &'static str>>| {
        meant.filter(|meant| names.any(|name| name == *meant))
    };
    let word = &rule.word;
    if let Some(engine) = is_one(Box::new(engines)) {
        anyhow::anyhow!(
            "no rule or engine \"{word}\" (did you mean \"{engine}\"?); skincheck rules --engines lists all engines"
        )
    } else if let Some(preset) = is_one(Box::new(preset_names())) {
        anyhow::anyhow!(
            "no rule or preset \"{word}\" (did you mean \"{preset}\"?); skincheck rules --presets lists all presets"
        )
    } else {
        rule.into()
    }
}
