//! Skins (glTF 2.0, §3.7.3): all of the file, in its order.
//!
//! Only entries whose weight is exactly 0 are omitted: glTF pads each vertex with them to a multiple of four. Negative
//! weights, weights above 1 and NaN stay.

use glam::Mat4;

use super::accessors::{self, Accessors, Component, Elements};
use super::error::GltfError;
use super::json::{self, Root};
use super::lenient::Whole;
use super::nodes::Nodes;
use super::standard::{Use, Uses};
use super::topology::Reader;
use crate::lists::distinct;
use crate::log::Log;
use crate::rig::{
    DefectKind, Influence, Influences, Location, NodeId, SkinId, SkinSlot, WeightStorage,
};
use crate::source::{Skin, SkinJoint};

/// Reads all skins. A skin without matrices gets identities.
///
/// * `uses` – receives the accessors of all matrices.
///
/// # Errors
///
/// [`GltfError`] for matrices that cannot be read.
pub(super) fn read(
    root: &Root<'_>,
    accessors: &Accessors<'_>,
    nodes: &Nodes,
    uses: &mut Uses,
    log: &mut Log,
) -> Result<Vec<Skin>, GltfError> {
    let skin = |(index, skin): (usize, &json::Skin<'_>)| {
        let part = format!("skins[{index}]");
        let location = Location::FILE.of_skin(SkinId::from_index(index), &*skin.name);
        check_skeleton(skin, (&part, &location), nodes, log);
        if let Some(matrices) = skin.inverse_bind_matrices {
            uses.add(matrices, Use::InverseBinds, &location);
        }
        Ok(Skin {
            joints: joints(skin, (&part, &location), nodes, log),
            inverse_binds: Some(matrices(skin, &part, accessors)?),
            name: (*skin.name).to_owned(),
            part: Some(part),
        })
    };
    root.skins.iter().enumerate().map(skin).collect()
}

fn joints(
    skin: &json::Skin<'_>,
    (part, location): (&str, &Location),
    nodes: &Nodes,
    log: &mut Log,
) -> Vec<SkinJoint> {
    let joint = |(number, node): (usize, &Whole)| {
        let joint = nodes.joint(*node);
        if let Err(missing) = &joint {
            let location = location.clone().path(format!("{part}.joints[{number}]"));
            let defect = (DefectKind::JointWithoutNode, location);
            let message = format!("joint {number} is {missing} nodes");
            log.repaired(part, defect, &message, "; it is skipped");
        }
        SkinJoint {
            name: String::new(),
            node: joint.ok().map(NodeId::index),
        }
    };
    skin.joints.iter().enumerate().map(joint).collect()
}

/// Checks that the stated skeleton is an ancestor of all joints (§5.28.2). Joints without a common root are not its concern.
fn check_skeleton(
    skin: &json::Skin<'_>,
    (part, location): (&str, &Location),
    nodes: &Nodes,
    log: &mut Log,
) {
    let Some(stated) = skin.skeleton else { return };
    let joint = |node: &Whole| nodes.joint_of.get(node.index()).copied();
    let joints: Vec<NodeId> = skin.joints.iter().filter_map(joint).collect();
    let path =
        |joint: NodeId| std::iter::successors(Some(joint.index()), |node| nodes.list[*node].parent);
    let top = |joint: NodeId| path(joint).last();
    let Some(first) = joints.first() else { return };
    if joints.iter().any(|joint| top(*joint) != top(*first)) {
        return;
    }
    let skeleton = nodes.joint_of.get(stated.index());
    let is_below = |joint: &&NodeId| {
        skeleton.is_some_and(|above| path(**joint).any(|node| node == above.index()))
    };
    let Some(outside) = joints.iter().find(|joint| !is_below(joint)) else {
        return;
    };
    let message = format!(
        "the skeleton is nodes[{}], which is not above joint {:?}",
        stated.0,
        nodes.list[outside.index()].name
    );
    let location = location.clone().path(format!("{part}.skeleton"));
    let kind = DefectKind::SkeletonNotAncestor;
    log.defects.add(kind, location, message);
}

