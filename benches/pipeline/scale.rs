//! Time and memory against the size of a model: the stage `scale`. It takes minutes and runs only when named. It prints
//! the tables of `docs/scale.md`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::files::program;
use crate::tube::Tube;

/// A quarter of a million visible corners, in a clip of two seconds.
const BASE: Tube = Tube {
    rings: 500,
    sides: 100,
    joints: 60,
    clips: 1,
    keys: 61,
    is_reversed: false,
};

/// The commands that are measured on each file.
const COMMANDS: [(&str, &[&str]); 4] = [
    ("inspect", &["inspect"]),
    ("render, pose", &["render", "--fit", "pose", "-o"]),
    ("render, clip", &["render", "--fit", "clip", "-o"]),
    ("check", &["check", "--no-config", "--no-cache"]),
];

/// Runs of each command; the fastest counts. Long commands run once.
const RUNS: usize = 3;

/// Commands that take at least this many seconds run once.
const LONG: f64 = 2.0;

/// Prints a table per quantity, if the stage is asked for.
pub(crate) fn is_asked_for() -> bool {
    let asked = std::env::args().any(|argument| argument == "scale");
    if asked {
        let vertices = |thousands: u32| Tube {
            rings: 50 * thousands.min(50),
            sides: 20 * thousands.div_ceil(50),
            ..BASE
        };
        table("vertices", [5_000, 50_000, 500_000, 5_000_000], |count| {
            vertices(count / 1000)
        });
        table("joints", [10, 100, 1_000, 10_000], |joints| Tube {
            joints,
            ..BASE
        });
        let clips = |clips: u32| Tube {
            rings: 100,
            clips,
            ..BASE
        };
        table("clips", [1, 10, 100, 1_000], clips);
        table("keys in each of 10 clips", [1, 10, 100, 1_000], |keys| {
            Tube { keys, ..clips(10) }
        });
    }
    asked
}

/// Processor seconds, and peak memory in mebibytes.
type Cost = [f64; 2];

fn table(name: &str, counts: [u32; 4], tube: impl Fn(u32) -> Tube) {
    let costs: Vec<Vec<Cost>> = counts.iter().map(|count| costs(&tube(*count))).collect();
    println!(
        "\n| {name} | {} | exponent |",
        counts.map(grouped).join(" | ")
    );
    println!("|---|{}", "---|".repeat(counts.len() + 1));
    for (command, (name, _)) in COMMANDS.iter().enumerate() {
        for (quantity, unit) in [(0, "s"), (1, "MiB")] {
            let of_size = costs.iter().map(|costs| costs[command][quantity]);
            let values: Vec<f64> = of_size.collect();
            let shown: Vec<String> = values.iter().map(|value| format!("{value:.2}")).collect();
            // At the largest size, costs that do not depend on the size matter least.
            let last = (values[3] / values[2]).ln() / f64::from(counts[3] / counts[2]).ln();
            println!("| {name}, {unit} | {} | {last:.2} |", shown.join(" | "));
        }
    }
}

/// Such as 5,000,000.
fn grouped(number: u32) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups = groups.map(|group| String::from_utf8_lossy(group).into_owned());
    groups.collect::<Vec<_>>().join(",")
}

/// One entry per command.
fn costs(tube: &Tube) -> Vec<Cost> {
    let model = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scale.glb");
    tube.write(&model).expect("there is room for it");
    let costs = COMMANDS
        .iter()
        .map(|(_, words)| cost(words, &model))
        .collect();
    fs::remove_file(model).expect("it was just written");
    costs
}

fn cost(words: &[&str], model: &Path) -> Cost {
    let mut best = run(words, model);
    for _ in 1..RUNS {
        if best[0] < LONG {
            let [time, memory] = run(words, model);
            best = [best[0].min(time), best[1].max(memory)];
        }
    }
    best
}

/// Runs a command once on one thread, under GNU time.
fn run(words: &[&str], model: &Path) -> Cost {
    let image = || PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("scale.png");
    let image = words.contains(&"render").then(image);
    let report = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scale.txt");
    let mut time = Command::new("/usr/bin/time");
    time.args(["-f", "%U %S %M", "-o"]).arg(&report);
    time.arg(program())
        .arg("--quiet")
        .args(words)
        .args(image)
        .arg(model);
    time.env("RAYON_NUM_THREADS", "1");
    let output = time
        .output()
        .expect("GNU time is installed as /usr/bin/time");
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    let report = fs::read_to_string(report).expect("it was just written");
    // The last line; the line before states an exit code other than 0.
    let last = report.lines().last().unwrap_or_default();
    let numbers: Vec<f64> = last
        .split(' ')
        .filter_map(|word| word.parse().ok())
        .collect();
    let [user, system, kibibytes] = numbers[..] else {
        panic!("{report}");
    };
    [user + system, kibibytes / 1024.0]
}
