//! Every stage from a model file to a PNG, each against a peer that does the same or a bound that nothing can beat.
//!
//! Criterion measures both. Absolute times depend on the machine, so the benchmark ends with a table of ratios, from
//! runs that alternate between the two. Compare these between machines and versions.

#![expect(clippy::print_stdout, reason = "it reports")]

#[cfg(feature = "gl")]
mod blob;
mod checks;
#[cfg(feature = "gl")]
mod draws;
mod files;
mod large;
#[cfg(feature = "gl")]
mod llvmpipe;
mod model;
mod motion;
mod pairs;
#[cfg(feature = "gl")]
mod paths;
#[path = "../../tests/suite/verdicts/planted/mod.rs"]
mod planted;
mod ratio;
mod scale;
mod stage;
mod stages;
mod tube;
mod verdicts;

use criterion::Criterion;

use model::Model;

// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    #[cfg(feature = "gl")]
    if draws::is_first_frame() {
        return;
    }
    if verdicts::are_asked_for() || scale::is_asked_for() {
        return;
    }
    let model = Model::new();
    let mut criterion = Criterion::default().configure_from_args();
    #[cfg(feature = "gl")]
    draws::measure(&mut criterion);
    let mut stages = stages::all(&model);
    if !skincheck::import::IMPORTERS.is_empty() {
        stages.extend(large::all());
        stages.extend(pairs::all());
    }
    stages.extend(motion::all(&model));
    #[cfg(feature = "gl")]
    stages.extend(paths::all(&model));
    for stage in &mut stages {
        stage.measure(&mut criterion);
    }
    criterion.final_summary();
    ratio::print_table(&mut stages);
}
