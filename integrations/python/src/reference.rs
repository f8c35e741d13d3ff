//! References from arrays.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use skincheck::diff::reference::{Clip, Frame, Mesh, Node, Reference as Stored};
use skincheck::frame;
use skincheck::glam::{Vec2, Vec3};
use skincheck::units::{SignedAxis, Space};

use crate::array::{self, Expected};
use crate::error::{Raise, ReferenceFileError};
use crate::names::Names;

/// Meshes and joints as another program evaluates them at given times, for :func:`diff`.
///
/// Any program with Python can make one: add the nodes, parents first, then the meshes in their rest shape, then the frames of
/// each clip. Everything is in world space, in one unit. Matrices are 4 × 4 for column vectors: the translation is in the
/// last column.
///
/// :param generator: The program, with its version.
/// :param up: The axis that points up, such as ``"+Y"``.
/// :param front: The axis that characters face.
/// :param metres_per_unit: The length of the unit in metres; ``None`` if unknown.
#[pyclass(module = "skincheck", frozen)]
pub(crate) struct Reference(Mutex<Stored>);

impl Reference {
    fn lock(&self) -> MutexGuard<'_, Stored> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn stored(&self) -> Stored {
        self.lock().clone()
    }
}

fn axis(text: &str, argument: &str) -> PyResult<SignedAxis> {
    text.parse::<SignedAxis>()
        .map_err(|error| PyValueError::new_err(format!("{argument} {text:?}: {error}")))
}

/// The rows of a list of numbers.
fn rows<T: Copy, const N: usize>(numbers: &[T]) -> Vec<[T; N]> {
    let rows = numbers.chunks_exact(N);
    rows.map(|row| row.try_into().expect("a chunk has N"))
        .collect()
}

