//! Counts faults of one kind, and keeps the worst.

/// The number of faults, and the worst one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::lint) struct Counted<T> {
    /// The number of faults.
    pub(in crate::lint) count: usize,
    /// The severity of the worst fault; larger is worse.
    pub(in crate::lint) worst: f64,
    /// The first of the worst faults.
    pub(in crate::lint) which: Option<T>,
}

impl<T> Default for Counted<T> {
    fn default() -> Self {
        Self {
            count: 0,
            worst: f64::NEG_INFINITY,
            which: None,
        }
    }
}

impl<T> Counted<T> {
    /// Counts one fault.
    pub(in crate::lint) fn add(&mut self, badness: f64, which: T) {
        self.count += 1;
        if badness > self.worst {
            self.worst = badness;
            self.which = Some(which);
        }
    }
}

/// The count as a number for comparison with limits.
#[expect(clippy::cast_precision_loss, reason = "nothing is counted to 2^52")]
pub(in crate::lint) fn as_f64(count: usize) -> f64 {
    count as f64
}
