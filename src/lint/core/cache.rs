//! A cache with one value per type.

use std::any::Any;
use std::sync::OnceLock;

/// A list that only grows and never moves its elements, so that references to them stay valid.
#[derive(Debug, Default)]
pub(super) struct Cache(OnceLock<Box<Entry>>);

#[derive(Debug)]
struct Entry {
    /// A `OnceLock` of the slot's type.
    slot: Box<dyn Any + Send + Sync>,
    rest: Cache,
}

impl Cache {
    /// The slot for values of type `T`, which starts empty. It is filled outside of the list, so that computing its
    /// value may request others.
    pub(super) fn slot<T: Send + Sync + 'static>(&self) -> &OnceLock<T> {
        let mut cache = self;
        loop {
            let entry = cache.0.get_or_init(|| {
                Box::new(Entry {
                    slot: Box::new(OnceLock::<T>::new()),
                    rest: Self::default(),
                })
            });
            // Another thread may have added another type here meanwhile.
            match entry.slot.downcast_ref() {
                Some(slot) => return slot,
                None => cache = &entry.rest,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread::ScopedJoinHandle;

    use super::*;

    #[test]
    fn each_type_has_one_slot_for_all_threads() {
        let cache = Cache::default();
        let of_threads = std::thread::scope(|scope| {
            let ask = || {
                let number = cache.slot::<u32>().get_or_init(|| 7);
                let text = cache.slot::<String>().get_or_init(|| "seven".to_owned());
                (
                    std::ptr::from_ref(number) as usize,
                    std::ptr::from_ref(text) as usize,
                )
            };
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
            let asked = threads.into_iter().map(ScopedJoinHandle::join);
            asked.collect::<Result<Vec<_>, _>>().expect("none panics")
        });
        assert!(of_threads.iter().all(|slots| *slots == of_threads[0]));
        assert_eq!(cache.slot::<u32>().get(), Some(&7));
        assert_eq!(cache.slot::<u64>().get(), None);
    }
}
