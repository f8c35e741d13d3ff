//! Every command on one model, within a budget that the model may exceed.

use std::time::Duration;

use crate::random::Random;

/// The time and memory that a command gives each model.
#[derive(Clone, Copy)]
pub(crate) struct Budget {
    seconds: f64,
    mebibytes: u64,
    /// How often the command has the time: for each model, and once more for those at work when it ends at one.
    times: u32,
    /// How many models have the memory at once.
    models: u64,
}

/// What the program takes whatever the model is: its start and end on a busy machine, and memory that is no model's, such as
/// a graphics driver's.
const SECONDS_BESIDE: f64 = 4.0;
const MEBIBYTES_BESIDE: u64 = 64;

impl Budget {
    /// How long the command may take: a tenth longer.
    pub(crate) fn longest(&self) -> Duration {
        let seconds = 1.1 * self.seconds * f64::from(self.times);
        Duration::from_secs_f64(seconds + SECONDS_BESIDE)
    }

    /// How much memory all processes together may take, in KiB: a tenth more.
    pub(crate) fn most_memory(&self) -> u64 {
        (self.mebibytes * self.models * 11 / 10 + MEBIBYTES_BESIDE) << 10
    }
}

/// Where `check` puts images of findings.
pub(crate) const ARTIFACTS: &str = "artifacts";

/// A sound model beside the one that may end a run.
pub(crate) const SOUND: &str = "sound.gltf";

/// The file that `test` and `accept` read.
pub(crate) fn configuration(model: &str) -> String {
    format!("[[test]]\nmodel = \"{model}\"\ntimes = 2\nsize = \"24x24\"\n")
}

/// Command lines, without the budget, and how often they have the time of one model.
fn line(model: &str, random: &mut Random) -> (String, u32) {
    let size = match random.below(8) {
        0 => "",
        1 => "--size 3000x3000",
        _ => "--size 48x48",
    };
    let pages = "--report json=report.json --report html=report.html";
    match random.below(32) {
        0..2 => (format!("inspect {model}"), 1),
        2 => (format!("inspect {model} --json"), 1),
        3..6 => (format!("check {model}"), 1),
        6 => (
            format!("check {model} {SOUND} --format json --report json=report.json"),
            3,
        ),
        7..10 => (format!("check {model} {pages}"), 1),
        10..12 => (format!("check {model} --artifacts {ARTIFACTS}"), 1),
        12..15 => (format!("render {model} -o out.png {size}"), 1),
        15..17 => (format!("view {model} -o out.html"), 1),
        17 => (format!("film {model} -o out.gif --size 24x24"), 1),
        18 => (format!("film {model} -o out.png --times 3 --size 48x48"), 1),
        19 => (format!("diff {model} {model}"), 2),
        20 => (format!("diff {SOUND} {model} --format json"), 2),
        21 => (format!("bake {model} -o out.json"), 1),
        22 => (
            format!("bake {model} -o out.json --all-clips --times keys"),
            1,
        ),
        23 => (format!("bake {model} -o out.obj --time 50%"), 1),
        24 => (format!("laws {model} --cases 3 --artifacts laws"), 1),
        25 => (format!("crosscheck {model} --importers"), 1),
        26 if random.once_in(2) => (format!("crosscheck {model} --times 1 --gl software"), 1),
        27 => ("test --report html=report.html".to_owned(), 1),
        28 => ("test".to_owned(), 1),
        29 => ("accept --new".to_owned(), 1),
        30 => (format!("fix {model} -o fixed.glb"), 1),
        _ => (format!("fix {model} --dry-run --json"), 1),
    }
}

/// A command on the file `model`, with a budget.
pub(crate) fn any(model: &str, random: &mut Random) -> (String, Budget) {
    let (line, times) = line(model, random);
    let budget = Budget {
        seconds: *random.pick(&[0.25, 0.5, 1.0]),
        mebibytes: *random.pick(&[64, 128, 256]),
        times,
        models: 1 + u64::from(line.contains(SOUND)),
    };
    let Budget {
        seconds, mebibytes, ..
    } = budget;
    let line = format!("{line} --timeout {seconds} --memory {mebibytes}");
    (line, budget)
}
