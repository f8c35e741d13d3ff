//! Left joints of a skeleton that are on the right.

use std::collections::BTreeMap;

use glam::DVec3;

use crate::analysis::deformation::rest;
use crate::analysis::joints;
use crate::analysis::naming::{is_left, mirrored};
use crate::core::numbers::median;
use crate::pose::ModelPose;
use crate::rig::NodeId;
use crate::rules::hierarchy::contracted::Contracted;
use crate::{Context, Contract, Findings};

/// The fraction of the distance of a pair that must be across the body.
const ACROSS: f64 = 0.3;

/// Pairs closer together than this fraction of the median are in the middle, where they may cross.
const NARROW: f64 = 0.25;

/// A foot that points further up or down than this says nothing: the part of its length along the ground.
const FLAT: f64 = 0.3;

/// Reports the left joints that are to the right of their counterparts.
pub(super) fn report(
    cx: &Context<'_>,
    contract: &Contract,
    contracted: &Contracted,
    out: &mut Findings,
) {
    let Some(rest) = rest(cx) else {
        return;
    };
    let place = |node| position(&rest.pose, node);
    let Some(left) = left(cx, contract, contracted, &place) else {
        return;
    };
    let pairs = pairs(contract, contracted);
    let apart = |[left, right]: [NodeId; 2]| place(left) - place(right);
    let widths = pairs.iter().map(|pair| apart(*pair).length()).collect();
    let narrow = NARROW * median(widths).unwrap_or_default();
    let is_wrong = |pair: &[NodeId; 2]| {
        let apart = apart(*pair);
        apart.length() > narrow && apart.normalize_or_zero().dot(left) < -ACROSS
    };
    // The counterpart of each wrong left joint; of any other node, itself.
    let mut counterparts: Vec<NodeId> = joints::nodes(cx.asset).collect();
    for [left, right] in pairs.iter().filter(|pair| is_wrong(pair)) {
        counterparts[left.index()] = *right;
    }
    let wrong = joints::nodes(cx.asset).filter(|node| counterparts[node.index()] != *node);
    joints::report_kind_by_skin(cx, out, "sides", wrong, |left| {
        let right = cx.joint_label(counterparts[left.index()]);
        format!(
            "is to the right of its counterpart {right:?}, judging by the direction the model faces"
        )
    });
}

fn position(pose: &ModelPose, node: NodeId) -> DVec3 {
    pose.nodes[node.index()].w_axis.truncate().as_dvec3()
}

/// The direction to the left: up × front.
fn left(
    cx: &Context<'_>,
    contract: &Contract,
    contracted: &Contracted,
    place: &impl Fn(NodeId) -> DVec3,
) -> Option<DVec3> {
    let up = cx.asset.space.up.unit();
    let foot = |[from, to]: &[usize; 2]| {
        let along = place(contracted.node(*to)?) - place(contracted.node(*from)?);
        let along = along.try_normalize()?;
        let ahead = along - up * along.dot(up);
        (ahead.length() > FLAT).then_some(ahead)
    };
    let feet: Vec<DVec3> = contract.forward.iter().filter_map(foot).collect();
    let front = match (feet.is_empty(), &cx.asset.humanoid) {
        (false, _) => feet.iter().sum::<DVec3>().try_normalize()?,
        (true, Some(_)) => cx.asset.space.front.unit(),
        (true, None) => return None,
    };
    Some(up.cross(front))
}

/// The left and right joints of the contract that the model has.
fn pairs(contract: &Contract, contracted: &Contracted) -> Vec<[NodeId; 2]> {
    let joints = contract.joints.iter().enumerate();
    let by_name: BTreeMap<&str, usize> = joints.map(|(index, own)| (own.name(), index)).collect();
    let pair = |(name, index): (&&str, &usize)| {
        let other = mirrored(name).filter(|_| is_left(name))?;
        let other = by_name.get(other.as_str())?;
        Some([contracted.node(*index)?, contracted.node(*other)?])
    };
    by_name.iter().filter_map(pair).collect()
}
