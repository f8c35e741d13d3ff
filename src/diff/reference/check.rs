//! Checks the numbers of a reference, which another program wrote.

use glam::{Mat4, Vec3};

use super::{Mesh, Reference, ReferenceError};
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
