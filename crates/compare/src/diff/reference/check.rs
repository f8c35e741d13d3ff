//! Checks the numbers of a reference, which another program wrote.

use glam::{DMat4, DVec3, Mat4, Vec3, Vec4};

use super::{Convention, Frame, Mesh, Reference, ReferenceError};
use crate::rig::Bounds;
use crate::shown::escaped;

/// Magnitudes of coordinates and matrices in any unit. Reversed bytes give others: their exponents are nearly random.
const USUAL: std::ops::Range<f32> = 1e-9..1e9;

/// The fewest numbers that show a byte order.
const FEWEST: usize = 8;

impl Reference {
    /// Recognizes big-endian numbers: few are of usual magnitude unless their bytes are reversed.
    pub(super) fn check_byte_order(&self) -> Result<(), ReferenceError> {
        let positions = self.meshes.iter().flat_map(|mesh| &mesh.positions);
        let frames = self.clips.iter().flat_map(|clip| &clip.frames);
        let matrices = frames.flat_map(|frame| &frame.nodes);
        let numbers = positions
            .flat_map(Vec3::to_array)
            .chain(matrices.flat_map(Mat4::to_cols_array));
        let (mut count, mut as_stored, mut reversed) = (0_usize, 0_usize, 0_usize);
        for number in numbers.filter(|number| *number != 0.0) {
            let swapped = f32::from_bits(number.to_bits().swap_bytes());
            count += 1;
            as_stored += usize::from(USUAL.contains(&number.abs()));
            reversed += usize::from(USUAL.contains(&swapped.abs()));
        }
        if count >= FEWEST && as_stored < count / 2 && reversed > count - count / 10 {
            return Err(ReferenceError::BigEndian);
        }
        Ok(())
    }

    /// Checks the corners of triangles and the nodes of influences.
    pub(super) fn check_indices(&self) -> Result<(), ReferenceError> {
        for mesh in &self.meshes {
            let exceeds = |index: u32, count: usize| index as usize >= count;
            let out_of_range = |user: String, target, index, count| ReferenceError::OutOfRange {
                mesh: escaped(&mesh.name),
                user,
                target,
                index,
                count,
            };
            let vertices = mesh.positions.len();
            for (at, triangle) in mesh.triangles.iter().enumerate() {
                if let Some(corner) = triangle.iter().find(|corner| exceeds(**corner, vertices)) {
                    let user = format!("triangle {at}");
                    return Err(out_of_range(user, "vertex", *corner, vertices));
                }
            }
            let nodes = self.nodes.len();
            for (at, list) in mesh.influences.iter().enumerate() {
                if let Some((node, _)) = list.iter().find(|(node, _)| exceeds(*node, nodes)) {
                    let user = format!("an influence of vertex {at}");
                    return Err(out_of_range(user, "node", *node, nodes));
                }
            }
        }
        Ok(())
    }

    /// Checks that all numbers are finite, and of a magnitude that coordinates have.
    pub(super) fn check_magnitudes(&self) -> Result<(), ReferenceError> {
        let implausible = |place: String| Err(ReferenceError::Implausible { place });
        for mesh in &self.meshes {
            if let Some(what) = mesh.implausible() {
                return implausible(format!("mesh \"{}\": {what}", escaped(&mesh.name)));
            }
        }
        for clip in &self.clips {
            for frame in &clip.frames {
                let at = || format!("clip \"{}\" at {} s", escaped(&clip.name), frame.time);
                if let Some(node) = frame
                    .nodes
                    .iter()
                    .position(|matrix| !is_plausible(&matrix.to_cols_array()))
                {
                    let name = escaped(&self.nodes[node].name);
                    return implausible(format!("{}: the matrix of node \"{name}\"", at()));
                }
                for (mesh, (positions, normals)) in
                    frame.positions.iter().zip(&frame.normals).enumerate()
                {
                    let lists = [("position", positions), ("normal", normals)];
                    let first = lists.iter().find_map(|(what, list)| {
                        Some(format!("the {what} of vertex {}", first_implausible(list)?))
                    });
                    if let Some(what) = first {
                        let name = escaped(&self.meshes[mesh].name);
                        return implausible(format!("{}: mesh \"{name}\": {what}", at()));
                    }
                }
            }
        }
        Ok(())
    }
}

