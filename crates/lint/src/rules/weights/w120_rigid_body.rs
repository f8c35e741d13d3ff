//! `W120`: rigid-body.

use glam::DVec3;

use crate::analysis::deformation::rest;
use crate::analysis::joints;
use crate::core::numbers::as_f64;
use crate::rig::{Bounds, MeshInstance};
use crate::rules::weights::coverage::is_of_skin;
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
    RigidBody, "W120", "rigid-body", Hint, Judged, on_request = true, limits = &[JOINTS], attribute = Some("JOINTS_0")
}

impl Rule for RigidBody {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::If(is_of_skin) => ["B208", "W116"]]
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
        let key = |(instance, _): &(&MeshInstance, &Bounds)| (instance.node, instance.skin);
        let mut instances: Vec<_> = cx.asset.instances.iter().zip(&rest.boxes).collect();
        instances.sort_by_key(key);
        for parts in instances.chunk_by(|a, b| key(a) == key(b)) {
            let mut followed = vec![false; bound.len()];
            for (instance, _) in parts {
                if let Some(skin) = cx.asset.skin_of(instance) {
                    let influences = cx.asset.mesh_of(instance).influences.all().iter();
                    for influence in influences.filter(|influence| influence.weight != 0.0) {
                        followed[skin[influence.slot].index()] = true;
                    }
                } else {
                    let node = instance.node;
                    let own = bound[node.index()].then_some(node);
                    if let Some(joint) = own.or(parents[node.index()]) {
                        followed[joint.index()] = true;
                    }
                }
            }
            let mut followed = joints::nodes(cx.asset).filter(|joint| followed[joint.index()]);
            let (joint, None) = (followed.next(), followed.next()) else {
                continue;
            };
            let boxes = parts.iter().map(|(_, own)| **own);
            let bounds = boxes.fold(Bounds::EMPTY, Bounds::united);
            let size = bounds.diagonal();
            let margin = DVec3::splat(MARGIN * size);
            let (low, high) = (bounds.low - margin, bounds.high + margin);
            let is_within = |place: &&DVec3| place.cmpge(low).all() && place.cmple(high).all();
            let within = places.iter().filter(is_within).count();
            let share = as_f64(within) / as_f64(places.len());
            if share < limit || size > SCENERY * skeleton || !size.is_finite() {
                continue;
            }
            let group = cx.mesh(parts[0].0);
            out.add(Offence::of(&group, "mesh"), |subject| {
                let all = places.len();
                let follows = match joint {
                    Some(joint) => format!("follows only the joint {:?}", cx.joint_label(joint)),
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
