//! `skincheck vectors`: a conformance set for engines that never run skincheck, and the judge of their results.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use clap::{Args as ClapArgs, ValueHint};
use same_file::is_same_file;

use super::output::{Target, print};
use super::report::Console;
use super::report_target::{ON_STDOUT, formats};
use crate::frame::write_file;
use crate::laws::{Capabilities, with_null_for_nan};
use crate::names::{hint, nearest};
use crate::paths::read_up_to;
use crate::report::Format;
use crate::report::vectors::{MANIFEST, Verified, files};
use crate::shown;
use crate::vectors::{self, Answer, Set};

/// Write a conformance set for engines: small glTF files with their expected nodes and vertices, or judge an engine's results
///
/// The set is for engines that never run skincheck: its README.md says how to use it. With --verify, an engine's results are
/// judged: for each case a file RESULTS/NAME.json in the format of the set.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  skincheck vectors conformance
  skincheck vectors --verify conformance results
  skincheck vectors --verify conformance results --tolerance influences=4,weights=8
  skincheck vectors --verify conformance results --format json | jq '.looks_like'

Exit codes: 0 the set was written, or no case failed; 1 a case failed; 2 could not run (the folder is not empty, a result cannot be read, no case was run).")]
pub(super) struct Args {
    /// The folder of the set: a new or empty one, or with --verify one that was written
    #[arg(value_name = "OUT", value_hint = ValueHint::DirPath)]
    out: PathBuf,
    /// The folder of an engine's results, with --verify
    #[arg(value_name = "RESULTS", requires = "verify", value_hint = ValueHint::DirPath)]
    results: Option<PathBuf>,
    /// Judge the results of an engine
    #[arg(long, requires = "results")]
    verify: bool,
    /// What the engine is judged by: f32, or some of influences=N, weights=BITS and resampled=FPS, with commas between them
    /// (docs/laws.md)
    #[arg(long, value_name = "PROFILE", requires = "verify", default_value = "f32", value_parser = Capabilities::parse)]
    tolerance: Capabilities,
    /// Format of the report
    #[arg(long, value_name = "NAME", requires = "verify", default_value = "text", value_parser = formats(&ON_STDOUT))]
    format: Format,
}

/// The largest answer to a case that is read.
const MOST_BYTES: u64 = 16 << 20;

/// Whether no case failed.
pub(super) fn run(args: &Args, console: Console) -> anyhow::Result<bool> {
    if let Some(results) = &args.results {
        return args.verify(results, console);
    }
    write(&args.out, console)?;
    Ok(true)
}

/// Writes the set beside its folder, and gives it that name when it is complete.
fn write(out: &Path, console: Console) -> anyhow::Result<()> {
    let shown = shown::path(out);
    let is_new = match fs::read_dir(out) {
        Ok(mut entries) => {
            let hint = "name a new folder, or remove this one";
            ensure!(
                entries.next().is_none(),
                "cannot write {shown}: the folder is not empty; {hint}"
            );
            false
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => true,
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            bail!("cannot write {shown}: it is a file; name a folder")
        }
        Err(error) => return Err(error).with_context(|| format!("cannot read {shown}")),
    };
    let parent = out
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".skincheck-").suffix(".tmp");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
    let failed = || format!("cannot write {shown}");
    let folder = builder.tempdir_in(parent).with_context(failed)?;
    let files = files(&Set::new(&Capabilities::default()));
    for (name, bytes) in &files {
        write_file(&folder.path().join(name), bytes).with_context(failed)?;
    }
    if !is_new {
        fs::remove_dir(out).with_context(failed)?;
    }
    fs::rename(folder.path(), out).with_context(failed)?;
    // It has another name now.
    let _ = folder.keep();
    console.note(format_args!(
        "{shown}: {} files; begin with README.md",
        files.len()
    ));
    Ok(())
}

impl Args {
    fn verify(&self, results: &Path, console: Console) -> anyhow::Result<bool> {
        let usual = Set::new(&Capabilities::default());
        check_set(&self.out, &usual)?;
        ensure!(
            results.is_dir(),
            "cannot read {}: expected a folder with a file NAME.json for each case",
            shown::path(results)
        );
        ensure!(
            !is_same_file(results, &self.out).unwrap_or(false),
            "{}: this is the set itself; name the folder of the engine's results",
            shown::path(results)
        );
        let set = if self.tolerance == Capabilities::default() {
            usual
        } else {
            Set::new(&self.tolerance)
        };
        let answers = set
            .members
            .iter()
            .map(|member| read(&results.join(format!("{}.json", member.case.name))));
        let judged = vectors::judge(&set, answers.collect());
        warn_of_strangers(results, &set, console);
        let verified = Verified {
            tolerance: self.tolerance.profile(),
            results,
            judged,
        };
        let report = verified.write(self.format);
        match self.format {
            Format::Text => print(&report)?,
            _ => Target::Stdout.write(report.as_bytes())?,
        }
        let unreadable = verified.unreadable();
        ensure!(unreadable == 0, "results that cannot be read: {unreadable}");
        ensure!(
            verified.ran() > 0,
            "no case was run: {} has no answer to any; docs/vectors.md describes the files",
            shown::path(results)
        );
        Ok(verified.passes())
    }
}

/// An engine that answers other files than those of the set cannot be judged by it.
fn check_set(out: &Path, set: &Set) -> anyhow::Result<()> {
    let manifest = out.join(MANIFEST);
    ensure!(
        manifest.is_file(),
        "{} has no set of vectors: {MANIFEST} is missing; write one with `skincheck vectors {}`",
        shown::path(out),
        shown::shell_word(&shown::unicode(out))
    );
    for (name, bytes) in files(set) {
        let path = out.join(name);
        let own = read_up_to(&path, MOST_BYTES).with_context(|| shown::path(&path))?;
        ensure!(
            own == bytes,
            "{} is not what this version of skincheck writes (version {} of the set); write the set anew and run the engine on it",
            shown::path(&path),
            vectors::VERSION
        );
    }
    Ok(())
}

/// The answer in a file; `None` if it does not exist.
fn read(path: &Path) -> Option<Result<Answer, String>> {
    if fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return None;
    }
    let answer = read_up_to(path, MOST_BYTES)
        .map_err(|error| error.to_string())
        .and_then(|bytes| {
            let text = String::from_utf8_lossy(&bytes);
            let answer = serde_json::from_str(&with_null_for_nan(&text));
            answer.map_err(|error| format!("not an answer: {error}"))
        });
    Some(answer)
}

/// Warns of the first file that is named like no case.
fn warn_of_strangers(results: &Path, set: &Set, console: Console) {
    let names = || set.members.iter().map(|member| member.case.name);
    let entries = fs::read_dir(results)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| PathBuf::from(entry.file_name()));
    let stems = entries
        .filter(|name| name.extension().is_some_and(|own| own == "json"))
        .filter_map(|name| Some(name.file_stem()?.to_string_lossy().into_owned()));
    if let Some(first) = stems.filter(|stem| !names().any(|name| name == stem)).min() {
        let suggestion = hint(nearest(&first, names()));
        console.warn(format_args!(
            "{first}.json: no case has this name{suggestion}"
        ));
    }
}
