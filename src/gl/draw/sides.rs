//! Which sides of a mesh are drawn.

use glam::{DVec3, Vec3};

use crate::rig::{DeformedMesh, Mesh};

/// Which sides of its triangles are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sides {
    /// Both, each with the normal facing the viewer.
    Both,
    /// The side whose corners run counter-clockwise.
    CounterClockwise,
    /// The other side, because the pose mirrors the mesh.
    Clockwise,
}

/// The sides of a mesh whose back is not drawn, in a pose.
///
/// Skinning keeps normals on their side of a surface, while a mirroring pose reverses the winding. Whether normals and
/// winding agree therefore changes exactly when the pose mirrors, even if the file's normals point inwards.
pub(super) fn front(mesh: &Mesh, posed: &DeformedMesh) -> Sides {
    let at_rest = agreement(mesh, &mesh.positions, &mesh.normals);
    let now = agreement(mesh, &posed.positions, &posed.normals);
    if at_rest * now < 0.0 {
        Sides::Clockwise
    } else {
        Sides::CounterClockwise
    }
}

/// The sum over all triangles of winding · normals, weighted by area. Non-finite triangles do not count.
fn agreement(mesh: &Mesh, positions: &[Vec3], normals: &[Vec3]) -> f64 {
    let at = |list: &[Vec3], corner: u32| list.get(corner as usize).map(|v| v.as_dvec3());
    let mut sum = 0.0;
    for &[a, b, c] in &mesh.triangles {
        let corners = [a, b, c].map(|corner| at(positions, corner));
        let directions = [a, b, c].map(|corner| at(normals, corner).unwrap_or(DVec3::ZERO));
        let [Some(a), Some(b), Some(c)] = corners else {
            continue;
        };
        let normal = directions[0] + directions[1] + directions[2];
        let part = (b - a).cross(c - a).dot(normal);
        if part.is_finite() {
            sum += part;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::InstanceId;

    fn triangle(normal: Vec3) -> Mesh {
        Mesh {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
            normals: vec![normal; 3],
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        }
    }

    /// The triangle with scaled positions and normals. Both stay on their side under any scale of -1 or 1.
    fn scaled(mesh: &Mesh, scale: Vec3) -> DeformedMesh {
        let scaled = |list: &[Vec3]| list.iter().map(|v| *v * scale).collect();
        DeformedMesh {
            instance: InstanceId(0),
            positions: scaled(&mesh.positions),
            normals: scaled(&mesh.normals),
            tangents: vec![],
            bitangents: vec![],
        }
    }

    #[test]
    fn a_mirroring_pose_turns_the_drawn_side_over() {
        for normal in [Vec3::Z, Vec3::NEG_Z] {
            let mesh = triangle(normal);
            let mirrored = scaled(&mesh, Vec3::new(-1.0, 1.0, 1.0));
            assert_eq!(front(&mesh, &mirrored), Sides::Clockwise);
            let turned = scaled(&mesh, Vec3::new(-1.0, 1.0, -1.0));
            assert_eq!(front(&mesh, &turned), Sides::CounterClockwise);
        }
    }

    #[test]
    fn a_nan_corner_has_no_say() {
        let mut mesh = triangle(Vec3::Z);
        mesh.positions.push(Vec3::NAN);
        mesh.normals.push(Vec3::Z);
        mesh.triangles.push([0, 1, 3]);
        let mirrored = scaled(&mesh, Vec3::new(-1.0, 1.0, 1.0));
        assert_eq!(front(&mesh, &mirrored), Sides::Clockwise);
    }
}
