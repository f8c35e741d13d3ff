//! Skins vertices by world matrices, with optional faults.

use glam::{Mat3, Mat4, Vec3};
use skincheck::pose::ModelPose;
use skincheck::rig::{Asset, DeformedMesh, Influence, InstanceId, Mesh, MeshInstance, Skin};

use super::super::fault::Fault;
use super::Textbook;

/// The influences that an engine with four of them per vertex keeps.
const ROOM: usize = 4;

impl Textbook {
    /// The vertices of all instances in world space.
    pub(super) fn skin(self, asset: &Asset, pose: &ModelPose) -> Vec<DeformedMesh> {
        let instances = asset.instances.iter().enumerate();
        let skinned = instances.map(|(index, instance)| {
            let skinner = Skinner {
                book: self,
                asset,
                pose,
                index,
                instance,
            };
            skinner.skin(asset.mesh_of(instance))
        });
        skinned.collect()
    }
}

struct Skinner<'a> {
    book: Textbook,
    asset: &'a Asset,
    pose: &'a ModelPose,
    index: usize,
    instance: &'a MeshInstance,
}

impl Skinner<'_> {
    fn skin(&self, mesh: &Mesh) -> DeformedMesh {
        let late = self.book.has(Fault::MorphAfterSkinning);
        let mut mesh = mesh.clone();
        if !late {
            self.morph(&mut mesh);
        }
        let matrices: Vec<Mat4> = (0..mesh.positions.len())
            .map(|vertex| self.matrix(&mesh, vertex))
            .collect();
        let each = |list: &mut [Vec3], f: &dyn Fn(&Mat4, Vec3) -> Vec3| {
            let pairs = matrices.iter().zip(list);
            pairs.for_each(|(matrix, value)| *value = f(matrix, *value));
        };
        each(&mut mesh.positions, &Mat4::transform_point3);
        each(&mut mesh.normals, &|matrix, normal| {
            self.normal(matrix, normal)
        });
        if !self.book.has(Fault::TangentsUnskinned) {
            let along = |matrix: &Mat4, v| matrix.transform_vector3(v).normalize_or_zero();
            each(&mut mesh.tangents, &along);
            each(&mut mesh.bitangents, &along);
        }
        if late {
            self.morph(&mut mesh);
        }
        DeformedMesh {
            instance: InstanceId::from_index(self.index),
            positions: mesh.positions,
            normals: mesh.normals,
            tangents: mesh.tangents,
            bitangents: mesh.bitangents,
        }
    }

    fn morph(&self, mesh: &mut Mesh) {
        let weights = &self.pose.morph_weights[self.index];
        for (target, weight) in mesh.morph_targets.clone().iter().zip(weights) {
            let add = |values: &mut [Vec3], offsets: &[Vec3]| {
                let pairs = values.iter_mut().zip(offsets);
                pairs.for_each(|(value, offset)| *value += *offset * *weight);
            };
            add(&mut mesh.positions, &target.positions);
            add(&mut mesh.normals, &target.normals);
            add(&mut mesh.tangents, &target.tangents);
            let frames = mesh.normals.iter().zip(&mesh.tangents);
            for ((normal, tangent), bitangent) in frames.zip(&mut mesh.bitangents) {
                let across = normal.cross(*tangent);
                *bitangent = across * across.dot(*bitangent).signum();
            }
        }
    }

    fn normal(&self, matrix: &Mat4, normal: Vec3) -> Vec3 {
        let m = Mat3::from_mat4(*matrix);
        let inverse_transpose = m.as_dmat3().inverse().transpose().as_mat3();
        match self.book.fault {
            Some(Fault::NormalsByMatrix) => (m * normal).normalize_or_zero(),
            Some(Fault::NormalsTranslated) => matrix.transform_point3(normal).normalize_or_zero(),
            Some(Fault::NormalsUnskinned) => normal,
            Some(Fault::NormalsUnscaled) => inverse_transpose * normal,
            Some(Fault::MirroredNormals) => {
                (inverse_transpose * normal * m.determinant()).normalize_or_zero()
            }
            _ => (inverse_transpose * normal).normalize_or_zero(),
        }
    }

    /// The blended matrix of a vertex.
    fn matrix(&self, mesh: &Mesh, vertex: usize) -> Mat4 {
        let node = self.pose[self.instance.node];
        let Some(skin) = self.skin_used() else {
            return if self.book.has(Fault::StaticAtOrigin) {
                Mat4::IDENTITY
            } else {
                node
            };
        };
        let influences = self.weighted(mesh.influences.of(vertex));
        if influences.is_empty() {
            return match self.book.fault {
                Some(Fault::WeightlessAtOrigin) => Mat4::ZERO,
                Some(Fault::WeightlessByFirst) => self.slot(skin, 0),
                _ => node,
            };
        }
        let mut sum = Mat4::ZERO;
        for Influence {
            slot: joint,
            weight,
        } in influences
        {
            sum += self.slot(skin, joint.index()) * weight;
        }
        if self.book.has(Fault::NodeOnTop) {
            node * sum
        } else {
            sum
        }
    }

    fn skin_used(&self) -> Option<&Skin> {
        let own = self.asset.skin_of(self.instance)?;
        let first = self.book.has(Fault::FirstSkinForAll);
        Some(if first { &self.asset.skins[0] } else { own })
    }

    fn slot(&self, skin: &Skin, slot: usize) -> Mat4 {
        let joint = if self.book.has(Fault::SlotAsJoint) {
            slot
        } else {
            skin.joints[slot].index()
        };
        let (world, inverse_bind) = (self.pose.nodes[joint], skin.inverse_bind_matrices[slot]);
        match self.book.fault {
            Some(Fault::SwappedProduct) => inverse_bind * world,
            Some(Fault::NotInverted) => world * inverse_bind.inverse(),
            Some(Fault::NoInverseBind) => world,
            Some(Fault::ClippedAt100) if slot >= 100 => Mat4::IDENTITY,
            _ => world * inverse_bind,
        }
    }

    fn weighted(&self, influences: &[Influence]) -> Vec<Influence> {
        let sum = |list: &[Influence]| list.iter().map(|i| i.weight).sum::<f32>();
        let mut kept = influences.to_vec();
        let of_file = sum(&kept);
        if of_file <= 0.0 {
            return Vec::new();
        }
        let divisor = match self.book.fault {
            Some(Fault::NotRenormalized) => 1.0,
            _ => of_file,
        };
        match self.book.fault {
            Some(Fault::CutNotRenormalized) => {
                kept.sort_by(|a, b| b.weight.total_cmp(&a.weight));
                kept.truncate(ROOM);
            }
            Some(Fault::WeightsByJoint) => {
                let weight = |slot: u32| influences.get(slot as usize).map_or(0.0, |i| i.weight);
                for influence in &mut kept {
                    influence.weight = weight(influence.slot.0);
                }
            }
            // The bits of small integers are denormal floats, which convert to the integer 0.
            Some(Fault::IdsThroughFloat) => {
                for influence in &mut kept {
                    influence.slot.0 = f32::from_bits(influence.slot.0) as u32;
                }
            }
            _ => {}
        }
        for influence in &mut kept {
            influence.weight /= divisor;
        }
        kept
    }
}
