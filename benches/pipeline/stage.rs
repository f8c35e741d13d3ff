//! A stage and the peer that it is compared with.

use std::hint::black_box;
use std::time::Duration;

use criterion::Criterion;

/// Work that is repeated.
pub(crate) type Work<'a> = Box<dyn FnMut() + 'a>;

/// Criterion's settings for each side of a stage, which keep all stages together within two minutes.
const WARM_UP: Duration = Duration::from_millis(500);
const MEASUREMENT: Duration = Duration::from_secs(2);

/// A stage of the pipeline with a peer or a bound.
pub(crate) struct Stage<'a> {
    pub(crate) name: &'static str,
    pub(crate) work: Work<'a>,
    /// The work of the peer or the bound.
    pub(crate) yardstick_name: &'static str,
    pub(crate) yardstick: Work<'a>,
    /// Whether criterion's filter selects this stage.
    pub(crate) wanted: bool,
}

impl<'a> Stage<'a> {
    pub(crate) fn new<T, U>(
        name: &'static str,
        mut work: impl FnMut() -> T + 'a,
        yardstick_name: &'static str,
        mut yardstick: impl FnMut() -> U + 'a,
    ) -> Self {
        Self {
            name,
            work: Box::new(move || drop(black_box(work()))),
            yardstick_name,
            yardstick: Box::new(move || drop(black_box(yardstick()))),
            wanted: false,
        }
    }

    /// Both sides, as a criterion group.
    pub(crate) fn measure(&mut self, criterion: &mut Criterion) {
        let mut group = criterion.benchmark_group(self.name);
        group.sample_size(10);
        group.warm_up_time(WARM_UP).measurement_time(MEASUREMENT);
        group.bench_function("stage", |bencher| {
            self.wanted = true;
            bencher.iter(&mut self.work);
        });
        group.bench_function(self.yardstick_name, |bencher| {
            self.wanted = true;
            bencher.iter(&mut self.yardstick);
        });
        group.finish();
    }
}
