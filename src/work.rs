//! The models at work, and the end of the program when one exceeds its budget of time or memory.
//!
//! Nothing else ends a loop that takes too long, or an allocation that is too large. A run over many models is repeated
//! then, and the model that has exceeded its budget is refused.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::account::{self, AccountId, Apart};
use crate::deadline::Deadline;
use crate::import::Budget;
use crate::platform::HAS_THREADS;
use crate::shown;

/// Work on a model that has exceeded its budget.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{part} {exceeded} if the model is really that large")]
pub struct Ended {
    /// The model's path, as messages show it.
    pub model: String,
    /// The stage that it was at.
    pub stage: Stage,
    /// What the program was doing, such as "drawing".
    pub part: String,
    /// What it had too little of.
    pub exceeded: Exceeded,
    /// Whether no other model was at work, which could have taken its time.
    pub is_alone: bool,
}

/// A part of a budget.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Exceeded {
    /// Time.
    #[error("did not finish within {} s; raise --timeout", .0.as_secs_f64())]
    Time(Duration),
    /// Memory, in bytes.
    #[error("needs more than {} MiB of memory; raise --memory", .0 >> 20)]
    Memory(u64),
}

/// The stages of the work on a model, which share its time. One that exceeds the budget leaves the results of those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    /// All that a verdict or an output needs.
    Main,
    /// Images of what was found.
    Images,
}

/// A model is at work as long as this exists.
#[derive(Debug)]
pub struct Work {
    id: u64,
    account: AccountId,
    deadline: Deadline,
}

struct AtWork {
    id: u64,
    model: String,
    stage: Stage,
    part: &'static str,
    account: AccountId,
    budget: Budget,
    started: Instant,
    /// What the stages before this one took.
    used: Used,
    /// Whether other models were at work at the same time.
    is_shared: bool,
}

/// What the finished stages of a model took.
#[derive(Debug, Clone, Copy, Default)]
struct Used {
    time: Duration,
    /// Whether other models were at work at the same time, which lengthens it.
    is_shared: bool,
}

impl AtWork {
    /// When its time is up; none if that is past the end of the clock.
    fn end(&self) -> Option<Instant> {
        let left = self.budget.time.saturating_sub(self.used.time);
        self.started.checked_add(left.saturating_add(GRACE))
    }

    fn ended(&self, exceeded: Exceeded, is_alone: bool) -> Ended {
        Ended {
            model: self.model.clone(),
            stage: self.stage,
            part: self.part.to_owned(),
            exceeded,
            is_alone,
        }
    }
}

static MODELS: Mutex<Vec<AtWork>> = Mutex::new(Vec::new());
static BEGUN: Condvar = Condvar::new();

/// What ends the program.
static END: OnceLock<fn(&Ended)> = OnceLock::new();

static NEXT: AtomicU64 = AtomicU64::new(0);

/// By the name of the model.
static USED: Mutex<BTreeMap<String, Used>> = Mutex::new(BTreeMap::new());

fn used() -> MutexGuard<'static, BTreeMap<String, Used>> {
    USED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What earlier attempts of this run have ended at. Only those have a value.
static REFUSED: OnceLock<Vec<Ended>> = OnceLock::new();

fn refused() -> impl Iterator<Item = &'static Ended> {
    REFUSED.get().into_iter().flatten()
}

/// How many models are at work at once: one if an earlier attempt of this run has ended at one of several, so that it gets
/// all of its time.
///
/// * `wanted` – otherwise.
#[must_use]
pub fn at_once(wanted: usize) -> usize {
    let has_shared = refused().any(|ended| !ended.is_alone);
    if has_shared { 1 } else { wanted }
}

/// One part of the memory is for what no account books: stacks, the program itself, and what the allocator keeps.
const PARTS: u64 = 16;

/// How long work that notices the end of its time by itself may take to do so.
const GRACE: Duration = Duration::from_secs(1);

/// Ends the program by `end` from now on. Only the first call counts.
///
/// * `refused` – what earlier attempts of this run have ended at, if it is repeated.
pub fn limit(end: fn(&Ended), refused: Option<Vec<Ended>>) {
    if END.set(end).is_err() {
        return;
    }
    if let Some(refused) = refused {
        // Nothing was set before.
        let _ = REFUSED.set(refused);
    }
    if HAS_THREADS {
        // Without a thread, there is no limit on time.
        let _ = thread::Builder::new().spawn(watch);
    }
}

