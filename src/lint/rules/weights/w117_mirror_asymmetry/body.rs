//! A skinned mesh at rest, with the plane between left and right.

use glam::{DMat4, DVec3};

use crate::lint::analysis::uses::Skinned;
use crate::lint::analysis::weighting;
use crate::lint::analysis::weighting::Weighting;
use crate::lint::rules::weights::bones::Bones;
use crate::lint::rules::weights::w117_mirror_asymmetry::joints;
use crate::lint::rules::weights::w117_mirror_asymmetry::positions::{Plane, Positions};
use crate::rig::{Asset, Bounds, Influence, JointId, NodeId, Skin};

/// The largest distance of pairs from each other's mirror image, in diagonals of the model.
#[derive(Debug, Clone, Copy)]
pub(super) struct Near {
    pub(super) position: f64,
    pub(super) joints: f64,
}

/// A mesh whose two sides can be compared.
pub(super) struct Body {
    plane: Plane,
    vertices: Positions,
    weights: Weighting,
    /// For each vertex its weights on the mirror images of its joints; `None` if one has none, or it has no weights.
    mirrored: Vec<Option<Vec<Influence>>>,
}

impl Body {
    /// `None` if there is no plane across which `partners` of the vertices have a mirror image.
    pub(super) fn of(
        asset: &Asset,
        skinned: &Skinned<'_>,
        near: Near,
        partners: f64,
    ) -> Option<Self> {
        let stand = stand(asset, skinned.skin)?;
        let take = |point: DVec3| stand.transform_point3(point);
        let positions = skinned.mesh.positions.iter();
        let points: Vec<DVec3> = positions.map(|p| take(p.as_dvec3())).collect();
        let bones = Bones::of(asset, skinned.skin).joints;
        let bones: Vec<Option<DVec3>> = bones
            .into_iter()
            .map(|position| position.map(take))
            .collect();
        let positions = points.iter().chain(bones.iter().flatten());
        let diagonal = Bounds::of(positions.copied()).diagonal();
        let is_size = diagonal > 0.0 && diagonal.is_finite();
        let vertices = is_size.then(|| Positions::of(points, near.position * diagonal))?;
        let plane = plane(asset, &vertices, &bones, partners)?;
        let names = skinned.skin.joints.iter().map(|joint| name(asset, *joint));
        let named: Vec<_> = names.zip(bones).collect();
        let images = joints::images(&named, plane, near.joints * diagonal);
        let weights = Weighting::of(skinned.mesh);
        let all = 0..vertices.points.len();
        Some(Self {
            mirrored: all.map(|v| mirrored(weights.at(v), &images)).collect(),
            plane,
            vertices,
            weights,
        })
    }

    /// The vertex at the mirrored position, and the share of the weight that differs there; of several vertices the
    /// most similar one, so that layers may have different weights. `None` if there is none.
    pub(super) fn image(&self, vertex: usize) -> Option<(usize, f64)> {
        let own = self.mirrored.get(vertex)?.as_ref()?;
        let position = self.plane.mirror(self.vertices.points[vertex]);
        let images = self.vertices.at(position).into_iter();
        images
            .filter(|&image| self.mirrored[image].is_some())
            .map(|image| (image, weighting::distance(own, self.weights.at(image))))
            .min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)))
    }
}

fn name(asset: &Asset, joint: NodeId) -> &str {
    asset.skeleton.get(joint).map_or("", |joint| &joint.name)
}

/// The transform from the mesh to the model at rest, by the first joint, which has no other above it.
fn stand(asset: &Asset, skin: &Skin) -> Option<DMat4> {
    let slots = skin.joints.iter().zip(&skin.inverse_bind_matrices);
    let (joint, inverse_bind) = slots.min_by_key(|(joint, _)| **joint)?;
    let mut stand = inverse_bind.as_dmat4();
    let mut above = asset.skeleton.get(*joint);
    while let Some(joint) = above {
        stand = joint.rest.to_matrix().as_dmat4() * stand;
        above = joint.parent.and_then(|parent| asset.skeleton.get(parent));
    }
    stand.is_finite().then_some(stand)
}

/// The plane through the model's origin, or else through the middle of the joints, if enough vertices mirror there.
fn plane(
    asset: &Asset,
    vertices: &Positions,
    bones: &[Option<DVec3>],
    partners: f64,
) -> Option<Plane> {
    let left = asset.space.up.unit().cross(asset.space.front.unit());
    let planes = [
        Some(0.0),
        median(bones.iter().flatten().map(|p| left.dot(*p))),
    ];
    #[expect(
        clippy::cast_precision_loss,
        reason = "meshes have fewer than 2^52 vertices"
    )]
    let enough =
        |plane: &Plane| vertices.images(*plane) as f64 >= partners * vertices.points.len() as f64;
    let planes = planes.into_iter().flatten();
    planes.map(|offset| Plane { left, offset }).find(enough)
}

/// The median.
fn median(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = numbers.collect();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    Some(f64::midpoint(sorted[last / 2], sorted[last.div_ceil(2)]))
}

fn mirrored(influences: &[Influence], images: &[Option<usize>]) -> Option<Vec<Influence>> {
    let image = |influence: &Influence| {
        let slot = (*images.get(influence.joint.index())?)?;
        Some(Influence::new(
            JointId(u32::try_from(slot).ok()?),
            influence.weight,
        ))
    };
    let mut mirrored: Vec<Influence> = influences.iter().map(image).collect::<Option<_>>()?;
    mirrored.sort_by_key(|influence| influence.joint);
    (!mirrored.is_empty()).then_some(mirrored)
}
