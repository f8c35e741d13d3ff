//! Shared by all modules.

mod image;
mod page;

use std::path::{Path, PathBuf};

use skincheck::frame::{Frame, png};

pub(crate) use image::assert_image;
pub(crate) use page::assert_generated;

/// The image in a PNG file.
pub(crate) fn decoded(bytes: &[u8]) -> Frame {
    let image = png::decode(bytes).expect("it is a PNG");
    Frame {
        width: image.width,
        height: image.height,
        rgba: image.rgba,
        depth: Vec::new(),
    }
}

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
