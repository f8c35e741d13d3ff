//! Shared by all modules.

mod image;

use std::path::{Path, PathBuf};

pub(crate) use image::assert_image;

/// Runs `assertions` with insta's snapshots in `snapshots/<group>/`.
pub(crate) fn in_group<R>(group: &str, assertions: impl FnOnce() -> R) -> R {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(snapshots().join(group));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(assertions)
}

/// The folder of all approved texts and images.
fn snapshots() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots")
}
