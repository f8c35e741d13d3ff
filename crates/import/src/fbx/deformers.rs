//! Skins and blend shapes: joints, inverse bind matrices and weights exactly as in the file; morph targets.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use glam::{DVec3, Mat4, Vec3};
use ufbx::{
    Anim, BlendChannel, BlendShape, DomNode, Mesh, SkinCluster, SkinDeformer, SkinningMethod,
};

use super::load::{dmat4, dvec3, of_object};
use super::nodes::Nodes;
use super::property::Property;
use crate::log::Notes;
use crate::rig::{Blending, Influence, Influences, MorphTarget, NodeId, SkinId, WeightStorage};
use crate::source::{Skin, SkinJoint};
use crate::units::amount;
use crate::vertices::{f32_of, weights_per_vertex};

/// The skins of a scene, without duplicates.
#[derive(Default)]
pub(super) struct Skins {
    pub(super) list: Vec<Skin>,
    /// The objects of the file that they come from.
    pub(super) origins: Vec<String>,
    /// By joints and the bits of the matrices, so that NaN is equal to itself.
    known: BTreeMap<(Vec<NodeId>, Vec<u32>), SkinId>,
}

/// The skin of one mesh.
pub(super) struct Binding {
    pub(super) skin: SkinId,
    /// One list per control point, in the order of the clusters.
    pub(super) influences: Influences,
    pub(super) storage: WeightStorage,
    /// Its shares are one per control point.
    pub(super) blending: Blending,
}

impl Skins {
    /// Reads the skin of `mesh`; `None` if it has none, or one without a joint. Several skins are read as one that has the
    /// clusters of all.
    ///
    /// # Reference
    ///
    /// *FBX SDK*, sample `ViewScene`, `DrawMesh.cxx`: the weights of all clusters of all skins are summed up.
    pub(super) fn bind(
        &mut self,
        mesh: &Mesh,
        nodes: &Nodes<'_>,
        location: &str,
        notes: &mut Notes,
    ) -> Option<Binding> {
        let deformer = mesh.skin_deformers.iter().next()?;
        note_several(mesh, location, notes);
        let clusters = bound(mesh, nodes, location, notes);
        if clusters.is_empty() {
            notes.add(location, "its skin has no joint; the mesh follows its node");
            return None;
        }
        let weights = clusters.iter().map(|(cluster, _)| {
            let weights = cluster.weights.iter().map(|&weight| f32_of(weight));
            cluster.vertices.iter().copied().zip(weights)
        });
        let influences = weights_per_vertex(mesh.num_vertices, weights, location, notes);
        let mode = link_mode(deformer);
        note_mode(mode, &influences, location, notes);
        Some(Binding {
            skin: self.add(deformer, &clusters),
            influences,
            blending: blending(deformer, mesh.num_vertices),
            storage: match mode {
                LinkMode::Normalize | LinkMode::Additive => WeightStorage::Relative,
                LinkMode::TotalOne => WeightStorage::Unstated,
            },
        })
    }

