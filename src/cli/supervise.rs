//! Repeats a run over many models that has ended at one of them, without that one, until it is done.
//!
//! The run is a child process of the program, with the same arguments. When the work on a model exceeds its budget, the
//! child notes it in the folder of the run and ends. The next attempt refuses the model, and finds the verdicts of earlier
//! ones in the cache; from the second on, they are kept in that folder if there is no cache.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, anyhow};

use super::host;
use super::output::print;
use super::report::Outcome;
use crate::process_group;
use crate::work::Ended;

/// The variable that names the folder of the run to an attempt.
const FOLDER: &str = "SKINCHECK_RUN";

/// The file in it with one line of JSON for each model that an attempt has ended at.
const ENDED: &str = "ended.jsonl";

/// The file in it with a byte for each text that an attempt has printed.
const PRINTS: &str = "printed";

/// The exit code of an attempt that has ended at a model.
pub(super) const REPEAT: u8 = 86;

/// The folder of the run that this process is an attempt of.
pub(super) fn folder() -> Option<&'static Path> {
    static NAMED: OnceLock<Option<PathBuf>> = OnceLock::new();
    let named = NAMED.get_or_init(|| env::var_os(FOLDER).map(PathBuf::from));
    named.as_deref()
}

/// The folder for the verdicts of a run that caches none. The first attempt is mostly the only one, and keeps none.
///
/// * `draws` – whether images follow, at which the attempt may end.
pub(super) fn verdicts(draws: bool) -> Option<PathBuf> {
    let folder = folder().filter(|folder| draws || folder.join(ENDED).exists());
    folder.map(|folder| folder.join("verdicts"))
}

/// What earlier attempts of the run have ended at.
pub(super) fn refused() -> Option<Vec<Ended>> {
    let lines = fs::read_to_string(folder()?.join(ENDED)).unwrap_or_default();
    let parsed = lines
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    Some(parsed.collect())
}

/// The number of texts that this attempt has printed, or found printed.
static PRINTED: AtomicU64 = AtomicU64::new(0);

/// Prints a part of the output, such as the report on a model, unless an earlier attempt has printed it.
pub(super) fn print_once(text: &str) -> anyhow::Result<()> {
    let Some(folder) = folder() else {
        return print(text);
    };
    let mut options = OpenOptions::new();
    let mut printed = options
        .create(true)
        .append(true)
        .open(folder.join(PRINTS))?;
    let number = PRINTED.fetch_add(1, Ordering::Relaxed);
    if number < printed.metadata()?.len() {
        return Ok(());
    }
    print(text)?;
    printed.write_all(b"+")?;
    Ok(())
}

/// Notes that this attempt ends at a model.
///
/// Returns whether the run is repeated.
pub(super) fn note(ended: &Ended) -> bool {
    let Some(folder) = folder() else {
        return false;
    };
    let write = || -> io::Result<()> {
        let line = serde_json::to_string(ended)?;
        let mut options = OpenOptions::new();
        let mut file = options.create(true).append(true).open(folder.join(ENDED))?;
        file.write_all(format!("{line}\n").as_bytes())
    };
    write().is_ok()
}

/// Runs the program with `arguments`, which begin with its name, until no attempt ends at a model.
///
/// * `reads_stdin` – whether the run reads standard input.
pub(super) fn run(arguments: &[OsString], reads_stdin: bool) -> ExitCode {
    match attempts(arguments, reads_stdin) {
        Ok(code) => code,
        Err(error) => Outcome::Failed(error).report(),
    }
}

fn attempts(arguments: &[OsString], reads_stdin: bool) -> anyhow::Result<ExitCode> {
    let program = env::current_exe().context("cannot find the program itself")?;
    let folder = tempfile::tempdir().context("cannot create a temporary folder")?;
    let input = folder.path().join("stdin");
    if reads_stdin {
        let mut file = File::create(&input)?;
        io::copy(&mut io::stdin().lock(), &mut file).context("cannot read standard input")?;
    }
    host::on_interrupt(process_group::interrupt);
    loop {
        let mut command = Command::new(&program);
        command
            .args(arguments.iter().skip(1))
            .env(FOLDER, folder.path());
        command.stdin(if reads_stdin {
            Stdio::from(File::open(&input)?)
        } else {
            Stdio::null()
        });
        let status = process_group::run(command).context("cannot start the program again")?;
        if status.code() == Some(REPEAT.into()) {
            continue;
        }
        let Some(code) = status.code() else {
            return Err(anyhow!("the run was ended from outside ({status})"));
        };
        // What a wait for a child returns of its code.
        return Ok(ExitCode::from(u8::try_from(code & 0xff).unwrap_or(2)));
    }
}

/// Ends with the process that repeats this run.
pub(super) fn follow() {
    if folder().is_some() {
        process_group::end_with_parent();
    }
}
