//! File by file, several at once.

use std::io;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::accepted::NewBaseline;
use super::idle::{Idle, idle};
use super::plan::{Plan, Task};
use super::report::{FileReport, Report};
use crate::import;
use crate::lint::{self, Code, Context, CrossCheck, Level};
use crate::paths::real_folder;
use crate::rig::Asset;
use crate::shown;

/// Processors that files are shared out to; more files at once would take memory rather than save time: each holds a model.
const MOST_PROCESSORS: usize = 8;

/// More files at once than anyone has processors for: each takes a thread, a process and a model.
const MOST_AT_ONCE: usize = 256;

/// As large as that of the main thread: importers run in processes of their own, but rules follow hierarchies.
const STACK_BYTES: usize = 8 << 20;

/// What a run comes to.
#[derive(Debug)]
pub struct Outcome {
    /// What was found and is not accepted.
    pub report: Report,
    /// What configurations say without any effect.
    pub idle: Vec<Idle>,
    /// The baseline that is to be written, if one is.
    pub baseline: Option<NewBaseline>,
    /// The files that models name beside themselves, such as buffers, materials and pictures.
    pub files: Vec<PathBuf>,
}

/// Why files could not be checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The system gives no thread.
    #[error("a thread cannot be started")]
    Thread(#[source] io::Error),
}

/// Checks the files of `plan`, several at once. The outcome is the same for any number of jobs.
///
/// * `done` – called after each file.
///
/// # Errors
///
/// [`RunError`]. A file that cannot be read or checked is no error, but a
/// [failure](FileReport::failure) in the report.
pub fn run(plan: &Plan, done: &(dyn Fn() + Sync)) -> Result<Outcome, RunError> {
    // While one is read in a process of its own, its thread waits.
    let at_once = plan.jobs.map_or_else(|| processors() + 1, threads);
    let crosses = plan.tasks.iter().any(Task::crosses);
    let work = Work {
        results: plan.tasks.iter().map(|_| Mutex::new(None)).collect(),
        next: AtomicUsize::new(0),
        cross: crosses.then(|| CrossCheck::start(plan.driver, plan.import.clone())),
        plan,
        done,
    };
    work.share(at_once)?;
    let (mut report, files) = work.results();
    let baseline = plan.known.apply(&mut report);
    Ok(Outcome {
        report,
        idle: idle(plan),
        baseline,
        files,
    })
}

/// How many threads `jobs` files take: more than anyone has processors for are refused.
#[must_use]
pub fn threads(jobs: NonZeroUsize) -> usize {
    jobs.get().min(MOST_AT_ONCE)
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, |count| count.get().min(MOST_PROCESSORS))
}

/// Threads of its own, not those of the rules' loops: a thread that waits for such a loop would take up another file
/// meanwhile, and hold its model too.
struct Work<'a> {
    plan: &'a Plan,
    results: Vec<Mutex<Option<Checked>>>,
    next: AtomicUsize,
    /// A second importer and OpenGL, if a rule asks for them.
    cross: Option<CrossCheck>,
    done: &'a (dyn Fn() + Sync),
}

/// What was found in a file, and the files that it names.
type Checked = (FileReport, Vec<PathBuf>);

