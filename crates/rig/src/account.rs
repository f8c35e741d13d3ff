//! How much memory the work on each model holds.
//!
//! A program whose allocator calls [`take`] and [`give`] can limit it. Each thread books on one account. Work that is done in
//! another thread is done [on the same account](AccountId::run), and one of several models at work is [apart](Apart).

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// The number of accounts.
pub const ACCOUNTS: usize = 257;

/// How much a thread takes or gives before it books it: booking costs more than allocating a few bytes.
const UNBOOKED: isize = 16 << 10;

/// On a cache line of its own, since threads of other accounts book at the same time.
#[repr(align(128))]
struct Account {
    held: AtomicIsize,
    limit: AtomicIsize,
}

static ALL: [Account; ACCOUNTS] = [const {
    Account {
        held: AtomicIsize::new(0),
        limit: AtomicIsize::new(isize::MAX),
    }
}; ACCOUNTS];

/// What a program does for its accounts.
#[derive(Debug)]
pub struct Hooks {
    /// Ends it, since the account of this thread exceeds its limit.
    pub exceed: fn(),
    /// Returns memory to the system that has been freed, and that the allocator keeps.
    pub release: fn(),
}

static HOOKS: OnceLock<Hooks> = OnceLock::new();

/// Sets what the program does. Only the first call counts.
pub fn set_hooks(hooks: Hooks) {
    let _ = HOOKS.set(hooks);
}

/// Says that this thread is about to hold so many bytes. If its account may not, the program ends now, and not when its
/// memory is full.
pub fn ensure_room(bytes: u64) {
    if AccountId::own().left() < bytes {
        exceed();
    }
}

fn exceed() {
    if let Some(hooks) = HOOKS.get() {
        (hooks.exceed)();
    }
}

/// Memory that the allocator does not book, such as a graphics driver's, on the account of the thread that has made this.
#[derive(Debug)]
pub struct Unallocated {
    account: AccountId,
    bytes: isize,
}

impl Unallocated {
    /// Books so many bytes before they are held. If the account may not hold them, the program ends.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        let account = AccountId::own();
        let bytes = isize::try_from(bytes).unwrap_or(isize::MAX);
        if !book(bytes) {
            exceed();
        }
        Self { account, bytes }
    }
}

