//! The parts of a model, as small objects.

use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyArray3};
use pyo3::prelude::*;
use skincheck::pose;
use skincheck::rig::{self, AlphaMode, Asset, ClipId, InstanceId, MaterialId, NodeId, SkinId};

use crate::array;

/// An animation.
#[pyclass(frozen, module = "skincheck", get_all)]
pub(crate) struct Clip {
    /// As in the file, or ``animation_<index>``.
    pub(crate) name: String,
    /// Its position in :attr:`Model.clips`.
    index: usize,
    /// In seconds.
    start: f64,
    /// In seconds.
    end: f64,
    /// ``end - start``, in seconds.
    duration: f64,
    /// Frames per second: the file's, if it counts in frames, else the only usual rate on whose frames all keys are, else 30.
    frame_rate: f64,
    /// The times of keys from start to end, each once, in seconds: float64.
    key_times: Py<PyArray1<f64>>,
}

impl Clip {
    pub(crate) fn of(py: Python<'_>, asset: &Asset, id: ClipId) -> Self {
        let clip: &rig::Clip = &asset[id];
        let times = clip.key_times().iter().map(|time| time.0).collect();
        Self {
            name: clip.name.clone(),
            index: id.index(),
            start: clip.start.0,
            end: clip.end.0,
            duration: clip.duration().0,
            frame_rate: pose::frame_rate(clip),
            key_times: PyArray1::from_vec(py, times).unbind(),
        }
    }
}

#[pymethods]
impl Clip {
    fn __repr__(&self) -> String {
        format!("<Clip {:?}, {} to {} s>", self.name, self.start, self.end)
    }
}

/// A node of the hierarchy, whether or not a skin binds it.
#[pyclass(frozen, module = "skincheck")]
pub(crate) struct Joint {
    asset: Arc<Asset>,
    /// Its position in :attr:`Model.joints`, and in arrays of matrices.
    #[pyo3(get)]
    pub(crate) index: usize,
    /// As in the file; may be empty, and need not be unique.
    #[pyo3(get)]
    name: String,
    /// The index of its parent, which is less than its own; ``None`` for a root.
    #[pyo3(get)]
    parent: Option<usize>,
    /// Whether a skin binds it.
    #[pyo3(get)]
    is_bound: bool,
}

impl Joint {
    pub(crate) fn of(asset: &Arc<Asset>, id: NodeId, is_bound: bool) -> Self {
        let node = &asset.skeleton[id];
        Self {
            asset: Arc::clone(asset),
            index: id.index(),
            name: node.name.clone(),
            parent: node.parent.map(NodeId::index),
            is_bound,
        }
    }
}

#[pymethods]
impl Joint {
    /// The transform to its parent where no clip drives it: 4 × 4, float32, for column vectors.
    #[getter]
    fn rest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let node = NodeId::from_index(self.index);
        let rest = Arc::new(self.asset.skeleton[node].rest.to_matrix());
        array::view(py, &rest, |rest| array::matrix(rest))
    }

    fn __repr__(&self) -> String {
        format!("<Joint {:?}, index {}>", self.name, self.index)
    }
}

/// A mesh at its place in the model. A geometry that a file places twice is two meshes.
#[pyclass(frozen, module = "skincheck")]
pub(crate) struct Mesh {
    asset: Arc<Asset>,
    pub(crate) id: InstanceId,
}

impl Mesh {
    pub(crate) fn of(asset: &Arc<Asset>, id: InstanceId) -> Self {
        let asset = Arc::clone(asset);
        Self { asset, id }
    }

    fn instance(&self) -> &rig::MeshInstance {
        &self.asset[self.id]
    }

    fn mesh(&self) -> &rig::Mesh {
        self.asset.mesh_of(self.instance())
    }
}

/// The influences of a mesh, one entry for each vertex and joint.
type Influences<'py> = (
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<f32>>,
);

#[pymethods]
impl Mesh {
    /// As in the file; without a name, that of its node.
    #[getter]
    fn name(&self) -> &str {
        self.asset.mesh_name(self.instance())
    }

    /// Its position in :attr:`Model.meshes`, by which findings name it.
    #[getter]
    fn index(&self) -> usize {
        self.id.index()
    }

    /// The index of its node in :attr:`Model.joints`. The node moves the mesh only without a skin.
    #[getter]
    fn node(&self) -> usize {
        self.instance().node.index()
    }

    /// The index of its skin in :attr:`Model.skins`; ``None`` without one.
    #[getter]
    fn skin(&self) -> Option<usize> {
        self.instance().skin.map(SkinId::index)
    }

    /// The index of its material in :attr:`Model.materials`; ``None`` without one.
    #[getter]
    fn material(&self) -> Option<usize> {
        self.mesh().material.map(MaterialId::index)
    }

