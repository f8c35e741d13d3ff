//! Checks files, several at once.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use super::accepted::NewBaseline;
use super::cache::{Cache, Key, Keys, States, Verdict};
use super::changes::Changes;
use super::config::unmatched_names;
use super::plan::Plan;
use super::report::{FileReport, Report};
use super::shards::RunPart;
use super::task::Task;
use super::without_effect::idle;
use crate::account::Apart;
use crate::deadline::Unfinished;
use crate::engines::TargetEngine;
use crate::finding::{Code, Level};
use crate::lint::{self, Context, Described};
use crate::paths::real_folder;
use crate::rig::{Asset, SourceFile};
use crate::work::{self, Stage, Work as AtWork};
use crate::{import, shown};

/// The most processors that files are distributed to. Each file at work holds a model, so more would cost memory and
/// save little time.
const MOST_PROCESSORS: usize = 8;

/// The largest number of files at once that is accepted: each takes a thread, a process and a model.
const MOST_AT_ONCE: usize = 256;

/// How often a run checks whether to stop.
const LOOKS: Duration = Duration::from_millis(50);

/// The result of a run.
#[derive(Debug)]
pub struct Outcome {
    /// The findings that are not accepted.
    pub report: Report,
    /// The baseline to write, if any.
    pub baseline: Option<NewBaseline>,
    /// The files that models refer to, such as buffers, materials and images.
    pub files: Vec<PathBuf>,
    /// The number of files whose cached verdicts were used.
    pub unchanged: usize,
    /// Why verdicts could not be cached, if so.
    pub cache_failure: Option<String>,
}

/// Checks the files of `plan`, several at once. The outcome is the same for any number of jobs.
///
/// * `done` – called after each file with its share of [`Plan::weight`].
///
/// A file that cannot be read or checked is not an error, but a [failure](FileReport::failure) in the report.
#[must_use]
pub fn run(plan: &Plan, done: &dyn Fn(u64)) -> Outcome {
    run_until(plan, done, &AtomicBool::new(false))
}

/// Like [`run`], until `stop` is set. Files that are being checked at that time are abandoned, and the report covers the
/// others.
#[must_use]
pub fn run_until(plan: &Plan, done: &dyn Fn(u64), stop: &AtomicBool) -> Outcome {
    let work = Arc::new(Work::of(plan));
    let mut found = Found::new(plan.tasks.len());
    // While a child process reads a file, the thread waits.
    let at_once = plan.jobs.map_or_else(|| processors() + 1, threads);
    found.collect(&work, at_once, done, stop);
    if let Some(cache) = &plan.cache {
        cache.trim();
    }
    // A shard cannot tell what matches nothing in the whole run.
    let idle = plan.part.is_none().then(|| idle(plan, &found.files));
    let mut report = found.report(plan);
    report.idle = idle.unwrap_or_default();
    let baseline = plan.known.apply(&mut report);
    Outcome {
        report,
        baseline,
        files: found.named,
        unchanged: found.unchanged,
        cache_failure: plan.cache.as_ref().and_then(|cache| cache.failure()),
    }
}

/// Checks a model in memory with the settings of the first file of `plan`, which names it. Nothing is cached.
///
/// # Panics
///
/// If the plan has no file.
#[must_use]
pub fn check_loaded(plan: &Plan, model: Arc<Asset>) -> FileReport {
    let task = plan.tasks.first().expect("the plan names the model");
    let mut report = FileReport {
        failure: None,
        has_no_models: false,
        ..blank(task)
    };
    describe(&model, task, &mut report);
    let budget = plan.import.limits.budget(&task.path);
    match AtWork::on(&task.path, Stage::Main, budget) {
        Ok(at_work) => judge(task, model, at_work, &mut report),
        Err(ended) => report.failure = Some(ended.to_string()),
    }
    show(task, &mut report);
    report
}

/// The number of threads for `jobs` files, within reason.
#[must_use]
pub fn threads(jobs: NonZeroUsize) -> usize {
    jobs.get().min(MOST_AT_ONCE)
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, |count| count.get().min(MOST_PROCESSORS))
}

/// The results so far.
struct Found {
    files: Vec<Option<FileReport>>,
    named: Vec<PathBuf>,
    unchanged: usize,
    unaffected: usize,
    /// The rules of the previous file.
    checked: Arc<[Code]>,
}

