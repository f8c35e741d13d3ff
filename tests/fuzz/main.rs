//! The fuzzer: damaged models, configurations, pose files, baselines, references, approvals, reports of shards, cached
//! verdicts and answers of engines, and models whose work is far larger than their file, through every command. It needs
//! Linux.
//!
//! `make fuzz MINUTES=10`, or `cargo test --test fuzz -- --minutes 10 --seed 1`. Every case follows from the seed and its
//! number: `--case 123` repeats that case and keeps its files; `--only KIND` runs the cases of one kind. A command that
//! takes longer than `--seconds 60` hangs. With `--timed no`, no case is held to the time of its budget. A violation is printed and keeps its files in the folder `violations` of
//! `--folder`, which is `target/fuzz`, and the run ends with exit code 1.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the table is the result, and a long run shows that it goes on"
)]

mod case;
mod commands;
mod engine;
mod mutate;
mod outcome;
mod process;
mod products;
mod random;
mod references;
mod stored;

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use case::{Case, Site};
use outcome::{Outcome, Program};
use random::Random;

/// The arguments of the command line.
struct Options {
    longest: Duration,
    runs: u64,
    seed: u64,
    first: u64,
    /// The only kind of case that runs.
    only: Option<String>,
    folder: PathBuf,
    program: Program,
}

/// The folder of the sources.
const ROOT: &str = env!("CARGO_MANIFEST_DIR");

impl Options {
    fn of(mut arguments: impl Iterator<Item = String>) -> Self {
        let mut options = Self {
            longest: Duration::MAX,
            runs: u64::MAX,
            seed: 1,
            first: 0,
            only: None,
            folder: Path::new(ROOT).join("target/fuzz"),
            program: Program {
                path: env!("CARGO_BIN_EXE_skincheck").into(),
                longest: Duration::from_secs(60),
                is_timed: true,
            },
        };
        while let Some(name) = arguments.next() {
            let value = arguments
                .next()
                .unwrap_or_else(|| panic!("{name} takes a value"));
            let number = || {
                value
                    .parse()
                    .unwrap_or_else(|_| panic!("{name} takes a number"))
            };
            match name.as_str() {
                "--minutes" => options.longest = Duration::from_secs(60 * number()),
                "--runs" => options.runs = number(),
                "--seed" => options.seed = number(),
                "--first" => options.first = number(),
                "--case" => (options.first, options.runs) = (number(), 1),
                "--only" => options.only = Some(value),
                "--folder" => options.folder = value.into(),
                "--seconds" => options.program.longest = Duration::from_secs(number()),
                "--timed" => options.program.is_timed = value == "yes",
                "--program" => options.program.path = value.into(),
                _ => panic!(
                    "{name}: expected --minutes, --runs, --seed, --first, --case, --only, --folder, --seconds, --timed or --program"
                ),
            }
        }
        options
    }
}

/// Statistics of all cases of one kind.
#[derive(Default)]
struct Row {
    runs: u64,
    by_code: BTreeMap<i32, u64>,
    readers_died: u64,
    violations: u64,
    peak_memory: u64,
    longest: Duration,
}

impl Row {
    fn add(&mut self, outcome: &Outcome) {
        self.runs += 1;
        *self.by_code.entry(outcome.code).or_default() += 1;
        self.readers_died += u64::from(outcome.reader_died);
        self.violations += u64::from(!outcome.violations.is_empty());
        self.peak_memory = self.peak_memory.max(outcome.peak_memory);
        self.longest = self.longest.max(outcome.took);
    }

    fn print(&self, name: &str) {
        let with = |code| self.by_code.get(&code).copied().unwrap_or(0);
        let expected = with(0) + with(1) + with(2);
        println!(
            "{name:<22}{:>8}{:>8}{:>8}{:>8}{:>8}{:>9}{:>12}{:>9}{:>8.1}",
            self.runs,
            with(0),
            with(1),
            with(2),
            self.runs - expected,
            self.readers_died,
            self.violations,
            self.peak_memory / 1024,
            self.longest.as_secs_f64()
        );
    }
}

fn main() -> ExitCode {
    let options = Options::of(env::args().skip(1));
    process::adopt();
    let root = Path::new(ROOT);
    let work = options
        .folder
        .join(format!("work-{}-{}", options.seed, options.first));
    let site = Site {
        run: work.join("run"),
        outside: work.join("outside"),
        fixtures: root.join("fixtures"),
        compressed: root.join("tests/fuzz/seeds"),
        stored: work.join("stored"),
    };
    empty(&site.stored);
    stored::write(&site.stored, &site.fixtures, &options.program.path);
    let mut all = Row::default();
    let (mut kinds, mut commands) = (
        BTreeMap::<String, Row>::new(),
        BTreeMap::<String, Row>::new(),
    );
    let started = Instant::now();
    let mut next = options.first;
    while all.runs < options.runs && started.elapsed() < options.longest {
        let number = next;
        next += 1;
        empty(&site.run);
        empty(&site.outside);
        let mut random = Random::new(options.seed, number);
        let case = Case::make(&site, &mut random);
        if options.only.as_ref().is_some_and(|kind| *kind != case.kind) {
            continue;
        }
        let outcome = Outcome::of(&case, &options.program, &site);
        kinds.entry(case.kind.clone()).or_default().add(&outcome);
        commands.entry(case.command()).or_default().add(&outcome);
        all.add(&outcome);
        if all.runs.is_multiple_of(1000) {
            eprintln!("{} runs, {} violations", all.runs, all.violations);
        }
        if !outcome.violations.is_empty() {
            let kept = options
                .folder
                .join(format!("violations/{}-{number}", options.seed));
            keep(&site.run, &kept);
            println!(
                "{}: {}",
                outcome.violations.join(", "),
                case.arguments.join(" ")
            );
            println!("  files: {}", kept.display());
            println!(
                "  again: cargo test --test fuzz -- --seed {} --case {number}",
                options.seed
            );
        }
    }
    if options.runs == 1 {
        println!("files: {}", site.run.display());
    } else {
        fs::remove_dir_all(&work).unwrap_or_default();
    }
    for rows in [kinds, commands] {
        println!(
            "{:<22}{:>8}{:>8}{:>8}{:>8}{:>8}{:>9}{:>12}{:>9}{:>8}",
            "", "runs", "exit 0", "exit 1", "exit 2", "other", "readers", "violations", "MiB", "s"
        );
        for (name, row) in &rows {
            row.print(name);
        }
        all.print("all");
    }
    println!(
        "seed {}, cases {} to {}; readers: processes that read a model and died",
        options.seed, options.first, next
    );
    ExitCode::from(u8::from(all.violations > 0))
}

fn empty(folder: &Path) {
    if folder.exists() {
        fs::remove_dir_all(folder).expect("it is the fuzzer's own");
    }
    fs::create_dir_all(folder).expect("the target folder is writable");
}

/// Moves a folder.
fn keep(folder: &Path, kept: &Path) {
    empty(kept);
    fs::rename(folder, kept).expect("both are in the target folder");
}