impl Drop for Unallocated {
    fn drop(&mut self) {
        ALL[self.account.0]
            .held
            .fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Says that another process needs the memory that has been freed.
pub fn release() {
    if let Some(hooks) = HOOKS.get() {
        (hooks.release)();
    }
}

static OPENED: AtomicUsize = AtomicUsize::new(1);

thread_local! {
    // Neither allocates, nor is dropped: the allocator uses them.
    static OWN: Cell<usize> = const { Cell::new(0) };
    static PENDING: Cell<isize> = const { Cell::new(0) };
    static IS_EXEMPT: Cell<bool> = const { Cell::new(false) };
}

/// An account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccountId(usize);

impl AccountId {
    /// The account of all threads that have joined no other.
    pub const MAIN: Self = Self(0);

    /// An account that no other call returns, until all are in use: then threads share them.
    fn open() -> Self {
        let index = OPENED.fetch_add(1, Ordering::Relaxed);
        Self(1 + (index - 1) % (ACCOUNTS - 1))
    }

    /// The account of this thread.
    #[must_use]
    pub fn own() -> Self {
        Self(OWN.get())
    }

    /// Does `work` on this account, in its own threads if it has some. It must not wait for such work itself: there may be one
    /// thread.
    pub fn run<R: Send>(self, work: impl FnOnce() -> R + Send) -> R {
        let before = Self::own();
        self.join();
        let threads = all_threads().get(&self.0).cloned();
        let result = match threads {
            Some(threads) => threads.install(work),
            None => work(),
        };
        before.join();
        result
    }

    /// Books what this thread takes and gives on this account from now on.
    pub fn join(self) {
        book(PENDING.take());
        OWN.set(self.0);
    }

    /// From now on, the account may hold so many bytes more than now.
    pub fn limit(self, bytes: u64) {
        let account = &ALL[self.0];
        let bytes = isize::try_from(bytes).unwrap_or(isize::MAX);
        let limit = account.held.load(Ordering::Relaxed).saturating_add(bytes);
        account.limit.store(limit, Ordering::Relaxed);
    }

    /// How many bytes more it may hold.
    #[must_use]
    pub fn left(self) -> u64 {
        let account = &ALL[self.0];
        let held = account.held.load(Ordering::Relaxed);
        let left = account.limit.load(Ordering::Relaxed).saturating_sub(held);
        u64::try_from(left).unwrap_or(0)
    }

    /// Lifts the limit.
    pub fn lift(self) {
        ALL[self.0].limit.store(isize::MAX, Ordering::Relaxed);
    }
}

/// The threads of accounts that have their own.
static THREADS: Mutex<BTreeMap<usize, Arc<ThreadPool>>> = Mutex::new(BTreeMap::new());

fn all_threads() -> MutexGuard<'static, BTreeMap<usize, Arc<ThreadPool>>> {
    THREADS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// As large as importers may need: hierarchies are followed recursively.
const STACK_BYTES: usize = 64 << 20;

/// An account with threads of its own for parallel loops, while this exists.
#[derive(Debug)]
pub struct Apart {
    account: AccountId,
}

impl Apart {
    /// `None` if no threads can be started; then the work shares those of the program, and their account.
    #[must_use]
    pub fn new() -> Option<Self> {
        let account = AccountId::open();
        let threads = ThreadPoolBuilder::new()
            .num_threads(rayon::current_num_threads())
            .stack_size(STACK_BYTES)
            .start_handler(move |_| account.join());
        let threads = threads.build().ok()?;
        all_threads().insert(account.0, Arc::new(threads));
        Some(Self { account })
    }

    /// The account.
    #[must_use]
    pub fn account(&self) -> AccountId {
        self.account
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        all_threads().remove(&self.account.0);
    }
}

/// Books memory that the calling thread is about to allocate.
///
/// Returns whether its account may hold it.
#[must_use]
#[inline]
pub fn take(bytes: usize) -> bool {
    let pending = PENDING.get().saturating_add_unsigned(bytes);
    if pending < UNBOOKED {
        PENDING.set(pending);
        return true;
    }
    PENDING.set(0);
    book(pending)
}

/// Books memory that the calling thread has freed.
#[inline]
pub fn give(bytes: usize) {
    let pending = PENDING.get().saturating_sub_unsigned(bytes);
    if pending > -UNBOOKED {
        PENDING.set(pending);
        return;
    }
    PENDING.set(0);
    book(pending);
}

/// Lifts the limit for this thread only, or restores it.
pub fn exempt_thread(is_exempt: bool) {
    IS_EXEMPT.set(is_exempt);
}

/// Returns whether the account is within its limit, or the thread exempt from it.
fn book(bytes: isize) -> bool {
    let account = &ALL[OWN.get()];
    let before = account.held.fetch_add(bytes, Ordering::Relaxed);
    before.saturating_add(bytes) <= account.limit.load(Ordering::Relaxed) || IS_EXEMPT.get()
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// In a thread with an account of its own.
    fn apart(work: impl FnOnce() + Send) {
        thread::scope(|scope| {
            scope.spawn(|| {
                AccountId::open().join();
                work();
            });
        });
    }

    #[test]
    fn an_account_holds_no_more_than_its_limit() {
        apart(|| {
            AccountId::own().limit(1 << 20);
            assert!(take(1 << 19) && take(1 << 19));
            assert!(!take(1 << 16));
            give(1 << 17);
            assert!(take(1 << 16));
            exempt_thread(true);
            assert!(take(1 << 40));
            exempt_thread(false);
            assert!(!take(1 << 16));
            AccountId::own().lift();
            assert!(take(1 << 40));
        });
    }

    #[test]
    fn what_was_held_before_does_not_count() {
        apart(|| {
            assert!(take(1 << 30));
            AccountId::own().limit(1 << 20);
            assert!(take(1 << 19));
        });
    }

    #[test]
    fn many_small_allocations_count() {
        apart(|| {
            AccountId::own().limit(1 << 20);
            let taken = (0..1 << 20).take_while(|_| take(16)).count();
            // The bytes that are not booked yet come on top.
            assert_eq!(taken, (1 << 16) + 1024 - 1);
        });
    }

    thread_local! {
        static ENDS: Cell<u32> = const { Cell::new(0) };
    }

    /// How often `work` would end the program.
    fn ends(work: impl FnOnce()) -> u32 {
        set_hooks(Hooks {
            exceed: || ENDS.set(ENDS.get() + 1),
            release: || {},
        });
        ENDS.set(0);
        work();
        ENDS.get()
    }

    #[test]
    fn what_would_exceed_the_limit_ends_the_program_before_it_is_held() {
        apart(|| {
            AccountId::own().limit(1 << 20);
            assert_eq!(ends(|| ensure_room(1 << 20)), 0);
            assert_eq!(ends(|| ensure_room((1 << 20) + 1)), 1);
        });
    }

    #[test]
    fn memory_that_no_allocator_books_counts_until_it_is_dropped() {
        apart(|| {
            let own = AccountId::own();
            own.limit(1 << 20);
            let mut held = None;
            assert_eq!(ends(|| held = Some(Unallocated::new(1 << 19))), 0);
            assert_eq!(own.left(), 1 << 19);
            assert_eq!(ends(|| drop(Unallocated::new((1 << 19) + 1))), 1);
            // Another account may be that of the thread by then.
            AccountId::open().join();
            drop(held);
            assert_eq!(own.left(), 1 << 20);
        });
    }

    #[test]
    fn work_apart_is_booked_apart() {
        let apart = Apart::new().expect("threads can be started");
        let account = apart.account();
        let inside = account.run(|| rayon::join(AccountId::own, AccountId::own));
        assert_eq!(inside, (account, account));
        assert_eq!(AccountId::own(), AccountId::MAIN);
        let threads = thread::spawn(move || account.run(AccountId::own)).join();
        assert_eq!(threads.expect("it ends"), account);
    }

    #[test]
    fn accounts_have_limits_of_their_own() {
        apart(|| {
            let own = AccountId::own();
            own.limit(1 << 20);
            assert!(!take(1 << 30));
            apart(|| assert!(take(1 << 30)));
            assert_ne!(own, AccountId::open());
        });
    }
}
