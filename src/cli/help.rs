//! The short help of `-h`, which fits one screen. Options hide themselves from it (`hide_short_help`).

use clap::{Arg, Command};

/// How many examples `-h` shows.
const EXAMPLES: usize = 2;

/// Leaves the text below the options to `--help`; `-h` shows its first examples.
pub(super) fn with_short_help(command: Command) -> Command {
    shortened(command, "")
}

/// * `parents` – the commands above this one, each followed by a space.
fn shortened(command: Command, parents: &str) -> Command {
    let path = format!("{parents}{}", command.get_name());
    let command = command.mut_subcommands(|own| shortened(own, &format!("{path} ")));
    let Some(text) = command.get_after_help().map(ToString::to_string) else {
        return command;
    };
    let examples = text.lines().skip_while(|line| *line != "Examples:");
    let mut lines: Vec<&str> = examples.take(1 + EXAMPLES).collect();
    let hides = command.get_arguments().any(Arg::is_hide_short_help_set);
    if lines.len() == text.lines().count() && !hides {
        return command;
    }
    let more = format!("All options and examples: {path} --help");
    lines.extend(["", &more]);
    let short = lines.join("\n");
    command.after_help(short).after_long_help(text)
}
