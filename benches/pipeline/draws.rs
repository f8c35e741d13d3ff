//! Drawing: against plain OpenGL, with one thread each; with two threads against one; and the first frame of a process.

use std::process::Command;
use std::time::Instant;

use criterion::Criterion;
use rayon::{ThreadPool, ThreadPoolBuilder};
use skincheck::raster::{self, Textures};

use crate::blob::Blob;
use crate::llvmpipe::Peer;
use crate::ratio;
use crate::stage::Stage;

/// Names, and squares along each side of a blob.
const SIZES: [(&str, usize); 3] = [
    ("draw 5 k triangles", 50),
    ("draw 50 k triangles", 158),
    ("draw 500 k triangles", 500),
];

/// The path whose first frame a process is to time.
const FIRST: &str = "SKINCHECK_BENCH_FIRST";

/// Processes of each kind.
const PROCESSES: usize = 15;

/// Measures everything and prints one row each. OpenGL contexts are opened one after the other.
pub(crate) fn measure(criterion: &mut Criterion) {
    if std::env::var("LP_NUM_THREADS").as_deref() != Ok("0") {
        println!("LP_NUM_THREADS is not 0: OpenGL draws with more than one thread");
    }
    let [one, two] = [1, 2].map(pool);
    for (name, side) in SIZES {
        let blob = Blob::new(side);
        let textures = Textures::new(&blob.asset);
        match Peer::new(&blob) {
            Ok(mut peer) => {
                println!("OpenGL: {}", peer.renderer());
                let draw = draw(&one, &blob, &textures);
                let mut stage = Stage::new(name, draw, "plain OpenGL (peer)", || peer.draw());
                stage.measure(criterion);
                ratio::print_table(std::slice::from_mut(&mut stage));
            }
            Err(error) => println!("{name} is left out: {error}"),
        }
    }
    let blob = Blob::new(500);
    let textures = Textures::new(&blob.asset);
    let mut stage = Stage::new(
        "draw with two threads",
        draw(&two, &blob, &textures),
        "with one (bound: half)",
        draw(&one, &blob, &textures),
    );
    stage.measure(criterion);
    ratio::print_table(std::slice::from_mut(&mut stage));
    if stage.wanted {
        measure_first();
    }
}

fn pool(threads: usize) -> ThreadPool {
    let pool = ThreadPoolBuilder::new().num_threads(threads);
    pool.build().expect("threads can be started")
}

fn draw<'a>(
    pool: &'a ThreadPool,
    blob: &'a Blob,
    textures: &'a Textures<'a>,
) -> impl FnMut() -> skincheck::frame::Frame + 'a {
    move || pool.install(|| raster::draw_with(&blob.input(), textures))
}

/// The first frame in a fresh process, alternating; OpenGL's includes its context and shaders.
fn measure_first() {
    let mut pairs = Vec::new();
    for _ in 0..PROCESSES {
        if let (Some(cpu), Some(gl)) = (first_in_process("cpu"), first_in_process("gl")) {
            pairs.push((cpu, gl));
        }
    }
    if !pairs.is_empty() {
        ratio::print_pairs("first frame, 5 k triangles", "OpenGL's (peer)", &mut pairs);
    }
}

fn first_in_process(path: &str) -> Option<f64> {
    let program = std::env::current_exe().ok()?;
    let output = Command::new(program).env(FIRST, path).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

/// Times the first frame if this process was started for it. Returns whether it was.
pub(crate) fn is_first_frame() -> bool {
    let Ok(path) = std::env::var(FIRST) else {
        return false;
    };
    let blob = Blob::new(50);
    let start = Instant::now();
    if path == "cpu" {
        std::hint::black_box(raster::draw(&blob.input()));
    } else {
        let mut peer = Peer::new(&blob).expect("there is OpenGL");
        std::hint::black_box(peer.draw());
    }
    println!("{}", start.elapsed().as_secs_f64());
    true
}
