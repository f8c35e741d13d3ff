//! The contents of `--help` are true.

use crate::folder::Folder;
use crate::program::{Run, arguments, command_in, fixture, unread};

fn help(line: &str) -> String {
    let mut command = command_in(&fixture(""));
    command.env("COLUMNS", "100").args(arguments(line));
    Run::of(&mut command).ok().text().to_owned()
}

/// The commands that `--help` lists.
pub(super) fn commands() -> Vec<String> {
    let help = help("--help");
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    // A description that continues on the next line is indented far to the right.
    let first_words = listed
        .filter(|line| !line.starts_with("    "))
        .filter_map(|line| line.split_whitespace().next());
    first_words
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// The arguments of each example, without redirections.
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
#[cfg_attr(not(feature = "assimp"), ignore = "needs the formats of assimp")]
fn every_command_accepts_its_examples() {
    let commands = commands();
    assert!(commands.len() >= 4, "{commands:?}");
    for command in &commands {
        let help = help(&format!("{command} --help"));
        let examples = examples(&help);
        assert!(!examples.is_empty(), "{command} has no example");
        for example in examples {
            assert_eq!(example[0], command);
            // The examples' models do not exist; there must be no other error.
            let folder = Folder::new();
            let said = folder.run_words(&example).stderr;
            assert!(!said.contains("try '--help'"), "{example:?}: {said}");
        }
    }
}

/// Lines of a screen, at 100 columns.
const SCREEN: usize = 50;

#[test]
fn the_short_help_of_every_command_fits_one_screen() {
    let commands = commands();
    let lines = commands.iter().map(|command| format!("{command} -h"));
    for line in lines.chain(["-h".to_owned()]) {
        let short = help(&line);
        let (height, width) = (
            short.lines().count(),
            short.lines().map(|line| line.chars().count()).max(),
        );
        assert!(height <= SCREEN, "{line}: {height} lines\n{short}");
        assert!(width <= Some(100), "{line}: {width:?} columns\n{short}");
        assert!(examples(&short).len() <= 2, "{line}: {short}");
        let full = help(&line.replace("-h", "--help"));
        let is_all = short.lines().all(|line| full.contains(line));
        let points = short.contains(&format!(
            "All options and examples: skincheck {}",
            line.replace("-h", "--help")
        ));
        assert!(points || is_all, "{line}: {short}");
    }
}

#[test]
fn the_short_help_leaves_rare_options_and_further_examples_to_the_help() {
    let (short, full) = (help("check -h"), help("check --help"));
    for rare in [
        "--memory",
        "Reading:",
        "uncommitted and untracked files count",
        "--files-from -",
        "Exit codes:",
    ] {
        assert!(full.contains(rare), "{rare}: {full}");
        assert!(!short.contains(rare), "{rare}: {short}");
    }
}

/// The names under each heading: `("Options", ["--output", …])`.
fn headings(help: &str) -> Vec<(&str, Vec<&str>)> {
    let mut headings: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in help.lines() {
        let name = line
            .split([' ', ','])
            .find(|word| word.starts_with("--") || word.starts_with('<'));
        if let (Some(heading), false) = (line.strip_suffix(':'), line.starts_with(' ')) {
            headings.push((heading, Vec::new()));
        } else if let (Some((_, names)), Some(name)) = (headings.last_mut(), name) {
            names.push(name);
        }
    }
    headings
}

#[test]
fn no_argument_strays_below_the_heading_of_others() {
    let where_found = |help: &str, name: &str| {
        let headings = headings(help);
        let found = headings.iter().find(|(_, names)| names.contains(&name));
        found.map(|(heading, _)| (*heading).to_owned())
    };
    for command in commands() {
        let help = help(&format!("{command} --help"));
        for (name, heading) in [
            ("<MODEL>", "Arguments"),
            ("<MODEL>...", "Arguments"),
            ("--output", "Options"),
            ("--animation", "Options"),
            ("--gl", "Backend"),
            ("--importer", "Reading"),
            ("--memory", "Reading"),
            ("--json", "Options"),
            ("--artifacts", "Options"),
            ("--jobs", "Options"),
            ("--quiet", "Options"),
            ("<FILE>...", "Arguments"),
            ("--select", "Rules"),
            ("--report", "Report"),
            ("--baseline", "Baseline"),
        ] {
            let found = where_found(&help, name);
            assert!(
                found.as_deref().is_none_or(|found| found == heading),
                "{command} {name}: {found:?}"
            );
        }
    }
}

#[test]
fn every_command_that_lists_the_formats_of_models_lists_the_same() {
    let listed = |command: &str| {
        let help = help(&format!("{command} --help"));
        let line = help.lines().find(|line| line.contains("glTF, COLLADA"));
        let line = line.expect("it lists formats").to_owned();
        line.split_once("FBX").expect("FBX is first").1.to_owned()
    };
    for command in ["inspect", "bake", "crosscheck", "view"] {
        assert_eq!(listed(command), listed("render"), "{command}");
    }
}

#[test]
fn a_reader_that_leaves_what_a_command_prints_is_no_failure() {
    for line in [
        "rules",
        "explain W103",
        "completions bash",
        "inspect arm.gltf",
        "bake arm.gltf --pose rest -o -",
    ] {
        assert_eq!(unread(line), Some(0), "{line}");
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
