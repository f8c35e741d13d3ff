//! Defects of the file itself.
//!
//! ufbx keeps most of a file unchanged; [`hidden`] lists what it silently repairs or drops.

use std::collections::{BTreeMap, BTreeSet};

use glam::DMat4;
use ufbx::{
    AnimCurve, AnimLayer, AnimStack, AnimValue, Connection, DomNode, DomValueType, Element,
    InheritMode, Interpolation, Keyframe, Mesh, Node, Scene, SkinCluster, SkinDeformer,
};

use super::deformers::{PERCENT, child};
use super::evaluate::{MOVING, ROTATING, SCALING};
use super::meshes::{self, name_of};
use super::nodes::Nodes;
use crate::log::{Defects, Log};
use crate::resolve::keys::{self, Examined, Site, seconds};
use crate::rig::{DefectKind, Location, Part};
use crate::source::{KeyTimes, clip_name};
use crate::units::amount;

/// Kinds that cannot be found in `scene`: [`KINDS`] if ufbx did not retain the file's raw elements, else none.
///
/// Some of the other kinds cannot occur in FBX: a cluster is connected to its joint without an index, rotations are Euler
/// angles, and a node's transform is never a matrix.
pub(super) fn hidden(scene: &Scene) -> Vec<DefectKind> {
    if are_retained(scene) {
        Vec::new()
    } else {
        KINDS.to_vec()
    }
}

/// Records the defects of `scene` that the converted source no longer shows.
pub(super) fn examine(scene: &Scene, nodes: &Nodes<'_>, log: &mut Log) {
    examine_nodes(scene, &mut log.defects);
    examine_meshes(nodes, &mut log.defects);
    examine_clips(scene, log);
}

fn examine_clips(scene: &Scene, log: &mut Log) {
    for (index, stack) in scene.anim_stacks.iter().enumerate() {
        let location = Location::clip(clip_name(&stack.element.name, index));
        let mut examination = ClipExamination {
            location,
            end: stated_end(stack),
            log: &mut *log,
        };
        for layer in &stack.layers {
            examination.layer(layer);
        }
    }
}

/// The end that `stack` states. A stack from 0 to 0 states none.
fn stated_end(stack: &AnimStack) -> Option<f64> {
    let (start, end) = (stack.time_begin, stack.time_end);
    let is_unstated = start == 0.0 && end == 0.0;
    (!is_unstated && start <= end).then_some(end)
}

struct ClipExamination<'a> {
    location: Location,
    end: Option<f64>,
    log: &'a mut Log,
}

impl ClipExamination<'_> {
    fn layer(&mut self, layer: &AnimLayer) {
        for value in &layer.anim_values {
            if is_adrift(value) {
                let part = format!("curves {}", value.element.name);
                let message = "they drive nothing: their target does not exist";
                let location = self.location.clone().part(Part::Words(part.into()));
                let kind = DefectKind::TargetMissing;
                self.log.defects.add(kind, location, message);
            }
        }
        let mut driven: BTreeMap<(u32, &str), BTreeSet<u32>> = BTreeMap::new();
        for prop in &layer.anim_props {
            let (element, name): (&Element, &str) = (&prop.element, &prop.prop_name);
            if !is_of_rig(element, name) {
                continue;
            }
            let values = driven.entry((element.element_id, name)).or_default();
            if !values.insert(prop.anim_value.element.element_id) {
                continue;
            }
            if values.len() == 2 {
                self.report_duplicate(
                    element,
                    name,
                    "two sets of curves drive it in the same layer",
                );
            }
            self.value(element, name, &prop.anim_value);
        }
    }

    fn report_duplicate(&mut self, element: &Element, property: &str, message: &str) {
        let location = self.of(element, property);
        self.log
            .defects
            .add(DefectKind::DuplicateChannel, location, message);
    }

    fn of(&self, element: &Element, property: &str) -> Location {
        let location = self
            .location
            .clone()
            .part(Part::Words(property.to_owned().into()));
        location.of_joint(element.name.to_string())
    }

    fn value(&mut self, element: &Element, property: &str, value: &AnimValue) {
        let mut by_axis: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
        for (axis, curve) in connected(value) {
            let curves = by_axis.entry(axis).or_default();
            if !curves.insert(curve.element.element_id) {
                continue;
            }
            if curves.len() == 2 {
                self.report_duplicate(element, property, "two curves drive the same axis");
            }
            let mut site = Site {
                location: self.of(element, property),
                log: &mut *self.log,
            };
            examine_curve(curve, self.end, &mut site);
        }
    }
}

/// The curves that the file connects, with their axes. If two drive one axis, ufbx uses the last.
fn connected(value: &AnimValue) -> impl Iterator<Item = (usize, &AnimCurve)> {
    let connections = value.element.connections_dst.iter();
    connections.filter_map(|connection| {
        let curve = ufbx::as_anim_curve(&connection.src)?;
        let axis = match &*connection.dst_prop {
            "Y" | "d|Y" => 1,
            "Z" | "d|Z" => 2,
            _ => 0,
        };
        connection.src_prop.is_empty().then_some((axis, curve))
    })
}

