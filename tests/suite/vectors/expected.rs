//! What glTF's formulas expect of a case, and how an engine's answer compares.

use glam::{DMat3, DMat4, DVec3, Vec3};
use serde::Serialize;
use skincheck::laws::{self, Capabilities, Posed, reference};
use skincheck::rig::{Asset, Influence, Influences, Mesh, MeshInstance};

/// A case at one time of its clip.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Pose {
    /// In seconds.
    pub(super) time: f64,
    pub(super) tolerance: Tolerance,
    pub(super) nodes: Vec<Node>,
    /// All primitives of all nodes with a mesh.
    pub(super) meshes: Vec<PosedPrimitive>,
    /// The same for an engine that uses the largest influences of a vertex, normalized, by their number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) limited: Vec<Limited>,
}

/// The meshes of an engine with a limited number of influences.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Limited {
    pub(super) influences: usize,
    pub(super) tolerance: Tolerance,
    pub(super) meshes: Vec<PosedPrimitive>,
}

/// The largest errors that rounding in f32 explains.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Tolerance {
    /// Of each entry of a global transform.
    pub(super) nodes: f64,
    /// Of the distance of a vertex.
    pub(super) vertices: f64,
    /// Of the distance of a unit normal.
    pub(super) normals: f64,
    /// Of the distance of a vertex, in addition, for each unit of the step in which an engine stores weights.
    pub(super) per_weight_step: f64,
}

/// A posed node.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Node {
    /// As in the file, where names are unique.
    pub(super) name: String,
    /// The global transform, column by column.
    pub(super) world: Vec<f64>,
}

/// A posed primitive.
#[derive(Debug, Clone, Serialize)]
pub(super) struct PosedPrimitive {
    /// The name of its node.
    pub(super) node: String,
    /// Its number in the mesh.
    pub(super) primitive: usize,
    /// One per vertex, in the order of the file and in world space.
    pub(super) positions: Vec<[f64; 3]>,
    /// One per vertex: of unit length, in world space. `None` where glTF leaves it open: at a vertex of several joints.
    pub(super) normals: Vec<Option<[f64; 3]>>,
}

/// How a matrix transforms a normal.
pub(super) type NormalRule = fn(&DMat3, DVec3) -> DVec3;

/// By the inverse transpose.
pub(super) fn inverse_transpose(matrix: &DMat3, normal: DVec3) -> DVec3 {
    (matrix.inverse().transpose() * normal).normalize()
}

/// The unit roundoff of f32.
const UNIT: f64 = 1.0 / 16_777_216.0;

/// A step of stored weights that is small enough for any case.
const STEP: f64 = 1.0 / 65536.0;

/// An asset at all times of its case. `None` where rounding decides between two rotations.
pub(super) fn poses(asset: &Asset, times: &[f64], rule: NormalRule) -> Option<Vec<Pose>> {
    times.iter().map(|time| pose(asset, *time, rule)).collect()
}

fn pose(asset: &Asset, time: f64, rule: NormalRule) -> Option<Pose> {
    let exact = Capabilities::default().tolerance();
    let mut stored = exact;
    stored.weight_step = STEP;
    let expected = laws::expected(asset, time, &exact)?;
    let with_step = laws::expected(asset, time, &stored)?;
    let errors = |expected: &laws::Expected| -> Vec<f64> {
        let vertices = expected.meshes.iter().flatten();
        vertices.map(|(_, error)| *error).collect()
    };
    let allowed = errors(&expected);
    let per_step = errors(&with_step).into_iter().zip(&allowed);
    let normals: Vec<Normals> = asset
        .instances
        .iter()
        .map(|instance| Normals::of(asset, instance, &expected, time, rule))
        .collect();
    let tolerance = Tolerance {
        nodes: rounded_up(largest(expected.nodes.iter().map(|(_, error)| *error))),
        vertices: rounded_up(largest(allowed.iter().copied())),
        normals: rounded_up(largest(normals.iter().map(|normals| normals.error))),
        per_weight_step: rounded_up(largest(per_step.map(|(more, own)| (more - own) / STEP))),
    };
    let posed = Posed {
        nodes: expected.nodes.iter().map(|(world, _)| *world).collect(),
        meshes: expected
            .meshes
            .iter()
            .map(|mesh| mesh.iter().map(|(position, _)| *position).collect())
            .collect(),
    };
    let normals = normals.into_iter().map(|normals| normals.unit);
    Some(as_pose(
        asset,
        time,
        &posed,
        tolerance,
        &normals.collect::<Vec<_>>(),
    ))
}

