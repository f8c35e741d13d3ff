//! Damaged files, read without the protection of a child process. ufbx and our code must survive them.

use std::fs;
use std::path::Path;

use skincheck::import::{self, Isolation, Options};
use skincheck::pose;
use skincheck::units::Seconds;

use super::{deformed, options, posed};
use crate::folder::Folder;
use crate::program;

/// A file of each kind.
const VICTIMS: &[&str] = &[
    "arm_binary.fbx",
    "fbx/inherit_types.fbx",
    "fbx/in_between.fbx",
    "fbx/painted.fbx",
    "fbx/repeat.fbx",
    "fbx/six_influences.fbx",
    "fbx/version_6100.fbx",
];

/// The number of copies of each victim with each kind of damage.
const COPIES: usize = 60;

/// Reads `bytes` as the file at `path`; if that succeeds, poses and deforms the model.
fn survives(path: &Path, bytes: &[u8]) -> bool {
    fs::write(path, bytes).expect("the folder is writable");
    let options = Options {
        isolation: Isolation::InProcess,
        ..options()
    };
    let Ok(asset) = import::load(path, &options) else {
        return false;
    };
    deformed(&asset, &posed(&asset, 0.4));
    for clip in &asset.clips {
        let pose = pose::sample(&asset, clip, Seconds(clip.end.0)).expect("the time is finite");
        deformed(&asset, &pose::model_pose(&asset, &pose));
    }
    true
}

/// The number of readable copies among those that `damage` makes of each victim.
fn survivors(damage: impl Fn(&[u8], usize) -> Vec<u8>) -> usize {
    let folder = Folder::new();
    let path = folder.path("damaged.fbx");
    let mut read = 0;
    for name in VICTIMS {
        let bytes = fs::read(program::fixture(name)).expect("the fixture is there");
        let copies = (0..COPIES).map(|copy| damage(&bytes, copy));
        read += copies.filter(|copy| survives(&path, copy)).count();
    }
    read
}

/// A position in the file for each copy, spread over all of it.
fn spread(bytes: &[u8], copy: usize) -> usize {
    // A prime step reaches every part of the file, and copies differ for a long time.
    copy * 7919 % bytes.len()
}

#[test]
fn files_that_end_anywhere_are_refused_or_read_in_part() {
    let read = survivors(|bytes, copy| bytes[..bytes.len() * copy / COPIES].to_vec());
    assert!(read < VICTIMS.len() * COPIES);
}

#[test]
fn files_with_flipped_bits_are_refused_or_read() {
    let read = survivors(|bytes, copy| {
        let mut damaged = bytes.to_vec();
        damaged[spread(bytes, copy)] ^= 1 << (copy % 8);
        damaged
    });
    assert!(read > 0, "no copy gets past the importer");
}

#[test]
fn files_with_other_digits_are_refused_or_read() {
    let read = survivors(|bytes, copy| {
        let mut damaged = bytes.to_vec();
        let behind = &mut damaged[spread(bytes, copy)..];
        for byte in behind
            .iter_mut()
            .filter(|byte| byte.is_ascii_digit())
            .take(3)
        {
            *byte = b'9';
        }
        damaged
    });
    assert!(read > 0, "no copy gets past the importer");
}

/// The curve of an angle near the largest f32 has no shape that more keys could show.
#[test]
fn a_key_without_sense_does_not_ask_for_a_million_others() {
    let text = fs::read_to_string(program::fixture("arm.fbx")).expect("the fixture is there");
    assert!(text.contains("a: 0,90\n"));
    let folder = Folder::new();
    let path = folder.path("arm.fbx");
    fs::write(&path, text.replace("a: 0,90\n", "a: 3.4e38,90\n")).expect("it is writable");
    let asset = import::load(&path, &options()).expect("it is well-formed");
    let channels = asset.clips.iter().flat_map(|clip| &clip.channels);
    let keys: usize = channels
        .map(|channel| {
            channel
                .rotation
                .as_ref()
                .map_or(0, |track| track.keys.len())
        })
        .sum();
    assert!((2..40_000).contains(&keys), "{keys}");
    assert!(
        asset
            .notes
            .iter()
            .any(|note| note.message.contains("needs more keys"))
    );
}