    fn add(&mut self, deformer: &SkinDeformer, clusters: &[Bound<'_>]) -> SkinId {
        let matrices: Vec<Mat4> = clusters
            .iter()
            .map(|(cluster, _)| dmat4(&cluster.geometry_to_bone).as_mat4())
            .collect();
        let bits = matrices.iter().flat_map(Mat4::to_cols_array);
        let key = (
            clusters.iter().map(|(_, joint)| *joint).collect(),
            bits.map(f32::to_bits).collect(),
        );
        let (list, origins) = (&mut self.list, &mut self.origins);
        *self.known.entry(key).or_insert_with(|| {
            list.push(Skin {
                name: deformer.element.name.to_string(),
                joints: clusters.iter().map(joint).collect(),
                inverse_binds: Some(matrices),
                part: None,
            });
            origins.push(of_object("Deformer", &deformer.element));
            SkinId::from_index(list.len() - 1)
        })
    }
}

fn joint((cluster, joint): &Bound<'_>) -> SkinJoint {
    SkinJoint {
        name: cluster.element.name.to_string(),
        node: Some(joint.index()),
    }
}

fn note_several(mesh: &Mesh, location: &str, notes: &mut Notes) {
    if mesh.skin_deformers.count > 1 {
        let count = mesh.skin_deformers.count;
        notes.add(
            location,
            format!("has {count} skins, which are read as one"),
        );
    }
}

/// How the vertices are blended. Vertices without a share in the file are blended linearly.
fn blending(deformer: &SkinDeformer, vertices: usize) -> Blending {
    match deformer.skinning_method {
        SkinningMethod::Linear | SkinningMethod::Rigid => Blending::Linear,
        SkinningMethod::DualQuaternion => Blending::DualQuaternion,
        SkinningMethod::BlendedDqLinear => {
            let mut shares = vec![0.0; vertices];
            for (&vertex, &share) in deformer.dq_vertices.iter().zip(deformer.dq_weights.iter()) {
                if let Some(known) = shares.get_mut(vertex as usize) {
                    *known = f32_of(share).clamp(0.0, 1.0);
                }
            }
            Blending::Mixed(shares)
        }
    }
}

/// How far the sum of weights may be from 1 for normalization to make no difference.
const ROUNDING: f32 = 1e-4;

/// Notes a `mode` that gives other positions than normalized weights do.
fn note_mode(mode: LinkMode, influences: &Influences, location: &str, notes: &mut Notes) {
    let is_whole = |list: &[Influence]| {
        let sum: f32 = list.iter().map(|influence| influence.weight).sum();
        list.is_empty() || (sum - 1.0).abs() <= ROUNDING
    };
    let asks = match mode {
        LinkMode::Normalize => return,
        LinkMode::TotalOne if influences.iter().all(is_whole) => return,
        LinkMode::TotalOne => "Total1 (weight missing from a sum of 1 keeps the vertex in place)",
        LinkMode::Additive => "Additive (the joints act in sequence)",
    };
    let message = format!("its clusters have the link mode {asks}; it is read as Normalize");
    notes.add(location, message);
}

/// A cluster, and the joint that it is attached to.
type Bound<'a> = (&'a SkinCluster, NodeId);

/// The clusters, one per slot. ufbx has omitted those without a node.
fn bound<'a>(
    mesh: &'a Mesh,
    nodes: &Nodes<'_>,
    location: &str,
    notes: &mut Notes,
) -> Vec<Bound<'a>> {
    let mut clusters = Vec::new();
    let skins = mesh.skin_deformers.iter();
    for cluster in skins.flat_map(|skin| &skin.clusters) {
        let node = cluster.bone_node.as_deref();
        match node.and_then(|node| nodes.joint_of(node)) {
            Some(joint) => clusters.push((cluster, joint)),
            // The root, which no file contains, is the world's origin; no joint can stand in for it.
            None => notes.add(
                location,
                "skipped weights on the scene root, which is not a node",
            ),
        }
    }
    clusters
}

/// The property that holds the weight of a channel, in percent.
pub(super) const PERCENT: &str = "DeformPercent";

/// The blend shapes of a mesh on a joint.
pub(super) struct Shapes<'a> {
    pub(super) joint: NodeId,
    pub(super) mesh: &'a Mesh,
}

impl<'a> Shapes<'a> {
    /// `None` for a mesh without any.
    pub(super) fn of(joint: NodeId, mesh: &'a Mesh) -> Option<Self> {
        targets(mesh).next()?;
        Some(Self { joint, mesh })
    }

    /// One weight a target, at a time of `anim`.
    pub(super) fn weights(&self, anim: &'a Anim) -> impl Fn(f64) -> Vec<f64> + use<'a> {
        let mesh = self.mesh;
        let percent = |channel: &'a BlendChannel| {
            Property::of(Some(anim), &channel.element, PERCENT, DVec3::ZERO)
        };
        let percents: Vec<Property<'a>> = channels(mesh).map(percent).collect();
        move |time| {
            let percents = percents.iter().map(|percent| percent.at(time).x);
            weights(mesh, percents.map(|percent| percent * 0.01))
        }
    }
}

pub(super) fn channels(mesh: &Mesh) -> impl Iterator<Item = &BlendChannel> {
    let deformers = mesh.blend_deformers.into_iter();
    deformers.flat_map(|deformer| &deformer.channels)
}

/// The targets of a mesh: channel by channel, and in each by percentage.
fn targets(mesh: &Mesh) -> impl Iterator<Item = (&BlendChannel, &BlendShape)> {
    channels(mesh).flat_map(|channel| {
        let keys = channel.keyframes.iter();
        keys.map(move |key| (channel, key.shape.as_ref()))
    })
}

