//! The bones of a skin in its bind pose.

use glam::DVec3;

use crate::analysis::joints::bind_position;
use crate::rig::{Asset, NodeId, Skin};

/// Joints and the segments between them, in mesh space, by slot of a skin. A joint with a singular inverse bind matrix
/// has no position and is skipped.
#[derive(Debug, Clone)]
pub(super) struct Bones {
    /// The position of each joint.
    pub(super) joints: Vec<Option<DVec3>>,
    /// For each slot, the segments to its children; without children, its own position.
    segments: Vec<Vec<Segment>>,
    /// For each slot, its own segments and those of its parent and its children; empty if unknown.
    around: Vec<Vec<Segment>>,
}

/// From a joint to a child.
type Segment = [DVec3; 2];

/// The most segments that are examined for one joint. No real skeleton comes close.
const MOST_SEGMENTS: usize = 256;

impl Bones {
    /// Computes the bones of `skin` in its bind pose.
    pub(super) fn of(asset: &Asset, skin: &Skin) -> Self {
        let joints: Vec<Option<DVec3>> = skin
            .inverse_bind_matrices
            .iter()
            .map(bind_position)
            .collect();
        let parents = parents(asset, skin);
        let mut children = vec![Vec::new(); joints.len()];
        for (slot, parent) in parents.iter().enumerate() {
            if let Some(parent) = parent {
                children[*parent].push(slot);
            }
        }
        let slots = 0..joints.len();
        let segments: Vec<_> = slots
            .clone()
            .map(|slot| segments(&joints, slot, &children[slot]))
            .collect();
        let around = slots.map(|slot| {
            let near = parents[slot].iter().chain(&children[slot]).chain([&slot]);
            around(&segments, near)
        });
        Self {
            around: around.collect(),
            segments,
            joints,
        }
    }

    /// The distance of `point` from the segments of a joint; infinite if it has no position.
    pub(super) fn distance(&self, slot: usize, point: DVec3) -> f64 {
        nearest(&self.segments[slot], point)
    }

    /// The distance of `point` from the segments of a joint, its parent and its children. `None` if one of them has no
    /// position, or if there are too many.
    pub(super) fn distance_with_neighbours(&self, slot: usize, point: DVec3) -> Option<f64> {
        let around = &self.around[slot];
        (!around.is_empty()).then(|| nearest(around, point))
    }
}

fn nearest(segments: &[Segment], point: DVec3) -> f64 {
    let distances = segments.iter().map(|segment| to_segment(*segment, point));
    distances.fold(f64::INFINITY, f64::min)
}

/// All segments of the slots `near`; `None` if one has none, or if there are too many.
fn around<'a>(segments: &[Vec<Segment>], near: impl Iterator<Item = &'a usize>) -> Vec<Segment> {
    let mut all = Vec::new();
    for &slot in near {
        let own = &segments[slot];
        if own.is_empty() || all.len() + own.len() > MOST_SEGMENTS {
            return Vec::new();
        }
        all.extend(own);
    }
    all
}

/// For each slot, that of its nearest ancestor in the skin. A joint with two slots counts with its first.
fn parents(asset: &Asset, skin: &Skin) -> Vec<Option<usize>> {
    let joints = asset.skeleton.nodes();
    let mut slot_of: Vec<Option<usize>> = vec![None; joints.len()];
    for (slot, joint) in skin.joints.iter().enumerate() {
        slot_of[joint.index()].get_or_insert(slot);
    }
    // For each joint, its own slot or that of its nearest ancestor; parents come first.
    let mut nearest: Vec<Option<usize>> = Vec::with_capacity(joints.len());
    let above = |nearest: &[Option<usize>], parent: Option<NodeId>| nearest[parent?.index()];
    for (joint, slot) in joints.iter().zip(&slot_of) {
        let inherited = above(&nearest, joint.parent);
        nearest.push(slot.or(inherited));
    }
    let parent = |joint: &NodeId| above(&nearest, joints[joint.index()].parent);
    skin.joints.iter().map(parent).collect()
}

fn segments(joints: &[Option<DVec3>], slot: usize, children: &[usize]) -> Vec<Segment> {
    let Some(from) = joints[slot] else {
        return Vec::new();
    };
    let ends = children.iter().filter_map(|&child| joints[child]);
    let segments: Vec<Segment> = ends.map(|to| [from, to]).collect();
    if segments.is_empty() {
        vec![[from, from]]
    } else {
        segments
    }
}

fn to_segment([from, to]: Segment, point: DVec3) -> f64 {
    let along = to - from;
    let length_squared = along.length_squared();
    let share = if length_squared > 0.0 {
        ((point - from).dot(along) / length_squared).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (point - (from + along * share)).length()
}

#[cfg(test)]
mod tests {
    use glam::{Mat4, Vec3};

    use super::*;
    use crate::pose::rigs::{asset_of, named_joint};
    use crate::rig::LocalTransform;

    /// Four joints in a row along y, one unit apart; the skin omits the second.
    fn bones() -> Bones {
        let rest = LocalTransform::Matrix(Mat4::from_translation(Vec3::Y));
        let joint = |index: u32| named_joint("joint", index.checked_sub(1), rest);
        let asset = asset_of((0..4).map(joint).collect());
        let bind = |y: f32| Mat4::from_translation(Vec3::new(0.0, -y, 0.0));
        let skin = Skin {
            name: String::new(),
            joints: [3, 0, 2].map(NodeId).to_vec(),
            inverse_bind_matrices: [3.0, 0.0, 2.0].map(bind).to_vec(),
        };
        Bones::of(&asset, &skin)
    }

    #[test]
    fn a_bone_reaches_to_the_next_joint_of_the_skin() {
        let bones = bones();
        let distance = |slot, y| bones.distance(slot, DVec3::new(1.0, y, 0.0));
        assert!((distance(1, 1.5) - 1.0).abs() < 1e-9);
        assert!((distance(0, 4.0) - f64::sqrt(2.0)).abs() < 1e-9);
    }

    #[test]
    fn neighbours_are_parent_and_children() {
        let bones = bones();
        let distance = bones.distance_with_neighbours(0, DVec3::X).unwrap();
        assert!((distance - f64::sqrt(5.0)).abs() < 1e-9, "{distance}");
        let distance = bones.distance_with_neighbours(2, DVec3::X).unwrap();
        assert!((distance - 1.0).abs() < 1e-9, "{distance}");
    }
}
