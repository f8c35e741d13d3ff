//! File by file, several at once.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use super::accepted::NewBaseline;
use super::idle::{Idle, idle};
use super::plan::{Plan, Task};
use super::report::{FileReport, Report};
use crate::deadline::{Deadline, Unfinished};
use crate::import;
use crate::lint::{self, Code, Context, CrossCheck, Level};
use crate::paths::real_folder;
use crate::rig::Asset;
use crate::shown;

/// Processors that files are shared out to; more files at once would take memory rather than save time: each holds a model.
const MOST_PROCESSORS: usize = 8;

/// More files at once than anyone has processors for: each takes a thread, a process and a model.
const MOST_AT_ONCE: usize = 256;

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

/// Checks the files of `plan`, several at once. The outcome is the same for any number of jobs.
///
/// * `done` – called after each file.
///
/// A file that cannot be read or checked is no error, but a [failure](FileReport::failure) in the report.
#[must_use]
pub fn run(plan: &Plan, done: &(dyn Fn() + Sync)) -> Outcome {
    // While one is read in a process of its own, its thread waits.
    let at_once = plan.jobs.map_or_else(|| processors() + 1, threads);
    let crosses = plan.tasks.iter().any(Task::crosses);
    let work = Work {
        results: plan.tasks.iter().map(|_| Mutex::new(None)).collect(),
        next: AtomicUsize::new(0),
        cross: crosses.then(|| Arc::new(CrossCheck::start(plan.driver, plan.import.clone()))),
        plan,
        done,
    };
    work.share(at_once);
    let (mut report, files) = work.results();
    let baseline = plan.known.apply(&mut report);
    Outcome {
        report,
        idle: idle(plan),
        baseline,
        files,
    }
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
    cross: Option<Arc<CrossCheck>>,
    done: &'a (dyn Fn() + Sync),
}

/// What was found in a file, and the files that it names.
type Checked = (FileReport, Vec<PathBuf>);

impl Work<'_> {
    fn share(&self, at_once: usize) {
        let threads = at_once.min(self.plan.tasks.len()).max(1);
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
            deny_unchecked: task.expected.deny_unchecked,
            config: task.config.as_ref().map(|config| config.path().to_owned()),
            profile: task.expected.settings.profile,
            ..FileReport::default()
        };
        report.failure.clone_from(&task.failure);
        report.has_no_models = task.failure.is_some();
        if report.failure.is_some() {
            return (report, Vec::new());
        }
        match import::load(&task.path, &self.plan.import) {
            Ok(mut asset) => {
                report.importer = Some(asset.importer.clone());
                report.notes.clone_from(&asset.notes);
                let files = std::mem::take(&mut asset.files);
                match self.check(task, asset) {
                    Ok(checked) => take_over(checked, task, &mut report),
                    Err(failure) => report.failure = Some(failure),
                }
                (report, files)
            }
            Err(error) => {
                report.failure = Some(without_path(task, &error.explain()));
                (report, Vec::new())
            }
        }
    }

    /// What the rules have to say, in a thread of its own: one that does not end in time is left alone. A rule that panics is
    /// a fault of this program, which is no reason to leave the other files unchecked.
    fn check(&self, task: &Task, asset: Asset) -> Result<lint::Checked, String> {
        let deadline = self.plan.timeout.map_or(Deadline::NEVER, Deadline::after);
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
            Unfinished::Panicked => {
                "skincheck itself failed while checking it; please report this".into()
            }
            other => other.to_string(),
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
fn take_over(checked: lint::Checked, task: &Task, report: &mut FileReport) {
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