impl Mesh {
    /// Names the first number that no mesh has.
    fn implausible(&self) -> Option<String> {
        let of_lists = [("position", &self.positions), ("normal", &self.normals)]
            .into_iter()
            .find_map(|(what, list)| Some((what, first_implausible(list)?)));
        let of_uvs = || {
            let vertex = self
                .uvs
                .iter()
                .position(|uv| !is_plausible(&uv.to_array()))?;
            Some(("texture coordinate", vertex))
        };
        let of_weights = || {
            let is_wrong =
                |list: &Vec<(u32, f32)>| list.iter().any(|(_, own)| !is_plausible(&[*own]));
            Some(("weight", self.influences.iter().position(is_wrong)?))
        };
        let (what, vertex) = of_lists.or_else(of_uvs).or_else(of_weights)?;
        Some(format!("the {what} of vertex {vertex}"))
    }
}

fn first_implausible(list: &[Vec3]) -> Option<usize> {
    list.iter()
        .position(|vector| !is_plausible(&vector.to_array()))
}

fn is_plausible(numbers: &[f32]) -> bool {
    numbers.iter().all(|number| number.abs() < USUAL.end)
}

/// The least mean distance between skinned and stored positions to explain, relative to the size of the meshes.
const MISSES: f64 = 0.01;

/// Another reading explains the distance if it leaves less than this part of it.
const EXPLAINS: f64 = 0.1;

/// The most frames and vertices to skin: a wrong matrix moves most of them.
const FRAMES: usize = 8;
const VERTICES: usize = 512;

// A reference may contain surfaces that linear blend skinning cannot produce: shape keys, dual quaternions, modifiers. So a
// distance from the stored positions is not a fault by itself. It is a fault if another reading of the same matrices
// explains it: inverted, or relative to the parent.

impl Convention {
    const ALL: [Self; 3] = [Self::World, Self::Inverse, Self::Local];

    /// `world_from_node` of matrices that are written in this way.
    fn read(self, matrices: &[DMat4], reference: &Reference) -> Vec<DMat4> {
        match self {
            Self::World => matrices.to_vec(),
            Self::Inverse => matrices.iter().map(DMat4::inverse).collect(),
            Self::Local => {
                let mut world: Vec<DMat4> = Vec::with_capacity(matrices.len());
                for (matrix, node) in matrices.iter().zip(&reference.nodes) {
                    let parent = node.parent.map_or(DMat4::IDENTITY, |parent| world[parent]);
                    world.push(parent * *matrix);
                }
                world
            }
        }
    }
}

impl Reference {
    /// Compares stored positions with what skinning makes of the matrices.
    pub(super) fn check_matrices(&self) -> Result<(), ReferenceError> {
        self.check_rows()?;
        let samples = Samples::of(self);
        let size = Bounds::of_f32(&samples.bound()).diagonal();
        let stated = samples.miss(Convention::World, Convention::World);
        // A joint that is scaled to nothing at rest skins nothing.
        if samples.vertices.is_empty() || !stated.is_finite() || stated <= MISSES * size {
            return Ok(());
        }
        let readings = Convention::ALL
            .iter()
            .flat_map(|rest| Convention::ALL.map(|frames| (*rest, frames)));
        let misses = readings.map(|(rest, frames)| (samples.miss(rest, frames), rest, frames));
        match misses.min_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((found, rest, frames)) if found < EXPLAINS * stated => {
                Err(ReferenceError::Matrices {
                    rest,
                    frames,
                    stated: 100.0 * stated / size,
                    found: 100.0 * found / size,
                })
            }
            _ => Ok(()),
        }
    }

    /// Matrices by rows have their translations in the last number of each column.
    fn check_rows(&self) -> Result<(), ReferenceError> {
        let rest = in_rows(self.nodes.iter().map(|node| &node.rest));
        let frames = self.clips.iter().flat_map(|clip| &clip.frames);
        let frames = in_rows(frames.flat_map(|frame| &frame.nodes));
        let what = match (rest, frames) {
            (true, true) => "`rest` and the matrices of frames",
            (true, false) => "the matrices in `rest`",
            (false, true) => "the matrices of frames",
            (false, false) => return Ok(()),
        };
        Err(ReferenceError::Rows { what })
    }
}

