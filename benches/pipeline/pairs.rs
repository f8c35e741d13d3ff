//! `diff` of two large characters, as whole processes.

use crate::stage::Stage;
use crate::stages::run;
use crate::tube::Tube;

pub(crate) fn all() -> Vec<Stage<'static>> {
    let files = ["pair-10k-before.glb", "pair-10k-after.glb"];
    let large = ["pair-1m-before.glb", "pair-1m-after.glb"];
    vec![
        diff("diff of 10 k vertices", [200, 50], files),
        diff("diff of 1 M vertices", [1000, 1000], large),
    ]
}

/// Two versions with vertices in different orders and a clip of 300 frames, against reading both.
fn diff(
    name: &'static str,
    [rings, sides]: [u32; 2],
    [before, after]: [&'static str; 2],
) -> Stage<'static> {
    let tube = Tube {
        rings,
        sides,
        keys: 300,
        ..Tube::LARGE
    };
    let reversed = Tube {
        is_reversed: true,
        ..tube
    };
    let (before, after) = (tube.file(before), reversed.file(after));
    let (own, other) = (before.clone(), after.clone());
    Stage::new(
        name,
        move || {
            let (before, after) = (before(), after());
            run(["diff".as_ref(), before.as_os_str(), after.as_os_str()]);
        },
        "inspect of both (bound)",
        move || {
            run(["inspect".as_ref(), own().as_os_str()]);
            run(["inspect".as_ref(), other().as_os_str()]);
        },
    )
}
