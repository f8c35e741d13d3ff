//! What an engine answers to a case, and what glTF's formulas expect of it, in the same format; how the two compare.

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

/// What an answer had, so that it was compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Compared {
    pub(crate) nodes: usize,
    pub(crate) vertices: usize,
}

/// How an answer is wrong.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Wrong {
    /// Something is missing, or there is too much. A sentence without a full stop.
    Shape(String),
    Value(Worst),
}

/// The value that is farthest off, in units of what is allowed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Worst {
    /// In seconds.
    pub(crate) time: f64,
    /// The name of the node.
    pub(crate) node: String,
    /// The primitive and the vertex; `None` for the transform of the node.
    pub(crate) vertex: Option<(usize, usize)>,
    /// The error: a distance, or the largest difference of an entry. NaN if it is not finite.
    pub(crate) off: f64,
    pub(crate) allowed: f64,
}

impl Wrong {
    /// The error; NaN if it has none.
    pub(crate) fn off(&self) -> f64 {
        match self {
            Self::Shape(_) => f64::NAN,
            Self::Value(worst) => worst.off,
        }
    }
}

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let worst = match self {
            Self::Shape(what) => return f.write_str(what),
            Self::Value(worst) => worst,
        };
        match worst.vertex {
            None => write!(f, "the global transform of node \"{}\"", worst.node)?,
            Some((0, vertex)) => write!(f, "vertex {vertex} of node \"{}\"", worst.node)?,
            Some((primitive, vertex)) => write!(
                f,
                "vertex {vertex} of primitive {primitive} of node \"{}\"",
                worst.node
            )?,
        }
        let (time, allowed) = (worst.time, worst.allowed);
        if worst.off.is_nan() {
            return write!(f, " at {time} s is not finite");
        }
        write!(
            f,
            " at {time} s is off by {:.3e}, allowed {allowed:.3e}",
            worst.off
        )
    }
}

/// Judges the nodes first: wrong nodes are the cause of wrong vertices.
pub(super) fn judge(expected: &[Pose], answer: &Answer) -> Result<Compared, Wrong> {
    let (got, wanted) = (answer.poses.len(), expected.len());
    if got != wanted {
        return Err(Wrong::Shape(format!("{got} poses for {wanted} times")));
    }
    let poses = || expected.iter().zip(&answer.poses);
    let mut compared = Compared::default();
    let mut worst = None;
    for (wanted, got) in poses() {
        if (got.time - wanted.time).abs() > 1e-6 {
            let (got, wanted) = (got.time, wanted.time);
            return Err(Wrong::Shape(format!(
                "a pose at {got} s where {wanted} s is expected"
            )));
        }
        compared.nodes += nodes(wanted, got, &mut worst)?;
    }
    if worst.is_none() {
        for (wanted, got) in poses() {
            compared.vertices += vertices(wanted, got, &mut worst)?;
        }
    }
    match worst {
        Some(worst) => Err(Wrong::Value(worst)),
        None => Ok(compared),
    }
}

fn nodes(wanted: &Pose, got: &Pose, worst: &mut Option<Worst>) -> Result<usize, Wrong> {
    let allowed = wanted.tolerance.unwrap_or_default().nodes;
    let Some(got) = &got.nodes else {
        return Ok(0);
    };
    let all = wanted.nodes.as_deref().unwrap_or_default();
    for node in all {
        let own = got.iter().find(|own| own.name == node.name);
        let missing = || {
            Wrong::Shape(format!(
                "node \"{}\" is missing at {} s",
                node.name, wanted.time
            ))
        };
        let own = own.ok_or_else(missing)?;
        if own.world.len() != node.world.len() {
            let (name, count) = (&node.name, own.world.len());
            let what =
                format!("the global transform of node \"{name}\" has {count} numbers, not 16");
            return Err(Wrong::Shape(what));
        }
        let differences = own.world.iter().zip(&node.world).map(difference);
        let off = differences.fold(0.0, farther);
        note(worst, off, allowed, || Worst {
            time: wanted.time,
            node: node.name.clone(),
            vertex: None,
            off,
            allowed,
        });
    }
    Ok(all.len())
}

fn vertices(wanted: &Pose, got: &Pose, worst: &mut Option<Worst>) -> Result<usize, Wrong> {
    let allowed = wanted.tolerance.unwrap_or_default().vertices;
    let Some(got) = &got.meshes else {
        return Ok(0);
    };
    let mut count = 0;
    for mesh in wanted.meshes.iter().flatten() {
        let (node, primitive) = (&mesh.node, mesh.primitive);
        let own = got.iter();
        let mut own = own.filter(|own| own.node == *node && own.primitive == primitive);
        let missing = || {
            let what = format!(
                "primitive {primitive} of node \"{node}\" is missing at {} s",
                wanted.time
            );
            Wrong::Shape(what)
        };
        let own = own.next().ok_or_else(missing)?;
        if own.positions.len() != mesh.positions.len() {
            let (got, wanted) = (own.positions.len(), mesh.positions.len());
            let what = format!(
                "primitive {primitive} of node \"{node}\" has {got} positions for {wanted} vertices"
            );
            return Err(Wrong::Shape(what));
        }
        for (vertex, (got, position)) in own.positions.iter().zip(&mesh.positions).enumerate() {
            if got.len() != 3 {
                let what = format!(
                    "vertex {vertex} of primitive {primitive} of node \"{node}\" has {} numbers, not 3",
                    got.len()
                );
                return Err(Wrong::Shape(what));
            }
            let squares = got.iter().zip(position).map(difference);
            let off = squares
                .map(|difference| difference * difference)
                .sum::<f64>()
                .sqrt();
            note(worst, off, allowed, || Worst {
                time: wanted.time,
                node: node.clone(),
                vertex: Some((primitive, vertex)),
                off,
                allowed,
            });
        }
        count += mesh.positions.len();
    }
    Ok(count)
}

fn difference((got, wanted): (&Option<f64>, &Option<f64>)) -> f64 {
    let number = |number: &Option<f64>| number.unwrap_or(f64::NAN);
    (number(got) - number(wanted)).abs()
}

/// The larger of two errors; NaN is the largest.
fn farther(a: f64, b: f64) -> f64 {
    if b.is_nan() || b > a { b } else { a }
}

/// Remembers the worst value among those that are wrong.
fn note(worst: &mut Option<Worst>, off: f64, allowed: f64, of: impl FnOnce() -> Worst) {
    if off <= allowed {
        return;
    }
    let is_worse = |known: &Worst| {
        !known.off.is_nan() && (off.is_nan() || off * known.allowed > known.off * allowed)
    };
    if worst.as_ref().is_none_or(is_worse) {
        *worst = Some(of());
    }
}