/// Vertices and frames to skin.
struct Samples<'a> {
    reference: &'a Reference,
    /// Meshes and indices of vertices that have influences.
    vertices: Vec<(usize, usize)>,
    frames: Vec<&'a Frame>,
}

impl<'a> Samples<'a> {
    fn of(reference: &'a Reference) -> Self {
        let vertices = reference.meshes.iter().enumerate().flat_map(|(mesh, own)| {
            let lists = own.influences.iter().enumerate();
            lists.filter_map(move |(vertex, list)| {
                let sum: f32 = list.iter().map(|(_, weight)| weight).sum();
                (sum > 0.0).then_some((mesh, vertex))
            })
        });
        let frames = reference.clips.iter().flat_map(|clip| &clip.frames);
        Self {
            reference,
            vertices: evenly(&vertices.collect::<Vec<_>>(), VERTICES),
            frames: evenly(&frames.collect::<Vec<_>>(), FRAMES),
        }
    }

    /// The vertices in the bind pose.
    fn bound(&self) -> Vec<Vec3> {
        let meshes = &self.reference.meshes;
        let vertices = self.vertices.iter();
        vertices
            .map(|(mesh, vertex)| meshes[*mesh].positions[*vertex])
            .collect()
    }

    /// The mean distance between skinned and stored positions, if matrices follow these conventions.
    fn miss(&self, rest: Convention, frames: Convention) -> f64 {
        let stored: Vec<DMat4> = self
            .reference
            .nodes
            .iter()
            .map(|node| node.rest.as_dmat4())
            .collect();
        let node_from_world: Vec<DMat4> = rest
            .read(&stored, self.reference)
            .iter()
            .map(DMat4::inverse)
            .collect();
        let mut mean = Mean::default();
        for frame in &self.frames {
            let stored: Vec<DMat4> = frame.nodes.iter().map(Mat4::as_dmat4).collect();
            let world = frames.read(&stored, self.reference);
            let pairs = world.iter().zip(&node_from_world);
            let palette: Vec<DMat4> = pairs.map(|(now, bound)| *now * *bound).collect();
            for (mesh, vertex) in &self.vertices {
                let own = &self.reference.meshes[*mesh];
                let list = &own.influences[*vertex];
                // Programs divide by the sum of weights, or write weights whose sum is 1.
                let sum: f64 = list.iter().map(|(_, weight)| f64::from(*weight)).sum();
                let blended = list.iter().fold(DMat4::ZERO, |blended, (node, weight)| {
                    blended + palette[*node as usize] * (f64::from(*weight) / sum)
                });
                let skinned = blended.transform_point3(own.positions[*vertex].as_dvec3());
                mean.add(skinned, frame.positions[*mesh][*vertex]);
            }
        }
        mean.value()
    }
}

/// Whether all matrices are affine only if transposed, and some are not just rotations.
fn in_rows<'a>(mut matrices: impl Iterator<Item = &'a Mat4>) -> bool {
    let mut moves = false;
    let all = matrices.all(|matrix| {
        moves |= matrix.row(3).truncate() != Vec3::ZERO;
        matrix.w_axis == Vec4::W
    });
    all && moves
}

#[derive(Default)]
struct Mean {
    sum: f64,
    count: f64,
}

impl Mean {
    fn add(&mut self, skinned: DVec3, stored: Vec3) {
        self.sum += skinned.distance(stored.as_dvec3());
        self.count += 1.0;
    }

    /// Infinite if a matrix cannot be inverted; 0 without any.
    fn value(&self) -> f64 {
        let mean = self.sum / self.count.max(1.0);
        if mean.is_finite() {
            mean
        } else {
            f64::INFINITY
        }
    }
}

/// At most `most` of `list`, evenly spaced.
fn evenly<T: Copy>(list: &[T], most: usize) -> Vec<T> {
    let step = list.len().div_ceil(most).max(1);
    list.iter().step_by(step).copied().collect()
}
