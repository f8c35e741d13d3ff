//! Evaluates node constraints.
//!
//! # Reference
//!
//! `VRMC_node_constraint` 1.0, *Example of Implementation* of each constraint.

use std::iter::successors;

use glam::{DMat4, DQuat, Quat};

use super::interpolate::{Between, Interpolate, unit};
use crate::rig::{Asset, Constraint, ConstraintKind, LocalTransform, NodeId};

/// Rotates the constrained nodes, each after those that it depends on.
///
/// * `locals` – `parent_from_node` of every node.
pub(super) fn apply(asset: &Asset, locals: &mut [LocalTransform]) {
    for constraint in &asset.constraints {
        let rest = rotation(&asset.skeleton[constraint.node].rest);
        let target = rest.and_then(|rest| target(asset, constraint, locals, rest));
        let (Some(rest), Some(target)) = (rest, target) else {
            continue;
        };
        let way = Between {
            from: &rest.as_quat(),
            to: &target.as_quat(),
            phase: constraint.weight.into(),
        };
        if let Some(rotation) = Quat::linear(way, &mut None) {
            let local = &mut locals[constraint.node.index()];
            let mut trs = local.to_trs();
            trs.rotation = rotation;
            *local = LocalTransform::Trs(trs);
        }
    }
}

/// The rotation of a node at full weight; `None` if it cannot be computed, because a rotation is zero or the two nodes are at the
/// same place.
///
/// * `rest` – the node's own rotation at rest.
fn target(
    asset: &Asset,
    constraint: &Constraint,
    locals: &[LocalTransform],
    rest: DQuat,
) -> Option<DQuat> {
    let of_source = || {
        let rest = rotation(&asset.skeleton[constraint.source].rest)?;
        let now = rotation(&locals[constraint.source.index()])?;
        Some((rest, now))
    };
    match constraint.kind {
        ConstraintKind::Rotation => {
            let (at_rest, now) = of_source()?;
            Some(rest * (at_rest.conjugate() * now))
        }
        ConstraintKind::Roll(axis) => {
            let (at_rest, now) = of_source()?;
            // From the source's own axes to its parent's, and to those of the node.
            let in_parent = now * at_rest.conjugate();
            let own = rest.conjugate() * in_parent * rest;
            let axis = axis.as_dvec3();
            let swing = DQuat::from_rotation_arc(axis, own * axis);
            Some(rest * swing.conjugate() * own)
        }
        ConstraintKind::Aim(axis) => {
            let parent = asset.skeleton[constraint.node].parent;
            let world_from_parent = parent.map_or(DMat4::IDENTITY, |id| world(asset, locals, id));
            let (_, turned, _) = world_from_parent.to_scale_rotation_translation();
            let turned = unit(turned)?;
            let place = |id| world(asset, locals, id).w_axis.truncate();
            let way = place(constraint.source) - place(constraint.node);
            let way = way.try_normalize()?;
            let now = turned * rest * axis.as_dvec3();
            let arc = DQuat::from_rotation_arc(now.try_normalize()?, way);
            Some(turned.conjugate() * arc * turned * rest)
        }
    }
}

fn rotation(local: &LocalTransform) -> Option<DQuat> {
    unit(local.to_trs().rotation.as_dquat())
}

