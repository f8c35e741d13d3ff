//! How much memory the work on each model holds.
//!
//! A program whose allocator calls [`take`] and [`give`] can limit it. Each thread books on one account, and those that it starts
//! for its work [join](AccountId::join) it.

use std::cell::Cell;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};

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

static OPENED: AtomicUsize = AtomicUsize::new(1);

thread_local! {
    // Neither allocates, nor is dropped: the allocator uses them.
    static OWN: Cell<usize> = const { Cell::new(0) };
    static PENDING: Cell<isize> = const { Cell::new(0) };
}

/// An account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccountId(usize);

impl AccountId {
    /// The account of all threads that have joined no other.
    pub const MAIN: Self = Self(0);

    /// An account that no other call returns, until all are in use: then threads share them.
    #[must_use]
    pub fn open() -> Self {
        let index = OPENED.fetch_add(1, Ordering::Relaxed);
        Self(1 + (index - 1) % (ACCOUNTS - 1))
    }

    /// The account of this thread.
    #[must_use]
    pub fn own() -> Self {
        Self(OWN.get())
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

    /// Lifts the limit.
    pub fn lift(self) {
        ALL[self.0].limit.store(isize::MAX, Ordering::Relaxed);
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

/// Returns whether the account is within its limit.
fn book(bytes: isize) -> bool {
    let account = &ALL[OWN.get()];
    let before = account.held.fetch_add(bytes, Ordering::Relaxed);
    before.saturating_add(bytes) <= account.limit.load(Ordering::Relaxed)
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
            assert_eq!(taken, (1 << 16) - 1);
        });
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
