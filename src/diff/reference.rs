//! References: the evaluated meshes and joints of another program at given times, schema `skincheck/reference/1`.
//!
//! A line of JSON followed by little-endian numbers of four bytes, or both packed. `docs/reference.md` describes the
//! format.

mod check;
mod error;
mod matrices;
mod packed;
mod read;
mod write;

use glam::{Mat4, Vec2, Vec3};
use serde::{Deserialize, Serialize};

use crate::units::{SignedAxis, Space};

pub use error::{Convention, Mistake, ReferenceError};
pub use read::{has_header, is_reference};
pub use write::{Pose, of_model};

/// The start of the first line.
const SCHEMA: &str = "skincheck/reference/1";

/// An animated scene as evaluated by a program.
#[derive(Debug, Clone)]
pub struct Reference {
    /// The program, with its version.
    pub generator: String,
    /// Axes and unit of everything below.
    pub space: Space,
    /// Parents before their children.
    pub nodes: Vec<Node>,
    /// Evaluated meshes, in world space.
    pub meshes: Vec<Mesh>,
    /// Each with the times at which it was evaluated.
    pub clips: Vec<Clip>,
}

/// A joint, or another node.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// As in the scene.
    pub name: String,
    /// Its parent's index.
    #[serde(default)]
    pub parent: Option<usize>,
    /// Whether it deforms meshes.
    #[serde(default)]
    pub joint: bool,
    /// `world_from_node` in the pose that meshes are bound in, by columns.
    pub rest: Mat4,
}

/// A mesh in its rest shape.
#[derive(Debug, Clone, Default)]
pub struct Mesh {
    /// As in the scene.
    pub name: String,
    /// The index of its node.
    pub node: Option<usize>,
    /// In world space.
    pub positions: Vec<Vec3>,
    /// One per vertex, or empty.
    pub normals: Vec<Vec3>,
    /// One per vertex, or empty.
    pub uvs: Vec<Vec2>,
    /// Indices of vertices.
    pub triangles: Vec<[u32; 3]>,
    /// One list per vertex, of nodes and weights; empty if the program does not state them.
    pub influences: Vec<Vec<(u32, f32)>>,
}

/// An animation.
#[derive(Debug, Clone)]
pub struct Clip {
    /// As in the scene.
    pub name: String,
    /// Ascending.
    pub frames: Vec<Frame>,
}

/// The pose at one time.
#[derive(Debug, Clone)]
pub struct Frame {
    /// In seconds.
    pub time: f64,
    /// `world_from_node`, one per node.
    pub nodes: Vec<Mat4>,
    /// Positions, one list per mesh.
    pub positions: Vec<Vec<Vec3>>,
    /// Normals, one list per mesh; empty where the mesh has none.
    pub normals: Vec<Vec<Vec3>>,
}

/// The line of JSON.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    schema: String,
    generator: String,
    up: Axis,
    front: Axis,
    #[serde(default)]
    metres_per_unit: Option<f64>,
    nodes: Vec<Node>,
    meshes: Vec<MeshHeader>,
    clips: Vec<ClipHeader>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MeshHeader {
    name: String,
    #[serde(default)]
    node: Option<usize>,
    vertices: usize,
    #[serde(default)]
    triangles: usize,
    #[serde(default)]
    normals: bool,
    #[serde(default)]
    uvs: bool,
    /// The number of influences per vertex; unused ones have weight 0.
    #[serde(default)]
    influences: usize,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClipHeader {
    name: String,
    times: Vec<f64>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
enum Axis {
    #[serde(rename = "+X")]
    PlusX,
    #[serde(rename = "-X")]
    MinusX,
    #[serde(rename = "+Y")]
    PlusY,
    #[serde(rename = "-Y")]
    MinusY,
    #[serde(rename = "+Z")]
    PlusZ,
    #[serde(rename = "-Z")]
    MinusZ,
}

/// The two names of each axis.
const AXES: [(Axis, SignedAxis); 6] = [
    (Axis::PlusX, SignedAxis::PlusX),
    (Axis::MinusX, SignedAxis::MinusX),
    (Axis::PlusY, SignedAxis::PlusY),
    (Axis::MinusY, SignedAxis::MinusY),
    (Axis::PlusZ, SignedAxis::PlusZ),
    (Axis::MinusZ, SignedAxis::MinusZ),
];

impl Axis {
    fn signed(self) -> SignedAxis {
        AXES[self as usize].1
    }

    fn of(axis: SignedAxis) -> Self {
        let found = AXES.into_iter().find(|(_, signed)| *signed == axis);
        found.map_or(Self::PlusX, |(own, _)| own)
    }
}
