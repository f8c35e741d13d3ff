//! `T405`: negative-scale.

use crate::analysis::joints;
use crate::rig::{Asset, LocalTransform, NodeId};
use crate::rules::transforms::axes::axes;
use crate::{Context, Findings, Rule, declare_rule};

declare_rule! {
    NegativeScale, "T405", "negative-scale", Hint, Judged
}

impl Rule for NegativeScale {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let skeletal = joints::skeletal(cx.asset);
        let above = mirroring_above(cx.asset, &skeletal);
        let reported = |joint: &NodeId| {
            let own = skeletal[joint.index()] && mirrors_at(cx.asset, *joint);
            own || above[joint.index()]
        };
        let all = joints::nodes(cx.asset);
        joints::report_by_skin(cx, out, all.filter(reported), |_| {
            "mirrors space by a negative scale".to_owned()
        });
    }
}

/// For each node, whether it is above the skeleton and mirrors it. Two mirrors cancel.
fn mirroring_above(asset: &Asset, skeletal: &[bool]) -> Vec<bool> {
    let nodes = asset.skeleton.nodes();
    // Whether a node and its ancestors mirror together.
    let mut odd: Vec<bool> = Vec::with_capacity(nodes.len());
    for (node, joint) in nodes.iter().enumerate() {
        let above = joint.parent.is_some_and(|parent| odd[parent.index()]);
        odd.push(above != mirrors_at(asset, NodeId::from_index(node)));
    }
    let mut carries = vec![false; nodes.len()];
    for (node, joint) in nodes.iter().enumerate().rev() {
        if let Some(parent) = joint.parent.map(NodeId::index) {
            let is_root = skeletal[node] && !skeletal[parent];
            carries[parent] |= carries[node] || is_root && odd[parent];
        }
    }
    carries
        .iter()
        .enumerate()
        .map(|(node, carries)| *carries && mirrors_at(asset, NodeId::from_index(node)))
        .collect()
}

fn mirrors_at(asset: &Asset, joint: NodeId) -> bool {
    let node = asset.skeleton.get(joint);
    node.is_some_and(|node| mirrors(&node.rest))
}

/// Whether the transform mirrors.
fn mirrors(local: &LocalTransform) -> bool {
    match local {
        LocalTransform::Trs(trs) => {
            let negative = trs
                .scale
                .to_array()
                .into_iter()
                .filter(|factor| *factor < 0.0);
            let flat = trs.scale.to_array().contains(&0.0);
            trs.scale.is_finite() && !flat && negative.count() % 2 == 1
        }
        LocalTransform::Matrix(matrix) => {
            // At unit length, because the product of three small lengths may underflow.
            let axes = axes(matrix);
            let [x, y, z] =
                [axes.x_axis, axes.y_axis, axes.z_axis].map(glam::DVec3::normalize_or_zero);
            x.cross(y).dot(z) < 0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::{Mat4, Quat, Vec3};

    use super::*;
    use crate::pose::rigs::named_joint;
    use crate::rig::{Skeleton, Trs};
    use crate::testing::{arm, findings};

    /// The number of findings on the arm below nodes with these scales along x, the topmost first.
    fn told_below(scales: &[f32]) -> usize {
        let mut asset = arm();
        let mut joints = Vec::new();
        let mut last = None;
        for (index, scale) in (0..).zip(scales) {
            let rest = LocalTransform::Matrix(Mat4::from_scale(Vec3::new(*scale, 1.0, 1.0)));
            joints.push(named_joint("node", last, rest));
            last = Some(index);
        }
        let above = last.map_or(0, |last| last + 1);
        for joint in asset.skeleton.nodes() {
            let parent = joint.parent.map_or(last, |parent| Some(parent.0 + above));
            joints.push(named_joint(&joint.name, parent, joint.rest));
        }
        asset.skeleton = Skeleton::new(joints).expect("parents come first");
        for joint in &mut asset.skins[0].joints {
            joint.0 += above;
        }
        findings(&asset, &NegativeScale).len()
    }

    #[test]
    fn nodes_above_the_skeleton_may_mirror_it_twice() {
        assert_eq!(told_below(&[]), 0);
        assert_eq!(told_below(&[2.0]), 0);
        assert_eq!(told_below(&[-1.0]), 1);
        assert_eq!(told_below(&[1.0, -1.0]), 1);
        assert_eq!(told_below(&[-1.0, -1.0]), 0);
    }

    #[test]
    fn an_odd_number_of_negative_factors_mirrors() {
        let rotation = Quat::from_xyzw(0.1, 0.7, -0.3, 0.5).normalize();
        for (scale, expected) in [
            (Vec3::new(-1.0, 1.0, 1.0), true),
            (Vec3::new(-1e-20, -1e-20, -1e-20), true),
            (Vec3::new(-1.0, 1.0, -1.0), false),
            (Vec3::ONE, false),
            (Vec3::new(-0.0, 1.0, 1.0), false),
            (Vec3::new(f32::NAN, -1.0, 1.0), false),
        ] {
            let parts = Trs {
                translation: Vec3::ONE,
                rotation,
                scale,
            };
            let whole = Mat4::from_scale_rotation_translation(scale, rotation, Vec3::ONE);
            assert_eq!(mirrors(&LocalTransform::Trs(parts)), expected, "{scale}");
            assert_eq!(mirrors(&LocalTransform::Matrix(whole)), expected, "{scale}");
        }
    }
}