/// Whether the property moves joints or morph targets. Other animation is not part of a rig.
fn is_of_rig(element: &Element, property: &str) -> bool {
    if ufbx::as_node(element).is_some() {
        property == SCALING || MOVING.contains(&property) || ROTATING.contains(&property)
    } else {
        ufbx::as_blend_channel(element).is_some() && property == PERCENT
    }
}

/// The names of curves that move a rig: translation, rotation, scale, and the weight of a morph target. Others, such as Maya's
/// `blendParent1`, drive constraints that no engine reads.
const OF_RIG: [&str; 4] = ["T", "R", "S", PERCENT];

/// Whether `value` has keys but drives no object's property: ufbx drops connections to missing objects. The connection to
/// its own layer does not count.
fn is_adrift(value: &AnimValue) -> bool {
    if !OF_RIG.contains(&&*value.element.name) {
        return false;
    }
    let has_keys = connected(value).any(|(_, curve)| curve.keyframes.count > 0);
    let mut connections = value.element.connections_src.iter();
    let is_in = |connection: &Connection| {
        connection.dst_prop.is_empty() && ufbx::as_anim_layer(&connection.dst).is_some()
    };
    has_keys && connections.all(is_in)
}

/// Kinds that are looked for where the file's raw elements were kept.
const KINDS: [DefectKind; 3] = [
    DefectKind::WeightSetMismatch,
    DefectKind::NonaffineInverseBind,
    DefectKind::InverseBindCount,
];

/// How far an element of a matrix's last row may be from 0 0 0 1: programs that invert matrices in f32 round it.
const BIND_ROUNDING: f64 = 1e-6;

/// Whether ufbx has retained the raw elements of all clusters.
fn are_retained(scene: &Scene) -> bool {
    let mut clusters = scene.skin_clusters.iter();
    clusters.all(|cluster| cluster.element.dom_node.is_some())
}

/// * `location` – of the mesh, with the joint.
fn examine_clusters(
    (mesh, cluster): (&Mesh, &SkinCluster),
    location: &Location,
    defects: &mut Defects,
) {
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
        let parts = mesh
            .material_parts
            .iter()
            .map(|part| meshes::primitive(mesh, part));
        defects.broken_weights.extend(parts);
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
        let off = [a, b, c, d - 1.0]
            .map(f64::abs)
            .into_iter()
            .fold(0.0, f64::max);
        if off > BIND_ROUNDING {
            let message = format!("the last row is {a} {b} {c} {d}");
            defects.add_worst(DefectKind::NonaffineInverseBind, location, 1, off, message);
        }
    }
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

/// How many seconds a key may be past the stated end and still count as at the end: ends are rounded to frames or
/// milliseconds.
const TIME_ROUNDING: f64 = 1e-3;

/// * `end` – that the stack states.
fn examine_curve(curve: &AnimCurve, end: Option<f64>, site: &mut Site<'_>) {
    let all = &curve.keyframes;
    if all.is_empty() {
        let message = "the curve has no key";
        let location = site.location.clone();
        site.log
            .defects
            .add(DefectKind::EmptyChannel, location, message);
    }
    keys::examine(curve, KeyTimes::Ordered, site);
    let Some(end) = end else { return };
    let late = |(_, key): &(usize, &Keyframe)| key.time > end + TIME_ROUNDING;
    for (number, key) in all.iter().enumerate().filter(late) {
        let (time, end_time) = (seconds(key.time), seconds(end));
        let message = format!("key {number} is at {time} s, the end at {end_time} s");
        site.report(DefectKind::KeyPastEnd, key.time, key.time - end, message);
    }
}

impl Examined for AnimCurve {
    fn count(&self) -> usize {
        self.keyframes.count
    }

    fn time(&self, key: usize) -> f64 {
        self.keyframes[key].time
    }

    fn is_finite(&self, key: usize) -> bool {
        let key = &self.keyframes[key];
        let bends = key.interpolation == Interpolation::Cubic;
        let are_slopes_finite = key.left.dy.is_finite() && key.right.dy.is_finite();
        key.value.is_finite() && key.time.is_finite() && (are_slopes_finite || !bends)
    }

    fn is_held(&self, key: usize) -> bool {
        matches!(
            self.keyframes[key].interpolation,
            Interpolation::ConstantPrev | Interpolation::ConstantNext
        )
    }

    fn size(&self) -> f64 {
        let values = self.keyframes.iter().map(|key| key.value.abs());
        values.filter(|value| value.is_finite()).fold(0.0, f64::max)
    }

    fn distance(&self, a: usize, b: usize) -> f64 {
        (self.keyframes[a].value - self.keyframes[b].value).abs()
    }
}