/// One weight a target, where nothing drives it.
pub(super) fn rest_weights(mesh: &Mesh) -> Vec<f64> {
    weights(mesh, channels(mesh).map(|channel| channel.weight))
}

/// * `of_channels` – their weights, in order.
fn weights(mesh: &Mesh, of_channels: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut all = Vec::new();
    for (channel, weight) in channels(mesh).zip(of_channels) {
        let keys = channel.keyframes.iter();
        let full: Vec<f64> = keys.map(|key| key.target_weight).collect();
        all.extend(shares(&full, weight));
    }
    all
}

/// The weight of each shape: piecewise linear in the weight of the channel.
///
/// The shapes and the base mesh (at 0) are knots in ascending order. A weight lies between two neighbours, which share it
/// as in linear interpolation. The base mesh's share needs no target and is dropped.
///
/// * `full` – ascending: the weight of the channel at which each shape alone is shown.
/// * `weight` – of the channel.
fn shares(full: &[f64], weight: f64) -> Vec<f64> {
    let mut shares = vec![0.0; full.len()];
    let base = full.partition_point(|&at| at < 0.0);
    let mut knots = full.to_vec();
    knots.insert(base, 0.0);
    let Some(low) = segment(&knots, base, weight) else {
        return shares;
    };
    let span = knots[low + 1] - knots[low];
    // Below 0 or above 1 past the outermost knot, which extrapolates the outermost span.
    let part = if span > 0.0 {
        (weight - knots[low]) / span
    } else {
        0.0
    };
    // Knots behind the base are one index later than their shapes.
    for (knot, share) in [(low, 1.0 - part), (low + 1, part)] {
        match knot.cmp(&base) {
            Ordering::Less => shares[knot] = share,
            Ordering::Equal => {}
            Ordering::Greater => shares[knot - 1] = share,
        }
    }
    shares
}

/// The index of the lower of the two knots around `weight`. At a knot, the segment is the one farther from 0; outside all
/// knots, it is the outermost. `None` without a shape.
fn segment(knots: &[f64], base: usize, weight: f64) -> Option<usize> {
    let last = knots.len().checked_sub(2)?;
    let low = if weight > 0.0 {
        let beyond = knots[base..].partition_point(|&knot| knot <= weight) + base;
        beyond.saturating_sub(1)
    } else {
        knots[..base]
            .partition_point(|&knot| knot < weight)
            .saturating_sub(1)
    };
    Some(low.min(last))
}

/// The morph targets of a mesh whose vertices come from `control_points`.
pub(super) fn targets_for(
    mesh: &Mesh,
    control_points: &[u32],
    location: &str,
    notes: &mut Notes,
) -> Vec<MorphTarget> {
    let target = |(channel, shape): (&BlendChannel, &BlendShape)| {
        let indices = &shape.offset_vertices;
        let astray = indices
            .iter()
            .filter(|&&at| at as usize >= mesh.num_vertices)
            .count();
        if astray > 0 {
            let message = format!(
                "skipped {} of vertices that do not exist",
                amount(astray, "morph offset")
            );
            notes.add(location, message);
        }
        MorphTarget {
            name: name(channel, shape),
            positions: offsets(mesh, shape, &shape.position_offsets, control_points),
            normals: offsets(mesh, shape, &shape.normal_offsets, control_points),
            tangents: Vec::new(),
        }
    };
    targets(mesh).map(target).collect()
}

/// The channel's name, which animators see; with the shape's name appended if the channel has several.
fn name(channel: &BlendChannel, shape: &BlendShape) -> String {
    let (channel_name, shape_name) = (&channel.element.name, &shape.element.name);
    if channel.keyframes.count > 1 {
        format!("{channel_name}.{shape_name}")
    } else if channel_name.is_empty() {
        shape_name.to_string()
    } else {
        channel_name.to_string()
    }
}

