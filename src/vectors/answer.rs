//! What an engine answers to a case, and what glTF's formulas expect of it: the same format.

use glam::{DMat4, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::laws::{self, Posed};
use crate::rig::{Asset, MeshInstance};

/// A case in all its poses.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Answer {
    /// Why the engine cannot answer, instead of poses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) unsupported: Option<String>,
    /// One per time of the case, in its order.
    #[serde(default)]
    pub(crate) poses: Vec<Pose>,
}

/// A case at one time of its clip.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Pose {
    /// In seconds.
    pub(crate) time: f64,
    /// The largest error that the result may have in f32; only in what is expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tolerance: Option<Tolerance>,
    /// All nodes of the file; `null` from an engine that answers with vertices alone.
    pub(crate) nodes: Option<Vec<Node>>,
    /// All primitives of all nodes with a mesh; `null` from an engine that answers with nodes alone.
    pub(crate) meshes: Option<Vec<Mesh>>,
}

/// Allowed errors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Tolerance {
    /// Of each entry of a global transform.
    pub(crate) nodes: f64,
    /// Of the distance of a vertex.
    pub(crate) vertices: f64,
}

/// A posed node.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Node {
    /// As in the file, where names are unique.
    pub(crate) name: String,
    /// The global transform, column by column. A number that is not finite is `null`.
    pub(crate) world: Vec<Option<f64>>,
}

/// A posed primitive.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Mesh {
    /// The name of its node.
    pub(crate) node: String,
    /// Its number in the mesh.
    #[serde(default)]
    pub(crate) primitive: usize,
    /// One per vertex, in the order of the file and in world space. A number that is not finite is `null`.
    pub(crate) positions: Vec<Vec<Option<f64>>>,
}

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
