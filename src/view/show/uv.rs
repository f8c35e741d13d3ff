//! `--show uv`: a checker in texture space.

use super::mode::{Mode, Show};
use super::vertices::ColorSource;
use crate::rig::Asset;

pub(super) static MODE: Mode = Mode {
    missing: |asset, _| without_uv(asset),
    ..Mode::new("uv", ColorSource::Checker)
};

impl Show {
    /// A checker in texture space, labelled A1 to H8.
    pub const UV: Self = Self::plain(&MODE);
}

fn without_uv(asset: &Asset) -> Option<String> {
    let mut meshes = asset
        .instances
        .iter()
        .map(|instance| asset.mesh_of(instance));
    let has_uv = meshes.any(|mesh| !mesh.uv_sets.is_empty());
    (!has_uv).then(|| "no mesh has texture coordinates".to_owned())
}
