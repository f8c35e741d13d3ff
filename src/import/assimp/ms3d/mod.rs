//! MilkShape 3D: what assimp loses of it, put back.
//!
//! assimp takes the counts of comments for 16-bit numbers, so that it hardly ever finds the weights behind them; if it
//! does, it reads joints and weights alternately instead of one after the other, and 255ths instead of percent
//! (`MS3DLoader.cpp`, `ReadComments`, `InternReadFile`). It is given the file without that part. It also adds the
//! position keys of a joint, which are in the joint's axes at rest, without turning them to the parent's.

mod file;

use std::path::Path;

use glam::DMat4;

use self::file::{File, START, Weights};
use super::weld::weld;
use crate::import::ImporterError;
use crate::rig::{
    Asset, Defect, DefectKind, Evidence, Influence, Influences, JointId, Mesh, Note, Place,
    Skeleton, Skin, SkinId,
};

/// A file beside assimp.
pub(super) struct Companion {
    file: File,
    /// What assimp is to read.
    pub(super) bytes: Vec<u8>,
}

impl Companion {
    /// Of the file at `path`; `None` if it is no MilkShape file, or of another version, which assimp refuses.
    ///
    /// # Errors
    ///
    /// [`ImporterError::Parse`] if it ends too soon.
    pub(super) fn open(path: &Path) -> Result<Option<Self>, ImporterError> {
        let extension = path.extension().unwrap_or_default();
        if !extension.eq_ignore_ascii_case("ms3d") {
            return Ok(None);
        }
        let mut bytes = std::fs::read(path).unwrap_or_default();
        if !bytes.starts_with(START) {
            return Ok(None);
        }
        let file = File::read(&bytes)?;
        bytes.truncate(file.plain_bytes);
        Ok(Some(Self { file, bytes }))
    }

    /// Puts weights and position keys right in `asset`, which assimp made of [`Self::bytes`]. Its meshes have a vertex for
    /// each corner of each triangle; equal ones are joined here.
    pub(super) fn complete(&self, mut asset: Asset) -> Asset {
        if !self.file.is_whole {
            asset.notes.push(Note {
                place: "file".to_owned(),
                message: "its last part cannot be read: each vertex has one joint".to_owned(),
            });
            leave_unexamined(&mut asset.evidence);
        }
        self.tell_orphans(&mut asset);
        let (skin, slots) = self.skin(&asset.skeleton);
        let is_bound = !skin.joints.is_empty();
        asset.skins = if is_bound { vec![skin] } else { Vec::new() };
        for (mesh, group) in asset.meshes.iter_mut().zip(&self.file.groups) {
            if is_bound && mesh.positions.len() == 3 * group.len() {
                mesh.influences = self.influences(mesh, group, &slots);
            }
            weld(mesh);
        }
        for instance in &mut asset.instances {
            let has_influences = !asset.meshes[instance.mesh.index()].influences.is_empty();
            instance.skin = (is_bound && has_influences).then_some(SkinId(0));
        }
        turn_positions(&mut asset);
        asset
    }

    /// assimp makes no node of a joint whose parent is none (`CollectChildJoints`), and knows but the first of a vertex.
    fn tell_orphans(&self, asset: &mut Asset) {
        let orphans = self.file.joints.iter();
        let orphans = orphans.filter(|name| asset.skeleton.find(name).is_none());
        for name in orphans {
            let known = asset.evidence.of(DefectKind::JointWithoutNode);
            if { known }.any(|defect| defect.place.joint.as_ref() == Some(name)) {
                continue;
            }
            asset.evidence.defects.push(Defect {
                kind: DefectKind::JointWithoutNode,
                place: Place::joint(name.as_str()),
                count: 1,
                message: "its parent is no joint, or hangs on it".to_owned(),
            });
        }
    }

