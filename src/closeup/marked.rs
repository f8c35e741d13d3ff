//! The part of the surface that shows a finding.

use glam::Vec3;

use super::spot::Located;
use super::subject::{Part, Subject};
use crate::rig::{Asset, DeformedMesh, InstanceId, NodeId};
use crate::view::{Show, Vertices};

/// The corners of a triangle, in world space.
pub(super) type Triangle = [Vec3; 3];

/// Numbers in the upper half of the shown range are the fault; `view` gives them the dark colours.
const SEVERE: f32 = 0.5;

/// A joint owns the vertices with at least this share of their weight on it.
const OWNED: f32 = 0.5;

/// The triangles that an image of `subject` must show: around a vertex, in the colours of a fault, or of each of the joints. One
/// part for each joint, and for each of two vertices; none for a model as a whole.
///
/// * `meshes` – every instance in the pose.
pub(super) fn marked(
    asset: &Asset,
    subject: &Subject,
    show: &Show,
    meshes: &[DeformedMesh],
) -> Vec<Vec<Triangle>> {
    let select = |is_marked: &dyn Fn(&Vertices<'_>, InstanceId, usize) -> bool| -> Vec<Triangle> {
        let of_mesh = |posed: &DeformedMesh| -> Vec<Triangle> {
            let vertices = show.vertices(asset, posed.instance, None);
            let mesh = asset.mesh_of(&asset[posed.instance]);
            let count = mesh.positions.len();
            let chosen: Vec<bool> = (0..count)
                .map(|vertex| is_marked(&vertices, posed.instance, vertex))
                .collect();
            placed(posed, &mesh.triangles, |corner| chosen[corner as usize])
        };
        meshes.iter().flat_map(of_mesh).collect()
    };
    let share = |vertices: &Vertices<'_>, vertex: usize, joint: NodeId| -> f32 {
        let shares = vertices.shares(vertex);
        shares
            .filter(|(own, _)| *own == joint)
            .map(|(_, share)| share)
            .sum()
    };
    let mut parts = match subject.part {
        Part::Whole | Part::Spot(Located::Point(_)) => Vec::new(),
        Part::Mesh(mesh) => vec![select(&|vertices, instance, vertex| {
            instance == mesh && vertices.share_of_range(vertex) >= SEVERE
        })],
        Part::Spot(Located::Vertex(mesh, own)) => {
            let both = match subject.vertices[..] {
                [a, b] => vec![a as usize, b as usize],
                _ => vec![own],
            };
            let own = |vertex| around(asset, &subject.vertices, (mesh, vertex), meshes);
            both.into_iter().map(own).collect()
        }
        Part::Spot(Located::Joint(joint)) => {
            let severe = select(&|vertices, _, vertex| {
                vertices.share_of_range(vertex) >= SEVERE && share(vertices, vertex, joint) > 0.0
            });
            if severe.is_empty() {
                let joints = std::iter::once(joint).chain(subject.other);
                let owned = joints.map(|joint| {
                    select(&|vertices, _, vertex| share(vertices, vertex, joint) >= OWNED)
                });
                owned.collect()
            } else {
                vec![severe]
            }
        }
    };
    parts.retain(|part| !part.is_empty());
    parts
}

/// The triangles around a vertex. If some have another vertex with the fault, only those: the fault may be the edge between
/// both.
///
/// * `faulty` – the vertices of the mesh with the fault.
fn around(
    asset: &Asset,
    faulty: &[u32],
    (mesh, own): (InstanceId, usize),
    meshes: &[DeformedMesh],
) -> Vec<Triangle> {
    let Some(posed) = meshes.iter().find(|posed| posed.instance == mesh) else {
        return Vec::new();
    };
    let is_own = |corner: u32| corner as usize == own;
    let triangles = asset.mesh_of(&asset[mesh]).triangles.iter().copied();
    let around = triangles.filter(|corners| corners.iter().any(|corner| is_own(*corner)));
    let around: Vec<[u32; 3]> = around.collect();
    let between = placed(posed, &around, |corner| {
        !is_own(corner) && faulty.contains(&corner)
    });
    if area(&between) > 0.0 {
        between
    } else {
        placed(posed, &around, is_own)
    }
}

/// The triangles with a chosen corner, in the pose.
fn placed(
    posed: &DeformedMesh,
    triangles: &[[u32; 3]],
    is_chosen: impl Fn(u32) -> bool,
) -> Vec<Triangle> {
    let chosen = triangles
        .iter()
        .filter(|corners| corners.iter().any(|corner| is_chosen(*corner)));
    let placed = chosen.map(|corners| corners.map(|own| posed.positions[own as usize]));
    placed
        .filter(|corners| corners.iter().all(|corner| corner.is_finite()))
        .collect()
}

/// The area of a part, in world space.
pub(super) fn area(part: &[Triangle]) -> f64 {
    let areas = part.iter().map(|corners| {
        let [a, b, c] = corners.map(Vec3::as_dvec3);
        (b - a).cross(c - a).length() / 2.0
    });
    areas.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::{self, model_pose};
    use crate::rig::{AssetBuilder, Mesh, SkinningOptions, Trs};

    #[test]
    fn of_a_fault_between_vertices_the_triangles_between_them_are_marked() {
        let mut rig = AssetBuilder::new();
        let root = rig.node("root", None, Trs::IDENTITY);
        // Four triangles around vertex 0, and one without an area at its edge to vertex 3.
        let mesh = rig.mesh(Mesh {
            name: "Fan".into(),
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, -Vec3::X, -Vec3::Y, Vec3::ZERO],
            triangles: vec![[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1], [0, 4, 5]],
            ..Mesh::default()
        });
        rig.attach(mesh, root);
        let asset = rig.build().expect("it is whole");
        let pose = model_pose(&asset, &pose::rest(&asset));
        let posed = crate::skinning::deform_positions(&asset, &pose, &SkinningOptions::default());
        let posed = posed.expect("it can be posed");
        let count = |faulty: &[u32]| around(&asset, faulty, (InstanceId(0), 0), &posed).len();
        assert_eq!(count(&[0, 3]), 2, "those with vertex 3");
        assert_eq!(count(&[0]), 5);
        assert_eq!(count(&[0, 5]), 5, "nothing is to be seen between both");
    }
}
