//! Poses, and the surfaces of models in them.

use std::num::NonZeroU32;
use std::sync::Arc;

use bytemuck::cast_slice;
use numpy::{PyArray2, PyArray3};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use skincheck::glam::Vec3;
use skincheck::pose::{self as posing, ModelPose, Pose as LocalPose, SampleTime, Sampler, Wrap};
use skincheck::rig::{Asset, ClipId, DeformedMesh, InstanceId, SkinningMethod, SkinningOptions};
use skincheck::skinning::{Attributes, Prepared};
use skincheck::units::Seconds;

use crate::error::{PoseError, Raise};
use crate::posed::{Posed, Surface};
use crate::render::{Image, Look};
use crate::{array, select};

/// How vertices are skinned.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Skinning(pub(crate) SkinningOptions);

impl Skinning {
    pub(crate) fn parse(method: &str, max_influences: Option<u32>) -> PyResult<Self> {
        let method = match method {
            "auto" => SkinningMethod::AsInFile,
            "linear" => SkinningMethod::Linear,
            "dual-quaternion" => SkinningMethod::DualQuaternion,
            _ => {
                return Err(PyValueError::new_err(format!(
                    "skinning: expected \"auto\", \"linear\" or \"dual-quaternion\", not {method:?}"
                )));
            }
        };
        let most = max_influences.map(|most| {
            NonZeroU32::new(most)
                .ok_or_else(|| PyValueError::new_err("max_influences: expected at least 1"))
        });
        Ok(Self(SkinningOptions {
            method,
            max_influences: most.transpose()?,
            ..SkinningOptions::default()
        }))
    }
}

pub(crate) fn wrap(word: &str) -> PyResult<Wrap> {
    match word {
        "clamp" => Ok(Wrap::Clamp),
        "loop" => Ok(Wrap::Loop),
        _ => Err(PyValueError::new_err(format!(
            "wrap: expected \"clamp\" or \"loop\", not {word:?}"
        ))),
    }
}

/// A time in a clip.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sampling {
    time: SampleTime,
    wrap: Wrap,
    is_stated: bool,
}

impl Sampling {
    pub(crate) fn of(time: Option<f64>, frame: Option<i64>, word: &str) -> PyResult<Self> {
        if time.is_some() && frame.is_some() {
            return Err(PyTypeError::new_err("time and frame: expected one of them"));
        }
        Ok(Self {
            time: match frame {
                Some(index) => SampleTime::Frame { index, fps: None },
                None => SampleTime::Time(Seconds(time.unwrap_or_default())),
            },
            wrap: wrap(word)?,
            is_stated: time.is_some() || frame.is_some(),
        })
    }
}

/// How many vertices a mesh has, or all of them.
pub(crate) fn vertex_count(asset: &Asset, mesh: Option<InstanceId>) -> usize {
    let count = |id: InstanceId| asset.mesh_of(&asset[id]).positions.len();
    match mesh {
        Some(id) => count(id),
        None => (0..asset.instances.len())
            .map(|index| count(InstanceId::from_index(index)))
            .sum(),
    }
}

/// Many frames of a clip.
pub(crate) struct Frames<'a> {
    pub(crate) asset: &'a Asset,
    pub(crate) clip: ClipId,
    pub(crate) times: Vec<f64>,
    pub(crate) wrap: Wrap,
}

