//! Analyses of a model that several rules share.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use glam::{Mat4, Vec3};

use super::deformation::{Normals, Rest, Surface};
use super::hierarchy::joints;
use super::topology::Topology;
use super::weights::Stored;
use crate::crosscheck::{self, importers::ImporterReport};
use crate::rig::{Asset, Clip, JointId, Mesh, MeshId, MeshInstance, SkinningOptions, TrackPart};
use crate::skinning::{self, SkinningError};

/// Computed on first use.
#[derive(Debug, Default)]
pub(super) struct Prepared {
    /// One per mesh, computed on first use.
    topologies: OnceLock<Vec<OnceLock<Arc<Topology>>>>,
    /// One per mesh; `None` for a mesh that no instance shows with a skin.
    surfaces: OnceLock<Vec<Option<Surface>>>,
    /// The model of W107.
    pub(super) truncated: OnceLock<Option<Stored>>,
    /// The model of W108.
    pub(super) quantized: OnceLock<Option<Stored>>,
    /// The normals that D607 checks in each pose.
    pub(super) normals: OnceLock<Option<Normals>>,
    skin: OnceLock<skinning::Prepared>,
    /// One per mesh.
    reaches: OnceLock<Vec<Reach>>,
    plain: OnceLock<Vec<bool>>,
    /// By name; `None` if several share it.
    joints: OnceLock<BTreeMap<String, Option<JointId>>>,
    rest: OnceLock<Result<Rest, SkinningError>>,
    finite: OnceLock<bool>,
    /// How CPU and OpenGL compare, or why they cannot be compared.
    pub(super) paths: OnceLock<Result<crosscheck::Report, String>>,
    /// How two importers compare; `None` if there are fewer than two.
    pub(super) importers: OnceLock<Option<Result<ImporterReport, String>>>,
}

/// The largest finite coordinates of a mesh, by magnitude.
#[derive(Debug)]
pub(super) struct Reach {
    pub(super) positions: f32,
    /// Of the offsets of each morph target.
    pub(super) targets: Vec<f32>,
}

impl Reach {
    fn of(mesh: &Mesh) -> Self {
        let largest = |places: &[Vec3]| {
            let numbers = places.iter().flat_map(Vec3::to_array).map(f32::abs);
            numbers
                .filter(|number| number.is_finite())
                .fold(0.0, f32::max)
        };
        let targets = mesh.morph_targets.iter();
        Self {
            positions: largest(&mesh.positions),
            targets: targets.map(|target| largest(&target.positions)).collect(),
        }
    }
}

impl Prepared {
    /// The connectivity of a mesh.
    pub(super) fn topology(&self, asset: &Asset, mesh: MeshId) -> &Arc<Topology> {
        let unasked = || asset.meshes.iter().map(|_| OnceLock::new()).collect();
        let topologies = self.topologies.get_or_init(unasked);
        let of_mesh = || Arc::new(Topology::of(&asset.meshes[mesh.index()]));
        topologies[mesh.index()].get_or_init(of_mesh)
    }

    /// The prepared skinning for all poses.
    pub(super) fn skin(&self, asset: &Asset) -> &skinning::Prepared {
        let skin = || skinning::Prepared::new(asset, &SkinningOptions::default());
        self.skin.get_or_init(skin)
    }

    /// The largest numbers of a mesh.
    pub(super) fn reach(&self, asset: &Asset, mesh: MeshId) -> &Reach {
        let reaches = || asset.meshes.iter().map(Reach::of).collect();
        &self.reaches.get_or_init(reaches)[mesh.index()]
    }

    /// The joint named `name`, if it is unique.
    pub(super) fn only_joint(&self, asset: &Asset, name: &str) -> Option<JointId> {
        let by_name = || {
            let mut joints = BTreeMap::new();
            for (id, joint) in asset.skeleton.iter() {
                let called = joints.entry(joint.name.clone());
                called.and_modify(|known| *known = None).or_insert(Some(id));
            }
            joints
        };
        let joints = self.joints.get_or_init(by_name);
        joints.get(name).copied().flatten()
    }

    /// The surface of the mesh of `instance`; `None` if it has no skin.
    pub(super) fn surface(&self, asset: &Asset, instance: &MeshInstance) -> Option<&Surface> {
        instance.skin?;
        self.surface_of(asset, instance.mesh)
    }

    /// The surface of `mesh`; `None` if no instance shows it with a skin.
    pub(super) fn surface_of(&self, asset: &Asset, mesh: MeshId) -> Option<&Surface> {
        let surfaces = self.surfaces.get_or_init(|| self.all_surfaces(asset));
        surfaces.get(mesh.index())?.as_ref()
    }

    /// Whether a node of a skinned model is not a joint.
    pub(super) fn is_plain(&self, asset: &Asset, node: JointId) -> bool {
        let plain = self.plain.get_or_init(|| joints::plain(asset));
        plain.get(node.index()).copied().unwrap_or_default()
    }

    /// Whether rest transforms, inverse bind matrices and keys are finite.
    pub(super) fn transforms_are_finite(&self, asset: &Asset) -> bool {
        *self.finite.get_or_init(|| transforms_are_finite(asset))
    }

    /// The model in its rest pose; `None` if it cannot be skinned.
    pub(super) fn rest(&self, asset: &Asset) -> Option<&Rest> {
        let rest = || Rest::of(asset, self.skin(asset));
        self.rest.get_or_init(rest).as_ref().ok()
    }

    fn all_surfaces(&self, asset: &Asset) -> Vec<Option<Surface>> {
        let mut skinned = vec![false; asset.meshes.len()];
        for instance in asset.instances.iter().filter(|i| i.skin.is_some()) {
            skinned[instance.mesh.index()] = true;
        }
        let surface = |(index, skinned): (usize, bool)| {
            let (mesh, id) = (&asset.meshes[index], MeshId::from_index(index));
            let topology = || Arc::clone(self.topology(asset, id));
            skinned.then(|| Surface::of(mesh, topology(), self.skin(asset).kinds(asset, id)))
        };
        skinned.into_iter().enumerate().map(surface).collect()
    }
}

fn transforms_are_finite(asset: &Asset) -> bool {
    let joints = asset.skeleton.joints().iter();
    let skins = asset.skins.iter();
    let mut clips = asset.clips.iter();
    joints
        .map(|joint| joint.rest.to_matrix())
        .all(|matrix| matrix.is_finite())
        && skins
            .flat_map(|skin| &skin.inverse_bind_matrices)
            .all(Mat4::is_finite)
        && clips.all(keys_are_finite)
}

fn keys_are_finite(clip: &Clip) -> bool {
    let of_joints = clip
        .drivers()
        .filter(|driver| driver.part != TrackPart::Weights);
    let mut tracks = of_joints.map(|driver| driver.track);
    tracks.all(|track| {
        let mut values = (0..track.count()).flat_map(|key| track.value(key));
        values.all(|number| number.is_finite())
    })
}
