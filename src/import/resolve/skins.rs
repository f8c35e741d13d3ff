//! Joints of skins, their bind matrices, and what pulls at vertices.

use std::collections::BTreeMap;

use glam::{Mat4, Vec4};

use crate::import::defects::Defects;
use crate::import::notes::Notes;
use crate::import::source;
use crate::rig::{DefectKind, Influence, Influences, JointId, Mesh, MeshInstance, Place, Skin};
use crate::units::amount;

/// Of each joint of a skin its palette slot; `None` if it has no node.
type Slots = Vec<Option<u32>>;

/// Removes joints without a node, with their influences, and influences of joints that are not there.
///
/// A mesh that several skins deform lists the same joints in all of them, so that the first one's slots hold for all.
///
/// * `ids` – for each node its joint.
pub(super) fn resolve(
    skins: &mut [source::Skin],
    meshes: &mut [Mesh],
    instances: &[MeshInstance],
    ids: &[JointId],
    (notes, defects): (&mut Notes, &mut Defects),
) -> Vec<Skin> {
    let slots: Vec<Slots> = skins.iter().map(slots).collect();
    let mut skin_of: BTreeMap<usize, usize> = BTreeMap::new();
    for instance in instances {
        let (mesh, skin) = (instance.mesh.index(), instance.skin);
        let Some(name) = meshes.get(mesh).map(|mesh| mesh.name.clone()) else {
            continue;
        };
        let is_weighted = !meshes[mesh].influences.is_empty();
        if let Some(skin) = skin {
            skin_of.entry(mesh).or_insert(skin.index());
        }
        if is_weighted != skin.is_some() {
            let (what, lack) = if is_weighted {
                ("weights", "skin")
            } else {
                ("a skin", "weights")
            };
            let message = format!("the mesh has {what} and is shown without {lack}");
            defects.add(DefectKind::SkinWithoutWeights, Place::mesh(name), message);
        }
    }
    for (mesh, skin) in skin_of {
        let mesh = &mut meshes[mesh];
        orphans(mesh, &skins[skin], &slots[skin], notes, defects);
        reslot(mesh, &slots[skin], notes, defects);
    }
    skins
        .iter_mut()
        .map(|skin| bound(skin, ids, notes, defects))
        .collect()
}

fn slots(skin: &source::Skin) -> Slots {
    let mut next = 0;
    let slot = |joint: &source::SkinJoint| {
        joint.node?;
        next += 1;
        Some(next - 1)
    };
    skin.joints.iter().map(slot).collect()
}

/// Notes the joints of a mesh's skin that have no node.
fn orphans(
    mesh: &Mesh,
    skin: &source::Skin,
    slots: &Slots,
    notes: &mut Notes,
    defects: &mut Defects,
) {
    let lacking = slots.iter().filter(|slot| slot.is_none()).count();
    if lacking == 0 {
        return;
    }
    let mut counts = vec![0_usize; slots.len()];
    for influence in mesh.influences.all() {
        if let Some(count) = counts.get_mut(influence.slot as usize) {
            *count += 1;
        }
    }
    for ((joint, slot), count) in skin.joints.iter().zip(slots).zip(counts) {
        if slot.is_some() {
            continue;
        }
        let weights = amount(count, "weight");
        let message = format!(
            "left out the joint {:?} with its {weights}, because no node is called so",
            joint.name
        );
        notes.add(format!("mesh {:?}", mesh.name), message);
        let place = Place::mesh(mesh.name.clone()).of_joint(joint.name.clone());
        let message = format!("the joint names no node, with {weights}");
        defects.add(DefectKind::JointWithoutNode, place, message);
    }
}

/// Lets influences refer to the slots that are left.
fn reslot(mesh: &mut Mesh, slots: &Slots, notes: &mut Notes, defects: &mut Defects) {
    let known = |influence: &Influence| slots.get(influence.slot as usize);
    let all = mesh.influences.all().iter();
    let unknown = all.clone().filter(|one| known(one).is_none()).count();
    if unknown == 0 && slots.iter().all(Option::is_some) {
        return;
    }
    if unknown > 0 {
        let joints = slots.len();
        let message = format!(
            "{} of joints past the {joints} of its skin",
            amount(unknown, "weight")
        );
        notes.add(
            format!("mesh {:?}", mesh.name),
            format!("left out {message}"),
        );
        let place = Place::mesh(mesh.name.clone());
        defects.add_many(DefectKind::JointIndexOutOfRange, place, unknown, message);
    }
    let kept = |list: &[Influence]| -> Vec<Influence> {
        let slot = |one: &Influence| {
            let slot = known(one).copied().flatten()?;
            Some(Influence { slot, ..*one })
        };
        list.iter().filter_map(slot).collect()
    };
    mesh.influences = Influences::from_vertices(mesh.influences.iter().map(kept));
}

/// The skin of the joints that have a node. Where a bind matrix is missing, the joint is bound where the mesh is.
fn bound(
    skin: &mut source::Skin,
    ids: &[JointId],
    notes: &mut Notes,
    defects: &mut Defects,
) -> Skin {
    let (joints, matrices) = (skin.joints.len(), skin.inverse_binds.len());
    let place = || Place::skin(skin.name.clone());
    if joints != matrices {
        let message = format!(
            "{} for {}",
            amount(matrices, "inverse bind matrice"),
            amount(joints, "joint")
        );
        notes.add(
            format!("skin {:?}", skin.name),
            format!("{message}; missing ones are the identity"),
        );
        defects.add(DefectKind::InverseBindCount, place(), message);
    }
    let mut bound = Skin {
        name: std::mem::take(&mut skin.name),
        joints: Vec::with_capacity(joints),
        inverse_bind_matrices: Vec::with_capacity(joints),
    };
    let binds = skin.inverse_binds.iter().copied();
    for (joint, bind) in skin
        .joints
        .iter()
        .zip(binds.chain(std::iter::repeat(Mat4::IDENTITY)))
    {
        let Some(node) = joint.node else { continue };
        let row = bind.row(3);
        if row != Vec4::W {
            let place = Place::skin(bound.name.clone()).of_joint(joint.name.clone());
            let message = format!("the last row is {row}");
            defects.add(DefectKind::NonaffineInverseBind, place, message);
        }
        bound.joints.push(ids[node]);
        bound.inverse_bind_matrices.push(bind);
    }
    bound
}
