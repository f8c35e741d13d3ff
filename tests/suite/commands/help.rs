//! `--help`: what it shows is true.

use crate::program::{arguments, skincheck};

fn help(line: &str) -> String {
    let run = skincheck(arguments(line)).ok();
    run.text().to_owned()
}

/// The commands that the program lists.
fn commands() -> Vec<String> {
    let help = help("--help");
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    // A description that goes on in the next line stands far to the right.
    let first_words = listed
        .filter(|line| !line.starts_with("    "))
        .filter_map(|line| line.split_whitespace().next());
    first_words
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// The arguments of each example, without what the shell does with the output.
fn examples(help: &str) -> Vec<Vec<&str>> {
    let after = help.lines().skip_while(|line| *line != "Examples:").skip(1);
    let own = after.filter_map(|line| line.trim().strip_prefix("skincheck "));
    own.map(|line| {
        line.split(' ')
            .take_while(|word| !matches!(*word, "|" | ">"))
            .collect()
    })
    .collect()
}

#[test]
fn every_command_has_examples_and_takes_them() {
    let commands = commands();
    assert!(commands.len() >= 4, "{commands:?}");
    for command in &commands {
        let help = help(&format!("{command} --help"));
        let examples = examples(&help);
        assert!(!examples.is_empty(), "{command} has no example");
        for example in examples {
            assert_eq!(example[0], command);
            // The models of the examples do not exist; that is all that may be wrong.
            let said = skincheck(&example).stderr;
            assert!(!said.contains("try '--help'"), "{example:?}: {said}");
        }
    }
}

#[test]
fn the_pose_file_of_an_example_is_one() {
    let help = help("render --help");
    let line = help
        .lines()
        .find_map(|line| line.trim().strip_prefix("echo "));
    let text = line
        .and_then(|line| line.split('\'').nth(1))
        .expect("an example writes a pose file");
    let format = skincheck::pose::PoseFormat::Toml;
    skincheck::pose::PoseFile::parse(text, format).expect("it can be read");
}
