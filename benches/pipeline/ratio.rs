//! The ratio of a stage's time to that of its peer.

use std::time::{Duration, Instant};

use crate::stage::{Stage, Work};

/// Pairs of runs per stage: enough for a median that a busy machine hardly changes.
const ROUNDS: usize = 31;

/// The same for a stage that takes seconds, which short disturbances hardly change.
const LEAST_ROUNDS: usize = 5;

/// The time limit of all rounds of a stage beyond [`LEAST_ROUNDS`].
const LONGEST: f64 = 20.0;

/// A batch lasts at least this long, far above the clock's resolution.
const BATCH: Duration = Duration::from_millis(2);

/// Prints a row for each selected stage, unless criterion only tests.
pub(crate) fn print_table(stages: &mut [Stage<'_>]) {
    let measures = std::env::args().any(|argument| argument == "--bench");
    if !measures || !stages.iter().any(|stage| stage.wanted) {
        return;
    }
    println!(
        "\nratio = time of the stage / time of its yardstick: below 1 it beats a peer; of a bound it cannot fall below 1\n"
    );
    println!(
        "{:<31} {:>11} {:>11} {:>8}  yardstick",
        "stage", "its time", "yardstick's", "ratio"
    );
    let wanted = stages.iter_mut().filter(|stage| stage.wanted);
    wanted.for_each(print_row);
}

fn print_row(stage: &mut Stage<'_>) {
    // Criterion's own option.
    let is_quick = std::env::args().any(|argument| argument == "--quick");
    let (rounds, longest) = if is_quick {
        (LEAST_ROUNDS, LONGEST / 4.0)
    } else {
        (ROUNDS, LONGEST)
    };
    let (runs, yardstick_runs) = (batch(&mut stage.work), batch(&mut stage.yardstick));
    let mut pairs = Vec::new();
    let start = Instant::now();
    while pairs.len() < LEAST_ROUNDS
        || pairs.len() < rounds && start.elapsed().as_secs_f64() < longest
    {
        pairs.push((
            time(&mut stage.work, runs),
            time(&mut stage.yardstick, yardstick_runs),
        ));
    }
    print_pairs(stage.name, stage.yardstick_name, &mut pairs);
}

/// Prints a row of medians.
///
/// * `pairs` – seconds of a stage and of its peer; at least one pair.
pub(crate) fn print_pairs(name: &str, yardstick_name: &str, pairs: &mut [(f64, f64)]) {
    let ratio = median(pairs, |(work, yardstick)| work / yardstick);
    let work = median(pairs, |(work, _)| work);
    let yardstick = median(pairs, |(_, yardstick)| yardstick);
    println!(
        "{name:<31} {:>11} {:>11} {ratio:>8.2}  {yardstick_name}",
        shown(work),
        shown(yardstick),
    );
}

/// * `time` – in seconds.
fn shown(time: f64) -> String {
    if time < 1e-3 {
        format!("{:.2} us", 1e6 * time)
    } else {
        format!("{:.2} ms", 1e3 * time)
    }
}

/// The number of repetitions of `work` that fill a batch.
fn batch(work: &mut Work<'_>) -> u32 {
    let mut runs = 1;
    while runs < 1 << 20 && time(work, runs) * f64::from(runs) < BATCH.as_secs_f64() {
        runs *= 2;
    }
    runs
}

/// Seconds per run.
fn time(work: &mut Work<'_>, runs: u32) -> f64 {
    let start = Instant::now();
    (0..runs).for_each(|_| work());
    start.elapsed().as_secs_f64() / f64::from(runs)
}

fn median(pairs: &mut [(f64, f64)], value: impl Fn((f64, f64)) -> f64) -> f64 {
    pairs.sort_by(|a, b| value(*a).total_cmp(&value(*b)));
    value(pairs[pairs.len() / 2])
}