/// `world_from_node`.
fn world(asset: &Asset, locals: &[LocalTransform], node: NodeId) -> DMat4 {
    let above = successors(Some(node), |id| asset.skeleton[*id].parent);
    above.fold(DMat4::IDENTITY, |inner, id| {
        locals[id.index()].to_matrix().as_dmat4() * inner
    })
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::pose::rigs::{asset_of, named_joint};
    use crate::pose::{Pose, model_pose, rest};
    use crate::rig::Trs;

    fn turn(axis: Vec3, degrees: f32) -> Quat {
        Quat::from_axis_angle(axis, degrees.to_radians())
    }

    fn placed(translation: Vec3, rotation: Quat) -> LocalTransform {
        LocalTransform::Trs(Trs {
            translation,
            rotation,
            ..Trs::IDENTITY
        })
    }

    /// A source (node 1) and a node that follows it (node 2), both below a root.
    struct Pair {
        asset: Asset,
        pose: Pose,
    }

    impl Pair {
        fn new(rests: [LocalTransform; 3], kind: ConstraintKind, weight: f32) -> Self {
            let [root, source, node] = rests;
            let mut asset = asset_of(vec![
                named_joint("root", None, root),
                named_joint("source", Some(0), source),
                named_joint("node", Some(0), node),
            ]);
            asset.constraints = vec![Constraint {
                node: NodeId(2),
                source: NodeId(1),
                kind,
                weight,
            }];
            let pose = rest(&asset);
            Self { asset, pose }
        }

        /// Asserts the rotation of the node relative to its parent.
        #[track_caller]
        fn turns_to(&self, expected: Quat) {
            let world = model_pose(&self.asset, &self.pose);
            let own = world.nodes[0].as_dmat4().inverse() * world.nodes[2].as_dmat4();
            for axis in Vec3::AXES {
                let now = own.transform_vector3(axis.as_dvec3());
                let meant = expected.as_dquat() * axis.as_dvec3();
                assert!((now - meant).length() < 1e-6, "{axis}: {now}, not {meant}");
            }
        }
    }

    #[test]
    fn a_rotation_is_taken_relative_to_the_rest_pose_of_both() {
        let (source, node) = (turn(Vec3::X, 40.0), turn(Vec3::Y, 30.0));
        let rests = [Quat::IDENTITY, source, node].map(|own| placed(Vec3::ZERO, own));
        for (weight, degrees) in [(1.0, 50.0), (0.5, 25.0), (0.0, 0.0)] {
            let mut pair = Pair::new(rests, ConstraintKind::Rotation, weight);
            let now = source.as_dquat() * turn(Vec3::Z, 50.0).as_dquat();
            pair.pose.locals[1] = placed(Vec3::ZERO, now.as_quat());
            let meant = node.as_dquat() * turn(Vec3::Z, degrees).as_dquat();
            pair.turns_to(meant.as_quat());
        }
    }

    #[test]
    fn a_roll_takes_the_twist_and_leaves_the_swing() {
        let rests = [placed(Vec3::ZERO, Quat::IDENTITY); 3];
        let [twist, swing] = [turn(Vec3::X, 60.0), turn(Vec3::Z, 70.0)];
        let both = swing.as_dquat() * twist.as_dquat();
        for (source, meant) in [
            (twist, twist),
            (swing, Quat::IDENTITY),
            (both.as_quat(), twist),
        ] {
            let mut pair = Pair::new(rests, ConstraintKind::Roll(Vec3::X), 1.0);
            pair.pose.locals[1] = placed(Vec3::ZERO, source);
            pair.turns_to(meant);
        }
    }

    #[test]
    fn an_aim_points_the_axis_at_the_source_in_the_world() {
        let root = placed(Vec3::ONE, turn(Vec3::X, 90.0));
        let rests = [
            root,
            placed(Vec3::Y * 2.0, Quat::IDENTITY),
            placed(Vec3::ZERO, Quat::IDENTITY),
        ];
        let pair = Pair::new(rests, ConstraintKind::Aim(Vec3::X), 1.0);
        // Below the same parent, so relative to it from x to y.
        pair.turns_to(turn(Vec3::Z, 90.0));
        let pair = Pair::new(rests, ConstraintKind::Aim(Vec3::NEG_X), 1.0);
        pair.turns_to(turn(Vec3::Z, -90.0));
        let same = [rests[0], rests[2], rests[2]];
        Pair::new(same, ConstraintKind::Aim(Vec3::X), 1.0).turns_to(Quat::IDENTITY);
    }
}
