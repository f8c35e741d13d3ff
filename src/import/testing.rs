//! Assets for tests, and what is reported about them.

use std::path::{Path, PathBuf};

use crate::rig::{Asset, Defect, Evidence, Origins, Skeleton};
use crate::units::Space;

/// The file called `name` in the folder of fixtures.
pub(super) fn fixture(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    folder.join(name)
}

/// An asset without any content.
pub(super) fn empty_asset() -> Asset {
    Asset {
        importer: "sample 1".into(),
        space: Space::Y_UP,
        stated_space: None,
        skeleton: Skeleton::default(),
        meshes: Vec::new(),
        skins: Vec::new(),
        instances: Vec::new(),
        clips: Vec::new(),
        materials: Vec::new(),
        images: Vec::new(),
        files: Vec::new(),
        notes: Vec::new(),
        evidence: Evidence::default(),
        origins: Origins::default(),
    }
}

/// Each defect as one line: kind, location and message, and how many there are.
pub(super) fn reported(evidence: &Evidence) -> Vec<String> {
    let defects = evidence.defects.iter();
    let line = |defect: &Defect| format!("{:?} {defect} (x{})", defect.kind, defect.count);
    defects.map(line).collect()
}