/// One offset per vertex; empty if all are 0. Several offsets of one control point are summed.
fn offsets(
    mesh: &Mesh,
    shape: &BlendShape,
    list: &[ufbx::Vec3],
    control_points: &[u32],
) -> Vec<Vec3> {
    if list.is_empty() {
        return Vec::new();
    }
    let mut dense = vec![DVec3::ZERO; mesh.num_vertices];
    let pairs = shape.offset_vertices.iter().zip(list);
    for (index, (&vertex, &offset)) in pairs.enumerate() {
        if let Some(sum) = dense.get_mut(vertex as usize) {
            *sum += dvec3(offset) * shape.offset_weights.get(index).copied().unwrap_or(1.0);
        }
    }
    if dense.iter().all(|&offset| offset == DVec3::ZERO) {
        return Vec::new();
    }
    let of_vertex = |&point: &u32| dense[point as usize].as_vec3();
    control_points.iter().map(of_vertex).collect()
}

/// How a file wants the weights of a vertex combined.
///
/// # Reference
///
/// FBX SDK, `FbxCluster::ELinkMode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LinkMode {
    /// Divide by their sum.
    Normalize,
    /// Use them unchanged. If their sum is below 1, the rest holds the vertex at its bind position.
    TotalOne,
    /// Apply the joints in sequence, whatever the sum.
    Additive,
}

/// The link mode of a skin, which all its clusters should share: the first unusual one.
fn link_mode(skin: &SkinDeformer) -> LinkMode {
    let words = skin
        .clusters
        .iter()
        .filter_map(|cluster| cluster.element.dom_node.as_deref());
    let modes = words.filter_map(|words| child(words, "Mode")?.values.first());
    let mut others = modes.filter(|mode| !mode.value_str.starts_with("Normalize"));
    match others.next() {
        None => LinkMode::Normalize,
        Some(mode) if mode.value_str.starts_with("Additive") => LinkMode::Additive,
        Some(_) => LinkMode::TotalOne,
    }
}

pub(super) fn child<'a>(node: &'a DomNode, name: &str) -> Option<&'a DomNode> {
    let mut children = node.children.iter();
    children
        .find(|child| &*child.name == name)
        .map(AsRef::as_ref)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fbx::{asset as read, load};
    use crate::testing;

    #[test]
    fn one_shape_follows_the_weight_on_both_sides() {
        for weight in [-0.5, 0.0, 0.25, 1.0, 1.5] {
            assert_eq!(shares(&[1.0], weight), [weight]);
        }
    }

    #[test]
    fn in_betweens_share_the_weight_with_their_neighbours() {
        let full = [0.5, 1.0];
        assert_eq!(shares(&full, 0.25), [0.5, 0.0]);
        assert_eq!(shares(&full, 0.5), [1.0, 0.0]);
        assert_eq!(shares(&full, 0.75), [0.5, 0.5]);
        assert_eq!(shares(&full, 1.0), [0.0, 1.0]);
        assert_eq!(shares(&full, 1.5), [-1.0, 2.0]);
    }

    #[test]
    fn shapes_below_zero_are_for_negative_weights() {
        let full = [-1.0, 1.0];
        assert_eq!(shares(&full, -0.5), [0.5, 0.0]);
        assert_eq!(shares(&full, 0.5), [0.0, 0.5]);
        assert_eq!(shares(&[-1.0], -2.0), [2.0]);
    }

    #[test]
    fn a_percentage_without_a_curve_is_what_its_curve_node_says() {
        let text = testing::text("fbx/blend_shape.fbx");
        let number = "\"d|DeformPercent\", \"Number\", \"\", \"A\", 0\n";
        let mut lines = text.lines();
        let curve = lines.find(|line| line.ends_with(", \"d|DeformPercent\""));
        let without = text.replace(curve.unwrap(), "");
        let text = testing::changed(&without, number, &number.replace(", 0", ", 60"));
        let asset = read(&load::load(text.as_bytes()).unwrap());
        let keys = &asset.clips[0].morph_channels[0].weights.keys;
        let values: Vec<&[f32]> = keys.iter().map(|key| &key.value[..]).collect();
        assert_eq!(values, [[0.6]]);
    }

    #[test]
    fn no_shape_and_shapes_at_one_weight_are_no_division_by_zero() {
        assert_eq!(shares(&[], 0.5), [0.0; 0]);
        for weight in [-1.0, 0.0, 1.0, f64::NAN] {
            assert_eq!(shares(&[0.0, 0.0], weight).len(), 2);
        }
    }
}
