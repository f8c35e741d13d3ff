//! Whether the joints of another file have other axes than the model's.

use glam::{DMat3, DMat4, DQuat, DVec3};

use super::matching::Matching;
use super::spaces::worlds;
use crate::rig::{NodeId, Skeleton, rotation_angle};
use crate::units::first_few;

/// Bones that point the same way to within this cosine (10°) are in the same pose.
const ALIKE: f64 = 0.985;

/// Axes that differ by less than this many degrees are the same.
const SAME: f64 = 5.0;

/// With fewer bones, a pose cannot be told from axes.
const FEWEST: usize = 3;

/// The joints of `animation` whose axes differ from the model's although their bones are in the same pose, and by how many
/// degrees, the largest first. Keys are rotations about a joint's own axes, so they bend such a joint in another direction. Empty if
/// most bones have the same axes, or are in another pose.
pub(super) fn other_axes(
    model: &Skeleton,
    animation: &Skeleton,
    matching: &Matching,
) -> Vec<(NodeId, f64)> {
    let (ours, theirs) = (worlds(model), worlds(animation));
    let mut bones = 0;
    let mut rotated: Vec<(NodeId, f64)> = Vec::new();
    for (id, joint) in animation.iter() {
        let Some(parent) = joint.parent else { continue };
        let pairs = [parent, id].map(|own| Some((own, matching.model_joint(own)?)));
        let [Some(from), Some(to)] = pairs else {
            continue;
        };
        let bone = |worlds: &[DMat4], ends: [NodeId; 2]| {
            let [from, to] = ends.map(|end| worlds[end.index()].w_axis.truncate());
            (to - from).normalize_or_zero()
        };
        let along = bone(&theirs, [from.0, to.0]).dot(bone(&ours, [from.1, to.1]));
        if along < ALIKE {
            continue;
        }
        bones += 1;
        let degrees = angle(&theirs[from.0.index()], &ours[from.1.index()]);
        if degrees > SAME && !rotated.iter().any(|(own, _)| *own == from.0) {
            rotated.push((from.0, degrees));
        }
    }
    rotated.sort_by(|a, b| b.1.total_cmp(&a.1));
    if bones < FEWEST || 2 * rotated.len() < bones {
        rotated.clear();
    }
    rotated
}

/// Says so in a note; `None` if no joint has other axes.
pub(super) fn note(animation: &Skeleton, rotated: &[(NodeId, f64)]) -> Option<String> {
    let (_, degrees) = rotated.first()?;
    let names = rotated
        .iter()
        .map(|(joint, _)| format!("{:?}", animation[*joint].name));
    Some(format!(
        "its joints have other axes than the model's, by up to {degrees:.0}°, though their bones point the same way: {}; the \
         motion may not fit",
        first_few(names, 3)
    ))
}

/// The angle between two rotations, in degrees.
fn angle(one: &DMat4, other: &DMat4) -> f64 {
    let [one, other] = [one, other].map(|matrix| {
        let linear = DMat3::from_mat4(*matrix);
        let axes = [linear.x_axis, linear.y_axis, linear.z_axis].map(DVec3::normalize_or_zero);
        DQuat::from_mat3(&DMat3::from_cols(axes[0], axes[1], axes[2])).normalize()
    });
    rotation_angle(one.conjugate() * other).to_degrees()
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::rig::{LocalTransform, Node, Trs};

    /// An arm whose bones are along x, with joints that are rotated about it by `degrees` each, or bent.
    fn arm(degrees: f32, axis: Vec3) -> Skeleton {
        let turn = Quat::from_axis_angle(axis, degrees.to_radians());
        let node = |index: u32| Node {
            name: format!("joint {index}"),
            parent: index.checked_sub(1).map(NodeId),
            rest: LocalTransform::Trs(Trs {
                translation: Vec3::X,
                rotation: if index == 0 { turn } else { Quat::IDENTITY },
                ..Trs::IDENTITY
            }),
        };
        Skeleton::new((0..5).map(node).collect()).expect("parents come first")
    }

    fn noted(animation: &Skeleton) -> Option<String> {
        let model = arm(0.0, Vec3::X);
        let rotated = other_axes(&model, animation, &Matching::of(&model, animation));
        note(animation, &rotated)
    }

    #[test]
    fn bones_in_one_pose_with_other_axes_are_noted() {
        let note = noted(&arm(90.0, Vec3::X)).expect("the axes differ");
        assert!(note.contains("by up to 90°"), "{note}");
        assert_eq!(noted(&arm(0.0, Vec3::X)), None);
        assert_eq!(noted(&arm(2.0, Vec3::X)), None, "rounding");
        assert_eq!(noted(&arm(90.0, Vec3::Z)), None, "another pose");
    }
}
