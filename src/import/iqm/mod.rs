//! Import of Inter-Quake Models, version 2.
//!
//! The format says nothing of axes. +Z is up and +Y in front here: exporters write Blender's coordinates as they are, and
//! the programs that show such models turn +Z up (assimp by a root transform, raylib's examples by hand); raylib's
//! example character has its toes at +Y and its left limbs, by their names, at -X.
//!
//! A file of clips alone often has no joints, and so no names of them: only poses, whose numbers are those of the joints
//! of the model that they are for. Its joints have no names here either; [`merge_clips`](super::merge_clips) knows what
//! to do with that.
//!
//! # Reference
//!
//! L. Salzman, "Inter-Quake Model Format" (`iqm.txt`), version 2 of May 31, 2011.

mod bytes;
mod examine;
mod format;
mod frames;
mod header;
mod meshes;
mod rig;
mod vertices;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use self::bytes::{Bytes, Damage};
use self::frames::Frames;
use self::header::Header;
use self::meshes::Source;
use self::vertices::Vertices;
use super::defects::Defects;
use super::hierarchy::{Hierarchy, hung};
use super::importer::{Importer, ImporterError};
use super::surfaces::Surfaces;
use crate::rig::{Asset, Note, Skeleton, Skin};
use crate::units::{SignedAxis, Space};

/// The reader of `.iqm`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Iqm;

/// Offsets have 32 bits.
const LARGEST_FILE: u64 = u32::MAX as u64;

/// The custom of the format. The unit is not known.
const SPACE: Space = Space {
    up: SignedAxis::PlusZ,
    front: SignedAxis::PlusY,
    metres_per_unit: None,
};

impl Importer for Iqm {
    fn name(&self) -> &'static str {
        "iqm"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["iqm"]
    }

    fn version(&self) -> String {
        env!("CARGO_PKG_VERSION").to_owned()
    }

    fn import(&self, path: &Path) -> Result<Asset, ImporterError> {
        let bytes = read(path)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Ok(parse(&bytes, folder, &self.version())?)
    }
}

fn read(path: &Path) -> Result<Vec<u8>, ImporterError> {
    let unreadable = |error: std::io::Error| ImporterError::Parse {
        message: format!("it cannot be read: {error}"),
    };
    let file = File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    let mut file = file.take(LARGEST_FILE + 1);
    file.read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST_FILE {
        let what = "a file of 4 GiB or more".to_owned();
        return Err(ImporterError::Unsupported { what });
    }
    Ok(bytes)
}

/// The model in `bytes`, a whole file in `folder`.
fn parse(bytes: &[u8], folder: &Path, version: &str) -> Result<Asset, Damage> {
    let file = Bytes(bytes);
    let header = Header::read(file)?;
    let mut notes = Vec::new();
    let frames = Frames::read(file, &header)?;
    let rig = skeleton(file, &header, &frames, &mut notes)?;
    let mut defects = Defects::default();
    examine::joints(file, &header, &mut defects)?;
    let clips = frames.clips(file, &header, &rig, &mut notes, &mut defects)?;
    let vertices = Vertices::read(file, &header, &mut notes)?;
    examine::weights(&vertices, header.joints.count as usize, &mut defects);
    let mut surfaces = Surfaces::new(folder, &[""]);
    let mut source = Source {
        file,
        header: &header,
        vertices: &vertices,
        joints: header.joints.count as usize,
        surfaces: &mut surfaces,
        notes: &mut notes,
        defects: &mut defects,
    };
    let meshes = source.read_all()?;
    let skin = (header.joints.count > 0 && vertices.are_bound()).then(|| Skin {
        name: String::new(),
        joints: rig.ids,
        inverse_bind_matrices: rig.inverse_binds,
    });
    let (joints, instances) = hung(rig.joints, &meshes, skin.is_some());
    Ok(Asset {
        importer: format!("iqm {version} (Inter-Quake Model)"),
        space: SPACE,
        stated_space: None,
        skeleton: Skeleton::new(joints).expect("joints were put after their parents"),
        meshes,
        skins: skin.into_iter().collect(),
        instances,
        clips,
        materials: surfaces.materials,
        images: surfaces.images,
        files: Vec::new(),
        notes,
        evidence: defects.into_evidence(examine::EXAMINED.iter().copied()),
    })
}

/// The joints of the file; or those that its poses are for, without names, if there are only poses.
fn skeleton(
    file: Bytes<'_>,
    header: &Header<'_>,
    frames: &Frames<'_>,
    notes: &mut Vec<Note>,
) -> Result<Hierarchy, Damage> {
    let rig = rig::read_joints(file, header)?;
    let mut note = |message: &str| {
        notes.push(Note {
            place: "joints".to_owned(),
            message: message.to_owned(),
        });
    };
    let parents: Vec<u32> = frames.poses.iter().map(|pose| pose.parent).collect();
    if parents.is_empty() {
        return Ok(rig);
    }
    if rig.ids.is_empty() {
        note(
            "there are none, only poses: the first frame is taken as the rest, and no joint has a name",
        );
        let nameless = frames.first().into_iter().map(|trs| (String::new(), trs));
        return rig::hung("pose", &parents, nameless.collect());
    }
    if parents.len() != rig.ids.len() {
        let (poses, joints) = (parents.len(), rig.ids.len());
        note(&format!(
            "{poses} poses for {joints} joints: they are matched by their numbers"
        ));
    }
    Ok(rig)
}

#[cfg(test)]
mod tests;
