//! File by file, several at once.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::Context as _;
use indicatif::ProgressBar;
use skincheck::import::{self, Options};
use skincheck::lint::{self, Code, Context, FileReport, Report};
use skincheck::rig::Asset;

use super::expected::Task;
use crate::cli::report::{Console, chain};

/// More files at once would take memory rather than save time: each holds a model.
const MOST_AT_ONCE: usize = 8;

/// As large as that of the main thread: importers run in processes of their own, but rules follow hierarchies.
const STACK_BYTES: usize = 8 << 20;

/// Checks all files. The same report for any number of jobs.
pub(super) fn run(
    tasks: Vec<Task>,
    options: &Options,
    jobs: Option<NonZeroUsize>,
    console: Console,
) -> anyhow::Result<Report> {
    let at_once = jobs.map_or_else(processors, NonZeroUsize::get);
    if jobs.is_some() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(at_once);
        pool.build_global()
            .context("the threads cannot be started")?;
    }
    let progress = console.progress(tasks.len(), "checking");
    let work = Work {
        reports: tasks.iter().map(|_| Mutex::new(None)).collect(),
        tasks,
        next: AtomicUsize::new(0),
        options,
        progress: &progress,
    };
    work.share(at_once)?;
    progress.finish_and_clear();
    Ok(work.report())
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, |count| count.get().min(MOST_AT_ONCE))
}

/// Threads of its own, not those of the rules' loops: a thread that waits for such a loop would take up another file
/// meanwhile, and hold its model too.
struct Work<'a> {
    tasks: Vec<Task>,
    reports: Vec<Mutex<Option<FileReport>>>,
    next: AtomicUsize,
    options: &'a Options,
    progress: &'a ProgressBar,
}

impl Work<'_> {
    fn share(&self, at_once: usize) -> anyhow::Result<()> {
        let threads = at_once.min(self.tasks.len()).max(1);
        thread::scope(|scope| {
            for _ in 0..threads {
                let builder = thread::Builder::new().stack_size(STACK_BYTES);
                builder
                    .spawn_scoped(scope, || self.take_until_done())
                    .context("a thread cannot be started")?;
            }
            Ok(())
        })
    }

    fn take_until_done(&self) {
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = self.tasks.get(index) else {
                return;
            };
            let report = report_on(task, self.options);
            *self.reports[index]
                .lock()
                .expect("nothing panics while it is held") = Some(report);
            self.progress.inc(1);
        }
    }

    fn report(self) -> Report {
        let reports = self.reports.into_iter().map(Mutex::into_inner);
        let files = reports.map(|report| {
            let report = report.expect("nothing panics while it is held");
            report.expect("every task was taken")
        });
        Report {
            files: files.collect(),
            accepted: None,
        }
    }
}

/// Everything about one file; its model is dropped at the end.
fn report_on(task: &Task, options: &Options) -> FileReport {
    let mut report = FileReport {
        path: task.path.clone(),
        deny_warnings: task.expected.deny_warnings,
        ..FileReport::default()
    };
    let options = Options {
        images: looks_at_images(task),
        ..options.clone()
    };
    match import::load(&task.path, &options) {
        Ok(asset) => check(task, &asset, &mut report),
        Err(error) => report.failure = Some(without_path(task, &chain(&error.into()))),
    }
    report
}

/// A rule that panics is a fault of this program, which is no reason to leave the other files unchecked.
fn check(task: &Task, asset: &Asset, report: &mut FileReport) {
    report.importer = Some(asset.importer.clone());
    let checked = catch_unwind(AssertUnwindSafe(|| lint::check(&context(task, asset))));
    let Ok(checked) = checked else {
        report.failure =
            Some("skincheck itself failed while checking it; please report this".into());
        return;
    };
    let shown = |code: Code| shown(task, code);
    report.findings = checked.findings;
    report
        .findings
        .retain(|finding| finding.level >= task.level);
    report.unchecked = checked.unchecked;
    report.unchecked.retain(|unchecked| shown(unchecked.code));
    let unchecked = |code| report.unchecked.iter().any(|rule| rule.code == code);
    let codes = lint::rules().map(|rule| rule.meta().code);
    report.checked = codes
        .filter(|code| shown(*code) && !unchecked(*code))
        .collect();
}

/// What the rules look at.
fn context<'a>(task: &'a Task, asset: &'a Asset) -> Context<'a> {
    Context::new(asset, &task.path, &task.expected.settings)
}

/// Whether the rule's findings are of a level that is shown.
fn shown(task: &Task, code: Code) -> bool {
    let level = lint::find_rule(code.0).and_then(|rule| task.expected.settings.level(rule.meta()));
    level.is_some_and(|level| level >= task.level)
}

/// Pictures are decoded only for the rule about those that are missing.
fn looks_at_images(task: &Task) -> bool {
    const MISSING_TEXTURE: Code = Code("G806");
    shown(task, MISSING_TEXTURE)
}

/// Reports name the file already.
fn without_path(task: &Task, message: &str) -> String {
    let path = format!("{}: ", task.path.display());
    message.strip_prefix(&path).unwrap_or(message).to_owned()
}
