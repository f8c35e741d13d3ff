//! The models that are measured.

use std::path::{Path, PathBuf};

/// A skinned robot with a clip and a texture.
pub(crate) fn walker() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/walker.glb")
}

/// A walk of 75 joints if there is a corpus (see `tests/suite/conformance`), else the arm.
pub(crate) fn walk_fbx() -> PathBuf {
    let walk = std::env::var_os("SKINCHECK_CORPUS")
        .map(|corpus| Path::new(&corpus).join("ozz_pab_skeleton_fbx/walk.fbx"));
    let arm = || walker().with_file_name("arm_binary.fbx");
    walk.filter(|path| path.exists()).unwrap_or_else(arm)
}

/// The program that is measured.
pub(crate) fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_skincheck"))
}
