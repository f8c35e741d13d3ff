//! File by file, several at once.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use indicatif::ProgressBar;
use skincheck::backend::Driver;
use skincheck::config::ModelNames;
use skincheck::deadline::{Deadline, Unfinished};
use skincheck::import::{self, Options};
use skincheck::lint::{self, Checked, Code, Context, CrossCheck, FileReport, Level, Report};
use skincheck::paths::real_folder;
use skincheck::rig::Asset;
use skincheck::shown;

use super::expected::Task;
use crate::cli::limit::timed_out;
use crate::cli::load::dangling;
use crate::cli::report::{Console, told};
use crate::cli::threads;

/// Processors that files are shared out to; more files at once would take memory rather than save time: each holds a model.
const MOST_PROCESSORS: usize = 8;

/// More files at once than anyone has processors for: each takes a thread, a process and a model.
const MOST_AT_ONCE: usize = 256;

/// How to go about it.
pub(super) struct Means<'a> {
    /// How files are read.
    pub(super) options: &'a Options,
    /// How long the rules may take on one file.
    pub(super) timeout: Duration,
    /// How many at once; one a processor and one more unless said.
    pub(super) jobs: Option<NonZeroUsize>,
    /// The OpenGL of the cross-checks.
    pub(super) driver: Driver,
}

/// Checks all files, and tells the names of those that could be read. The same report for any number of jobs.
pub(super) fn run(
    tasks: &[Task],
    means: &Means<'_>,
    console: Console,
) -> anyhow::Result<(Report, Vec<Option<ModelNames>>)> {
    let jobs = means.jobs;
    // While one is read in a process of its own, its thread waits.
    let at_once = jobs.map_or_else(|| processors() + 1, at_once);
    threads::start(jobs.map_or_else(threads::usual, |_| at_once))?;
    let progress = console.progress(tasks.len(), "checking");
    let work = Work {
        results: tasks.iter().map(|_| Mutex::new(None)).collect(),
        next: AtomicUsize::new(0),
        cross: tasks
            .iter()
            .any(Task::crosses)
            .then(|| Arc::new(CrossCheck::start(means.driver, means.options.clone()))),
        tasks,
        options: means.options,
        timeout: means.timeout,
        progress: &progress,
    };
    work.share(at_once);
    progress.finish_and_clear();
    Ok(work.results())
}

fn at_once(jobs: NonZeroUsize) -> usize {
    jobs.get().min(MOST_AT_ONCE)
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, |count| count.get().min(MOST_PROCESSORS))
}

/// What there is to say about a file, and its names if it could be read and a configuration is for it.
type Looked = (FileReport, Option<ModelNames>);

/// Threads of its own, not those of the rules' loops: a thread that waits for such a loop would take up another file
/// meanwhile, and hold its model too.
struct Work<'a> {
    tasks: &'a [Task],
    results: Vec<Mutex<Option<Looked>>>,
    next: AtomicUsize,
    /// A second importer and OpenGL, if a rule asks for them.
    cross: Option<Arc<CrossCheck>>,
    options: &'a Options,
    timeout: Duration,
    progress: &'a ProgressBar,
}

impl Work<'_> {
    fn share(&self, at_once: usize) {
        let threads = at_once.min(self.tasks.len()).max(1);
        thread::scope(|scope| {
            let start = || thread::Builder::new().spawn_scoped(scope, || self.take_until_done());
            // Where no more can be started, those that there are do the work.
            let started = (0..threads).map_while(|_| start().ok()).count();
            if started == 0 {
                self.take_until_done();
            }
        });
    }

    fn take_until_done(&self) {
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = self.tasks.get(index) else {
                return;
            };
            let result = self.report_on(task);
            *self.results[index]
                .lock()
                .expect("nothing panics while it is held") = Some(result);
            self.progress.inc(1);
        }
    }

    fn results(self) -> (Report, Vec<Option<ModelNames>>) {
        let results = self.results.into_iter().map(Mutex::into_inner);
        let results = results.map(|result| {
            let result = result.expect("nothing panics while it is held");
            result.expect("every task was taken")
        });
        let (files, names): (Vec<FileReport>, Vec<_>) = results.unzip();
        // There is more to look for only in a file that could be read.
        let mut read = self.tasks.iter().zip(&files);
        let left_out = self.cross.is_none()
            && read.any(|(task, file)| file.failure.is_none() && task.could_cross());
        let report = Report {
            folder: real_folder(Path::new(".")),
            files,
            accepted: None,
            hidden: hidden(self.tasks),
            left_out,
        };
        (report, names)
    }

    /// Everything about one file; its model is dropped at the end.
    fn report_on(&self, task: &Task) -> Looked {
        let mut report = FileReport {
            path: task.path.clone(),
            deny_warnings: task.expected.deny_warnings,
            config: task.config.as_ref().map(|config| config.path().to_owned()),
            profile: task.expected.settings.profile,
            ..FileReport::default()
        };
        report.failure = task.failure.clone().or_else(|| dangling(&task.path));
        if report.failure.is_some() {
            return (report, None);
        }
        match import::load(&task.path, self.options) {
            Ok(asset) => {
                let names = task.config.as_ref().map(|_| ModelNames::of(&asset));
                report.importer = Some(asset.importer.clone());
                report.notes.clone_from(&asset.notes);
                match self.check(task, asset) {
                    Ok(checked) => take_over(checked, task, &mut report),
                    Err(failure) => report.failure = Some(failure),
                }
                (report, names)
            }
            Err(error) => {
                report.failure = Some(without_path(task, &told(&error.into())));
                (report, None)
            }
        }
    }

    /// What the rules have to say, in a thread of its own: one that does not end in time is left alone. A rule that panics is
    /// a fault of this program, which is no reason to leave the other files unchecked.
    fn check(&self, task: &Task, asset: Asset) -> Result<Checked, String> {
        let deadline = Deadline::after(self.timeout);
        let (path, settings) = (task.path.clone(), task.expected.settings.clone());
        let cross = self.cross.clone();
        let checked = deadline.run(move || {
            let cx = Context::new(&asset, &path, &settings).until(deadline);
            lint::check(&match &cross {
                Some(cross) => cx.with_cross(cross),
                None => cx,
            })
        });
        checked.map_err(|unfinished| match unfinished {
            Unfinished::TimedOut => timed_out(self.timeout),
            Unfinished::Panicked => {
                "skincheck itself failed while checking it; please report this".into()
            }
            other => told(&other.into()),
        })
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

/// Puts what is to be shown of `checked` into `report`.
fn take_over(checked: Checked, task: &Task, report: &mut FileReport) {
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
        let taken = |jobs| at_once(NonZeroUsize::new(jobs).expect("it is not 0"));
        assert_eq!([1, 3, usize::MAX].map(taken), [1, 3, MOST_AT_ONCE]);
    }
}
