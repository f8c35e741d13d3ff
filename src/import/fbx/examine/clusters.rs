//! Clusters as in the file, because ufbx completes missing parts.

use glam::DMat4;
use ufbx::{DomNode, DomValueType, Scene, SkinCluster, SkinDeformer};

use crate::import::defects::Defects;
use crate::rig::{DefectKind, Location};

/// Kinds that are looked for where the file's raw elements were kept.
pub(super) const KINDS: [DefectKind; 3] = [
    DefectKind::WeightSetMismatch,
    DefectKind::NonaffineInverseBind,
    DefectKind::InverseBindCount,
];

/// How far an element of a matrix's last row may be from 0 0 0 1: programs that invert matrices in f32 round it.
const ROUNDING: f64 = 1e-6;

/// Whether ufbx has retained the raw elements of all clusters.
pub(super) fn are_retained(scene: &Scene) -> bool {
    let mut clusters = scene.skin_clusters.iter();
    clusters.all(|cluster| cluster.element.dom_node.is_some())
}

/// How a file wants the weights of a vertex combined.
///
/// # Reference
///
/// FBX SDK, `FbxCluster::ELinkMode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::import::fbx) enum LinkMode {
    /// Divide by their sum.
    Normalize,
    /// Use them unchanged. If their sum is below 1, the rest holds the vertex at its bind position.
    TotalOne,
    /// Apply the joints in sequence, whatever the sum.
    Additive,
}

/// The link mode of a skin, which all its clusters should share: the first unusual one.
pub(in crate::import::fbx) fn link_mode(skin: &SkinDeformer) -> LinkMode {
    let words = skin.clusters.iter();
    let words = words.filter_map(|cluster| cluster.element.dom_node.as_deref());
    let modes = words.filter_map(|words| child(words, "Mode")?.values.first());
    let mut others = modes.filter(|mode| !mode.value_str.starts_with("Normalize"));
    match others.next() {
        None => LinkMode::Normalize,
        Some(mode) if mode.value_str.starts_with("Additive") => LinkMode::Additive,
        Some(_) => LinkMode::TotalOne,
    }
}

/// * `location` – of the mesh, with the joint.
pub(super) fn examine(cluster: &SkinCluster, location: &Location, defects: &mut Defects) {
    let Some(words) = cluster.element.dom_node.as_deref() else {
        return;
    };
    let has = |name: &str| child(words, name).is_some();
    let sets = match (has("Indexes"), has("Weights")) {
        (true, false) => Some("its cluster has vertices but no weights"),
        (false, true) => Some("its cluster has weights but no vertices"),
        _ => None,
    };
    if let Some(message) = sets {
        defects.add(DefectKind::WeightSetMismatch, location.clone(), message);
    }
    for name in ["Transform", "TransformLink"] {
        let location = location.clone().part(name);
        let Some(matrix) = child(words, name) else {
            let message = "its cluster has no such matrix; the rest pose is used";
            defects.add(DefectKind::InverseBindCount, location, message);
            continue;
        };
        let numbers = numbers(matrix);
        // NaN or infinity in `Transform` reaches the skin and is reported there.
        if name == "TransformLink" && !numbers.iter().all(|number| number.is_finite()) {
            let message = "it contains NaN or infinity";
            let kind = DefectKind::NonaffineInverseBind;
            defects.add_worst(kind, location, 1, f64::INFINITY, message);
            continue;
        }
        let [a, b, c, d] = [3, 7, 11, 15].map(|index| numbers[index]);
        let off = [a, b, c, d - 1.0].map(f64::abs).into_iter();
        let off = off.fold(0.0, f64::max);
        if off > ROUNDING {
            let message = format!("the last row is {a} {b} {c} {d}");
            defects.add_worst(DefectKind::NonaffineInverseBind, location, 1, off, message);
        }
    }
}

fn child<'a>(node: &'a DomNode, name: &str) -> Option<&'a DomNode> {
    let mut children = node.children.iter();
    children
        .find(|child| &*child.name == name)
        .map(AsRef::as_ref)
}

/// A matrix's numbers, column by column; the identity's if it is not a matrix. ufbx refuses fewer than 16 numbers.
fn numbers(matrix: &DomNode) -> [f64; 16] {
    let mut arrays = matrix.values.iter();
    let array = arrays.find(|value| value.type_ == DomValueType::ArrayF64);
    let of_file = array.map_or(&[][..], |array| array.value_blob.as_chunks::<8>().0);
    let mut numbers = DMat4::IDENTITY.to_cols_array();
    for (number, bytes) in numbers.iter_mut().zip(of_file) {
        *number = f64::from_ne_bytes(*bytes);
    }
    numbers
}
