//! `W120`: rigid-body.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;

use crate::analysis::deformation::rest;
use crate::analysis::joints;
use crate::core::numbers::as_f64;
use crate::rig::{Bounds, MeshInstance, NodeId, SkinId};
use crate::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Through, declare_rule, follows,
};

/// A helmet holds a head, a cape half of the skeleton. A body holds all joints but helpers and hair.
const JOINTS: Limit = Limit::new("joints", 0.75, LimitRange::PART)
    .about("minimum share of the joints that are within the mesh");

/// A skeleton with fewer joints has no limbs.
const FEWEST: usize = 6;

/// A mesh larger than this many times the skeleton is scenery.
const SCENERY: f64 = 2.0;

/// The box around a mesh is larger by this part of its diagonal: ankles are near the ground.
const MARGIN: f64 = 0.05;

declare_rule! {
    RigidBody, "W120", "rigid-body", OnRequest, limits = &[JOINTS], attribute = Some("JOINTS_0")
}

impl Rule for RigidBody {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Model => ["B208", "W116"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let Some(rest) = rest(cx) else {
            return;
        };
        let limit = cx.limit(&Self::META, &JOINTS);
        let bound = cx.asset.bound_joints();
        let places: Vec<DVec3> = bound
            .iter()
            .zip(&rest.pose.nodes)
            .filter(|(bound, _)| **bound)
            .map(|(_, world)| world.w_axis.truncate().as_dvec3())
            .collect();
        if places.len() < FEWEST {
            return;
        }
        let skeleton = Bounds::of(places.iter().copied()).diagonal();
        let parents = joints::bound_parents(cx.asset);
        let mut bodies: BTreeMap<(NodeId, Option<SkinId>), Body<'_>> = BTreeMap::new();
        for (instance, own) in cx.asset.instances.iter().zip(&rest.boxes) {
            let body = bodies
                .entry((instance.node, instance.skin))
                .or_insert(Body {
                    first: instance,
                    bounds: Bounds::EMPTY,
                    joints: BTreeSet::new(),
                });
            body.bounds = body.bounds.united(*own);
            if let Some(skin) = cx.asset.skin_of(instance) {
                let all = cx
                    .asset
                    .mesh_of(instance)
                    .influences
                    .all()
                    .iter()
                    .filter(|influence| influence.weight != 0.0);
                body.joints
                    .extend(all.map(|influence| skin[influence.slot]));
            } else {
                let node = instance.node;
                let own = bound[node.index()].then_some(node);
                body.joints.extend(own.or(parents[node.index()]));
            }
        }
        for body in bodies.values().filter(|body| body.joints.len() < 2) {
            let size = body.bounds.diagonal();
            let margin = DVec3::splat(MARGIN * size);
            let (low, high) = (body.bounds.low - margin, body.bounds.high + margin);
            let is_within = |place: &&DVec3| place.cmpge(low).all() && place.cmple(high).all();
            let within = places.iter().filter(is_within).count();
            let share = as_f64(within) / as_f64(places.len());
            if share < limit || size > SCENERY * skeleton || !size.is_finite() {
                continue;
            }
            let group = cx.mesh(body.first);
            out.add(Offence::of(&group, "mesh"), |subject| {
                let all = places.len();
                let follows = match body.joints.first() {
                    Some(joint) => format!("follows only the joint {:?}", cx.joint_label(*joint)),
                    None => "follows no joint".to_owned(),
                };
                (
                    subject,
                    format!("{follows}, although {within} of {all} joints are within it"),
                )
            });
        }
    }
}

/// The parts of a mesh.
struct Body<'a> {
    first: &'a MeshInstance,
    bounds: Bounds,
    joints: BTreeSet<NodeId>,
}
