//! Skins (glTF 2.0, §3.7.3): every one of the file, in its order.

use glam::{DMat4, Mat4, Vec4};

use super::accessors::{Accessors, Elements};
use super::error::GltfError;
use super::json::{self, Root};
use super::log::Log;
use super::nodes::Nodes;
use super::slots::Slots;
use crate::rig::{DefectKind, JointId, Place, Skin};

/// The skins of a document.
pub(super) struct Skins {
    pub(super) list: Vec<Skin>,
    /// For each skin, which of the joints that the file lists it has.
    pub(super) slots: Vec<Slots>,
}

impl Skins {
    /// Reads all skins. One without matrices is bound by identities; joints that are not there are left out.
    ///
    /// # Errors
    ///
    /// [`GltfError`] for matrices that cannot be read.
    pub(super) fn read(
        root: &Root<'_>,
        accessors: &Accessors<'_>,
        nodes: &Nodes,
        log: &mut Log,
    ) -> Result<Self, GltfError> {
        let mut skins = Self {
            list: Vec::new(),
            slots: Vec::new(),
        };
        let mut worlds = None;
        for (index, skin) in root.skins.iter().enumerate() {
            let name: &str = &skin.name;
            let place = Place::skin(name).part(format!("skins[{index}]"));
            let mut reader = Reader {
                skin,
                index,
                place,
                nodes,
                log,
            };
            let (slots, mut joints) = reader.joints();
            let mut matrices = reader.matrices(accessors)?;
            if reader.lacks_matrices(matrices.len()) {
                let worlds = worlds.get_or_insert_with(|| rest_worlds(nodes));
                let joints = skin.joints.iter();
                let joints: Vec<_> = joints
                    .map(|joint| nodes.joint_of.get(joint.index()))
                    .collect();
                fill(&mut matrices, &joints, worlds);
            }
            let kept = |(slot, matrix)| slots.of(slot).map(|_| matrix);
            let matrices: Vec<Mat4> = (0..).zip(matrices).filter_map(kept).collect();
            joints.truncate(matrices.len());
            let matrices = reader.affine(&joints, matrices);
            skins.list.push(Skin {
                name: name.to_owned(),
                joints,
                inverse_bind_matrices: matrices,
            });
            skins.slots.push(slots);
        }
        Ok(skins)
    }
}

struct Reader<'a> {
    skin: &'a json::Skin<'a>,
    index: usize,
    place: Place,
    nodes: &'a Nodes,
    log: &'a mut Log,
}

impl Reader<'_> {
    /// The joints that are there, and which of the list they are.
    fn joints(&mut self) -> (Slots, Vec<JointId>) {
        let mut slots = Slots::default();
        let mut joints = Vec::new();
        for (number, node) in self.skin.joints.iter().enumerate() {
            let joint = self.nodes.joint_of.get(node.index());
            slots.push(joint.is_some());
            joints.extend(joint);
            if joint.is_none() {
                let part = format!("skins[{}].joints[{number}]", self.index);
                let (node, count) = (node.0, self.nodes.joint_of.len());
                let message = format!("joint {number} is node {node}, and there are {count} nodes");
                self.tell(
                    DefectKind::JointWithoutNode,
                    part,
                    message,
                    "; it is left out",
                );
            }
        }
        (slots, joints)
    }

    /// One matrix for each listed joint, or fewer.
    fn matrices(&self, accessors: &Accessors<'_>) -> Result<Vec<Mat4>, GltfError> {
        let joints = self.skin.joints.len();
        let Some(accessor) = self.skin.inverse_bind_matrices else {
            return Ok(vec![Mat4::IDENTITY; joints]);
        };
        let place = || format!("skins[{}]", self.index);
        let matrices = accessors.floats::<16>(accessor, Elements::All, place)?;
        let matrices = matrices.iter().take(joints);
        Ok(matrices.map(Mat4::from_cols_array).collect())
    }

    /// More matrices than joints are allowed.
    fn lacks_matrices(&mut self, matrices: usize) -> bool {
        let joints = self.skin.joints.len();
        if matrices < joints {
            let part = format!("skins[{}].inverseBindMatrices", self.index);
            let message = format!("{matrices} inverse bind matrices for {joints} joints");
            let mended = "; the others are bound as they rest";
            self.tell(DefectKind::InverseBindCount, part, message, mended);
        }
        matrices < joints
    }

    /// The last row counts as 0 0 0 1.
    fn affine(&mut self, joints: &[JointId], mut matrices: Vec<Mat4>) -> Vec<Mat4> {
        for (matrix, joint) in matrices.iter_mut().zip(joints) {
            let [a, b, c, d] = matrix.row(3).to_array();
            if matrix.row(3) == Vec4::W {
                continue;
            }
            let name = self.nodes.joints.get(joint.index());
            let name = name.map_or("", |joint| joint.name.as_str());
            let place = self.place.clone().of_joint(name);
            let off = (matrix.row(3) - Vec4::W).abs().max_element();
            let message = format!("the last row of its inverse bind matrix is {a} {b} {c} {d}");
            let kind = DefectKind::NonaffineInverseBind;
            let defects = &mut self.log.defects;
            defects.add_worst(kind, place, 1, off.into(), message);
            let message = "last rows of inverse bind matrices that are not 0 0 0 1 count as that";
            self.log
                .notes
                .add(format!("skins[{}]", self.index), message);
            for column in [&mut matrix.x_axis, &mut matrix.y_axis, &mut matrix.z_axis] {
                column.w = 0.0;
            }
            matrix.w_axis.w = 1.0;
        }
        matrices
    }

    fn tell(&mut self, kind: DefectKind, part: String, message: String, mended: &str) {
        let note = format!("{message}{mended}");
        self.log.notes.add(format!("skins[{}]", self.index), note);
        self.log
            .defects
            .add(kind, self.place.clone().part(part), message);
    }
}

/// Every joint in the world at rest.
fn rest_worlds(nodes: &Nodes) -> Vec<DMat4> {
    let mut worlds: Vec<DMat4> = Vec::with_capacity(nodes.joints.len());
    for joint in &nodes.joints {
        let local = joint.rest.to_matrix().as_dmat4();
        let parent = joint.parent.and_then(|parent| worlds.get(parent.index()));
        worlds.push(parent.map_or(local, |parent| *parent * local));
    }
    worlds
}

/// Adds matrices up to one a joint, with which the rest pose moves vertices as it does with the first one.
fn fill(matrices: &mut Vec<Mat4>, joints: &[Option<&JointId>], worlds: &[DMat4]) {
    let world = |joint: Option<&JointId>| worlds.get(joint?.index()).copied();
    let first = joints.first().and_then(|first| world(*first));
    let first = first.zip(matrices.first());
    let moved = first.map_or(DMat4::IDENTITY, |(world, bind)| world * bind.as_dmat4());
    for joint in joints.iter().skip(matrices.len()) {
        let world = world(*joint).unwrap_or(DMat4::IDENTITY);
        let bind = (world.inverse() * moved).as_mat4();
        matrices.push(if bind.is_finite() {
            bind
        } else {
            Mat4::IDENTITY
        });
    }
}
