//! Subjects of the laws: skincheck's own implementations, those of a backend, and an engine made of exchangeable parts, in
//! which a fault of one part shows in whole assets too.

use std::cell::RefCell;

use glam::{DMat4, DVec3, Mat4, Quat, Vec3};

use super::{Body, Interpolator, Posed, Poser, Skinner, WeightNormalizer};
use crate::backend::Device;
use crate::pose;
use crate::rig::{
    Asset, Clip, DeformedMesh, Influence, Influences, LocalTransform, MeshInstance, NodeId,
    SkinningOptions, Track,
};
use crate::skinning::{self, effective, reference};
use crate::units::Seconds;

/// Sampling and weight normalization as in [`pose::sample`] and [`skinning::deform`].
#[derive(Debug, Clone, Copy)]
pub struct Own;

impl Interpolator<Quat> for Own {
    fn sample(&self, track: &Track<Quat>, time: f64) -> Quat {
        pose::rotation_at(track, Seconds(time)).unwrap_or(Quat::NAN)
    }
}

impl Interpolator<Vec3> for Own {
    fn sample(&self, track: &Track<Vec3>, time: f64) -> Vec3 {
        pose::vector_at(track, Seconds(time)).unwrap_or(Vec3::NAN)
    }
}

/// Sampling of morph weights as in [`pose::sample`]: each coordinate is a target.
#[derive(Debug, Clone, Copy)]
pub struct OwnMorphs;

impl Interpolator<Vec3> for OwnMorphs {
    fn sample(&self, track: &Track<Vec3>, time: f64) -> Vec3 {
        let weights = pose::morph_weights_at(&track.map(|v| v.to_array().to_vec()), Seconds(time));
        weights.map_or(Vec3::NAN, |weights| Vec3::from_slice(&weights))
    }
}

/// Sampling of matrix tracks as in [`pose::sample`]: the vector is a column.
#[derive(Debug, Clone, Copy)]
pub struct OwnMatrices;

impl Interpolator<Vec3> for OwnMatrices {
    fn sample(&self, track: &Track<Vec3>, time: f64) -> Vec3 {
        let matrices = track.map(|v| Mat4::from_translation(*v));
        let matrix = pose::matrix_at(&matrices, Seconds(time));
        matrix.map_or(Vec3::NAN, |matrix| matrix.w_axis.truncate())
    }
}

impl WeightNormalizer for Own {
    fn normalize(&self, influences: &[Influence]) -> Vec<Influence> {
        let packed = Influences::from_vertices([influences.iter().copied()]);
        effective(&packed, SkinningOptions::default())
            .of(0)
            .to_vec()
    }
}

impl Poser for Own {
    fn pose(&self, rig: &Asset, times: &[f64]) -> Option<Vec<Posed>> {
        let posed = |time: &f64| {
            let local = pose::sample(rig, rig.clips.first()?, Seconds(*time)).ok()?;
            let pose = pose::model_pose(rig, &local);
            let meshes =
                skinning::deform_positions(rig, &pose, &SkinningOptions::default()).ok()?;
            let positions = |mesh: &DeformedMesh| {
                let positions = mesh.positions.iter();
                positions.map(|position| position.as_dvec3()).collect()
            };
            Some(Posed {
                nodes: pose.nodes.iter().map(Mat4::as_dmat4).collect(),
                meshes: meshes.iter().map(positions).collect(),
            })
        };
        times.iter().map(posed).collect()
    }
}

/// The skinning used for images: f32 on the CPU.
#[derive(Debug, Clone, Copy)]
pub struct Cpu;

impl Skinner for Cpu {
    fn skin(&self, body: &Body) -> Vec<Vec3> {
        let (asset, options) = (body.to_asset(), SkinningOptions::default());
        let meshes = skinning::deform_positions(&asset, &body.pose(), &options);
        meshes.map_or_else(|_| Vec::new(), |mut meshes| meshes.remove(0).positions)
    }
}

/// The reference skinning in f64.
#[derive(Debug, Clone, Copy)]
pub struct Exact;

impl Skinner for Exact {
    fn skin(&self, body: &Body) -> Vec<Vec3> {
        let (asset, options) = (body.to_asset(), SkinningOptions::default());
        let meshes = reference::deform(&asset, &body.pose(), &options);
        let positions = meshes.map_or_else(|_| Vec::new(), |mut meshes| meshes.remove(0).positions);
        positions
            .iter()
            .map(|position| position.as_vec3())
            .collect()
    }
}

/// Skins on a device, such as OpenGL.
pub struct OnDevice(RefCell<Box<dyn Device>>);

impl OnDevice {
    /// Takes ownership of the device.
    #[must_use]
    pub fn new(device: Box<dyn Device>) -> Self {
        Self(RefCell::new(device))
    }
}

impl Skinner for OnDevice {
    /// Returns no positions if the device fails, which every law reports.
    fn skin(&self, body: &Body) -> Vec<Vec3> {
        let asset = body.to_asset();
        let mut device = self.0.borrow_mut();
        let model = device.load(&asset);
        let meshes =
            model.and_then(|mut model| model.deform(&body.pose(), &SkinningOptions::default()));
        meshes.map_or_else(|_| Vec::new(), |mut meshes| meshes.remove(0).positions)
    }
}

/// Poses assets by an implementation of each part.
#[derive(Clone, Copy)]
pub(crate) struct Parts {
    pub(crate) rotations: &'static dyn Interpolator<Quat>,
    pub(crate) vectors: &'static dyn Interpolator<Vec3>,
    pub(crate) skinner: &'static dyn Skinner,
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
        let channel = clip.channel_of(node);
        let (channel, rest) = match (channel, rest) {
            (None, rest) => return rest.to_matrix().as_dmat4(),
            (Some(channel), rest) => (channel, rest.to_trs()),
        };
        let vector = |track, rest| match track {
            Some(track) => self.vectors.sample(track, time),
            None => rest,
        };
        let rotation = match &channel.rotation {
            Some(track) => self.rotations.sample(track, time),
            None => rest.rotation,
        };
        DMat4::from_scale_rotation_translation(
            vector(channel.scale.as_ref(), rest.scale).as_dvec3(),
            rotation.as_dquat(),
            vector(channel.translation.as_ref(), rest.translation).as_dvec3(),
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