impl Frames<'_> {
    /// Poses the model at each time.
    fn each(&self, mut visit: impl FnMut(&LocalPose, &ModelPose) -> PyResult<()>) -> PyResult<()> {
        let clip = &self.asset[self.clip];
        let mut sampler = Sampler::new(self.asset, clip);
        let (mut local, mut world) = (LocalPose::default(), ModelPose::default());
        for time in &self.times {
            let time = SampleTime::Time(Seconds(*time));
            let playback = posing::resolve(clip, time, self.wrap).raise(PoseError::new_err)?;
            sampler
                .at_into(playback.time, &mut local)
                .raise(PoseError::new_err)?;
            posing::model_pose_into(self.asset, &local, &mut world);
            visit(&local, &world)?;
        }
        Ok(())
    }

    /// Writes the matrices of all joints by rows, one frame after another.
    ///
    /// * `are_local` – whether relative to the parent, not to the world.
    pub(crate) fn fill_matrices(&self, are_local: bool, numbers: &mut [f32]) -> PyResult<()> {
        let mut rest = numbers.chunks_exact_mut(16);
        self.each(|local, world| {
            for (joint, world) in world.nodes.iter().enumerate() {
                let matrix = if are_local {
                    local.locals[joint].to_matrix()
                } else {
                    *world
                };
                let next = rest.next().expect("there is room for all joints");
                matrix.transpose().write_cols_to_slice(next);
            }
            Ok(())
        })
    }

    /// Writes the morph weights of a mesh, one frame after another.
    pub(crate) fn fill_weights(&self, mesh: InstanceId, numbers: &mut [f32]) -> PyResult<()> {
        let mut rest = numbers.iter_mut();
        self.each(|_, world| {
            for (weight, number) in world.morph_weights[mesh.index()].iter().zip(&mut rest) {
                *number = *weight;
            }
            Ok(())
        })
    }

    /// Writes the vertices of a mesh, or of all, one frame after another.
    ///
    /// * `numbers` – zeros, as many as all frames have.
    pub(crate) fn fill_vertices(
        &self,
        mesh: Option<InstanceId>,
        attributes: Attributes,
        options: &Skinning,
        mut numbers: &mut [f32],
    ) -> PyResult<()> {
        let prepared = Prepared::new(self.asset, &options.0);
        let mut meshes: Vec<DeformedMesh> = Vec::new();
        self.each(|_, world| {
            prepared
                .deform_into(world, attributes, &mut meshes)
                .raise(PoseError::new_err)?;
            let wanted = meshes
                .iter()
                .filter(|own| mesh.is_none_or(|mesh| own.instance == mesh));
            for mesh in wanted {
                let all = std::mem::take(&mut numbers);
                let (of_mesh, rest) = all.split_at_mut(3 * mesh.positions.len());
                numbers = rest;
                let list = match attributes {
                    Attributes::Positions => &mesh.positions,
                    _ => &mesh.normals,
                };
                // A mesh without normals leaves zeros.
                if !list.is_empty() {
                    of_mesh.copy_from_slice(cast_slice(list));
                }
            }
            Ok(())
        })
    }
}

/// A model in a pose, in world space.
#[pyclass(frozen, module = "skincheck")]
pub(crate) struct Pose {
    posed: Arc<Posed>,
    /// The name of the clip; ``None`` for the rest pose and the bind pose.
    #[pyo3(get)]
    clip: Option<String>,
    /// The time in the clip in seconds, never outside of it.
    #[pyo3(get)]
    time: f64,
}

impl Pose {
    pub(crate) fn of(
        asset: &Arc<Asset>,
        pose: ModelPose,
        (clip, time): (Option<ClipId>, f64),
        options: Skinning,
    ) -> Self {
        Self {
            clip: clip.map(|clip| asset[clip].name.clone()),
            time,
            posed: Arc::new(Posed::new(asset, pose, options.0)),
        }
    }

    pub(crate) fn at(
        asset: &Arc<Asset>,
        clip: Option<ClipId>,
        sampling: Sampling,
        options: Skinning,
    ) -> PyResult<Self> {
        let Some(id) = clip else {
            if sampling.is_stated {
                return Err(PyTypeError::new_err(
                    "a time or frame needs a clip; the rest pose has none",
                ));
            }
            let pose = posing::model_pose(asset, &posing::rest(asset));
            return Ok(Self::of(asset, pose, (None, 0.0), options));
        };
        let clip = &asset[id];
        let playback =
            posing::resolve(clip, sampling.time, sampling.wrap).raise(PoseError::new_err)?;
        let local = posing::sample(asset, clip, playback.time).raise(PoseError::new_err)?;
        let pose = posing::model_pose(asset, &local);
        Ok(Self::of(asset, pose, (Some(id), playback.time.0), options))
    }