    /// The number of vertices.
    #[getter]
    fn vertex_count(&self) -> usize {
        self.mesh().positions.len()
    }

    /// The names of its morph targets (blend shapes).
    #[getter]
    fn morph_targets(&self) -> Vec<String> {
        let targets = self.mesh().morph_targets.iter();
        targets.map(|target| target.name.clone()).collect()
    }

    /// As in the file, in the space of the mesh and the unit of the model: vertices × 3, float32, read-only.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let id = self.id;
        array::view(py, &self.asset, |asset| {
            array::vectors(&asset.mesh_of(&asset[id]).positions)
        })
    }

    /// Unit normals as in the file: vertices × 3, or 0 × 3 without any, float32, read-only.
    #[getter]
    fn normals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let id = self.id;
        array::view(py, &self.asset, |asset| {
            array::vectors(&asset.mesh_of(&asset[id]).normals)
        })
    }

    /// Texture coordinates, one array per set: vertices × 2, float32, read-only. v grows downwards.
    #[getter]
    fn uv_sets<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyArray2<f32>>>> {
        let id = self.id;
        (0..self.mesh().uv_sets.len())
            .map(|set| {
                array::view(py, &self.asset, move |asset| {
                    array::uvs(&asset.mesh_of(&asset[id]).uv_sets[set])
                })
            })
            .collect()
    }

    /// Indices of vertices, counter-clockwise from the front: triangles × 3, uint32, read-only.
    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let id = self.id;
        array::view(py, &self.asset, |asset| {
            array::triangles(&asset.mesh_of(&asset[id]).triangles)
        })
    }

    /// The weights as in the file, not normalized, as three arrays of one length: vertices (uint32), joints (uint32, indices
    /// in :attr:`Model.joints`) and weights (float32). They are empty without a skin.
    #[getter]
    fn influences<'py>(&self, py: Python<'py>) -> Influences<'py> {
        let (mut vertices, mut joints, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        if let Some(skin) = self.asset.skin_of(self.instance()) {
            for (vertex, influences) in (0..).zip(self.mesh().influences.iter()) {
                for influence in influences {
                    vertices.push(vertex);
                    joints.push(skin[influence.slot].0);
                    weights.push(influence.weight);
                }
            }
        }
        (
            PyArray1::from_vec(py, vertices),
            PyArray1::from_vec(py, joints),
            PyArray1::from_vec(py, weights),
        )
    }

    fn __repr__(&self) -> String {
        format!("<Mesh {:?}, {} vertices>", self.name(), self.vertex_count())
    }
}

/// The joints that a mesh is bound to.
#[pyclass(frozen, module = "skincheck")]
pub(crate) struct Skin {
    asset: Arc<Asset>,
    id: SkinId,
}

impl Skin {
    pub(crate) fn of(asset: &Arc<Asset>, id: SkinId) -> Self {
        let asset = Arc::clone(asset);
        Self { asset, id }
    }
}

#[pymethods]
impl Skin {
    /// As in the file; may be empty.
    #[getter]
    fn name(&self) -> &str {
        &self.asset[self.id].name
    }

    /// The index of each of its joints in :attr:`Model.joints`.
    #[getter]
    fn joints(&self) -> Vec<usize> {
        let joints = self.asset[self.id].joints.iter();
        joints.map(|joint| joint.index()).collect()
    }

    /// The transforms from mesh to joint when they were bound: joints × 4 × 4, float32, read-only.
    #[getter]
    fn inverse_bind_matrices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let id = self.id;
        array::view(py, &self.asset, |asset| {
            array::matrices(&asset[id].inverse_bind_matrices)
        })
    }

    fn __repr__(&self) -> String {
        let count = self.asset[self.id].joints.len();
        format!("<Skin {:?}, {count} joints>", self.name())
    }
}

/// A surface.
#[pyclass(frozen, module = "skincheck", get_all)]
pub(crate) struct Material {
    /// As in the file; may be empty.
    name: String,
    /// Linear red, green, blue and alpha, from 0 to 1.
    base_color: (f32, f32, f32, f32),
    /// Whether it has a texture of its colour.
    has_texture: bool,
    /// Whether back faces are drawn.
    two_sided: bool,
    /// ``"opaque"``, ``"mask"`` or ``"blend"``.
    alpha: &'static str,
}

impl Material {
    pub(crate) fn of(material: &rig::Material) -> Self {
        Self {
            name: material.name.clone(),
            base_color: material.base_color.into(),
            has_texture: material.base_color_texture.is_some(),
            two_sided: material.two_sided,
            alpha: match material.alpha {
                AlphaMode::Opaque => "opaque",
                AlphaMode::Mask { .. } => "mask",
                AlphaMode::Blend => "blend",
            },
        }
    }
}

#[pymethods]
impl Material {
    fn __repr__(&self) -> String {
        format!("<Material {:?}>", self.name)
    }
}
