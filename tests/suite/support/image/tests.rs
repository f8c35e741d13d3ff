//! Tests of the comparison, with faults planted in images.

use std::time::Duration;

use tempfile::TempDir;

use super::compare::Difference;
use super::store::Mismatch;
use super::*;

/// A store in its own folders.
fn store() -> (TempDir, Store) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let store = Store {
        references: folder.path().join("references"),
        scratch: folder.path().join("scratch"),
        update: false,
    };
    (folder, store)
}

fn gradient() -> Frame {
    Frame {
        width: 5,
        height: 4,
        rgba: (0..80).collect(),
        depth: vec![1.0; 20],
    }
}

/// A store with `gradient` as the approved image `shapes/gradient`.
fn approved() -> (TempDir, Store) {
    let (folder, mut store) = store();
    store.update = true;
    store
        .check("shapes", "gradient", &gradient())
        .expect("updating never fails");
    store.update = false;
    (folder, store)
}

fn mismatch(store: &Store, frame: &Frame) -> Mismatch {
    let result = store.check("shapes", "gradient", frame);
    *result.expect_err("the image is not as approved")
}

#[test]
fn the_approved_image_passes() {
    let (_folder, store) = approved();
    store
        .check("shapes", "gradient", &gradient())
        .expect("nothing has changed");
}

#[test]
fn the_project_has_approved_this_image() {
    crate::support::assert_image("support", "gradient", &gradient());
}

#[test]
fn one_channel_of_one_pixel_off_by_one_fails_and_shows_where() {
    for channel in 0..4 {
        let (_folder, store) = approved();
        let mut frame = gradient();
        let (x, y) = (3, 2);
        frame.rgba[4 * (5 * y + x) + channel] += 1;
        let mismatch = mismatch(&store, &frame);
        let Mismatch::Pixels { files, difference } = &mismatch else {
            panic!("{mismatch}");
        };
        let Difference { pixels, worst, .. } = difference;
        assert_eq!((*pixels, worst.by(), worst.x, worst.y), (1, 1, x, y));
        for path in [&files.reference, &files.actual, &files.difference] {
            assert!(path.exists(), "{}", path.display());
            assert!(mismatch.to_string().contains(&*path.to_string_lossy()));
        }
    }
}

#[test]
fn the_worst_pixel_is_reported() {
    let (_folder, store) = approved();
    let mut frame = gradient();
    frame.rgba[0] += 3;
    frame.rgba[42] += 100;
    frame.rgba[79] += 5;
    let said = mismatch(&store, &frame).to_string();
    let expected = "3 of 20 pixels differ, at worst by 100 of 255: at x 0, y 2 (from the top left) [40, 41, 42, 43] was \
                    expected and [40, 41, 142, 43] was drawn\n";
    assert!(said.starts_with(expected), "{said}");
}

#[test]
fn an_image_of_another_shape_fails() {
    let (_folder, store) = approved();
    let rotated = Frame {
        width: 4,
        height: 5,
        ..gradient()
    };
    let said = mismatch(&store, &rotated).to_string();
    assert!(
        said.starts_with("5x4 pixels were expected and 4x5 were drawn"),
        "{said}"
    );
}

#[test]
fn a_missing_reference_fails_and_says_how_to_make_it() {
    let (_folder, store) = store();
    let mismatch = mismatch(&store, &gradient());
    let Mismatch::Missing { reference, actual } = &mismatch else {
        panic!("{mismatch}");
    };
    assert!(!reference.exists() && actual.exists());
    assert!(
        mismatch
            .to_string()
            .contains("SKINCHECK_UPDATE_SNAPSHOTS=1")
    );
}

#[test]
fn a_damaged_reference_fails() {
    let (_folder, store) = approved();
    let path = store.references.join("shapes/gradient.png");
    std::fs::write(path, b"no picture").expect("the reference can be overwritten");
    assert!(matches!(
        mismatch(&store, &gradient()),
        Mismatch::Damaged { .. }
    ));
}

#[test]
fn passing_again_clears_what_a_failure_left() {
    let (_folder, store) = approved();
    let mut frame = gradient();
    frame.rgba[0] += 1;
    let Mismatch::Pixels { files, .. } = mismatch(&store, &frame) else {
        panic!("a pixel was changed");
    };
    store
        .check("shapes", "gradient", &gradient())
        .expect("nothing has changed");
    assert!(!files.actual.exists() && !files.difference.exists());
}

#[test]
fn a_reference_that_no_test_asks_for_is_listed() {
    let (_folder, store) = approved();
    let stray = store.references.join("shapes/stray.png");
    std::fs::write(&stray, b"").expect("a file can be written");
    let used = std::time::SystemTime::now() - Duration::from_secs(60);
    assert_eq!(store.unused_since(used), std::slice::from_ref(&stray));
    let later = std::time::SystemTime::now() + Duration::from_secs(60);
    assert_eq!(
        store.unused_since(later),
        [store.references.join("shapes/gradient.png"), stray]
    );
}