/// One matrix per joint, or fewer; more than that are allowed and ignored.
fn matrices(
    skin: &json::Skin<'_>,
    part: &str,
    accessors: &Accessors<'_>,
) -> Result<Vec<Mat4>, GltfError> {
    let joints = skin.joints.len();
    let Some(accessor) = skin.inverse_bind_matrices else {
        return Ok(vec![Mat4::IDENTITY; joints]);
    };
    let matrices = accessors.floats::<16>(accessor, Elements::All, || part.to_owned())?;
    let matrices = matrices.iter().take(joints);
    Ok(matrices.map(Mat4::from_cols_array).collect())
}

/// How many vertices' sets are read at once: few enough for their numbers to stay in the processor's cache.
const BLOCK: usize = 1 << 12;

/// Reads all sets, and how they are stored: the coarsest storage of several. Sets of the wrong length are omitted.
///
/// * `fewest` – the number of joints of the smallest skin. Weights of 0 for joints past it are kept, to be reported.
pub(super) fn read_influences(
    reader: &Reader<'_>,
    elements: Elements<'_>,
    fewest: usize,
    log: &mut Log,
) -> Result<(Influences, WeightStorage), GltfError> {
    let numbers = set_numbers(reader);
    check_numbers(reader, &numbers, log);
    let mut sets = Vec::new();
    let mut storages = Vec::new();
    for &number in &numbers {
        let Some(pair) = pair(reader, number, log)? else {
            continue;
        };
        storages.push(storage(reader, pair.1, number, log)?);
        sets.push((number, pair));
    }
    let mut influences = Influences::default();
    if !sets.is_empty() {
        add_all(&mut influences, &sets, reader, elements, fewest)?;
    }
    Ok((influences, coarsest(&storages)))
}

fn add_all(
    influences: &mut Influences,
    sets: &[(u32, Pair)],
    reader: &Reader<'_>,
    elements: Elements<'_>,
    fewest: usize,
) -> Result<(), GltfError> {
    // The exceptions of a sparse accessor are read with each block.
    let is_sparse = |accessor: Whole| {
        let found = reader.accessors.get(accessor, String::new);
        found.is_ok_and(|found| found.sparse.is_some())
    };
    let any_is_sparse = sets
        .iter()
        .any(|(_, (joints, weights))| is_sparse(*joints) || is_sparse(*weights));
    let size = if any_is_sparse { usize::MAX } else { BLOCK };
    for block in elements.blocks(reader.vertices, size) {
        let read = |&(number, (joints, weights)): &(u32, Pair)| {
            let joints = reader.accessors.integers::<4>(joints, block, || {
                format!("{}.attributes.JOINTS_{number}", reader.location)
            })?;
            let name = format!("attributes.WEIGHTS_{number}");
            Ok((joints, reader.list::<4>(weights, &name, block)?))
        };
        let sets: Vec<_> = sets.iter().map(read).collect::<Result<_, GltfError>>()?;
        add_block(influences, &sets, fewest);
    }
    Ok(())
}

/// Joints and weights of some vertices, four of each per vertex.
type Set = (Vec<[u32; 4]>, Vec<[f32; 4]>);

fn add_block(influences: &mut Influences, sets: &[Set], fewest: usize) {
    let vertices = sets.first().map_or(0, |(joints, _)| joints.len());
    for vertex in 0..vertices {
        let last = sets
            .iter()
            .rposition(|(_, weights)| weights[vertex].iter().any(|weight| *weight != 0.0));
        for (set, (joints, weights)) in sets.iter().enumerate() {
            // An engine that reads the first sets only must still find what they hold.
            let is_read = last.is_some_and(|last| set < last);
            for (slot, weight) in joints[vertex].into_iter().zip(weights[vertex]) {
                if weight != 0.0 || is_read || slot as usize >= fewest {
                    influences.add(Influence {
                        slot: SkinSlot(slot),
                        weight,
                    });
                }
            }
        }
        influences.end_vertex();
    }
}