/// The largest influences of each vertex.
///
/// * `count` – how many.
pub(super) fn limited(asset: &Asset, count: usize) -> Asset {
    let mut asset = asset.clone();
    for mesh in &mut asset.meshes {
        let lists = mesh.influences.iter().map(|list| {
            let mut list: Vec<Influence> = list.to_vec();
            list.sort_by(|a, b| b.weight.total_cmp(&a.weight));
            list.truncate(count);
            list
        });
        mesh.influences = Influences::from_vertices(lists);
    }
    asset
}

/// The answer of an engine of the laws, which has no normals.
pub(super) fn answer(asset: &Asset, times: &[f64], poses: &[Posed]) -> Vec<Pose> {
    let none = Tolerance {
        nodes: 0.0,
        vertices: 0.0,
        normals: 0.0,
        per_weight_step: 0.0,
    };
    let poses = times.iter().zip(poses);
    poses
        .map(|(time, posed)| as_pose(asset, *time, posed, none, &[]))
        .collect()
}

fn as_pose(
    asset: &Asset,
    time: f64,
    posed: &Posed,
    tolerance: Tolerance,
    normals: &[Vec<Option<DVec3>>],
) -> Pose {
    let nodes = asset.skeleton.nodes().iter().zip(&posed.nodes);
    let node = |(node, world): (&skincheck::rig::Node, &DMat4)| Node {
        name: node.name.clone(),
        world: world.to_cols_array().map(rounded).to_vec(),
    };
    let meshes = asset.instances.iter().zip(&posed.meshes);
    let mesh =
        |(index, (instance, positions)): (usize, (&MeshInstance, &Vec<DVec3>))| PosedPrimitive {
            node: asset.skeleton[instance.node].name.clone(),
            // The primitives of a node follow each other.
            primitive: asset.instances[..index]
                .iter()
                .filter(|other| other.node == instance.node)
                .count(),
            positions: positions.iter().copied().map(numbers).collect(),
            normals: normals.get(index).map_or_else(Vec::new, |normals| {
                normals.iter().map(|normal| normal.map(numbers)).collect()
            }),
        };
    Pose {
        time,
        tolerance,
        nodes: nodes.map(node).collect(),
        meshes: meshes.enumerate().map(mesh).collect(),
        limited: Vec::new(),
    }
}

/// The normals of an instance.
struct Normals {
    unit: Vec<Option<DVec3>>,
    /// The largest error.
    error: f64,
}

impl Normals {
    fn of(
        asset: &Asset,
        instance: &MeshInstance,
        expected: &laws::Expected,
        time: f64,
        rule: NormalRule,
    ) -> Self {
        let mesh = asset.mesh_of(instance);
        let weights = morph_weights(asset, instance, time);
        let mut error: f64 = 0.0;
        let unit = mesh.normals.iter().enumerate().map(|(vertex, normal)| {
            let (matrix, matrix_error) = matrix_of(asset, instance, mesh, vertex, expected)?;
            let (morphed, morph_error) = morphed(mesh, vertex, normal.as_dvec3(), &weights);
            let inverse = matrix.inverse();
            if !inverse.is_finite() {
                return None;
            }
            // With N the inverse transpose, |dN| <= |inverse|² |dM|, and |N n| >= 1 / |matrix| for a unit normal: the direction
            // changes by the condition number times |inverse| |dM|, and by the roundings of N and of the product. Twice that covers
            // the terms of second order.
            let condition = norm(&matrix) * norm(&inverse);
            let relative = norm(&inverse) * matrix_error + 16.0 * UNIT + morph_error;
            error = error.max(2.0 * condition * relative);
            Some(rule(&matrix, morphed))
        });
        Self {
            unit: unit.collect(),
            error,
        }
    }
}

/// The matrix that moves a vertex, and the allowed error of its norm. `None` for a vertex of several joints: glTF does not say
/// whether their matrices are blended or the inverse transposes of these.
fn matrix_of(
    asset: &Asset,
    instance: &MeshInstance,
    mesh: &Mesh,
    vertex: usize,
    expected: &laws::Expected,
) -> Option<(DMat3, f64)> {
    // Nine entries are off by up to the error each.
    let of_node = |index: usize| {
        let (world, error) = expected.nodes[index];
        (DMat3::from_mat4(world), 3.0 * error)
    };
    let Some(skin) = instance.skin.map(|skin| &asset[skin]) else {
        return Some(of_node(instance.node.index()));
    };
    let mut weighted = mesh.influences.of(vertex).iter();
    let mut weighted = weighted.by_ref().filter(|influence| influence.weight > 0.0);
    let (influence, None) = (weighted.next()?, weighted.next()) else {
        return None;
    };
    let joint = influence.slot.index();
    let (world, error) = of_node(skin.joints[joint].index());
    let bind = DMat3::from_mat4(skin.inverse_bind_matrices[joint].as_dmat4());
    let error = error * norm(&bind) + 8.0 * UNIT * norm(&world) * norm(&bind);
    Some((world * bind, error))
}

