//! What glTF's formulas give for a file.

use glam::{DMat4, DVec3};

use super::answer::{Answer, Mesh, Node, Pose, Tolerance};
use crate::laws::{self, Posed};
use crate::rig::{Asset, MeshInstance};

/// An asset at all times of its case, with allowed errors. `None` where rounding decides between two rotations.
pub(super) fn of(asset: &Asset, times: &[f64], tolerance: &laws::Tolerance) -> Option<Vec<Pose>> {
    let poses = times.iter().map(|time| {
        let expected = laws::expected(asset, *time, tolerance)?;
        let vertices = expected.meshes.iter().flatten();
        let largest = |errors: &mut dyn Iterator<Item = f64>| errors.fold(0.0, f64::max);
        let allowed = Tolerance {
            nodes: largest(&mut expected.nodes.iter().map(|(_, error)| *error)),
            vertices: largest(&mut vertices.map(|(_, error)| *error)),
        };
        let posed = Posed {
            nodes: expected.nodes.iter().map(|(world, _)| *world).collect(),
            meshes: expected
                .meshes
                .iter()
                .map(|mesh| mesh.iter().map(|(position, _)| *position).collect())
                .collect(),
        };
        Some(Pose {
            tolerance: Some(allowed),
            ..pose(asset, *time, &posed)
        })
    });
    poses.collect()
}

/// The answer of an engine of the library.
pub(super) fn answer(asset: &Asset, times: &[f64], poses: &[Posed]) -> Answer {
    let poses = times.iter().zip(poses);
    Answer {
        poses: poses
            .map(|(time, posed)| pose(asset, *time, posed))
            .collect(),
        ..Answer::default()
    }
}

fn pose(asset: &Asset, time: f64, posed: &Posed) -> Pose {
    let nodes = asset.skeleton.nodes().iter().zip(&posed.nodes);
    let node = |(node, world): (&crate::rig::Node, &DMat4)| Node {
        name: node.name.clone(),
        world: world.to_cols_array().map(number).to_vec(),
    };
    let meshes = asset.instances.iter().zip(&posed.meshes);
    let mesh = |(index, (instance, positions)): (usize, (&MeshInstance, &Vec<DVec3>))| Mesh {
        node: asset.skeleton[instance.node].name.clone(),
        // The primitives of a node follow each other.
        primitive: asset.instances[..index]
            .iter()
            .filter(|other| other.node == instance.node)
            .count(),
        positions: positions
            .iter()
            .map(|position| position.to_array().map(number).to_vec())
            .collect(),
    };
    Pose {
        time,
        tolerance: None,
        nodes: Some(nodes.map(node).collect()),
        meshes: Some(meshes.enumerate().map(mesh).collect()),
    }
}

/// Without a negative zero.
fn number(number: f64) -> Option<f64> {
    number.is_finite().then_some(number + 0.0)
}
