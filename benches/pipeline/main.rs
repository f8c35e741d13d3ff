//! Every stage from a model file to a PNG, each beside a peer that does the same or a bound that nothing can beat.
//!
//! Criterion measures both. Absolute times depend on the machine, so at the end a table of ratios is printed, from runs
//! that alternate between the two; ratios are what to compare between machines and versions.

#![expect(clippy::print_stdout, reason = "it reports")]

mod checks;
mod files;
mod model;
mod motion;
#[cfg(feature = "gl")]
mod paths;
mod ratio;
mod stage;
mod stages;

use criterion::Criterion;

use model::Model;

fn main() {
    let model = Model::new();
    let mut criterion = Criterion::default().configure_from_args();
    let mut stages = stages::all(&model);
    stages.extend(motion::all(&model));
    #[cfg(feature = "gl")]
    stages.extend(paths::all(&model));
    for stage in &mut stages {
        stage.measure(&mut criterion);
    }
    criterion.final_summary();
    if std::env::args().any(|argument| argument == "--bench") {
        ratio::print_table(&mut stages);
    }
}
