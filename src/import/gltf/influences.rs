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
use super::error::{GltfError, PrimitiveProblem};
use super::primitives::{Reader, problem};
use crate::import::notes::Notes;
use crate::rig::{Influence, Influences};

/// Four of each for a vertex.
struct Set {
    joints: Vec<[u32; 4]>,
    weights: Vec<[f32; 4]>,
}

/// The influences of the wanted vertices from all sets; none at all where there is no set.
pub(super) fn read(
    reader: &Reader<'_>,
    elements: Elements<'_>,
    notes: &mut Notes,
) -> Result<Influences, GltfError> {
    let mut sets = Vec::new();
    for number in set_numbers(reader) {
        let of = |semantic: Semantic| reader.attribute(&semantic);
        let (joints, weights) = match (of(Semantic::Joints(number)), of(Semantic::Weights(number)))
        {
            (Some(joints), Some(weights)) => (joints, weights),
            (joints, _) => return Err(unpaired(reader.place, number, joints.is_some())),
        };
        note_raw_weights(reader, weights, number, notes)?;
        let name = format!("attributes.JOINTS_{number}");
        reader.check_count(joints, &name)?;
        sets.push(Set {
            joints: reader
                .accessors
                .integers(joints, elements, || format!("{}.{name}", reader.place))?,
            weights: reader.list(weights, &format!("attributes.WEIGHTS_{number}"), elements)?,
        });
    }
    let vertices = sets.first().map_or(0, |set| set.joints.len());
    Ok(Influences::from_vertices(
        (0..vertices).map(|vertex| influences(&sets, vertex)),
    ))
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

fn influences(sets: &[Set], vertex: usize) -> impl Iterator<Item = Influence> {
    let entries = sets
        .iter()
        .flat_map(move |set| set.joints[vertex].into_iter().zip(set.weights[vertex]));
    let used = entries.filter(|&(_, weight)| weight != 0.0);
    used.map(|(slot, weight)| Influence { slot, weight })
}

fn unpaired(place: &str, number: u32, has_joints: bool) -> GltfError {
    let mut names = [format!("JOINTS_{number}"), format!("WEIGHTS_{number}")];
    if !has_joints {
        names.reverse();
    }
    let [there, missing] = names;
    problem(place, PrimitiveProblem::Unpaired { there, missing })
}

/// The standard wants integers to be normalized here, so that they stay below 1.
fn note_raw_weights(
    reader: &Reader<'_>,
    weights: Index<Accessor>,
    number: u32,
    notes: &mut Notes,
) -> Result<(), GltfError> {
    let accessor = reader.accessors.get(weights, || {
        format!("{}.attributes.WEIGHTS_{number}", reader.place)
    })?;
    let is_float = matches!(
        accessor.component_type,
        Checked::Valid(GenericComponentType(ComponentType::F32))
    );
    if !is_float && !accessor.normalized {
        let message = format!(
            "WEIGHTS_{number} are integers that are not marked as normalized, and taken as they are"
        );
        notes.add(reader.place, message);
    }
    Ok(())
}
