//! Joints of formats that list them in any order, with a parent each.

use glam::{DMat4, Mat4, Quat};

use crate::rig::{Joint, JointId, LocalTransform, Mesh, MeshId, MeshInstance, SkinId, Trs};

/// Why a list of joints is no hierarchy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum HierarchyError {
    /// A parent that is not there.
    #[error("{what} {number} names parent {parent}, but there are {count}")]
    NoSuchParent {
        what: &'static str,
        number: usize,
        parent: usize,
        count: usize,
    },
    /// A joint is its own ancestor.
    #[error("{what} {number} is its own ancestor")]
    Cycle { what: &'static str, number: usize },
}

/// The joints of a file in the skeleton's order, which is the file's own unless it has a child before its parent.
#[derive(Debug)]
pub(super) struct Hierarchy {
    pub(super) joints: Vec<Joint>,
    /// For each joint of the file its place in the skeleton.
    pub(super) ids: Vec<JointId>,
    /// For each joint of the file `joint_from_world` at rest.
    pub(super) inverse_binds: Vec<Mat4>,
}

impl Hierarchy {
    /// Hangs `joints` on their `parents`, numbers in the file, of which there are as many.
    ///
    /// * `what` – what the file calls them.
    ///
    /// # Errors
    ///
    /// [`HierarchyError`] if a parent is not there or a joint is its own ancestor.
    pub(super) fn new(
        what: &'static str,
        parents: &[Option<usize>],
        joints: Vec<(String, Trs)>,
    ) -> Result<Self, HierarchyError> {
        check(what, parents)?;
        let order = parents_first(what, parents)?;
        let mut ids = vec![JointId(0); parents.len()];
        for (new, &old) in order.iter().enumerate() {
            ids[old] = JointId::from_index(new);
        }
        let inverse_binds = inverse_binds(&order, parents, &joints);
        let mut sorted: Vec<(JointId, Joint)> = ids
            .iter()
            .zip(joints)
            .zip(parents)
            .map(|((&id, (name, trs)), parent)| {
                let parent = parent.map(|parent| ids[parent]);
                let rest = LocalTransform::Trs(trs);
                (id, Joint { name, parent, rest })
            })
            .collect();
        sorted.sort_by_key(|(id, _)| *id);
        Ok(Self {
            joints: sorted.into_iter().map(|(_, joint)| joint).collect(),
            ids,
            inverse_binds,
        })
    }
}

/// Adds a root for each of `meshes`, named like it, and shows the mesh there: for formats without nodes.
///
/// * `is_skinned` – whether there is a skin, which all meshes have then.
pub(super) fn hung(
    mut joints: Vec<Joint>,
    meshes: &[Mesh],
    is_skinned: bool,
) -> (Vec<Joint>, Vec<MeshInstance>) {
    let mut instances = Vec::new();
    for (index, mesh) in meshes.iter().enumerate() {
        instances.push(MeshInstance {
            joint: JointId::from_index(joints.len()),
            mesh: MeshId::from_index(index),
            skin: is_skinned.then_some(SkinId(0)),
            morph_weights: Vec::new(),
        });
        joints.push(Joint {
            name: mesh.name.clone(),
            parent: None,
            rest: LocalTransform::Trs(Trs::IDENTITY),
        });
    }
    (joints, instances)
}

fn check(what: &'static str, parents: &[Option<usize>]) -> Result<(), HierarchyError> {
    let count = parents.len();
    let mut wrong = parents.iter().enumerate();
    let wrong = wrong.find_map(|(number, parent)| Some((number, parent.filter(|p| *p >= count)?)));
    wrong.map_or(Ok(()), |(number, parent)| {
        Err(HierarchyError::NoSuchParent {
            what,
            number,
            parent,
            count,
        })
    })
}

/// All numbers, each after its parent's, and otherwise as they are.
pub(super) fn parents_first(
    what: &'static str,
    parents: &[Option<usize>],
) -> Result<Vec<usize>, HierarchyError> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Pending,
        Placed,
    }
    let mut states = vec![State::New; parents.len()];
    let mut order = Vec::with_capacity(parents.len());
    let mut pending = Vec::new();
    for start in 0..parents.len() {
        let mut next = Some(start);
        while let Some(number) = next.filter(|&number| states[number] != State::Placed) {
            if states[number] == State::Pending {
                return Err(HierarchyError::Cycle { what, number });
            }
            states[number] = State::Pending;
            pending.push(number);
            next = parents[number];
        }
        while let Some(number) = pending.pop() {
            states[number] = State::Placed;
            order.push(number);
        }
    }
    Ok(order)
}

/// The inverse of each joint's world transform, in double precision until the end.
fn inverse_binds(
    order: &[usize],
    parents: &[Option<usize>],
    joints: &[(String, Trs)],
) -> Vec<Mat4> {
    let mut worlds = vec![DMat4::IDENTITY; parents.len()];
    for &number in order {
        let local = exact_matrix(&joints[number].1);
        worlds[number] = parents[number].map_or(local, |parent| worlds[parent] * local);
    }
    worlds
        .iter()
        .map(|world| world.inverse().as_mat4())
        .collect()
}

fn exact_matrix(trs: &Trs) -> DMat4 {
    let rotation = trs.rotation.as_dquat();
    DMat4::from_scale_rotation_translation(
        trs.scale.as_dvec3(),
        rotation.normalize(),
        trs.translation.as_dvec3(),
    )
}

/// `rotation` with length 1: in files it is often rounded. One without a length stays as it is, to be seen.
pub(super) fn unit(rotation: Quat) -> Quat {
    let length = rotation.as_dquat().length();
    if length.is_finite() && length > 0.0 {
        (rotation.as_dquat() / length).as_quat()
    } else {
        rotation
    }
}
