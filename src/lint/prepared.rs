//! What several rules work out of a model.

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

/// Worked out when it is first asked for.
#[derive(Debug, Default)]
pub(super) struct Prepared {
    /// One a mesh, each when it is first asked for.
    topologies: OnceLock<Vec<OnceLock<Arc<Topology>>>>,
    /// One a mesh; `None` for one that nothing shows with a skin.
    surfaces: OnceLock<Vec<Option<Surface>>>,
    /// What W107 skins.
    pub(super) truncated: OnceLock<Option<Stored>>,
    /// What W108 skins.
    pub(super) quantized: OnceLock<Option<Stored>>,
    /// What D607 looks at in each pose.
    pub(super) normals: OnceLock<Option<Normals>>,
    skin: OnceLock<skinning::Prepared>,
    /// One a mesh.
    reaches: OnceLock<Vec<Reach>>,
    plain: OnceLock<Vec<bool>>,
    /// By name; `None` where several are called so.
    joints: OnceLock<BTreeMap<String, Option<JointId>>>,
    rest: OnceLock<Result<Rest, SkinningError>>,
    finite: OnceLock<bool>,
    /// How CPU and OpenGL compare; why not, if they cannot be compared.
    pub(super) paths: OnceLock<Result<crosscheck::Report, String>>,
    /// How two importers compare; `None` if there are no two.
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
    /// What of a mesh hangs together.
    pub(super) fn topology(&self, asset: &Asset, mesh: MeshId) -> &Arc<Topology> {
        let unasked = || asset.meshes.iter().map(|_| OnceLock::new()).collect();
        let topologies = self.topologies.get_or_init(unasked);
        let of_mesh = || Arc::new(Topology::of(&asset.meshes[mesh.index()]));
        topologies[mesh.index()].get_or_init(of_mesh)
    }

    /// What skins the model in all poses.
    pub(super) fn skin(&self, asset: &Asset) -> &skinning::Prepared {
        let skin = || skinning::Prepared::new(asset, &SkinningOptions::default());
        self.skin.get_or_init(skin)
    }

    /// How far the numbers of a mesh go.
    pub(super) fn reach(&self, asset: &Asset, mesh: MeshId) -> &Reach {
        let reaches = || asset.meshes.iter().map(Reach::of).collect();
        &self.reaches.get_or_init(reaches)[mesh.index()]
    }

    /// The joint called `name`, if there is one alone.
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

    /// How the mesh of `instance` hangs together; `None` if it has no skin.
    pub(super) fn surface(&self, asset: &Asset, instance: &MeshInstance) -> Option<&Surface> {
        instance.skin?;
        self.surface_of(asset, instance.mesh)
    }

    /// How `mesh` hangs together; `None` if nothing shows it with a skin.
    pub(super) fn surface_of(&self, asset: &Asset, mesh: MeshId) -> Option<&Surface> {
        let surfaces = self.surfaces.get_or_init(|| self.all_surfaces(asset));
        surfaces.get(mesh.index())?.as_ref()
    }

    /// Whether a node of a skinned model is no joint.
    pub(super) fn is_plain(&self, asset: &Asset, node: JointId) -> bool {
        let plain = self.plain.get_or_init(|| joints::plain(asset));
        plain.get(node.index()).copied().unwrap_or_default()
    }

    /// Whether rest transforms, inverse bind matrices and keys are numbers.
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
