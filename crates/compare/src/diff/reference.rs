//! References: the evaluated meshes and joints of another program at given times, schema `skincheck/reference/1`.
//!
//! A line of JSON followed by little-endian numbers of four bytes, or both packed. `docs/reference.md` describes the
//! format.

mod check;
mod packed;
mod read;
mod write;

use std::{fmt, io};

use glam::{Mat4, Vec2, Vec3};
use serde::{Deserialize, Serialize};

use crate::units::{SignedAxis, Space};

pub use read::{has_header, is_reference, names_schema};
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
    /// The names of shape keys that move vertices; empty if there are none or the program does not state them.
    pub shape_keys: Vec<String>,
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
    up: SignedAxis,
    front: SignedAxis,
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
    #[serde(default)]
    shape_keys: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClipHeader {
    name: String,
    times: Vec<f64>,
}

/// Why a reference cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReferenceError {
    /// The file cannot be read.
    #[error("the file cannot be read")]
    Io(#[from] io::Error),
    /// The line of JSON is missing or invalid.
    #[error("its first line is not a header with the schema {SCHEMA}")]
    Header(#[source] Option<serde_json::Error>),
    /// The header contradicts itself.
    #[error("{0}")]
    Inconsistent(String),
    /// The number of values differs from the header's.
    #[error("expected {expected} bytes of numbers after the header, found {found}")]
    Length {
        /// According to the header.
        expected: u64,
        /// In the file.
        found: u64,
    },
    /// A packed reference that is cut off or changed.
    #[error("its packed numbers are damaged")]
    Damaged,
    /// The header announces more than may be read.
    #[error(
        "its numbers take {} MiB of memory, more than the limit for a file of its size, {} MiB",
        bytes >> 20,
        limit >> 20
    )]
    TooLarge {
        /// Memory for what the header announces.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The numbers make sense in reverse byte order only.
    #[error("its numbers are big-endian; write them little-endian (\"<f4\" and \"<u4\" in NumPy)")]
    BigEndian,
    /// A triangle or an influence refers to a vertex or node that does not exist.
    #[error("mesh \"{mesh}\": {user} refers to {target} {index}, but there are only {count}")]
    OutOfRange {
        /// The name of the mesh.
        mesh: String,
        /// The triangle, or the vertex with the influence.
        user: String,
        /// `vertex` or `node`.
        target: &'static str,
        /// The index.
        index: u32,
        /// One more than the largest valid index.
        count: usize,
    },
    /// A number is NaN, infinite, or larger than in any scene.
    #[error("{place} is not finite or is beyond 1e9, which references do not allow")]
    Implausible {
        /// What it belongs to.
        place: String,
    },
    /// Translations are in the last row of matrices.
    #[error(
        "{what} are stored by rows; write them by columns, so that the last four numbers are x, y, z and 1"
    )]
    Rows {
        /// The matrices.
        what: &'static str,
    },
    /// The stored positions show that matrices are not `world_from_node` by columns.
    #[error(
        "it contradicts itself: skinning its meshes misses its positions by {stated:.3} % of the size, but by {found:.3} \
         % if the matrices in `rest` are {rest}, and those of frames {frames}; every matrix must be world_from_node by \
         columns, and `rest` the pose that meshes are bound in"
    )]
    Matrices {
        /// What those in `rest` seem to be.
        rest: Convention,
        /// What those of frames seem to be.
        frames: Convention,
        /// The mean distance between skinned and stored positions, in percent of the size of the meshes.
        stated: f64,
        /// The same if the matrices are read in this way.
        found: f64,
    },
}

/// How a matrix is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Convention {
    /// `world_from_node` by columns.
    World,
    /// `node_from_world`.
    Inverse,
    /// `parent_from_node`.
    Local,
}

impl fmt::Display for Convention {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::World => "world matrices by columns",
            Self::Inverse => "inverse matrices, as inverse bind matrices are",
            Self::Local => "relative to the parent node",
        })
    }
}
