//! Local to world matrices, with optional faults.

use glam::Mat4;
use skincheck::pose::{ModelPose, Pose};
use skincheck::rig::{Asset, NodeId};

use super::super::fault::Fault;
use super::Textbook;

impl Textbook {
    /// World matrices of `pose`.
    pub(super) fn concatenate(self, asset: &Asset, pose: &Pose) -> ModelPose {
        let bound = carrying(asset);
        let mut joints: Vec<Mat4> = Vec::new();
        for (id, joint) in asset.skeleton.iter() {
            let local = pose.locals[id.index()].to_matrix();
            joints.push(match joint.parent {
                None => self.root(local),
                Some(parent) => self.child(joints[parent.index()], local, bound[id.index()]),
            });
        }
        if self.has(Fault::RootInverse) {
            let inverse = pose.locals[0].to_matrix().inverse();
            for joint in &mut joints {
                *joint = inverse * *joint;
            }
        }
        ModelPose {
            nodes: joints,
            morph_weights: pose.morph_weights.clone(),
            visibility: pose.visibility.clone(),
        }
    }

    fn root(self, local: Mat4) -> Mat4 {
        match self.fault {
            Some(Fault::RootDropped) => Mat4::IDENTITY,
            Some(Fault::RootTwice) => local * local,
            _ => local,
        }
    }

    fn child(self, parent: Mat4, local: Mat4, carries: bool) -> Mat4 {
        match self.fault {
            Some(Fault::ChildTimesParent) => local * parent,
            Some(Fault::UnboundSkipped) if !carries => parent,
            _ => parent * local,
        }
    }
}

/// Joints that a skin binds or that a mesh is attached to.
fn carrying(asset: &Asset) -> Vec<bool> {
    let mut carrying = asset.bound_joints();
    let nodes = asset.instances.iter().map(|instance| instance.node);
    for NodeId(joint) in nodes {
        carrying[joint as usize] = true;
    }
    carrying
}
