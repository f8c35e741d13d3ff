//! The weights of vertices, exactly as in the file (glTF 2.0, §3.7.3.3).
//!
//! Only entries whose weight is exactly 0 are left out: glTF pads each vertex with them to a multiple of four. Negative
//! weights, those above 1 and those that are not a number stay.

use std::collections::BTreeSet;

use gltf::json::accessor::{ComponentType, GenericComponentType};
use gltf::json::mesh::Semantic;
use gltf::json::validation::Checked;
use gltf::json::{Accessor, Index};

use super::accessors::Elements;
use super::error::GltfError;
use super::log::Log;
use super::primitives::Reader;
use crate::rig::{DefectKind, Influence, Influences, WeightStorage};

/// The weights of a primitive.
#[derive(Default)]
pub(super) struct Weights {
    /// Of the wanted vertices from all sets; none at all where there is no set.
    pub(super) influences: Influences,
    /// Of several sets the coarsest.
    pub(super) storage: WeightStorage,
    /// Whether the file has a set, be it one that cannot be used.
    pub(super) has_sets: bool,
    /// Entries without weight that name a joint which some skin does not have: vertex and joint.
    pub(super) idle: Vec<(usize, u32)>,
}

/// Four of each for a vertex.
struct Set {
    joints: Vec<[u32; 4]>,
    weights: Vec<[f32; 4]>,
}

/// Reads all sets. Those that do not fit are left out.
///
/// * `fewest` – how many joints the smallest skin has.
pub(super) fn read(
    reader: &Reader<'_>,
    elements: Elements<'_>,
    fewest: u32,
    log: &mut Log,
) -> Result<Weights, GltfError> {
    let numbers = set_numbers(reader);
    check_numbers(reader, &numbers, log);
    let mut sets = Vec::new();
    let mut storages = Vec::new();
    for &number in &numbers {
        let Some((joints, weights)) = pair(reader, number, log)? else {
            continue;
        };
        storages.push(storage(reader, weights, number, log)?);
        let name = format!("attributes.JOINTS_{number}");
        sets.push(Set {
            joints: reader
                .accessors
                .integers(joints, elements, || format!("{}.{name}", reader.place))?,
            weights: reader.list(weights, &format!("attributes.WEIGHTS_{number}"), elements)?,
        });
    }
    let vertices = sets.first().map_or(0, |set| set.joints.len());
    let of_vertex = |vertex| used(&sets, vertex);
    Ok(Weights {
        influences: Influences::from_vertices((0..vertices).map(of_vertex)),
        storage: coarsest(&storages),
        has_sets: !numbers.is_empty(),
        idle: (0..vertices)
            .flat_map(|vertex| idle(&sets, vertex, fewest))
            .collect(),
    })
}

/// The numbers of all sets, ascending.
fn set_numbers(reader: &Reader<'_>) -> BTreeSet<u32> {
    let attributes = reader.primitive.attributes.keys();
    let number = |attribute: &Checked<Semantic>| match attribute {
        Checked::Valid(Semantic::Joints(number) | Semantic::Weights(number)) => Some(*number),
        _ => None,
    };
    attributes.filter_map(number).collect()
}

/// That they start with 0 and leave none out (§3.7.2.1).
fn check_numbers(reader: &Reader<'_>, numbers: &BTreeSet<u32>, log: &mut Log) {
    let gap = (0..)
        .zip(numbers)
        .find(|(wanted, number)| wanted != *number);
    if let Some((missing, number)) = gap {
        let message = format!("set {number} of joints and weights comes without set {missing}");
        log.notes
            .add(reader.place, format!("{message}; it is read all the same"));
        let place = reader.mesh.clone().part(reader.place);
        log.defects
            .add(DefectKind::WeightSetMismatch, place, message);
    }
}

/// Joints and weights of a set.
type Pair = (Index<Accessor>, Index<Accessor>);

/// A set, if both of its parts are there, one a vertex.
fn pair(reader: &Reader<'_>, number: u32, log: &mut Log) -> Result<Option<Pair>, GltfError> {
    let names = [format!("JOINTS_{number}"), format!("WEIGHTS_{number}")];
    let [joints, weights] = [Semantic::Joints(number), Semantic::Weights(number)]
        .map(|semantic| reader.attribute(&semantic));
    let (joints, weights) = match (joints, weights) {
        (Some(joints), Some(weights)) => (joints, weights),
        (joints, _) => {
            let [there, missing] = if joints.is_some() { [0, 1] } else { [1, 0] };
            let message = format!("{} comes without {}", names[there], names[missing]);
            tell_mismatch(reader, message, log);
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
            tell_mismatch(reader, message, log);
            return Ok(None);
        }
    }
    Ok(Some((joints, weights)))
}

fn tell_mismatch(reader: &Reader<'_>, message: String, log: &mut Log) {
    log.notes
        .add(reader.place, format!("{message}; the set is left out"));
    let place = reader.mesh.clone().part(reader.place);
    log.defects
        .add(DefectKind::WeightSetMismatch, place, message);
}

fn entries(sets: &[Set], vertex: usize) -> impl Iterator<Item = Influence> {
    let entries = sets
        .iter()
        .flat_map(move |set| set.joints[vertex].into_iter().zip(set.weights[vertex]));
    entries.map(|(slot, weight)| Influence { slot, weight })
}

fn used(sets: &[Set], vertex: usize) -> impl Iterator<Item = Influence> {
    entries(sets, vertex).filter(|influence| influence.weight != 0.0)
}

fn idle(sets: &[Set], vertex: usize, fewest: u32) -> impl Iterator<Item = (usize, u32)> {
    let idle = entries(sets, vertex)
        .filter(move |influence| influence.weight == 0.0 && influence.slot >= fewest);
    idle.map(move |influence| (vertex, influence.slot))
}

/// How a set of weights is stored. The standard wants integers to be normalized here, so that they stay below 1.
fn storage(
    reader: &Reader<'_>,
    weights: Index<Accessor>,
    number: u32,
    log: &mut Log,
) -> Result<WeightStorage, GltfError> {
    let accessor = reader.accessors.get(weights, || {
        format!("{}.attributes.WEIGHTS_{number}", reader.place)
    })?;
    let Checked::Valid(GenericComponentType(component)) = accessor.component_type else {
        return Ok(WeightStorage::Unstated);
    };
    if component != ComponentType::F32 && !accessor.normalized {
        let message = format!(
            "WEIGHTS_{number} are integers that are not marked as normalized, and taken as they are"
        );
        log.notes.add(reader.place, message);
        return Ok(WeightStorage::Unstated);
    }
    Ok(match component {
        ComponentType::F32 => WeightStorage::Float,
        ComponentType::U8 => WeightStorage::Unorm8,
        ComponentType::U16 => WeightStorage::Unorm16,
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