    /// All joints that have a node, and for each joint of the file its slot.
    fn skin(&self, skeleton: &Skeleton) -> (Skin, Vec<Option<u32>>) {
        let inverse_binds = inverse_rests(skeleton);
        let mut joints: Vec<JointId> = Vec::new();
        let mut slots = Vec::new();
        for name in &self.file.joints {
            let joint = skeleton.find(name);
            slots.push(joint.and_then(|_| u32::try_from(joints.len()).ok()));
            joints.extend(joint);
        }
        let skin = Skin {
            name: String::new(),
            inverse_bind_matrices: joints
                .iter()
                .map(|j| inverse_binds[j.index()].as_mat4())
                .collect(),
            joints,
        };
        (skin, slots)
    }

    fn influences(&self, mesh: &Mesh, group: &[[usize; 3]], slots: &[Option<u32>]) -> Influences {
        let influence = |&(joint, weight): &(usize, f32)| {
            let slot = slots.get(joint).copied().flatten();
            slot.map(|slot| Influence { slot, weight })
        };
        let list = |pulls: &Weights| pulls.iter().filter_map(influence).collect::<Vec<_>>();
        let mut lists = vec![Vec::new(); mesh.positions.len()];
        for (own, vertex) in lists.iter_mut().zip(group.iter().flatten()) {
            *own = self.file.weights.get(*vertex).map(list).unwrap_or_default();
        }
        Influences::from_vertices(lists)
    }
}

/// What is wrong with weights that were not read.
fn leave_unexamined(evidence: &mut Evidence) {
    evidence.examined.retain(|kind| {
        let is_of_weights = [
            DefectKind::WeightsNotNormalized,
            DefectKind::DuplicateInfluence,
        ];
        !is_of_weights.contains(kind)
    });
}

/// `joint_from_world` at rest.
fn inverse_rests(skeleton: &Skeleton) -> Vec<DMat4> {
    let mut worlds: Vec<DMat4> = Vec::with_capacity(skeleton.len());
    for joint in skeleton.joints() {
        let local = joint.rest.to_matrix().as_dmat4();
        let above = joint.parent.map(|parent| worlds[parent.index()]);
        worlds.push(above.map_or(local, |above| above * local));
    }
    worlds.iter().map(DMat4::inverse).collect()
}

/// From assimp's `rest + key` to `rest + turn · key`.
fn turn_positions(asset: &mut Asset) {
    let joints = asset.skeleton.joints();
    for channel in asset.clips.iter_mut().flat_map(|clip| &mut clip.channels) {
        let rest = joints[channel.joint.index()].rest.to_matrix();
        let place = rest.w_axis.truncate();
        let keys = channel
            .translation
            .iter_mut()
            .flat_map(|track| &mut track.keys);
        for key in keys {
            key.value = rest.transform_point3(key.value - place);
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::import::{Importer, assimp::Assimp};

    #[test]
    fn position_keys_are_in_the_axes_of_the_joint_at_rest() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        let mut bytes = std::fs::read(folder.join("arm.ms3d")).unwrap();
        // The last key of the last joint, behind which there are only weights.
        let end = File::read(&bytes).unwrap().plain_bytes;
        bytes[end - 12..end - 8].copy_from_slice(&3.0_f32.to_le_bytes());
        let copy = tempfile::tempdir().unwrap();
        let path = copy.path().join("arm.ms3d");
        std::fs::write(&path, bytes).unwrap();
        let asset = Assimp.import(&path).unwrap();
        let wrist = asset.skeleton.find("wrist").unwrap();
        let mut channels = asset.clips[0].channels.iter();
        let channel = channels.find(|channel| channel.joint == wrist).unwrap();
        let last = channel.translation.as_ref().unwrap().keys.last().unwrap();
        // +X of a joint that is turned by 90 degrees about +Y is -Z of its parent.
        let expected = Vec3::new(0.0, 1.0, -3.0);
        assert!(last.value.abs_diff_eq(expected, 1e-5), "{}", last.value);
    }
}
