//! Assets for tests, and what is reported about them.

use std::path::{Path, PathBuf};

use super::isolation::{Answer, send};
use crate::rig::{Asset, Defect, Evidence, Influence, Key, Note, Skeleton, Span, Track};
use crate::units::{Seconds, Space};

/// The file called `name` in the folder of fixtures.
pub(super) fn fixture(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    folder.join(name)
}

/// The bytes of the fixture called `name`.
pub(super) fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(fixture(name)).expect("the fixture is there")
}

/// The text of the fixture called `name`.
pub(super) fn text(name: &str) -> String {
    String::from_utf8(bytes(name)).expect("the fixture is text")
}

/// `text` with the first `from` replaced by `to`.
pub(super) fn changed(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "no {from:?}");
    text.replacen(from, to, 1)
}

/// An asset without any content.
pub(super) fn empty_asset() -> Asset {
    Asset {
        space: Space::Y_UP,
        ..Asset::of(Skeleton::default())
    }
}

/// A track of one key, at the start.
pub(super) fn held<T>(value: T) -> Track<T> {
    let (time, span) = (Seconds::ZERO, Span::Linear);
    let keys = vec![Key { time, value, span }];
    Track { keys }
}

/// Each note as one line: location and message.
pub(super) fn notes(asset: &Asset) -> Vec<String> {
    let notes = asset.notes.iter();
    let line = |note: &Note| format!("{}: {}", note.location, note.message);
    notes.map(line).collect()
}

/// The messages of the notes.
pub(super) fn messages(asset: &Asset) -> Vec<&str> {
    let notes = asset.notes.iter();
    notes.map(|note| note.message.as_str()).collect()
}

/// The joints of each vertex of a mesh, by slot, with their weights.
pub(super) fn influences(asset: &Asset, mesh: usize) -> Vec<Vec<(u32, f32)>> {
    let pair = |one: &Influence| (one.slot.0, one.weight);
    let lists = asset.meshes[mesh].influences.iter();
    lists.map(|list| list.iter().map(pair).collect()).collect()
}

/// Each defect as one line: kind, location and message, and how many there are.
pub(super) fn reported(evidence: &Evidence) -> Vec<String> {
    let defects = evidence.defects.iter();
    let line = |defect: &Defect| format!("{:?} {defect} (x{})", defect.kind, defect.count);
    defects.map(line).collect()
}

/// The stream of an answer.
pub(super) fn encoded(answer: &Answer) -> Vec<u8> {
    let mut stream = Vec::new();
    send(&mut stream, answer).expect("the answer can be encoded");
    stream
}