impl Work<'_> {
    fn share(&self, at_once: usize) -> Result<(), RunError> {
        let threads = at_once.min(self.plan.tasks.len()).max(1);
        thread::scope(|scope| {
            for _ in 0..threads {
                let builder = thread::Builder::new().stack_size(STACK_BYTES);
                builder
                    .spawn_scoped(scope, || self.take_until_done())
                    .map_err(RunError::Thread)?;
            }
            Ok(())
        })
    }

    fn take_until_done(&self) {
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = self.plan.tasks.get(index) else {
                return;
            };
            let result = self.report_on(task);
            *self.results[index]
                .lock()
                .expect("nothing panics while it is held") = Some(result);
            (self.done)();
        }
    }

    fn results(self) -> (Report, Vec<PathBuf>) {
        let results = self.results.into_iter().map(Mutex::into_inner);
        let results = results.map(|result| {
            let result = result.expect("nothing panics while it is held");
            result.expect("every task was taken")
        });
        let (files, named): (Vec<FileReport>, Vec<_>) = results.unzip();
        let tasks = &self.plan.tasks;
        // There is more to look for only in a file that could be read.
        let mut read = tasks.iter().zip(&files);
        let left_out = self.cross.is_none()
            && read.any(|(task, file)| file.failure.is_none() && task.could_cross());
        let report = Report {
            folder: real_folder(Path::new(".")),
            files,
            accepted: None,
            hidden: hidden(tasks),
            left_out,
        };
        (report, named.concat())
    }

    /// Everything about one file; its model is dropped at the end.
    fn report_on(&self, task: &Task) -> Checked {
        let mut report = FileReport {
            path: task.path.clone(),
            deny_warnings: task.expected.deny_warnings,
            config: task.config.as_ref().map(|config| config.path().to_owned()),
            profile: task.expected.settings.profile,
            ..FileReport::default()
        };
        report.failure.clone_from(&task.failure);
        if report.failure.is_some() {
            return (report, Vec::new());
        }
        match import::load(&task.path, &self.plan.import) {
            Ok(asset) => {
                check(&self.context(task, &asset), task, &mut report);
                (report, asset.files)
            }
            Err(error) => {
                report.failure = Some(without_path(task, &error.explain()));
                (report, Vec::new())
            }
        }
    }

    /// What the rules look at.
    fn context<'b>(&'b self, task: &'b Task, asset: &'b Asset) -> Context<'b> {
        let cx = Context::new(asset, &task.path, &task.expected.settings);
        match &self.cross {
            Some(cross) => cx.with_cross(cross),
            None => cx,
        }
    }
}

/// The most important level of the rules that are checked, if it is not shown of any file.
fn hidden(tasks: &[Task]) -> Option<Level> {
    let important = tasks.iter().map(|task| {
        let most = task.most_important();
        most.filter(|level| *level < task.level)
    });
    important.collect::<Option<Vec<Level>>>()?.into_iter().max()
}

/// A rule that panics is a fault of this program, which is no reason to leave the other files unchecked.
fn check(cx: &Context<'_>, task: &Task, report: &mut FileReport) {
    report.importer = Some(cx.asset.importer.clone());
    report.notes.clone_from(&cx.asset.notes);
    let checked = catch_unwind(AssertUnwindSafe(|| lint::check(cx)));
    let Ok(checked) = checked else {
        report.failure =
            Some("skincheck itself failed while checking it; please report this".into());
        return;
    };
    let shown = |code: Code| lint::find_rule(code.0).is_some_and(|rule| task.shows(rule.meta()));
    report.findings = checked.findings;
    report
        .findings
        .retain(|finding| finding.level >= task.level);
    report.thinned = checked.thinned;
    report.conversions = checked.conversions;
    report.unchecked = checked.unchecked;
    report.unchecked.retain(|unchecked| shown(unchecked.code));
    let unchecked = |code| report.unchecked.iter().any(|rule| rule.code == code);
    let codes = lint::rules().map(|rule| rule.meta().code);
    report.checked = codes
        .filter(|code| shown(*code) && !unchecked(*code))
        .collect();
}

/// Reports name the file already.
fn without_path(task: &Task, message: &str) -> String {
    let path = format!("{}: ", shown::path(&task.path));
    message.strip_prefix(&path).unwrap_or(message).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_of_jobs_takes_all_threads_of_the_machine() {
        let taken = |jobs| threads(NonZeroUsize::new(jobs).expect("it is not 0"));
        assert_eq!([1, 3, usize::MAX].map(taken), [1, 3, MOST_AT_ONCE]);
    }
}
