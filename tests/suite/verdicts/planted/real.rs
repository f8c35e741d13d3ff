//! Characters of `$SKINCHECK_CORPUS` as hosts of faults.

use std::path::{Path, PathBuf};

use skincheck::import::{self, Options};
use skincheck::rig::{Asset, MeshId, SkinId};

use super::faults::{REAL, limb};
use super::{Host, Measured, measure_in};

/// A model with fewer joints or vertices is a sample of its format rather than a character.
const FEWEST_JOINTS: usize = 12;
const FEWEST_VERTICES: usize = 300;

/// Larger libraries of clips take long, and show no more.
const MOST_CLIPS: usize = 4;

/// The faults of weights, clips, surfaces, units and axes, planted in the characters among `files`.
pub(crate) fn measure(files: &[PathBuf]) -> (Vec<Host>, Vec<Measured>) {
    let hosts: Vec<Host> = files.iter().filter_map(|path| host(path)).collect();
    let measured = measure_in(&hosts, REAL);
    (hosts, measured)
}

/// The character in a file, with its largest skinned mesh, that mesh's skin and its longest clip in front; `None` if it is
/// none, or has no limb that a clip moves.
fn host(path: &Path) -> Option<Host> {
    // Every build has the native importers, so every build measures the same characters.
    let native = import::importers_for(path).find(|importer| importer.name() != "assimp")?;
    let options = Options {
        importer: Some(native.name().to_owned()),
        ..Options::default()
    };
    let mut asset = import::load(path, &options).ok()?;
    let joints = asset.bound_joints().iter().filter(|bound| **bound).count();
    let vertices: usize = asset.meshes.iter().map(|mesh| mesh.positions.len()).sum();
    if joints < FEWEST_JOINTS || vertices < FEWEST_VERTICES || asset.clips.is_empty() {
        return None;
    }
    let skinned = asset.instances.iter().filter(|own| own.skin.is_some());
    let body = skinned.max_by_key(|own| asset.mesh_of(own).influences.vertex_count())?;
    let (mesh, skin) = (body.mesh, body.skin?);
    lead(&mut asset, mesh, skin);
    asset
        .clips
        .sort_by_key(|clip| std::cmp::Reverse(clip.channels.len()));
    asset.clips.truncate(MOST_CLIPS);
    limb(&asset)?;
    Some(Host::new(asset))
}

/// Exchanges a mesh and a skin with the first ones.
fn lead(asset: &mut Asset, mesh: MeshId, skin: SkinId) {
    asset.meshes.swap(0, mesh.index());
    asset.skins.swap(0, skin.index());
    for instance in &mut asset.instances {
        instance.mesh = match instance.mesh {
            own if own == mesh => MeshId(0),
            MeshId(0) => mesh,
            own => own,
        };
        instance.skin = instance.skin.map(|own| match own {
            own if own == skin => SkinId(0),
            SkinId(0) => skin,
            own => own,
        });
    }
}