impl Work {
    /// Begins work on the model at `path`, on the account of this thread.
    ///
    /// # Errors
    ///
    /// [`Ended`] if an earlier attempt of this run has ended at it.
    pub fn on(path: &Path, stage: Stage, budget: Budget) -> Result<Self, Ended> {
        Self::named(shown::path(path), stage, budget)
    }

    /// As [`Work::on`].
    ///
    /// * `model` – its name in messages.
    ///
    /// # Errors
    ///
    /// As [`Work::on`].
    pub fn named(model: String, stage: Stage, budget: Budget) -> Result<Self, Ended> {
        let own = |ended: &&Ended| ended.model == model && ended.stage == stage;
        if let Some(ended) = refused().filter(own).find(|ended| ended.is_alone) {
            return Err(ended.clone());
        }
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let account = AccountId::own();
        let used = match stage {
            Stage::Main => Used::default(),
            Stage::Images => used().get(&model).copied().unwrap_or_default(),
        };
        let mut models = models();
        for other in models.iter_mut() {
            other.is_shared = true;
        }
        let work = AtWork {
            id,
            model,
            stage,
            part: "reading",
            account,
            budget,
            started: Instant::now(),
            used,
            is_shared: !models.is_empty(),
        };
        models.push(work);
        drop(models);
        BEGUN.notify_one();
        if END.get().is_some() {
            account.limit(budget.memory_bytes / PARTS * (PARTS - 1));
        }
        Ok(Self {
            id,
            account,
            deadline: match REFUSED.get() {
                Some(_) => Deadline::NEVER,
                None => Deadline::after(budget.time.saturating_sub(used.time)),
            },
        })
    }

    /// When the time of its budget is up, for loops that then return early. A run that is repeated has no such loops: it ends, as
    /// several models at work may have shared the time.
    #[must_use]
    pub fn deadline(&self) -> Deadline {
        self.deadline
    }

    /// Names what is done from now on, for messages.
    pub fn part(&self, part: &'static str) {
        let mut models = models();
        let own = models.iter_mut().find(|work| work.id == self.id);
        if let Some(work) = own {
            work.part = part;
        }
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.account.lift();
        let mut models = models();
        let own = models.iter().position(|work| work.id == self.id);
        let own = own.map(|index| models.swap_remove(index));
        drop(models);
        if let Some(work) = own {
            let spent = Used {
                time: work.used.time + work.started.elapsed(),
                is_shared: work.used.is_shared || work.is_shared,
            };
            used().insert(work.model, spent);
        }
    }
}

