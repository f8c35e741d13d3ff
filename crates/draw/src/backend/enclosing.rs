//! Meshes without a skin that hide the figure, such as a helper object that was exported with it.

use glam::DVec3;

use super::BackendError;
use crate::pose;
use crate::rig::{
    AlphaMode, Asset, Bounds, DeformedMesh, InstanceId, MeshInstance, SkinningOptions,
};
use crate::skinning;

/// Corners of a polyhedron around the figure's middle, turned so that no line follows an edge of a symmetrical mesh.
const DIRECTIONS: [DVec3; 14] = [
    DVec3::new(0.97, 0.19, 0.13),
    DVec3::new(-0.97, -0.19, -0.13),
    DVec3::new(-0.16, 0.98, 0.11),
    DVec3::new(0.16, -0.98, -0.11),
    DVec3::new(-0.11, -0.17, 0.98),
    DVec3::new(0.11, 0.17, -0.98),
    DVec3::new(0.62, 0.55, 0.56),
    DVec3::new(-0.62, 0.55, 0.56),
    DVec3::new(0.62, -0.55, 0.56),
    DVec3::new(-0.62, -0.55, 0.56),
    DVec3::new(0.62, 0.55, -0.56),
    DVec3::new(-0.62, 0.55, -0.56),
    DVec3::new(0.62, -0.55, -0.56),
    DVec3::new(-0.62, -0.55, -0.56),
];

/// The opaque meshes that enclose the figure at rest, so that it is seen from nowhere: meshes without a skin that no joint carries
/// and that carry nothing. They hold most vertices of the skinned meshes in their box and are met in every direction from the
/// middle of these. Props beside a figure, armour on it and a stage below it are none.
///
/// # Errors
///
/// [`BackendError::Skinning`] if the model's rest pose cannot be skinned.
pub fn enclosing(asset: &Asset) -> Result<Vec<InstanceId>, BackendError> {
    let is_part = parts(asset);
    let is_beside = |own: &MeshInstance| {
        let material = asset.mesh_of(own).material;
        let is_opaque = material.is_none_or(|id| asset[id].alpha != AlphaMode::Blend);
        own.skin.is_none() && !is_part[own.node.index()] && is_opaque
    };
    let has_skinned = asset.instances.iter().any(|own| own.skin.is_some());
    if !has_skinned || !asset.instances.iter().any(is_beside) {
        return Ok(Vec::new());
    }
    let rest = pose::model_pose(asset, &pose::rest(asset));
    let meshes = skinning::deform_positions(asset, &rest, &SkinningOptions::default())?;
    let shown = meshes
        .iter()
        .filter(|mesh| rest.visibility.shows(mesh.instance));
    let (skinned, others): (Vec<_>, Vec<_>) =
        shown.partition(|mesh| asset[mesh.instance].skin.is_some());
    let figure: Vec<DVec3> = skinned
        .iter()
        .flat_map(|mesh| &mesh.positions)
        .map(|position| position.as_dvec3())
        .collect();
    let around = Bounds::of(figure.iter().copied());
    let middle = (around.low + around.high) / 2.0;
    let hides = |mesh: &&&DeformedMesh| {
        is_beside(&asset[mesh.instance])
            && holds_most(mesh, &figure)
            && DIRECTIONS
                .iter()
                .all(|direction| meets(asset, mesh, middle, *direction))
    };
    let hiding = others.iter().filter(hides);
    Ok(hiding.map(|mesh| mesh.instance).collect())
}

/// For each node, whether a joint carries it, or it carries another node.
fn parts(asset: &Asset) -> Vec<bool> {
    let mut carried = asset.bound_joints();
    let mut carries = vec![false; carried.len()];
    for (index, node) in asset.skeleton.nodes().iter().enumerate() {
        if let Some(parent) = node.parent {
            carried[index] |= carried[parent.index()];
            carries[parent.index()] = true;
        }
    }
    carried.iter().zip(carries).map(|(a, b)| *a || b).collect()
}

