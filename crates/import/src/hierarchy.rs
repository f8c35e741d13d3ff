//! What formats of game engines share: nodes in any order, each with a parent index, and clips with a value per frame.

use glam::Quat;

use super::log::Notes;
use super::source::Node;
use crate::rig::{
    Key, LocalTransform, Mesh, MeshId, MeshInstance, NodeId, SkinId, Span, TickRate, Track, Trs,
};
use crate::units::Seconds;

/// The reason why a list of nodes is not a hierarchy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum HierarchyError {
    /// A parent does not exist.
    #[error("joint {number} names parent {parent}, but there are {count}")]
    NoSuchParent {
        number: usize,
        parent: usize,
        count: usize,
    },
    /// A joint is its own ancestor.
    #[error("joint {0} is its own ancestor")]
    Cycle(usize),
}

/// A permutation of the nodes with each after its parent, and otherwise in their order.
pub(super) fn parents_first(parents: &[Option<usize>]) -> Result<Vec<usize>, HierarchyError> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Pending,
        Placed,
    }
    let count = parents.len();
    let mut states = vec![State::New; count];
    let mut order = Vec::with_capacity(count);
    let mut pending = Vec::new();
    for start in 0..count {
        let mut next = Some(start);
        while let Some(number) = next.filter(|&number| states[number] != State::Placed) {
            if states[number] == State::Pending {
                return Err(HierarchyError::Cycle(number));
            }
            states[number] = State::Pending;
            pending.push(number);
            next = parents[number];
            if let Some(parent) = next.filter(|&parent| parent >= count) {
                return Err(HierarchyError::NoSuchParent {
                    number,
                    parent,
                    count,
                });
            }
        }
        while let Some(number) = pending.pop() {
            states[number] = State::Placed;
            order.push(number);
        }
    }
    Ok(order)
}

/// A node that is attached to another one by number.
pub(super) fn node(name: String, parent: Option<usize>, rest: Trs) -> Node {
    Node {
        name,
        parent,
        rest: LocalTransform::Trs(rest),
        number: None,
    }
}

/// Adds a root for each of `meshes`, with its name, and attaches the mesh to it: for formats whose meshes have no nodes.
///
/// * `is_skinned` – whether there is a skin, which all meshes then have.
///
/// # Errors
///
/// [`HierarchyError`] if a parent of `nodes` is not one of them.
pub(super) fn attach(
    nodes: &mut Vec<Node>,
    meshes: &[Mesh],
    is_skinned: bool,
) -> Result<Vec<MeshInstance>, HierarchyError> {
    let parents: Vec<_> = nodes.iter().map(|node| node.parent).collect();
    parents_first(&parents)?;
    let mut instances = Vec::new();
    for (index, mesh) in meshes.iter().enumerate() {
        instances.push(MeshInstance {
            node: NodeId::from_index(nodes.len()),
            mesh: MeshId::from_index(index),
            skin: is_skinned.then_some(SkinId(0)),
            morph_weights: Vec::new(),
        });
        nodes.push(node(mesh.name.clone(), None, Trs::IDENTITY));
    }
    Ok(instances)
}

/// `rotation`, normalized if only rounding separates its length from 1. Others stay unchanged, to be reported and repaired.
pub(super) fn unit(rotation: Quat) -> Quat {
    let length = rotation.as_dquat().length();
    if super::unit::excess(length, super::unit::ROTATION).is_none() && length.is_finite() {
        (rotation.as_dquat() / length).as_quat()
    } else {
        rotation
    }
}

/// Frames or ticks per second where the file states 0 or nonsense: the default of assimp's documentation and of most
/// readers.
pub(super) const DEFAULT_RATE: f64 = 25.0;

/// The frame rate that the file states for `clip`, if it is usable.
pub(super) fn rate(stated: f64, clip: &str, notes: &mut Notes) -> TickRate {
    let is_usable = stated.is_finite() && stated > 0.0;
    if !is_usable {
        let message = format!("states {stated} frames per second; assuming {DEFAULT_RATE}");
        notes.add(format!("clip {clip:?}"), message);
    }
    TickRate {
        stated: Some(stated),
        used: if is_usable { stated } else { DEFAULT_RATE },
        frames: true,
    }
}

/// One key per frame, linear in between.
///
/// * `rate` – frames per second.
pub(super) fn track<T>(count: usize, rate: f64, value: impl Fn(usize) -> T) -> Track<T> {
    let key = |frame| Key {
        time: time(frame, rate),
        value: value(frame),
        span: Span::Linear,
    };
    Track {
        keys: (0..count).map(key).collect(),
    }
}

/// The time of a frame of a clip.
#[expect(
    clippy::cast_precision_loss,
    reason = "no file has as many as 2^53 frames"
)]
pub(super) fn time(frame: usize, rate: f64) -> Seconds {
    Seconds(frame as f64 / rate)
}