/// Does `work` with each of `items`, several at once, each [apart](Apart) from the others. The results are in the order of the
/// items. Parallel loops are apart if they [run on the account](AccountId::run).
///
/// * `at_once` – the most items at once.
pub fn each<T: Sync, R: Send>(
    items: &[T],
    at_once: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let run = |apart: Option<Apart>| {
        let before = AccountId::own();
        if let Some(apart) = &apart {
            apart.account().join();
        }
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { break };
            let result = work(item);
            let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
            results.push((index, result));
        }
        before.join();
    };
    let threads = self::at_once(at_once).min(items.len());
    thread::scope(|scope| {
        let start = |apart| thread::Builder::new().spawn_scoped(scope, || run(Some(apart)));
        let others = (1..threads).map_while(|_| start(Apart::new()?).ok());
        let others = others.count();
        run((others > 0).then(Apart::new).flatten());
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

fn models() -> MutexGuard<'static, Vec<AtWork>> {
    MODELS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the program when the time of a model is up.
fn watch() {
    let mut models = models();
    loop {
        let ends = models.iter().filter_map(|work| Some((work.end()?, work)));
        let first = ends.min_by_key(|(end, _)| *end);
        let left = first.map(|(end, _)| end.saturating_duration_since(Instant::now()));
        models = match (first, left) {
            (Some((_, work)), Some(Duration::ZERO)) => {
                let is_alone = models.len() == 1 && !work.used.is_shared;
                let ended = work.ended(Exceeded::Time(work.budget.time), is_alone);
                drop(models);
                end(&ended);
                return;
            }
            (_, Some(left)) => {
                let waited = BEGUN.wait_timeout(models, left);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
            (_, None) => BEGUN.wait(models).unwrap_or_else(PoisonError::into_inner),
        };
    }
}

/// Ends the program, whose allocator has found that the account of this thread exceeds its limit.
#[cold]
pub fn exceed_memory() {
    let account = AccountId::own();
    // What follows allocates, too. The other threads of the model come here and wait for the end.
    account::exempt_thread(true);
    let Some(models) = models_of_others() else {
        // The next allocation asks again.
        account::exempt_thread(false);
        return;
    };
    let work = models.iter().rfind(|work| work.account == account);
    let ended = work.map(|work| work.ended(Exceeded::Memory(work.budget.memory_bytes), true));
    drop(models);
    if let Some(ended) = ended {
        end(&ended);
    }
    account::exempt_thread(false);
}

/// The models at work; `None` if this thread may be the one that holds them.
fn models_of_others() -> Option<MutexGuard<'static, Vec<AtWork>>> {
    (0..100).find_map(|_| {
        let models = MODELS.try_lock().ok();
        if models.is_none() {
            thread::sleep(Duration::from_millis(1));
        }
        models
    })
}

fn end(ended: &Ended) {
    account::exempt_thread(true);
    if let Some(end) = END.get() {
        end(ended);
    }
}

/// Calls `report` with the models that this process has at work, unless there are none. Allocates nothing.
pub fn with_models_at_work(report: impl FnOnce(&mut dyn Iterator<Item = &str>)) {
    // The thread that asks may be the one that is adding a model.
    if let Ok(models) = MODELS.try_lock()
        && !models.is_empty()
    {
        report(&mut models.iter().map(|work| work.model.as_str()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGET: Budget = Budget {
        memory_bytes: 1 << 30,
        time: Duration::from_secs(3600),
    };

    #[test]
    fn models_are_named_while_they_are_at_work() {
        let is_named = || {
            let mut is_named = false;
            with_models_at_work(|models| is_named = models.collect::<Vec<_>>().contains(&"a.glb"));
            is_named
        };
        let work = Work::on(Path::new("a.glb"), Stage::Main, BUDGET).expect("nothing has ended");
        assert!(is_named());
        drop(work);
        assert!(!is_named());
    }

    #[test]
    fn images_have_the_time_that_the_verdict_has_left() {
        let left = |stage| {
            let work = Work::on(Path::new("c.glb"), stage, BUDGET).expect("nothing has ended");
            let models = models();
            let own = models.iter().find(|own| own.id == work.id);
            let own = own.expect("it is at work");
            let end = own.end().expect("the clock reaches it");
            end.duration_since(own.started).saturating_sub(GRACE)
        };
        let verdict = Used {
            time: Duration::from_secs(10),
            is_shared: false,
        };
        assert!(BUDGET.time > verdict.time);
        used().insert("c.glb".to_owned(), verdict);
        assert_eq!(left(Stage::Images) + verdict.time, BUDGET.time);
        assert_eq!(left(Stage::Main), BUDGET.time);
        let anew = used()["c.glb"].time;
        assert!(anew < verdict.time, "another verdict begins anew");
    }

    #[test]
    fn models_at_work_at_once_share_their_time() {
        let [first, second] = ["d.glb", "e.glb"]
            .map(|name| Work::on(Path::new(name), Stage::Main, BUDGET).expect("nothing has ended"));
        drop((first, second));
        let used = used();
        assert!(used["d.glb"].is_shared && used["e.glb"].is_shared);
    }

    #[test]
    fn each_item_has_its_result_in_order() {
        for at_once in [1, 3, 100] {
            let items: Vec<usize> = (0..20).collect();
            let accounts = each(&items, at_once, |item| (*item, AccountId::own()));
            assert!(accounts.iter().map(|(item, _)| *item).eq(items));
            let is_main = |(_, own): &(usize, AccountId)| *own == AccountId::MAIN;
            assert_eq!(accounts.iter().all(is_main), at_once == 1);
        }
    }

    #[test]
    fn an_end_names_what_was_done_and_the_option_that_helps() {
        let work = Work::on(Path::new("b.glb"), Stage::Main, BUDGET).expect("nothing has ended");
        work.part("drawing");
        let told = |exceeded| {
            let models = models();
            let work = models.iter().find(|own| own.id == work.id);
            work.expect("it is at work")
                .ended(exceeded, true)
                .to_string()
        };
        insta::assert_snapshot!(
            [Exceeded::Time(BUDGET.time), Exceeded::Memory(BUDGET.memory_bytes)].map(told).join("\n"),
            @"
        drawing did not finish within 3600 s; raise --timeout if the model is really that large
        drawing needs more than 1024 MiB of memory; raise --memory if the model is really that large
        "
        );
    }
}
