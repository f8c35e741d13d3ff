//! A model whose weights are stored otherwise, to be posed beside the model itself.

use crate::lint::context::Context;
use crate::lint::deformation::Counted;
use crate::lint::{Findings, Moment, Offence};
use crate::rig::{Asset, Influence, Influences, Mesh, MeshInstance, MorphTarget, SkinningOptions};
use crate::skinning;

/// Some vertices of a model, with weights that may be other ones.
#[derive(Debug)]
pub(in crate::lint) struct Stored {
    /// The model with those vertices alone; no triangles, clips and pictures.
    asset: Asset,
    /// For each mesh the vertices, by their positions in the model itself.
    vertices: Vec<Vec<usize>>,
}

impl Stored {
    /// * `change` – the weights that a vertex gets; `None` for a vertex that keeps its own and need not be looked at.
    ///
    /// `None` if that is so for all.
    pub(super) fn of(
        asset: &Asset,
        change: impl Fn(&[Influence]) -> Option<Vec<Influence>>,
    ) -> Option<Self> {
        let (meshes, vertices): (Vec<_>, Vec<_>) = asset
            .meshes
            .iter()
            .map(|mesh| changed(mesh, &change))
            .unzip();
        if vertices.iter().all(Vec::is_empty) {
            return None;
        }
        let asset = Asset {
            importer: String::new(),
            skeleton: asset.skeleton.clone(),
            meshes,
            skins: asset.skins.clone(),
            instances: asset.instances.clone(),
            clips: Vec::new(),
            materials: Vec::new(),
            images: Vec::new(),
            notes: Vec::new(),
            evidence: crate::rig::Evidence::default(),
            ..*asset
        };
        Some(Self { asset, vertices })
    }

    /// Tells `out` of the vertices that are elsewhere than in `moment` when they are skinned with `options`.
    ///
    /// * `limit` – how far may be, over the diagonal of the model at rest.
    /// * `words` – said of the distance, which is in percent of the diagonal.
    pub(super) fn watch(
        &self,
        cx: &Context<'_>,
        (moment, options): (&Moment<'_>, &SkinningOptions),
        limit: f64,
        out: &mut Findings,
        words: impl Fn(f64) -> String,
    ) {
        let Some(rest) = cx.prepared.rest(cx.asset) else {
            return;
        };
        let Ok(meshes) = skinning::deform_positions(&self.asset, moment.pose, options) else {
            // The model itself was skinned, with the same skins and fewer vertices.
            return;
        };
        for ((instance, own), other) in cx.asset.instances.iter().zip(moment.meshes).zip(&meshes) {
            let mut found = Counted::default();
            for (vertex, place) in self.vertices_of(instance).iter().zip(&other.positions) {
                let distance = f64::from(own.positions[*vertex].distance(*place)) / rest.diagonal;
                if distance > limit && distance.is_finite() {
                    found.add(distance, *vertex);
                }
            }
            let Some(vertex) = found.which else {
                continue;
            };
            let group = cx.mesh(instance);
            let offence = Offence::above(&group, "vertex", found.worst, limit);
            out.add_many(offence, found.count, |place| {
                let place = cx.at_vertex(moment.place(cx.asset, place), instance, vertex);
                (place, words(100.0 * found.worst))
            });
        }
    }

    fn vertices_of(&self, instance: &MeshInstance) -> &[usize] {
        match instance.skin {
            Some(_) => &self.vertices[instance.mesh.index()],
            None => &[],
        }
    }
}

fn changed(
    mesh: &Mesh,
    change: impl Fn(&[Influence]) -> Option<Vec<Influence>>,
) -> (Mesh, Vec<usize>) {
    let weights = mesh.influences.iter().enumerate();
    let (vertices, weights): (Vec<usize>, Vec<Vec<Influence>>) = weights
        .filter_map(|(vertex, influences)| Some((vertex, change(influences)?)))
        .unzip();
    let picked = |list: &[glam::Vec3]| {
        vertices
            .iter()
            .filter_map(|v| list.get(*v).copied())
            .collect()
    };
    let targets = mesh.morph_targets.iter().map(|target| MorphTarget {
        positions: picked(&target.positions),
        ..MorphTarget::default()
    });
    let mesh = Mesh {
        positions: picked(&mesh.positions),
        influences: Influences::from_vertices(weights),
        morph_targets: targets.collect(),
        ..Mesh::default()
    };
    (mesh, vertices)
}