/// Examines each mesh once, however many nodes show it.
fn examine_meshes(nodes: &Nodes<'_>, defects: &mut Defects) {
    let mut known = BTreeSet::new();
    for shown in &nodes.shown {
        if !known.insert(shown.mesh.element.typed_id) {
            continue;
        }
        let mut examination = MeshExamination {
            mesh: shown.mesh,
            location: Location::mesh(name_of(shown)),
            defects,
        };
        for deformer in &shown.mesh.skin_deformers {
            examination.skin(deformer);
        }
    }
}

struct MeshExamination<'a, 'b> {
    mesh: &'a Mesh,
    location: Location,
    defects: &'b mut Defects,
}

impl MeshExamination<'_, '_> {
    fn skin(&mut self, deformer: &SkinDeformer) {
        let all: Vec<&SkinCluster> = clusters(deformer).collect();
        let all_in_order = all.iter().enumerate();
        for (index, cluster) in all_in_order.filter(|(_, cluster)| cluster.bone_node.is_none()) {
            let weights = cluster.num_weights;
            let name = match &*cluster.element.name {
                "" => index.to_string(),
                name => name.to_owned(),
            };
            let location = self
                .location
                .clone()
                .part(Part::Words(format!("cluster {name}").into()));
            let message = format!("is not bound to a node, with {}", amount(weights, "weight"));
            self.defects
                .add(DefectKind::JointWithoutNode, location, message);
        }
        for cluster in &all {
            self.cluster(cluster);
        }
        let is_empty = self.mesh.num_vertices == 0;
        if !is_empty && all.iter().all(|cluster| cluster.num_weights == 0) {
            let message = "has a skin, but no vertex has a weight";
            let location = self.location.clone();
            self.defects
                .add(DefectKind::SkinWithoutWeights, location, message);
        }
    }

    fn cluster(&mut self, cluster: &SkinCluster) {
        let joint = cluster
            .bone_node
            .as_ref()
            .map(|node| node.element.name.to_string());
        let location = Location {
            joint,
            ..self.location.clone()
        };
        examine_clusters((self.mesh, cluster), &location, self.defects);
        let points = self.mesh.num_vertices;
        let wrong = |&&vertex: &&u32| vertex as usize >= points;
        let mut wrong = cluster.vertices.iter().filter(wrong);
        let Some(first) = wrong.next() else { return };
        // The file stores a signed number.
        let first = first.cast_signed();
        let message = format!("the joint weights vertex {first}, but there are {points}");
        let kind = DefectKind::VertexIndexOutOfRange;
        self.defects
            .add_many(kind, location, 1 + wrong.count(), message);
    }
}

/// All clusters that the file connects, including those that ufbx's list omits.
fn clusters(deformer: &SkinDeformer) -> impl Iterator<Item = &SkinCluster> {
    let mut known = BTreeSet::new();
    let connections = deformer.element.connections_dst.iter();
    let clusters = connections.filter_map(|connection| ufbx::as_skin_cluster(&connection.src));
    clusters.filter(move |cluster| known.insert(cluster.element.element_id))
}

fn examine_nodes(scene: &Scene, defects: &mut Defects) {
    for node in &scene.nodes {
        report_parents(node, defects);
    }
    for (mode, inheritance) in [
        (
            InheritMode::IgnoreParentScale,
            "does not inherit its parent's scale (InheritType Rrs, segment scale compensate)",
        ),
        (
            InheritMode::ComponentwiseScale,
            "inherits its parent's scale along its own axes (InheritType RrSs)",
        ),
    ] {
        report_inheritance(scene, mode, inheritance, defects);
    }
}

/// Reports more than one parent. The root, which no file contains, does not count as one.
fn report_parents(node: &Node, defects: &mut Defects) {
    let connections = node.element.connections_src.iter();
    let plain = connections.filter(|c| c.src_prop.is_empty() && c.dst_prop.is_empty());
    let above = plain
        .filter_map(|connection| ufbx::as_node(&connection.dst))
        .filter(|parent| !parent.is_root);
    let parents: BTreeSet<u32> = above.map(|parent| parent.element.element_id).collect();
    if parents.len() > 1 {
        let location = Location::joint(node.element.name.to_string());
        let message = format!("has {} parents", parents.len());
        defects.add(DefectKind::HierarchyCycle, location, message);
    }
}

/// Reported once, with the first node: a file usually has one mode for all its joints.
fn report_inheritance(scene: &Scene, mode: InheritMode, inheritance: &str, defects: &mut Defects) {
    let has_parent = |node: &&Node| node.parent.as_ref().is_some_and(|above| !above.is_root);
    let nodes = scene.nodes.iter().map(AsRef::as_ref);
    let mut of_mode = nodes.filter(|node: &&Node| node.inherit_mode == mode && has_parent(node));
    if let Some(first) = of_mode.next() {
        let location = Location::joint(first.element.name.to_string());
        let kind = DefectKind::SegmentScaleCompensate;
        defects.add_many(kind, location, 1 + of_mode.count(), inheritance.to_owned());
    }
}

#[cfg(test)]
mod tests;