impl Found {
    fn new(files: usize) -> Self {
        Self {
            files: (0..files).map(|_| None).collect(),
            named: Vec::new(),
            unchanged: 0,
            unaffected: 0,
            checked: Arc::default(),
        }
    }

    /// Starts the threads and collects their results, until all are done or `stop` is set. Threads that are still at
    /// work then end on their own, or with the process.
    fn collect(&mut self, work: &Arc<Work>, at_once: usize, done: &dyn Fn(u64), stop: &AtomicBool) {
        let (sender, receiver) = channel();
        let threads = work::at_once(at_once).min(work.tasks.len()).max(1);
        let start = || {
            let (work, sender) = (Arc::clone(work), sender.clone());
            let apart = (threads > 1).then(Apart::new).flatten();
            thread::Builder::new().spawn(move || work.take_until_done(apart.as_ref(), &sender))
        };
        // If no more threads can be started, the existing ones do the work.
        let started = (0..threads).map_while(|_| start().ok()).count();
        if started == 0 {
            work.take_until_done(None, &sender);
        }
        drop(sender);
        loop {
            if stop.load(Ordering::Relaxed) {
                work.stop();
                return;
            }
            match receiver.recv_timeout(LOOKS) {
                Ok(checked) => {
                    let weight = work.tasks[checked.index].weight;
                    self.add(checked);
                    done(weight);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn add(&mut self, checked: Checked) {
        let Checked {
            index,
            named,
            mut report,
            origin,
        } = checked;
        self.named.extend(named);
        match origin {
            Origin::Rules => {}
            Origin::Cache => self.unchanged += 1,
            Origin::Unaffected => {
                self.unaffected += 1;
                return;
            }
        }
        if self.checked == report.checked {
            report.checked = Arc::clone(&self.checked);
        } else {
            self.checked = Arc::clone(&report.checked);
        }
        self.files[index] = Some(report);
    }

    fn report(&mut self, plan: &Plan) -> Report {
        let all = self.files.len();
        let checked = plan.tasks.iter().zip(self.files.drain(..));
        let (indices, files): (Vec<usize>, Vec<FileReport>) = checked
            .filter_map(|(task, file)| Some((task.index, file?)))
            .unzip();
        Report {
            folder: real_folder(Path::new(".")),
            unchecked_files: all - files.len() - self.unaffected,
            unaffected: self.unaffected,
            files,
            accepted: None,
            hidden: hidden(&plan.tasks),
            idle: Vec::new(),
            part: plan.part.clone().map(|(shard, run)| RunPart {
                shard,
                run,
                indices,
            }),
        }
    }
}

/// Separate from the threads of the rules' loops. A rayon thread that waits for such a loop could take another file
/// meanwhile, and hold a second model.
struct Work {
    tasks: Arc<Vec<Task>>,
    /// If only the models that they affect are checked.
    changes: Option<Arc<Changes>>,
    import: import::Options,
    next: AtomicUsize,
    cache: Option<Arc<Cache>>,
    keys: Option<Keys>,
    states: States,
}

/// The result for a file.
struct Checked {
    /// The index of the task.
    index: usize,
    /// The files that the model refers to.
    named: Vec<PathBuf>,
    report: FileReport,
    origin: Origin,
}

/// Where the result for a file is from.
enum Origin {
    /// The rules were checked.
    Rules,
    /// Its cached verdict was used.
    Cache,
    /// The changes do not affect it, so it was not checked.
    Unaffected,
}

impl Work {
    fn of(plan: &Plan) -> Self {
        Self {
            tasks: Arc::clone(&plan.tasks),
            changes: plan.changes.clone(),
            import: plan.import.clone(),
            next: AtomicUsize::new(0),
            cache: plan.cache.clone(),
            keys: plan.cache.as_ref().map(|_| Keys::of(&plan.import)),
            states: States::default(),
        }
    }

    /// * `apart` – where the models are checked, if other threads check others.
    fn take_until_done(&self, apart: Option<&Apart>, results: &Sender<Checked>) {
        if let Some(apart) = apart {
            apart.account().join();
        }
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = self.tasks.get(index) else {
                return;
            };
            // Nobody receives the results of a run that was stopped.
            if results.send(self.verdict_on(index, task)).is_err() {
                return;
            }
        }
    }

    /// No thread takes another file.
    fn stop(&self) {
        self.next.store(self.tasks.len(), Ordering::Relaxed);
    }

    /// The cached findings if nothing has changed, otherwise new ones.
    fn verdict_on(&self, index: usize, task: &Task) -> Checked {
        let key = self.keys.as_ref().and_then(|keys| keys.key(task));
        if let Some(verdict) = key.as_ref().and_then(|key| self.known(&key.text)) {
            let named: Vec<PathBuf> = verdict.named().collect();
            if !self.affects(task, named.iter().cloned()) {
                return unaffected(index, task, named);
            }
            let blank = blank(task);
            // A configuration that moved says the same, and what fails a run is not part of a verdict.
            let mut report = FileReport {
                path: blank.path,
                config: blank.config,
                deny_warnings: blank.deny_warnings,
                deny_unchecked: blank.deny_unchecked,
                ..verdict.report
            };
            show(task, &mut report);
            return Checked {
                index,
                named,
                report,
                origin: Origin::Cache,
            };
        }
        if let Some(named) = self.files_of_unaffected(task, key.as_ref()) {
            return unaffected(index, task, named);
        }
        let mut report = blank(task);
        let mut at_work = None;
        if report.failure.is_none() {
            let budget = self.import.limits.budget(&task.path);
            match AtWork::on(&task.path, Stage::Main, budget) {
                Ok(work) => at_work = Some(work),
                Err(ended) => report.failure = Some(ended.to_string()),
            }
        }
        let (loaded, read) = self.load(task, &mut report);
        let named: Vec<PathBuf> = read.iter().map(|file| file.path.clone()).collect();
        // The reason why a file cannot be read may lie in a file that nothing refers to.
        if loaded.is_some() && !self.affects(task, named.iter().cloned()) {
            // The next run need not read it to know the files.
            if let Some(key) = key {
                self.keep(task, &key, key.of_files(), read, blank(task));
            }
            return unaffected(index, task, named);
        }
        if let (Some(model), Some(work)) = (loaded, at_work) {
            judge(task, model, work, &mut report);
        }
        if let Some(key) = key.filter(|_| report.failure.is_none()) {
            report = self.keep(task, &key, key.text.clone(), read, report);
        }
        show(task, &mut report);
        Checked {
            index,
            named,
            report,
            origin: Origin::Rules,
        }
    }

    /// Whether `task`, or one of the files that it reads, is to be checked.
    fn affects(&self, task: &Task, files: impl Iterator<Item = PathBuf>) -> bool {
        let changes = self.changes.as_ref();
        task.has_changed || changes.is_none_or(|changes| changes.affect(files))
    }

    /// The files that the model reads, if an earlier run has found them and no change affects it.
    fn files_of_unaffected(&self, task: &Task, key: Option<&Key>) -> Option<Vec<PathBuf>> {
        let key = key.filter(|_| !task.has_changed)?;
        let known = self.known(&key.of_files())?;
        let is_affected = self.affects(task, known.named());
        (!is_affected).then(|| known.named().collect())
    }

    /// Caches the report on a model, unless a file has changed since it was read. Returns the report.
    ///
    /// * `text` – the key to cache it under.
    /// * `read` – the files that were read.
    fn keep(
        &self,
        task: &Task,
        key: &Key,
        text: String,
        read: Vec<SourceFile>,
        report: FileReport,
    ) -> FileReport {
        let files = key
            .holds(&task.path)
            .then(|| self.states.of(read))
            .flatten();
        let (Some(cache), Some(files)) = (&self.cache, files) else {
            return report;
        };
        let verdict = Verdict {
            key: text,
            files,
            report,
        };
        cache.put(&verdict);
        verdict.report
    }

    /// The cached verdict, if it still holds.
    fn known(&self, key: &str) -> Option<Verdict> {
        let verdict = self.cache.as_ref()?.get(key)?;
        verdict.holds(key, &self.states).then_some(verdict)
    }

    /// Reads a model, and the files that it refers to. If it cannot be read, `report` says why.
    fn load(&self, task: &Task, report: &mut FileReport) -> (Option<Arc<Asset>>, Vec<SourceFile>) {
        if report.failure.is_some() {
            return (None, Vec::new());
        }
        match import::load(&task.path, &self.import) {
            Ok(mut asset) => {
                describe(&asset, task, report);
                let files = std::mem::take(&mut asset.files);
                (Some(Arc::new(asset)), files)
            }
            Err(error) => {
                report.failure = Some(without_path(task, &error.explain()));
                (None, Vec::new())
            }
        }
    }
}

/// Checks a model, which is dropped at the end.
fn judge(task: &Task, model: Arc<Asset>, work: AtWork, report: &mut FileReport) {
    match check(task, model, work) {
        Ok(checked) => take_over(checked, report),
        Err(failure) => report.failure = Some(failure),
    }
}

/// Runs the rules in a thread, which is abandoned if it exceeds the time limit. A rule that panics is a bug in
/// skincheck, and the other files are still checked.
fn check(task: &Task, asset: Arc<Asset>, work: AtWork) -> Result<lint::Checked, String> {
    work.part("checking");
    let deadline = work.deadline();
    let (path, expected) = (task.path.clone(), Arc::clone(&task.expected));
    let checked = deadline.run(move || {
        // At work until this thread ends.
        let _work = work;
        let cx = Context::new(&asset, &path, &expected.settings).until(deadline);
        lint::check(&cx)
    });
    checked.map_err(|unfinished| match unfinished {
        Unfinished::Panicked => {
            "skincheck itself failed while checking it; please report this".into()
        }
        other => other.to_string(),
    })
}

/// The result for a model that the changes do not affect.
fn unaffected(index: usize, task: &Task, named: Vec<PathBuf>) -> Checked {
    Checked {
        index,
        named,
        report: blank(task),
        origin: Origin::Unaffected,
    }
}

/// Reports how a model was read.
fn describe(asset: &Asset, task: &Task, report: &mut FileReport) {
    report.importer = Some(asset.reader.to_string());
    report.notes.clone_from(&asset.notes);
    report.unmatched_names = unmatched_names(&task.expected.settings, asset);
}

/// The report on a file before it is read.
fn blank(task: &Task) -> FileReport {
    FileReport {
        path: task.path.clone(),
        deny_warnings: task.expected.deny_warnings,
        deny_unchecked: task.expected.deny_unchecked,
        config: task.config_path(),
        preset: task.expected.preset.map(str::to_owned),
        engine: task
            .expected
            .settings
            .engine
            .as_ref()
            .map(TargetEngine::to_string),
        failure: task.failure.clone(),
        has_no_models: task.failure.is_some(),
        ..FileReport::default()
    }
}

/// The most important level of the checked rules, if no file shows that level.
fn hidden(tasks: &[Task]) -> Option<Level> {
    let important = tasks.iter().map(Task::hidden);
    important.collect::<Option<Vec<Level>>>()?.into_iter().max()
}

/// Moves all findings of `checked` into `report`.
fn take_over(checked: lint::Checked, report: &mut FileReport) {
    report.findings = checked.findings;
    report.thinned = checked.thinned;
    report.conversions = checked.conversions;
    report.unchecked = checked.unchecked;
    report.coverage = Some(checked.coverage);
    report.measures = checked.readings;
}

/// Leaves the findings that are to be shown, and gives the settings and the rules that were checked for them.
fn show(task: &Task, report: &mut FileReport) {
    report.settings = Arc::clone(&task.expected);
    if report.failure.is_some() {
        return;
    }
    report
        .findings
        .retain(|finding| finding.level >= task.level);
    let metas = lint::rules().map(Described::meta);
    let mut shown: Vec<Code> = metas
        .filter(|meta| task.shows(meta))
        .map(|meta| meta.code)
        .collect();
    report
        .unchecked
        .retain(|unchecked| shown.contains(&unchecked.code));
    shown.retain(|code| report.unchecked.iter().all(|rule| rule.code != *code));
    report.checked = shown.into();
}

/// Removes the file's name from a message, since reports state it.
fn without_path(task: &Task, message: &str) -> String {
    let path = format!("{}: ", shown::path(&task.path));
    message.strip_prefix(&path).unwrap_or(message).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_of_jobs_uses_all_threads_of_the_machine() {
        let taken = |jobs| threads(NonZeroUsize::new(jobs).expect("it is not 0"));
        assert_eq!([1, 3, usize::MAX].map(taken), [1, 3, MOST_AT_ONCE]);
    }
}
