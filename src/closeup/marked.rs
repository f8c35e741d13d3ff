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
            let triangles = mesh.triangles.iter();
            let triangles =
                triangles.filter(|corners| corners.iter().any(|own| chosen[*own as usize]));
            let placed = triangles.map(|corners| corners.map(|own| posed.positions[own as usize]));
            placed
                .filter(|corners| corners.iter().all(|corner| corner.is_finite()))
                .collect()
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
            let around = both
                .into_iter()
                .map(|own| select(&|_, instance, vertex| instance == mesh && vertex == own));
            around.collect()
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
