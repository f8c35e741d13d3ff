//! `diff` of two large characters, as whole processes.

use std::path::{Path, PathBuf};

use crate::stage::Stage;
use crate::stages::run;
use crate::tube::Tube;

pub(crate) fn all() -> Vec<Stage<'static>> {
    vec![
        diff("diff of 10 k vertices", 200, 50),
        diff("diff of 1 M vertices", 1000, 1000),
    ]
}

/// Two versions whose vertices come in another order, with a clip of 300 frames, beside reading both.
fn diff(name: &'static str, rings: u32, sides: u32) -> Stage<'static> {
    let written = [false, true].map(|is_reversed| {
        let path = file(rings * sides, is_reversed);
        let tube = Tube {
            rings,
            sides,
            frames: 300,
            is_reversed,
        };
        tube.write(&path).expect("there is room for it");
        path
    });
    let [before, after] = written.clone();
    Stage::new(
        name,
        move || run(["diff".as_ref(), before.as_os_str(), after.as_os_str()]),
        "inspect of both (bound)",
        move || {
            for path in &written {
                run(["inspect".as_ref(), path.as_os_str()]);
            }
        },
    )
}

fn file(vertices: u32, is_reversed: bool) -> PathBuf {
    let name = format!(
        "pair-{vertices}-{}.glb",
        if is_reversed { "after" } else { "before" }
    );
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}
