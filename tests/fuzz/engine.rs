//! An engine for `laws --exec` whose answers are damaged.

use crate::mutate::damaged;
use crate::random::Random;

/// An engine that answers with the lines of a file, over and over.
/// Each is repeated for every time of the request.
pub(crate) const ENGINE: &str = "id=0; exec 3<answers; while read -r request; do read -r answer <&3 || { exec 3<answers; \
    read -r answer <&3; }; times=${request#*times}; times=${times%%]*}; poses=$answer; \
    while [ \"$times\" != \"${times#*,}\" ]; do times=${times#*,}; poses=\"$poses, $answer\"; done; \
    printf '{\"id\": %d, \"poses\": [%s]}\\n' $id \"$poses\"; id=$((id + 1)); done";

/// Laws of each kind.
pub(crate) const ASKED: &[&str] = &[
    "key-time",
    "straight",
    "hierarchy",
    "animated-skin",
    "vertex-count",
    "rigid-motion",
    "reference-skin",
];

/// Answers, without their start, of an engine that knows nothing of the requests; some are damaged.
pub(crate) fn answers(random: &mut Random) -> Vec<u8> {
    let numbers = [
        "0",
        "1",
        "-1",
        "0.5",
        "null",
        "NaN",
        "-Infinity",
        "1e300",
        "1e-50",
    ];
    let usable = if random.once_in(2) { numbers.len() } else { 4 };
    let list = |count: usize, random: &mut Random| {
        let numbers = (0..count).map(|_| numbers[random.below(usable)]);
        format!("[{}]", numbers.collect::<Vec<_>>().join(", "))
    };
    // As many nodes and vertices as cases have, or any number.
    let counts = if random.once_in(2) {
        Some((14, 4))
    } else {
        None
    };
    let harm = random.once_in(3);
    let mut lines = Vec::new();
    for _ in 0..16 {
        let (nodes, vertices) = counts.unwrap_or_else(|| (random.below(9), random.below(9)));
        let lists = |count: usize, length: usize, random: &mut Random| {
            let lists: Vec<String> = (0..count).map(|_| list(length, random)).collect();
            format!("[{}]", lists.join(", "))
        };
        let (nodes, vertices) = (lists(nodes, 16, random), lists(vertices, 3, random));
        let meshes = (0..random.below(4)).map(|_| vertices.as_str());
        let meshes = meshes.collect::<Vec<_>>().join(", ");
        let line = format!("{{\"nodes\": {nodes}, \"meshes\": [{meshes}]}}").into_bytes();
        lines.extend(if harm && random.once_in(8) {
            damaged(&line, random)
        } else {
            line
        });
        lines.push(b'\n');
    }
    lines
}