fn holds_most(mesh: &DeformedMesh, figure: &[DVec3]) -> bool {
    let bounds = Bounds::of_f32(&mesh.positions);
    let is_inside =
        |position: &&DVec3| position.cmpge(bounds.low).all() && position.cmple(bounds.high).all();
    2 * figure.iter().filter(is_inside).count() > figure.len()
}

/// Whether the line from `start` in a direction meets a triangle of `mesh`.
///
/// # Reference
///
/// T. Möller, B. Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection", 1997.
fn meets(asset: &Asset, mesh: &DeformedMesh, start: DVec3, direction: DVec3) -> bool {
    let triangles = &asset.mesh_of(&asset[mesh.instance]).triangles;
    triangles.iter().any(|corners| {
        let corners = corners.map(|corner| mesh.positions[corner as usize].as_dvec3());
        let sides = [corners[1] - corners[0], corners[2] - corners[0]];
        let across = direction.cross(sides[1]);
        let determinant = sides[0].dot(across);
        let from_corner = start - corners[0];
        let over = from_corner.cross(sides[0]);
        let shares = [from_corner.dot(across), direction.dot(over)].map(|own| own / determinant);
        let distance = sides[1].dot(over) / determinant;
        shares.iter().all(|share| *share >= 0.0) && shares[0] + shares[1] <= 1.0 && distance > 0.0
    })
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::rig::{AssetBuilder, Mesh, NodeId, Trs};

    /// The sides of a cube of half this size around a position, without those whose outward direction is `open`.
    fn cube(middle: Vec3, half: f32, open: Option<Vec3>) -> Mesh {
        let corner = |k: usize| {
            let sign = |bit: usize| if k & bit == 0 { -half } else { half };
            middle + Vec3::new(sign(1), sign(2), sign(4))
        };
        let sides: [([u32; 4], Vec3); 6] = [
            ([0, 2, 6, 4], Vec3::NEG_X),
            ([1, 3, 7, 5], Vec3::X),
            ([0, 1, 5, 4], Vec3::NEG_Y),
            ([2, 3, 7, 6], Vec3::Y),
            ([0, 1, 3, 2], Vec3::NEG_Z),
            ([4, 5, 7, 6], Vec3::Z),
        ];
        let kept = sides.iter().filter(|(_, outward)| Some(*outward) != open);
        Mesh {
            positions: (0..8).map(corner).collect(),
            triangles: kept
                .flat_map(|([a, b, c, d], _)| [[*a, *b, *c], [*a, *c, *d]])
                .collect(),
            ..Mesh::default()
        }
    }

    /// How many meshes hide a skinned cube of size 1 next to which `other` stands, below a node of its own or a joint.
    fn count(other: Mesh, on_joint: bool) -> usize {
        let mut rig = AssetBuilder::new();
        let joint = rig.node("joint", None, Trs::IDENTITY);
        let body = rig.mesh(cube(Vec3::ZERO, 0.5, None));
        rig.skin(body, [(); 8].map(|()| [(joint, 1.0)]));
        let parent = on_joint.then_some(joint);
        let node = rig.node("other", parent, Trs::IDENTITY);
        let other = rig.mesh(other);
        rig.attach(other, node);
        assert_eq!(node, NodeId(1));
        let asset = rig.build().expect("it is valid");
        enclosing(&asset).expect("it is skinned").len()
    }

    #[test]
    fn a_mesh_around_the_figure_hides_it() {
        for (name, other, on_joint, hiding) in [
            ("around", cube(Vec3::ZERO, 2.0, None), false, 1),
            ("armour", cube(Vec3::ZERO, 2.0, None), true, 0),
            ("stage", cube(Vec3::ZERO, 2.0, Some(Vec3::Y)), false, 0),
            ("beside", cube(Vec3::X * 2.0, 1.0, None), false, 0),
            ("inside", cube(Vec3::ZERO, 0.2, None), false, 0),
        ] {
            assert_eq!(count(other, on_joint), hiding, "{name}");
        }
    }
}