/// The indices of all sets, ascending.
fn set_numbers(reader: &Reader<'_>) -> Vec<u32> {
    let attributes = reader.primitive.attributes.keys();
    let number = |attribute: &String| {
        let number = attribute
            .strip_prefix("JOINTS_")
            .or_else(|| attribute.strip_prefix("WEIGHTS_"))?;
        let parsed: u32 = number.parse().ok()?;
        (parsed.to_string() == number).then_some(parsed)
    };
    distinct(attributes.filter_map(number))
}

/// Checks that the indices are consecutive from 0 (§3.7.2.1).
fn check_numbers(reader: &Reader<'_>, numbers: &[u32], log: &mut Log) {
    let gap = (0..)
        .zip(numbers)
        .find(|(wanted, number)| wanted != *number);
    if let Some((missing, number)) = gap {
        let message = format!("set {number} of joints and weights comes without set {missing}");
        report_mismatch(reader, &message, "; it is still read", log);
    }
}

/// The accessors of joints and weights of a set.
type Pair = (Whole, Whole);

/// What happens to a set that is not whole.
const SKIPPED: &str = "; the set is skipped";

/// The accessors of a set, if both exist and have one element per vertex.
fn pair(reader: &Reader<'_>, number: u32, log: &mut Log) -> Result<Option<Pair>, GltfError> {
    let names = [format!("JOINTS_{number}"), format!("WEIGHTS_{number}")];
    let [joints, weights] = [&names[0], &names[1]].map(|name| reader.attribute(name));
    let (joints, weights) = match (joints, weights) {
        (Some(joints), Some(weights)) => (joints, weights),
        (joints, _) => {
            let [there, missing] = if joints.is_some() { [0, 1] } else { [1, 0] };
            let message = format!("{} comes without {}", names[there], names[missing]);
            report_mismatch(reader, &message, SKIPPED, log);
            return Ok(None);
        }
    };
    for (accessor, name) in [joints, weights].into_iter().zip(&names) {
        let count = reader.count(accessor, &format!("attributes.{name}"))?;
        if count != reader.vertices {
            let message = format!(
                "{name} has {count} elements for {} vertices",
                reader.vertices
            );
            report_mismatch(reader, &message, SKIPPED, log);
            return Ok(None);
        }
    }
    Ok(Some((joints, weights)))
}

fn report_mismatch(reader: &Reader<'_>, message: &str, repaired: &str, log: &mut Log) {
    log.defects.broken_weights.extend(reader.mesh.ids.primitive);
    let location = reader.mesh.clone().path(reader.location);
    let defect = (DefectKind::WeightSetMismatch, location);
    log.repaired(reader.location, defect, message, repaired);
}

/// How a set of weights is stored. Integers must be normalized by the standard; without that they would exceed 1.
fn storage(
    reader: &Reader<'_>,
    weights: Whole,
    number: u32,
    log: &mut Log,
) -> Result<WeightStorage, GltfError> {
    let accessor = reader.accessors.get(weights, || {
        format!("{}.attributes.WEIGHTS_{number}", reader.location)
    })?;
    let Some(component) = accessors::component(accessor) else {
        return Ok(WeightStorage::Unstated);
    };
    if !component.is_float() && !accessor.normalized {
        let message = format!(
            "WEIGHTS_{number} are integers that are not marked as normalized; read unchanged"
        );
        log.notes.add(reader.location, message);
        return Ok(WeightStorage::Unstated);
    }
    Ok(match component {
        // The codec has quantized them.
        Component::F32 if accessor.is_decoded => WeightStorage::Unstated,
        Component::F32 | Component::F64 => WeightStorage::Float,
        Component::U8 => WeightStorage::Unorm8,
        Component::U16 => WeightStorage::Unorm16,
        _ => WeightStorage::Unstated,
    })
}

fn coarsest(storages: &[WeightStorage]) -> WeightStorage {
    let coarseness = |storage: &WeightStorage| match storage {
        WeightStorage::Float => 0,
        WeightStorage::Unorm16 => 1,
        WeightStorage::Unorm8 => 2,
        WeightStorage::Unstated | WeightStorage::Relative => 3,
    };
    let coarsest = storages.iter().copied().max_by_key(coarseness);
    coarsest.unwrap_or_default()
}