fn read_uvs(argument: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<Vec2>> {
    let expected = Expected {
        name: "uvs",
        shape: &[Some(count), Some(2)],
        words: "vertices × 2",
    };
    let (numbers, _) = array::numbers::<f32>(argument, expected)?;
    Ok(rows(&numbers).into_iter().map(Vec2::from_array).collect())
}

fn read_triangles(argument: &Bound<'_, PyAny>) -> PyResult<Vec<[u32; 3]>> {
    let expected = Expected {
        name: "triangles",
        shape: &[None, Some(3)],
        words: "triangles × 3",
    };
    Ok(rows(&array::indices(argument, expected)?.0))
}

#[pymethods]
impl Reference {
    #[new]
    #[pyo3(signature = (generator, *, up="+Y", front="+Z", metres_per_unit=None))]
    fn new(
        generator: String,
        up: &str,
        front: &str,
        metres_per_unit: Option<f64>,
    ) -> PyResult<Self> {
        Ok(Self(Mutex::new(Stored {
            generator,
            space: Space {
                up: axis(up, "up")?,
                front: axis(front, "front")?,
                metres_per_unit,
            },
            nodes: Vec::new(),
            meshes: Vec::new(),
            clips: Vec::new(),
        })))
    }

    /// Reads a reference from a file.
    ///
    /// :raises ReferenceFileError: The file cannot be read, or contradicts itself.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let stored = py.detach(|| Stored::load(&path).raise(ReferenceFileError::new_err));
        Ok(Self(Mutex::new(stored?)))
    }

    /// Adds a joint or another node, after its parent.
    ///
    /// :param name: Its name in the scene.
    /// :param rest: The transform to the world in the pose that meshes are bound in: 4 × 4.
    /// :param parent: The index of its parent; ``None`` for a root.
    /// :param joint: Whether it deforms meshes.
    /// :returns: Its index.
    #[pyo3(signature = (name, rest, *, parent=None, joint=true))]
    fn add_node(
        &self,
        name: String,
        rest: &Bound<'_, PyAny>,
        parent: Option<usize>,
        joint: bool,
    ) -> PyResult<usize> {
        let rest = array::read_matrix(rest, "rest")?;
        let mut stored = self.lock();
        let index = stored.nodes.len();
        if let Some(parent) = parent.filter(|parent| *parent >= index) {
            return Err(PyValueError::new_err(format!(
                "parent {parent}: there are {index} nodes so far; add parents before their children"
            )));
        }
        if !stored.clips.is_empty() {
            return Err(PyValueError::new_err(
                "add all nodes before the first frame",
            ));
        }
        stored.nodes.push(Node {
            name,
            parent,
            joint,
            rest,
        });
        Ok(index)
    }

    /// Adds a mesh in its rest shape.
    ///
    /// :param name: Its name in the scene.
    /// :param positions: In world space: vertices × 3.
    /// :param triangles: Indices of vertices: triangles × 3.
    /// :param normals: Vertices × 3.
    /// :param uvs: Texture coordinates, v downwards: vertices × 2.
    /// :param node: The index of its node.
    /// :param influences: The weights: nodes and weights, both vertices × influences, where a weight of 0 does not count; or three arrays of
    ///     one length, as :attr:`Mesh.influences` has them: vertices, nodes and weights.
    /// :param shape_keys: The names of shape keys that move vertices.
    /// :returns: Its index.
    #[pyo3(signature = (name, positions, triangles, *, normals=None, uvs=None, node=None, influences=None, shape_keys=None))]
    #[expect(clippy::too_many_arguments, reason = "most are named")]
    fn add_mesh(
        &self,
        name: String,
        positions: &Bound<'_, PyAny>,
        triangles: &Bound<'_, PyAny>,
        normals: Option<&Bound<'_, PyAny>>,
        uvs: Option<&Bound<'_, PyAny>>,
        node: Option<usize>,
        influences: Option<&Bound<'_, PyAny>>,
        shape_keys: Option<Names>,
    ) -> PyResult<usize> {
        let positions = array::read_vectors(positions, "positions", None)?;
        let count = Some(positions.len());
        let normals = normals.map(|normals| array::read_vectors(normals, "normals", count));
        let uvs = uvs.map(|uvs| read_uvs(uvs, positions.len()));
        let influences = influences.map(|influences| read_influences(influences, positions.len()));
        let mesh = Mesh {
            name,
            node,
            triangles: read_triangles(triangles)?,
            normals: normals.transpose()?.unwrap_or_default(),
            uvs: uvs.transpose()?.unwrap_or_default(),
            influences: influences.transpose()?.unwrap_or_default(),
            positions,
            shape_keys: shape_keys.unwrap_or_default().0,
        };
        let mut stored = self.lock();
        if !stored.clips.is_empty() {
            return Err(PyValueError::new_err(
                "add all meshes before the first frame",
            ));
        }
        stored.meshes.push(mesh);
        Ok(stored.meshes.len() - 1)
    }

    /// Adds a frame to a clip, which begins with its first frame. Times must ascend.
    ///
    /// :param clip: The name of the clip.
    /// :param time: In seconds.
    /// :param nodes: The transforms to the world: nodes × 4 × 4.
    /// :param positions: The deformed vertices in world space: for each mesh, vertices × 3.
    /// :param normals: The normals: for each mesh, vertices × 3.
    #[pyo3(signature = (clip, time, nodes, positions, *, normals=None))]
    fn add_frame(
        &self,
        clip: &str,
        time: f64,
        nodes: &Bound<'_, PyAny>,
        positions: Vec<Bound<'_, PyAny>>,
        normals: Option<Vec<Bound<'_, PyAny>>>,
    ) -> PyResult<()> {
        let (node_count, lengths) = {
            let stored = self.lock();
            let lengths: Vec<usize> = stored
                .meshes
                .iter()
                .map(|mesh| mesh.positions.len())
                .collect();
            (stored.nodes.len(), lengths)
        };
        let of_meshes = |lists: &[Bound<'_, PyAny>], name: &str| -> PyResult<Vec<Vec<Vec3>>> {
            if lists.len() != lengths.len() {
                return Err(PyValueError::new_err(format!(
                    "{name}: expected an array for each of the {} meshes, not {}",
                    lengths.len(),
                    lists.len()
                )));
            }
            let pairs = lists.iter().zip(&lengths);
            pairs
                .map(|(list, length)| array::read_vectors(list, name, Some(*length)))
                .collect()
        };
        let frame = Frame {
            time,
            nodes: array::read_matrices(nodes, "nodes", node_count)?,
            positions: of_meshes(&positions, "positions")?,
            normals: match &normals {
                Some(normals) => of_meshes(normals, "normals")?,
                None => vec![Vec::new(); lengths.len()],
            },
        };
        let mut stored = self.lock();
        let own = stored.clips.iter().position(|own| own.name == clip);
        let own = own.unwrap_or_else(|| {
            stored.clips.push(Clip {
                name: clip.to_owned(),
                frames: Vec::new(),
            });
            stored.clips.len() - 1
        });
        stored.clips[own].frames.push(frame);
        Ok(())
    }

    /// Writes the reference to a file, usually with the extension ``.skref``.
    ///
    /// :raises ReferenceFileError: It contradicts itself, or the file cannot be written.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let stored = self.stored();
        py.detach(|| {
            stored.validate().raise(ReferenceFileError::new_err)?;
            frame::write_file(&path, &stored.to_bytes()).raise(ReferenceFileError::new_err)
        })
    }

    /// What it holds: the generator, the names of nodes and meshes, and the times of each clip.
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stored = self.lock();
        let summary = PyDict::new(py);
        summary.set_item("generator", &stored.generator)?;
        let nodes: Vec<&str> = stored.nodes.iter().map(|node| node.name.as_str()).collect();
        summary.set_item("nodes", nodes)?;
        let meshes: Vec<&str> = stored
            .meshes
            .iter()
            .map(|mesh| mesh.name.as_str())
            .collect();
        summary.set_item("meshes", meshes)?;
        let clips = PyDict::new(py);
        for clip in &stored.clips {
            let times: Vec<f64> = clip.frames.iter().map(|frame| frame.time).collect();
            clips.set_item(&clip.name, times)?;
        }
        summary.set_item("clips", clips)?;
        Ok(summary)
    }

    fn __repr__(&self) -> String {
        let stored = self.lock();
        format!(
            "<Reference by {:?}: {} nodes, {} meshes, {} clips>",
            stored.generator,
            stored.nodes.len(),
            stored.meshes.len(),
            stored.clips.len()
        )
    }
}

