//! The weights and morph offsets of single vertices on one side.

use glam::{DVec3, Vec3};

use super::binding::transformed_normal;
use super::side::{Side, Source};
use crate::rig::SkinningOptions;

impl Side<'_> {
    /// The joints that move a vertex, with weights as stored; `None` if unknown.
    pub(super) fn stored_weights(&self, vertex: usize) -> Option<Vec<(usize, f64)>> {
        let (surface, local) = self.in_surface(vertex);
        Some(match self.source {
            Source::Model(asset) => {
                let instance = &asset.instances[surface];
                match asset.skin_of(instance) {
                    Some(skin) => {
                        let list = asset.mesh_of(instance).influences.of(local).iter();
                        let node = |joint: crate::rig::SkinSlot| skin.joints[joint.index()].index();
                        list.map(|one| (node(one.slot), f64::from(one.weight)))
                            .collect()
                    }
                    None => vec![(self.own(instance.node), 1.0)],
                }
            }
            Source::Reference(reference) => {
                let list = reference.meshes[surface].influences.get(local)?.iter();
                list.map(|(node, weight)| (*node as usize, f64::from(*weight)))
                    .collect()
            }
        })
    }

    /// The joints that move a vertex, largest weight first; weights sum to 1. `None` if unknown.
    pub(super) fn weights_of(&self, vertex: usize) -> Option<Vec<(usize, f64)>> {
        let mut weights = self.stored_weights(vertex)?;
        weights.sort_by_key(|(joint, _)| *joint);
        weights.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                earlier.1 += later.1;
            }
            same
        });
        let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
        if sum > 0.0 {
            for (_, weight) in &mut weights {
                *weight /= sum;
            }
        }
        weights.retain(|(_, weight)| *weight != 0.0);
        weights.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Some(weights)
    }

    /// The share of dual quaternion skinning in the position of a vertex; `None` if unknown.
    pub(super) fn dual_quaternion_share(&self, vertex: usize) -> Option<f64> {
        let Source::Model(asset) = self.source else {
            return None;
        };
        let (surface, local) = self.in_surface(vertex);
        let mesh = asset.mesh_of(&asset.instances[surface]);
        let method = SkinningOptions::default().method;
        Some(mesh.dual_quaternion_share(local, method).into())
    }

    /// The offset of a vertex by all morph targets in the bind pose.
    ///
    /// * `weights` – one list per surface.
    pub(super) fn morphed_by(&self, vertex: usize, weights: &[Vec<f32>]) -> DVec3 {
        let surface = self.vertices.surfaces[vertex] as usize;
        let own = weights[surface].iter().enumerate();
        let offsets = own
            .filter(|(_, weight)| **weight != 0.0)
            .map(|(target, weight)| {
                let (offset, _) = self.morph_offset(vertex, target);
                offset * f64::from(*weight)
            });
        offsets.sum()
    }

    /// The offset of a vertex by a morph target of weight 1 in the bind pose, and whether the target changes its
    /// normal.
    pub(super) fn morph_offset(&self, vertex: usize, target: usize) -> (DVec3, bool) {
        let Source::Model(asset) = self.source else {
            return (DVec3::ZERO, false);
        };
        let (surface, local) = self.in_surface(vertex);
        let mesh = asset.mesh_of(&asset.instances[surface]);
        let target = &mesh.morph_targets[target];
        let offset = target.positions.get(local).copied().unwrap_or(Vec3::ZERO);
        let common_from_mesh = &self.surfaces[surface].common_from_mesh;
        let normal = target.normals.get(local).copied().unwrap_or(Vec3::ZERO);
        let offset = common_from_mesh.transform_vector3(offset.as_dvec3());
        (
            self.bound(vertex, offset).unwrap_or(offset),
            normal.length_squared() > 1e-12,
        )
    }

    /// The normal of a vertex in the bind pose, with a morph target at weight 1, if any; `None` without a normal.
    pub(super) fn morphed_normal(&self, vertex: usize, target: Option<usize>) -> Option<DVec3> {
        let Source::Model(asset) = self.source else {
            return None;
        };
        let (surface, local) = self.in_surface(vertex);
        let mesh = asset.mesh_of(&asset.instances[surface]);
        let own = mesh.normals.get(local)?.as_dvec3();
        let target = target.and_then(|target| mesh.morph_targets[target].normals.get(local));
        let normal = own + target.map_or(DVec3::ZERO, |offset| offset.as_dvec3());
        let normal = transformed_normal(&self.surfaces[surface].common_from_mesh, normal);
        let normal = self.bound(vertex, normal).unwrap_or(normal);
        normal.try_normalize()
    }

    /// A vector at a vertex in the bind pose, if its joints are bound as their counterparts.
    fn bound(&self, vertex: usize, stated: DVec3) -> Option<DVec3> {
        self.joints.first()?.bind_from_stated?;
        let weights = self.weights_of(vertex).filter(|list| !list.is_empty())?;
        let parts = weights.iter().map(|(joint, weight)| {
            let bind_from_stated = self.joints[*joint].bind_from_stated?;
            Some(*weight * bind_from_stated.transform_vector3(stated))
        });
        parts.sum()
    }
}
