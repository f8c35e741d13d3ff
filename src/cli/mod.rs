//! The command line: arguments in, one call into the library, a report out. Its interface is [`run`]; its commands are in
//! `skincheck --help`.

mod accept;
mod backend;
mod bake;
mod check;
mod completions;
mod crosscheck;
mod diff;
mod doctor;
mod explain;
mod film;
mod fix;
mod help;
mod host;
mod init;
mod inspect;
mod laws;
mod layout;
mod load;
mod look;
mod manual;
mod merge;
mod moving;
mod number;
mod output;
mod part;
mod posing;
mod program;
mod render;
mod report;
mod report_target;
mod rules;
mod skin;
mod supervise;
mod test;
mod threads;
mod view;

use std::ffi::OsString;
use std::process::ExitCode;

use anstream::ColorChoice;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::backend::Driver;

pub use program::Allocator;
pub use program::{main, main_with};
use report::Outcome;

/// Checks whether a rig deforms as its author intended.
#[derive(Debug, Parser)]
#[command(
    name = "skincheck",
    version,
    about,
    propagate_version = true,
    arg_required_else_help = true,
    after_help = EXAMPLES
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print only results and errors: no warnings, notes or progress
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Colour the output: auto (on a terminal), always or never
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        value_enum,
        default_value_t,
        hide_default_value = true,
        hide_possible_values = true
    )]
    color: When,
}

/// When output is coloured.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum When {
    #[default]
    Auto,
    Always,
    Never,
}

impl When {
    fn apply(self) {
        let choice = match self {
            Self::Auto => ColorChoice::Auto,
            Self::Always => ColorChoice::AlwaysAnsi,
            Self::Never => ColorChoice::Never,
        };
        choice.write_global();
    }
}

const EXAMPLES: &str = "\
Examples:
  skincheck init assets
  skincheck check assets
  skincheck fix model.glb -o fixed.glb
  skincheck view model.glb
  skincheck render model.fbx --time 1.2 -o out.png
  skincheck film model.fbx -o clips.png
  skincheck inspect model.glb
  skincheck bake model.dae --time 0.5 -o pose.json
  skincheck diff before.fbx after.glb
  skincheck test
  skincheck crosscheck model.glb
  skincheck laws model.glb

Exit codes: 0 success, 1 errors or differences found, 2 could not run (bad arguments, unreadable model, unwritable output), 130 interrupted.";

#[derive(Debug, Subcommand)]
enum Command {
    Render(render::Args),
    Film(film::Args),
    View(view::Args),
    Inspect(inspect::Args),
    Bake(bake::Args),
    Init(init::Args),
    Check(check::Args),
    Fix(fix::Args),
    Merge(merge::Args),
    Explain(explain::Args),
    Rules(rules::Args),
    Diff(diff::Args),
    Test(test::Args),
    Accept(accept::Args),
    Crosscheck(crosscheck::Args),
    Laws(laws::Args),
    Doctor(doctor::Args),
    Completions(completions::Args),
    #[command(hide = true)]
    Manual(manual::Args),
}

impl Command {
    /// The OpenGL driver it requests, if it can use one.
    fn driver(&self) -> Option<Driver> {
        match self {
            Self::Render(args) => args.backend.gl,
            Self::Film(args) => args.backend.gl,
            Self::Bake(args) => args.backend.gl,
            Self::Crosscheck(args) => Some(args.driver.gl),
            Self::Doctor(args) => Some(args.driver.gl),
            Self::Check(_) | Self::Laws(_) => Some(Driver::Auto),
            _ => None,
        }
    }

    /// Whether it goes on with other models when one exceeds its budget.
    fn is_of_many(&self) -> bool {
        match self {
            Self::Check(args) => args.is_of_many(),
            Self::Diff(args) => args.is_of_folders(),
            Self::Test(_) | Self::Accept(_) => true,
            Self::Crosscheck(args) => args.models().len() > 1,
            Self::Laws(args) => args.models().len() > 1,
            _ => false,
        }
    }

    /// Whether it reads standard input.
    fn reads_stdin(&self) -> bool {
        match self {
            Self::Check(args) => args.reads_stdin(),
            Self::Test(args) => args.reads_stdin(),
            _ => false,
        }
    }

    /// How many threads its parallel loops need; `check` starts its own.
    fn threads(&self) -> Option<usize> {
        match self {
            Self::Check(_)
            | Self::Init(_)
            | Self::Merge(_)
            | Self::Doctor(_)
            | Self::Explain(_)
            | Self::Rules(_)
            | Self::Completions(_)
            | Self::Manual(_) => None,
            _ => Some(threads::usual()),
        }
    }
}

/// Runs a command and returns the exit code of the program.
///
/// It prints to standard output and standard error. Inside another program it reads models in the child processes of
/// [`Isolation::default`](crate::import::Isolation::default), and leaves signals and the environment alone. Only a
/// model that takes longer than `--timeout` ends the process, with exit code 2: nothing else stops a loop that does not
/// end.
///
/// * `arguments` – the command line, beginning with the program's name.
///
/// # Example
///
/// ```
/// let code = skincheck::cli::run(["skincheck", "rules", "--jsn"].map(Into::into));
/// assert_eq!(code, std::process::ExitCode::from(2));
/// ```
#[must_use]
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let mut command = help::with_short_help(Cli::command());
    let parsed = command
        .try_get_matches_from_mut(&arguments)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed.map_err(|error| error.format(&mut command)) {
        Ok(cli) => cli,
        Err(error) => {
            if error.use_stderr() {
                report::say(error.render().ansi().to_string().trim_end());
                return ExitCode::from(2);
            }
            // Nobody is left to hear of a failure.
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
    };
    cli.color.apply();
    if cli.command.is_of_many() && program::repeats() {
        return supervise::run(&arguments, cli.command.reads_stdin());
    }
    program::enforce_budgets();
    if let Some(driver) = cli.command.driver() {
        program::prepare_environment(driver);
    }
    if let Some(count) = cli.command.threads()
        && let Err(error) = threads::start(count)
    {
        return Outcome::Failed(error).report();
    }
    let console = report::Console { quiet: cli.quiet };
    let outcome = match &cli.command {
        Command::Render(args) => Outcome::of(render::run(args, console)),
        Command::Film(args) => Outcome::of(film::run(args, console)),
        Command::View(args) => Outcome::of(view::run(args, console)),
        Command::Inspect(args) => Outcome::of(inspect::run(args, console)),
        Command::Bake(args) => Outcome::of(bake::run(args, console)),
        Command::Init(args) => Outcome::of(init::run(args)),
        Command::Fix(args) => Outcome::of_check(fix::run(args, console)),
        Command::Check(args) => check::run(args, console).unwrap_or_else(Outcome::Failed),
        Command::Merge(args) => Outcome::of_check(merge::run(args, console)),
        Command::Explain(args) => Outcome::of(explain::run(args, console)),
        Command::Rules(args) => Outcome::of(rules::run(args)),
        Command::Crosscheck(args) => crosscheck::run(args, console).unwrap_or_else(Outcome::Failed),
        Command::Laws(args) => Outcome::of_check(laws::run(args, console)),
        Command::Diff(args) => diff::run(args, console).unwrap_or_else(Outcome::Failed),
        Command::Test(args) => Outcome::of_check(test::run(args, console)),
        Command::Accept(args) => Outcome::of(accept::run(args, console)),
        Command::Doctor(args) => Outcome::of_check(doctor::run(args)),
        Command::Completions(args) => Outcome::of(completions::run(args)),
        Command::Manual(args) => Outcome::of(manual::run(args)),
    };
    outcome.report()
}
