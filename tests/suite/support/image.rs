//! Compares images bit by bit with references.

mod compare;
mod store;

use std::path::Path;

use skincheck::frame::Frame;

use self::store::Store;

/// Compares `frame` with `snapshots/<group>/<name>.png`, pixel by pixel and exactly.
///
/// `SKINCHECK_UPDATE_SNAPSHOTS=1` (or `INSTA_UPDATE=always`) writes the reference instead.
///
/// # Panics
///
/// If the reference is missing or differs. The message names the reference, the actual image and an image of the
/// differences. It states how many pixels differ, the largest difference and its position.
#[track_caller]
pub(crate) fn assert_image(group: &str, name: &str, frame: &Frame) {
    if let Err(mismatch) = Store::of_the_project().check(group, name, frame) {
        panic!("{mismatch}");
    }
}

/// Lists references that no test asked for since this test binary was built. Run all suites first, then
/// `cargo test --test suite -- --ignored --exact support::image::no_reference_is_stale`.
#[test]
#[ignore = "needs the marks that a whole run of the suite leaves"]
fn no_reference_is_stale() {
    let binary = std::env::current_exe().expect("a test binary knows its path");
    let built = modified(&binary).expect("and its time");
    let stale = Store::of_the_project().unused_since(built);
    assert!(stale.is_empty(), "no test uses {stale:#?}");
}

fn modified(path: &Path) -> Option<std::time::SystemTime> {
    path.metadata().ok()?.modified().ok()
}

#[cfg(test)]
mod tests;
