//! An engine made of exchangeable parts, in which a fault of one part shows in whole assets too.

use glam::{DMat4, DQuat, DVec3, Quat, Vec3};
use skincheck::laws::{Body, Interpolator, Posed, Poser, Skinner};
use skincheck::pose;
use skincheck::rig::{Asset, Clip, LocalTransform, MeshInstance, NodeId};
use skincheck::units::Seconds;

/// Poses assets by an implementation of each part.
#[derive(Clone, Copy)]
pub(crate) struct Parts {
    pub(crate) rotations: &'static dyn Interpolator<Quat>,
    pub(crate) vectors: &'static dyn Interpolator<Vec3>,
    pub(crate) skinner: &'static dyn Skinner,
    /// The transform of a node from its scale, rotation and translation.
    pub(crate) local: fn(DVec3, DQuat, DVec3) -> DMat4,
}

impl Poser for Parts {
    fn pose(&self, rig: &Asset, times: &[f64]) -> Option<Vec<Posed>> {
        let clip = rig.clips.first()?;
        let posed = |time: &f64| {
            let nodes = self.nodes(rig, clip, *time);
            let instances = rig.instances.iter();
            let meshes = instances.map(|instance| self.mesh(rig, instance, &nodes, *time));
            Posed {
                meshes: meshes.collect(),
                nodes,
            }
        };
        Some(times.iter().map(posed).collect())
    }
}

impl Parts {
    fn nodes(&self, rig: &Asset, clip: &Clip, time: f64) -> Vec<DMat4> {
        let mut worlds: Vec<DMat4> = Vec::new();
        for (id, node) in rig.skeleton.iter() {
            let local = self.local(clip, id, &node.rest, time);
            worlds.push(
                node.parent
                    .map_or(local, |parent| worlds[parent.index()] * local),
            );
        }
        worlds
    }

    fn local(&self, clip: &Clip, node: NodeId, rest: &LocalTransform, time: f64) -> DMat4 {
        let channel = clip.channels.iter().find(|channel| channel.node == node);
        let rest = match (channel, rest) {
            (None, LocalTransform::Matrix(matrix)) => return matrix.as_dmat4(),
            (_, rest) => rest.to_trs(),
        };
        let vector = |track, rest| match track {
            Some(track) => self.vectors.sample(track, time),
            None => rest,
        };
        let rotation = match channel.and_then(|channel| channel.rotation.as_ref()) {
            Some(track) => self.rotations.sample(track, time),
            None => rest.rotation,
        };
        let scales = channel.and_then(|channel| channel.scale.as_ref());
        let translations = channel.and_then(|channel| channel.translation.as_ref());
        (self.local)(
            vector(scales, rest.scale).as_dvec3(),
            rotation.as_dquat(),
            vector(translations, rest.translation).as_dvec3(),
        )
    }

    fn mesh(&self, rig: &Asset, instance: &MeshInstance, nodes: &[DMat4], time: f64) -> Vec<DVec3> {
        let mesh = rig.mesh_of(instance);
        let mut channels = rig.clips.iter().flat_map(|clip| &clip.morph_channels);
        let driven = channels.find(|channel| channel.node == instance.node);
        let weights = match driven {
            Some(channel) => pose::morph_weights_at(&channel.weights, Seconds(time)),
            None => Some(instance.morph_weights.clone()),
        };
        let mut positions = mesh.positions.clone();
        for (target, weight) in mesh.morph_targets.iter().zip(weights.unwrap_or_default()) {
            for (position, offset) in positions.iter_mut().zip(&target.positions) {
                *position += *offset * weight;
            }
        }
        let node = nodes[instance.node.index()];
        let Some(skin) = instance.skin.map(|skin| &rig[skin]) else {
            let moved = |position: &Vec3| node.transform_point3(position.as_dvec3());
            return positions.iter().map(moved).collect();
        };
        let joints = skin
            .joints
            .iter()
            .map(|joint| nodes[joint.index()].as_mat4());
        let body = Body {
            positions,
            influences: mesh.influences.clone(),
            inverse_binds: skin.inverse_bind_matrices.clone(),
            joints: joints.collect(),
            node: node.as_mat4(),
            blending: mesh.blending.clone(),
        };
        let skinned = self.skinner.skin(&body);
        skinned.iter().map(|position| position.as_dvec3()).collect()
    }
}