    pub(crate) fn draw(&self, py: Python<'_>, look: &Look<'_>) -> PyResult<Image> {
        look.draw(py, &self.posed)
    }

    /// The vertices of a mesh, or of all.
    fn part<'py>(
        &self,
        py: Python<'py>,
        mesh: Option<&Bound<'py, PyAny>>,
        list: fn(&Surface) -> &[Vec3],
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let asset = &self.posed.asset;
        let mesh = mesh.map(|mesh| select::mesh(asset, mesh)).transpose()?;
        if let Err(error) = py.detach(|| self.posed.surface().as_ref().map(|_| ())) {
            return Err(PoseError::new_err(error.clone()));
        }
        array::view(py, &self.posed, |posed| {
            let Ok(surface) = posed.surface() else {
                return array::vectors(&[]);
            };
            let all = list(surface);
            array::vectors(match mesh.map(InstanceId::index) {
                Some(mesh) => &all[surface.starts[mesh]..surface.starts[mesh + 1]],
                None => all,
            })
        })
    }
}

#[pymethods]
impl Pose {
    /// The transforms from each joint to the world: joints × 4 × 4, float32, read-only, in the order of :attr:`Model.joints`.
    #[getter]
    fn joint_matrices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f32>>> {
        array::view(py, &self.posed, |posed| array::matrices(&posed.pose.nodes))
    }

    /// The transform from a joint to the world: 4 × 4, float32, read-only.
    ///
    /// :param joint: A joint, its name or index.
    /// :raises UnknownNameError: There is no such joint.
    fn joint_matrix<'py>(
        &self,
        py: Python<'py>,
        joint: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let joint = select::joint(&self.posed.asset, joint)?;
        array::view(py, &self.posed, |posed| {
            array::matrix(&posed.pose.nodes[joint.index()])
        })
    }

    /// The skinned vertices in world space, in the model's unit: vertices × 3, float32, read-only.
    ///
    /// The array is the memory of the pose, without a copy.
    ///
    /// :param mesh: A mesh, its name or index; all meshes one after another without it.
    #[pyo3(signature = (mesh=None))]
    fn positions<'py>(
        &self,
        py: Python<'py>,
        mesh: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        self.part(py, mesh, |surface| &surface.positions)
    }

    /// The unit normals of the skinned vertices in world space; zero where a mesh has none: vertices × 3, float32, read-only.
    ///
    /// :param mesh: A mesh, its name or index; all meshes one after another without it.
    #[pyo3(signature = (mesh=None))]
    fn normals<'py>(
        &self,
        py: Python<'py>,
        mesh: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        self.part(py, mesh, |surface| &surface.normals)
    }

    /// Draws the pose. The arguments are those of :meth:`Model.render`.
    #[pyo3(
        signature = (*, size=(1024, 1024), camera="three-quarter", show="lit", background="#4b4f56", orthographic=false,
            samples=4),
        text_signature = "($self, *, size=(1024, 1024), camera='three-quarter', show='lit', background='#4b4f56', orthographic=False, samples=4)"
    )]
    #[expect(clippy::too_many_arguments, reason = "all are named")]
    fn render(
        &self,
        py: Python<'_>,
        size: (u64, u64),
        camera: &str,
        show: &str,
        background: &str,
        orthographic: bool,
        samples: u32,
    ) -> PyResult<Image> {
        let look = Look {
            size,
            camera,
            show,
            background,
            orthographic,
            samples,
        };
        self.draw(py, &look)
    }

    fn __repr__(&self) -> String {
        match &self.clip {
            Some(clip) => format!("<Pose of {clip:?} at {} s>", self.time),
            None => "<Pose outside of clips>".to_owned(),
        }
    }
}