/// The normal with its morph targets, and its relative error.
fn morphed(mesh: &Mesh, vertex: usize, normal: DVec3, weights: &[f64]) -> (DVec3, f64) {
    let (mut sum, mut moved) = (normal, 0.0);
    for (target, weight) in mesh.morph_targets.iter().zip(weights) {
        let offset = target
            .normals
            .get(vertex)
            .copied()
            .unwrap_or_default()
            .as_dvec3();
        sum += *weight * offset;
        moved += (1.0 + weight.abs()) * offset.length();
    }
    // A sampled weight is off by up to 64 roundings of its largest key, which is at most 1 in these cases.
    (sum.normalize(), 64.0 * UNIT * moved / sum.length())
}

fn morph_weights(asset: &Asset, instance: &MeshInstance, time: f64) -> Vec<f64> {
    let mut channels = asset.clips.iter().flat_map(|clip| &clip.morph_channels);
    let driven = channels.find(|channel| channel.node == instance.node);
    let Some(channel) = driven else {
        let rest = instance.morph_weights.iter();
        return rest.copied().map(f64::from).collect();
    };
    let targets = 0..asset.mesh_of(instance).morph_targets.len();
    let weight = |target: usize| {
        let along_x = |weights: &Vec<f32>| Vec3::new(weights[target], 0.0, 0.0);
        reference::vector(&channel.weights.map(along_x), time).x
    };
    targets.map(weight).collect()
}

/// The Frobenius norm, at least the factor by which a vector grows.
fn norm(matrix: &DMat3) -> f64 {
    let squares = matrix.to_cols_array().map(|entry| entry * entry);
    squares.iter().sum::<f64>().sqrt()
}

fn largest(errors: impl Iterator<Item = f64>) -> f64 {
    errors.fold(0.0, f64::max)
}

/// Two digits, not below the number.
fn rounded_up(number: f64) -> f64 {
    let text = format!("{:.1e}", number * 1.05);
    text.parse().expect("it is a number")
}

fn numbers(vector: DVec3) -> [f64; 3] {
    vector.to_array().map(rounded)
}

/// Twelve decimals, far below any tolerance, without a negative zero.
fn rounded(number: f64) -> f64 {
    (number * 1e12).round() / 1e12 + 0.0
}

/// Whether an answer is farther from what is expected than the tolerance, or lacks a node, a primitive or a vertex.
pub(super) fn is_wrong(expected: &[Pose], answer: &[Pose]) -> bool {
    expected.iter().zip(answer).any(|(wanted, got)| {
        let allowed = wanted.tolerance;
        let nodes = wanted.nodes.iter().any(|node| {
            let mut same = got.nodes.iter().filter(|other| other.name == node.name);
            same.next().is_none_or(|own| {
                let entries = own.world.iter().zip(&node.world);
                !entries
                    .map(|(a, b)| (a - b).abs())
                    .all(|off| off <= allowed.nodes)
            })
        });
        let meshes = wanted.meshes.iter().any(|mesh| {
            let mut same = got.meshes.iter();
            let same = same.find(|own| own.node == mesh.node && own.primitive == mesh.primitive);
            same.is_none_or(|own| {
                let positions = own.positions.len() == mesh.positions.len()
                    && near(&own.positions, &mesh.positions, allowed.vertices);
                let normals = own.normals.iter().zip(&mesh.normals);
                let known: (Vec<[f64; 3]>, Vec<[f64; 3]>) = normals
                    .filter_map(|(got, wanted)| Some(((*got)?, (*wanted)?)))
                    .unzip();
                !positions || !near(&known.0, &known.1, allowed.normals)
            })
        });
        nodes || meshes
    })
}

/// Whether all vectors are within the allowed distance; one that is not finite never is.
fn near(got: &[[f64; 3]], wanted: &[[f64; 3]], allowed: f64) -> bool {
    let pairs = got.iter().zip(wanted);
    pairs
        .map(|(got, wanted)| DVec3::from_array(*got).distance(DVec3::from_array(*wanted)))
        .all(|off| off <= allowed)
}
