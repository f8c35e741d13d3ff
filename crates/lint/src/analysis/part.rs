//! A model reduced to some vertices, for posing alongside the model itself.

use glam::Vec3;

use crate::pose::ModelPose;
use crate::rig::{
    Asset, DeformedMesh, Influence, Influences, Mesh, MeshId, MeshInstance, MorphTarget,
    SkinningOptions, WeightStorage,
};
use crate::skinning::{Attributes, PreparedMeshes};

/// A model with only some of its vertices, and without triangles, clips and images.
#[derive(Debug)]
pub(crate) struct Part {
    asset: Asset,
    /// For each mesh, the indices of the vertices in the model itself.
    vertices: Vec<Vec<usize>>,
    skin: PreparedMeshes,
}

impl Part {
    /// * `pick` – for each mesh, the indices of the vertices to keep and their new weights.
    ///
    /// `None` if there are none.
    pub(crate) fn of(
        asset: &Asset,
        options: SkinningOptions,
        pick: impl Fn(MeshId, &Mesh) -> Vec<(usize, Vec<Influence>)>,
    ) -> Option<Self> {
        let meshes = asset.meshes.iter().enumerate();
        let picked = meshes.map(|(id, mesh)| picked(mesh, pick(MeshId::from_index(id), mesh)));
        let (meshes, vertices): (Vec<_>, Vec<_>) = picked.unzip();
        if vertices.iter().all(Vec::is_empty) {
            return None;
        }
        let asset = Asset {
            format: asset.format,
            reader: asset.reader.clone(),
            space: asset.space,
            stated_space: asset.stated_space,
            meshes,
            skins: asset.skins.clone(),
            instances: asset.instances.clone(),
            ..Asset::of(asset.skeleton.clone())
        };
        let skin = PreparedMeshes::new(&asset, options);
        Some(Self {
            asset,
            vertices,
            skin,
        })
    }

    /// The vertices whose weights change, with the changed weights.
    ///
    /// * `options` – how they are skinned.
    /// * `change` – a vertex's new weights; `None` if they do not change.
    ///
    /// `None` if no vertex changes.
    pub(crate) fn reweighted(
        asset: &Asset,
        options: SkinningOptions,
        change: impl Fn(&[Influence], WeightStorage) -> Option<Vec<Influence>>,
    ) -> Option<Self> {
        Self::of(asset, options, |_, mesh| {
            let vertices = mesh.influences.iter().enumerate();
            let changed =
                |(vertex, influences)| Some((vertex, change(influences, mesh.weight_storage)?));
            vertices.filter_map(changed).collect()
        })
    }

    /// The vertices in a pose of the model, one mesh per instance; empty if they cannot be skinned.
    pub(crate) fn posed(&self, pose: &ModelPose, attributes: Attributes) -> Vec<DeformedMesh> {
        let posed = self.skin.deform(&self.asset, pose, attributes);
        // The model itself was skinned, with the same skins and more vertices.
        posed.unwrap_or_default()
    }

    /// The vertices of a skinned instance of the model, by their index there; empty without a skin.
    pub(crate) fn vertices_of(&self, instance: &MeshInstance) -> &[usize] {
        match instance.skin {
            Some(_) => &self.vertices[instance.mesh.index()],
            None => &[],
        }
    }
}

fn picked(mesh: &Mesh, vertices: Vec<(usize, Vec<Influence>)>) -> (Mesh, Vec<usize>) {
    let (vertices, weights): (Vec<usize>, Vec<Vec<Influence>>) = vertices.into_iter().unzip();
    let some = |list: &[Vec3]| {
        let positions = vertices.iter().filter_map(|v| list.get(*v).copied());
        positions.collect()
    };
    let targets = mesh.morph_targets.iter().map(|target| MorphTarget {
        positions: some(&target.positions),
        normals: some(&target.normals),
        ..MorphTarget::default()
    });
    let mesh = Mesh {
        positions: some(&mesh.positions),
        normals: some(&mesh.normals),
        influences: Influences::from_vertices(weights),
        blending: mesh.blending.picked(&vertices),
        morph_targets: targets.collect(),
        ..Mesh::default()
    };
    (mesh, vertices)
}