/// A list of influences for each vertex.
fn read_influences(argument: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<Vec<(u32, f32)>>> {
    let arrays: Vec<Bound<'_, PyAny>> = argument.try_iter()?.collect::<PyResult<_>>()?;
    match arrays.as_slice() {
        [nodes, weights] => by_rows([nodes, weights], count),
        [vertices, nodes, weights] => per_vertex([vertices, nodes, weights], count),
        _ => Err(PyValueError::new_err(format!(
            "influences: expected two arrays (nodes and weights) or three (vertices, nodes and weights), not {}",
            arrays.len()
        ))),
    }
}

/// From a row of nodes and one of weights for each vertex.
fn by_rows(
    [nodes, weights]: [&Bound<'_, PyAny>; 2],
    count: usize,
) -> PyResult<Vec<Vec<(u32, f32)>>> {
    let words = format!("{count} vertices × influences");
    let expected = |name, shape| Expected {
        name,
        shape,
        words: &words,
    };
    let any = [Some(count), None];
    let (nodes, shape) = array::indices(nodes, expected("influences (nodes)", &any))?;
    let width = shape[1];
    let same = [Some(count), Some(width)];
    let (weights, _) = array::numbers::<f32>(weights, expected("influences (weights)", &same))?;
    let row = |vertex: usize| {
        let own = vertex * width..(vertex + 1) * width;
        let pairs = nodes[own.clone()].iter().zip(&weights[own]);
        let used = pairs.filter(|(_, weight)| weight.abs() > 0.0);
        used.map(|(node, weight)| (*node, *weight)).collect()
    };
    Ok((0..count).map(row).collect())
}

/// From three arrays of one length.
fn per_vertex(
    [vertices, nodes, weights]: [&Bound<'_, PyAny>; 3],
    count: usize,
) -> PyResult<Vec<Vec<(u32, f32)>>> {
    let expected = |name, length| Expected {
        name,
        shape: length,
        words: "three arrays of one length",
    };
    let (vertices, lengths) = array::indices(vertices, expected("influences (vertices)", &[None]))?;
    let lengths = [Some(lengths[0])];
    let (nodes, _) = array::indices(nodes, expected("influences (nodes)", &lengths))?;
    let (weights, _) = array::numbers::<f32>(weights, expected("influences (weights)", &lengths))?;
    let mut lists = vec![Vec::new(); count];
    for (vertex, influence) in vertices.into_iter().zip(nodes.into_iter().zip(weights)) {
        let list = lists.get_mut(vertex as usize).ok_or_else(|| {
            PyValueError::new_err(format!(
                "influences: there is no vertex {vertex}; the mesh has {count}, numbered from 0"
            ))
        })?;
        list.push(influence);
    }
    Ok(lists)
}
