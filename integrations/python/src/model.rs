//! Models.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray2, PyArray3, PyArray4};
use pyo3::prelude::*;
use skincheck::check::config::FILE_NAME;
use skincheck::engines::{ENGINES, Engine, TargetEngine};
use skincheck::import::{self, Isolation, Options};
use skincheck::pose as posing;
use skincheck::rig::{Asset, ClipId, InstanceId, NodeId, SkinId, SkinningOptions};
use skincheck::skinning::Attributes;

use crate::error::{ConfigError, LoadError, Raise};
use crate::parts::{Clip, Joint, Material, Mesh, Skin};
use crate::pose::{self, Frames, Pose, Sampling, Skinning};
use crate::render::{Image, Look};
use crate::{array, select};

/// A rigged model.
///
/// It keeps the axes and the unit of its file: nothing is converted. Matrices are for column vectors, so that
/// ``matrix @ (x, y, z, 1)`` transforms a point and ``matrix[:3, 3]`` is the translation.
#[pyclass(frozen, module = "skincheck")]
pub(crate) struct Model {
    pub(crate) asset: Arc<Asset>,
    /// The path it was read from.
    #[pyo3(get)]
    pub(crate) path: PathBuf,
    /// How it was read.
    pub(crate) import: Options,
    /// The engine that skins it.
    pub(crate) engine: Option<TargetEngine>,
}

/// Reads a model: FBX, glTF, COLLADA, IQM, MD5, and with assimp X, B3D, SMD, MS3D, M3D, Ogre, MDL, BVH and OBJ.
///
/// :param path: The file.
/// :param animation: Another file, whose clips replace the model's own.
/// :param importer: The name of an importer, such as ``"fbx"``; chosen by the file without one.
/// :param variant: The name of a variant of the materials (``KHR_materials_variants``).
/// :param expressions: Weights of the expressions of a VRM model, by name.
/// :param images: Whether to read textures. Without them, loading is faster and surfaces are drawn white.
/// :param isolate: Whether importers in C and C++ run in a process of their own, where a damaged file can do no harm. Switch
///     this off only for files that you trust.
/// :raises LoadError: The file cannot be read.
#[pyfunction]
#[pyo3(signature = (path, *, animation=None, importer=None, variant=None, expressions=None, images=true, isolate=true))]
#[expect(clippy::too_many_arguments, reason = "all but one are named")]
pub(crate) fn load(
    py: Python<'_>,
    path: PathBuf,
    animation: Option<PathBuf>,
    importer: Option<String>,
    variant: Option<String>,
    expressions: Option<BTreeMap<String, f32>>,
    images: bool,
    isolate: bool,
) -> PyResult<Model> {
    let options = Options {
        isolation: if isolate {
            Isolation::default()
        } else {
            Isolation::InProcess
        },
        animation,
        importer,
        variant,
        expressions: expressions.into_iter().flatten().collect(),
        images,
        project_file: Some(FILE_NAME),
        ..Options::default()
    };
    Model::load(py, path, options)
}

impl Model {
    pub(crate) fn load(py: Python<'_>, path: PathBuf, import: Options) -> PyResult<Self> {
        let asset = py.detach(|| import::load(&path, &import));
        let asset = asset.map_err(|error| LoadError::new_err(error.explain()))?;
        Ok(Self {
            asset: Arc::new(asset),
            path,
            import,
            engine: None,
        })
    }

    /// Reads a model for a comparison, which needs no textures.
    pub(crate) fn load_without_images(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let options = Options {
            images: false,
            project_file: Some(FILE_NAME),
            ..Options::default()
        };
        Self::load(py, path, options)
    }

    /// How it is skinned where its engine leaves a choice to `options`.
    pub(crate) fn skinning(&self, Skinning(options): Skinning) -> Skinning {
        let engine = self.engine.as_ref();
        Skinning(engine.map_or(options, |engine| SkinningOptions {
            max_influences: options.max_influences,
            ..engine.skinning(options)
        }))
    }
}

/// An engine, and the settings that a user makes in it, such as ``"unreal:influences=unlimited"``.
pub(crate) fn engine(text: &str) -> PyResult<TargetEngine> {
    text.parse::<TargetEngine>().raise(ConfigError::new_err)
}

/// The target engines and formats: their names, and their titles with versions.
#[pyfunction]
pub(crate) fn engines() -> Vec<(&'static str, String)> {
    let title = |engine: &Engine| format!("{} {}", engine.title, engine.version);
    let engines = ENGINES.iter();
    engines.map(|engine| (engine.name, title(engine))).collect()
}

#[pymethods]
impl Model {
    /// The importer that read it, with its version, such as ``"gltf 2.0"``.
    #[getter]
    fn importer(&self) -> String {
        self.asset.reader.to_string()
    }

    /// The length of its unit in metres; ``None`` if the file does not state it.
    #[getter]
    fn metres_per_unit(&self) -> Option<f64> {
        self.asset.space.metres_per_unit
    }

    /// The axis that points up, such as ``"+Y"``.
    #[getter]
    fn up(&self) -> String {
        self.asset.space.up.to_string()
    }

    /// The axis that the format calls the front, such as ``"+Z"``.
    #[getter]
    fn front(&self) -> String {
        self.asset.space.front.to_string()
    }

    /// What the importer repaired, assumed or skipped, in sentences.
    #[getter]
    fn notes(&self) -> Vec<String> {
        let notes = self.asset.notes.iter();
        notes
            .map(|note| format!("{}: {}", note.location, note.message))
            .collect()
    }

    /// The engine that skins it, as given to :meth:`as_engine`; ``None`` for the model as in its file.
    #[getter]
    fn engine(&self) -> Option<String> {
        self.engine.as_ref().map(TargetEngine::to_string)
    }

    /// The model as an engine skins it: without the influences that it drops, weights as it stores them, clips as it samples them.
    ///
    /// :param engine: The name of an engine, with the settings that a user makes in it, such as ``"unity"`` or
    ///     ``"unreal:influences=unlimited,weights=16"``.
    /// :raises ConfigError: There is no such engine or setting, no source says what it does to weights, or the model is an
    ///     engine's already.
    #[pyo3(name = "as_engine")]
    fn in_engine(&self, py: Python<'_>, engine: &str) -> PyResult<Self> {
        if let Some(engine) = &self.engine {
            return Err(ConfigError::new_err(format!(
                "the model is already as {engine} skins it; call as_engine on the model that was loaded"
            )));
        }
        let engine = self::engine(engine)?;
        let asset = py.detach(|| {
            let mut asset = Asset::clone(&self.asset);
            engine.apply(&mut asset).map(|()| Arc::new(asset))
        });
        Ok(Self {
            asset: asset.raise(ConfigError::new_err)?,
            path: self.path.clone(),
            import: self.import.clone(),
            engine: Some(engine),
        })
    }

    /// The animations.
    #[getter]
    fn clips(&self, py: Python<'_>) -> Vec<Clip> {
        let ids = (0..self.asset.clips.len()).map(ClipId::from_index);
        ids.map(|id| Clip::of(py, &self.asset, id)).collect()
    }

    /// The nodes of the hierarchy, parents first.
    #[getter]
    fn joints(&self) -> Vec<Joint> {
        let bound = self.asset.bound_joints().into_iter().enumerate();
        bound
            .map(|(index, is_bound)| Joint::of(&self.asset, NodeId::from_index(index), is_bound))
            .collect()
    }

    /// The meshes, each at its place in the model.
    #[getter]
    fn meshes(&self) -> Vec<Mesh> {
        let ids = (0..self.asset.instances.len()).map(InstanceId::from_index);
        ids.map(|id| Mesh::of(&self.asset, id)).collect()
    }

    /// The skins, which bind meshes to joints.
    #[getter]
    fn skins(&self) -> Vec<Skin> {
        let ids = (0..self.asset.skins.len()).map(SkinId::from_index);
        ids.map(|id| Skin::of(&self.asset, id)).collect()
    }

    /// The materials.
    #[getter]
    fn materials(&self) -> Vec<Material> {
        self.asset.materials.iter().map(Material::of).collect()
    }

    /// The number of vertices of all meshes: the second axis of :meth:`positions`.
    #[getter]
    fn vertex_count(&self) -> usize {
        pose::vertex_count(&self.asset, None)
    }

    /// A clip by name or index.
    ///
    /// :raises UnknownNameError: There is no such clip.
    fn clip(&self, py: Python<'_>, clip: &Bound<'_, PyAny>) -> PyResult<Clip> {
        Ok(Clip::of(py, &self.asset, select::clip(&self.asset, clip)?))
    }

    /// A joint by name or index. The name may omit a prefix: ``"Hips"`` for ``"mixamorig:Hips"``.
    ///
    /// :raises UnknownNameError: There is no such joint.
    fn joint(&self, joint: &Bound<'_, PyAny>) -> PyResult<Joint> {
        let id = select::joint(&self.asset, joint)?;
        Ok(Joint::of(
            &self.asset,
            id,
            self.asset.bound_joints()[id.index()],
        ))
    }

    /// A mesh by its name, that of its node, or index.
    ///
    /// :raises UnknownNameError: There is no such mesh.
    fn mesh(&self, mesh: &Bound<'_, PyAny>) -> PyResult<Mesh> {
        Ok(Mesh::of(&self.asset, select::mesh(&self.asset, mesh)?))
    }

    /// The model in a clip at a time.
    ///
    /// :param clip: A clip, its name or index; ``None`` for the rest pose.
    /// :param time: In seconds, absolute in the clip.
    /// :param frame: The number of a frame, instead of a time.
    /// :param wrap: ``"clamp"`` holds the first and last pose outside the clip, ``"loop"`` repeats it.
    /// :param skinning: ``"auto"`` (as the file says), ``"linear"`` or ``"dual-quaternion"``.
    /// :param max_influences: How many weights a vertex keeps; all without it.
    /// :raises UnknownNameError: There is no such clip.
    /// :raises PoseError: The time is not a number, or negative in a clip that begins at 0.
    #[pyo3(signature = (clip=None, time=None, *, frame=None, wrap="clamp", skinning="auto", max_influences=None))]
    fn pose(
        &self,
        clip: Option<&Bound<'_, PyAny>>,
        time: Option<f64>,
        frame: Option<i64>,
        wrap: &str,
        skinning: &str,
        max_influences: Option<u32>,
    ) -> PyResult<Pose> {
        let options = self.skinning(Skinning::parse(skinning, max_influences)?);
        let clip = clip
            .map(|clip| select::clip(&self.asset, clip))
            .transpose()?;
        let sampling = Sampling::of(time, frame, wrap)?;
        Pose::at(&self.asset, clip, sampling, options)
    }

    /// The pose in which skinning leaves every vertex at its position in the mesh.
    fn bind_pose(&self) -> Pose {
        Pose::of(
            &self.asset,
            posing::bind(&self.asset),
            (None, 0.0),
            self.skinning(Skinning::default()),
        )
    }

    /// The positions of the skinned vertices in world space, in the model's unit, at many times of a clip.
    ///
    /// All memory is allocated once, and other Python threads run meanwhile.
    ///
    /// :param clip: A clip, its name or index.
    /// :param times: In seconds, for example ``numpy.linspace(0, 1, 30)``; times outside the clip hold its first or last pose.
    /// :param mesh: A mesh, its name or index; all meshes one after another without it.
    /// :returns: frames × vertices × 3, float32.
    #[pyo3(signature = (clip, times, *, mesh=None, wrap="clamp", skinning="auto", max_influences=None))]
    #[expect(clippy::too_many_arguments, reason = "most are named")]
    fn positions<'py>(
        &self,
        py: Python<'py>,
        clip: &Bound<'py, PyAny>,
        times: &Bound<'py, PyAny>,
        mesh: Option<&Bound<'py, PyAny>>,
        wrap: &str,
        skinning: &str,
        max_influences: Option<u32>,
    ) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let options = self.skinning(Skinning::parse(skinning, max_influences)?);
        let frames = self.frames(clip, times, wrap)?;
        self.vertices(py, &frames, mesh, &options, Attributes::Positions)
    }

    /// The unit normals of the skinned vertices in world space, at many times of a clip; zero where a mesh has none.
    ///
    /// The arguments are those of :meth:`positions`.
    ///
    /// :returns: frames × vertices × 3, float32.
    #[pyo3(signature = (clip, times, *, mesh=None, wrap="clamp", skinning="auto", max_influences=None))]
    #[expect(clippy::too_many_arguments, reason = "most are named")]
    fn normals<'py>(
        &self,
        py: Python<'py>,
        clip: &Bound<'py, PyAny>,
        times: &Bound<'py, PyAny>,
        mesh: Option<&Bound<'py, PyAny>>,
        wrap: &str,
        skinning: &str,
        max_influences: Option<u32>,
    ) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let options = self.skinning(Skinning::parse(skinning, max_influences)?);
        let frames = self.frames(clip, times, wrap)?;
        self.vertices(py, &frames, mesh, &options, Attributes::Normals)
    }

    /// The transforms from each joint to the world at many times of a clip, in the order of :attr:`joints`.
    ///
    /// :param clip: A clip, its name or index.
    /// :param times: In seconds, as in :meth:`positions`.
    /// :returns: frames × joints × 4 × 4, float32.
    #[pyo3(signature = (clip, times, *, wrap="clamp"))]
    fn joint_matrices<'py>(
        &self,
        py: Python<'py>,
        clip: &Bound<'py, PyAny>,
        times: &Bound<'py, PyAny>,
        wrap: &str,
    ) -> PyResult<Bound<'py, PyArray4<f32>>> {
        self.matrices(py, &self.frames(clip, times, wrap)?, false)
    }

    /// The transforms from each joint to its parent at many times of a clip, in the order of :attr:`joints`.
    ///
    /// The arguments are those of :meth:`joint_matrices`.
    ///
    /// :returns: frames × joints × 4 × 4, float32.
    #[pyo3(signature = (clip, times, *, wrap="clamp"))]
    fn local_matrices<'py>(
        &self,
        py: Python<'py>,
        clip: &Bound<'py, PyAny>,
        times: &Bound<'py, PyAny>,
        wrap: &str,
    ) -> PyResult<Bound<'py, PyArray4<f32>>> {
        self.matrices(py, &self.frames(clip, times, wrap)?, true)
    }

    /// The weights of a mesh's morph targets at many times of a clip, in the order of the targets.
    ///
    /// :param clip: A clip, its name or index.
    /// :param times: In seconds, as in :meth:`positions`.
    /// :param mesh: A mesh, its name or index.
    /// :returns: frames × targets, float32.
    #[pyo3(signature = (clip, times, mesh, *, wrap="clamp"))]
    fn morph_weights<'py>(
        &self,
        py: Python<'py>,
        clip: &Bound<'py, PyAny>,
        times: &Bound<'py, PyAny>,
        mesh: &Bound<'py, PyAny>,
        wrap: &str,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let frames = self.frames(clip, times, wrap)?;
        let mesh = select::mesh(&self.asset, mesh)?;
        let targets = self.asset.mesh_of(&self.asset[mesh]).morph_targets.len();
        let shape = [frames.times.len(), targets];
        array::filled(py, &shape, |numbers| frames.fill_weights(mesh, numbers))
    }

    /// Draws the model in a clip at a time, as the command ``skincheck render`` does without its overlays.
    ///
    /// :param clip: A clip, its name or index; ``None`` for the rest pose.
    /// :param time: In seconds, absolute in the clip.
    /// :param size: Width and height in pixels.
    /// :param camera: ``"front"``, ``"back"``, ``"left"``, ``"right"``, ``"top"``, ``"three-quarter"``, or
    ///     ``"orbit:YAW,PITCH"`` in degrees.
    /// :param show: What the colours show, such as ``"lit"``, ``"texture"``, ``"weights:Hips"`` or ``"stretch"``.
    /// :param background: ``"#rrggbb"``, the name of a colour, or ``"transparent"``.
    /// :param orthographic: Whether to draw without perspective.
    /// :param samples: Samples per pixel: 1 or 4.
    /// :raises RenderError: The model cannot be drawn so.
    #[pyo3(
        signature = (clip=None, time=None, *, size=(1024, 1024), camera="three-quarter", show="lit", background="#4b4f56",
            orthographic=false, samples=4),
        text_signature = "($self, clip=None, time=None, *, size=(1024, 1024), camera='three-quarter', show='lit', background='#4b4f56', orthographic=False, samples=4)"
    )]
    #[expect(clippy::too_many_arguments, reason = "most are named")]
    fn render(
        &self,
        py: Python<'_>,
        clip: Option<&Bound<'_, PyAny>>,
        time: Option<f64>,
        size: (u64, u64),
        camera: &str,
        show: &str,
        background: &str,
        orthographic: bool,
        samples: u32,
    ) -> PyResult<Image> {
        let clip = clip
            .map(|clip| select::clip(&self.asset, clip))
            .transpose()?;
        let pose = Pose::at(
            &self.asset,
            clip,
            Sampling::of(time, None, "clamp")?,
            self.skinning(Skinning::default()),
        )?;
        let look = Look {
            size,
            camera,
            show,
            background,
            orthographic,
            samples,
        };
        pose.draw(py, &look)
    }

    fn __repr__(&self) -> String {
        format!(
            "<Model {:?}: {} clips, {} joints, {} vertices>",
            self.path.display().to_string(),
            self.asset.clips.len(),
            self.asset.skeleton.len(),
            pose::vertex_count(&self.asset, None)
        )
    }
}

impl Model {
    fn frames(
        &self,
        clip: &Bound<'_, PyAny>,
        times: &Bound<'_, PyAny>,
        wrap: &str,
    ) -> PyResult<Frames<'_>> {
        let expected = array::Expected {
            name: "times",
            shape: &[None],
            words: "one number of seconds per frame",
        };
        let (times, _) = array::numbers::<f64>(times, expected)?;
        Ok(Frames {
            asset: &self.asset,
            clip: select::clip(&self.asset, clip)?,
            times,
            wrap: pose::wrap(wrap)?,
        })
    }

    fn vertices<'py>(
        &self,
        py: Python<'py>,
        frames: &Frames<'_>,
        mesh: Option<&Bound<'py, PyAny>>,
        options: &Skinning,
        attributes: Attributes,
    ) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let mesh = mesh
            .map(|mesh| select::mesh(&self.asset, mesh))
            .transpose()?;
        let vertices = pose::vertex_count(&self.asset, mesh);
        let shape = [frames.times.len(), vertices, 3];
        array::filled(py, &shape, |numbers| {
            frames.fill_vertices(mesh, attributes, options, numbers)
        })
    }

    fn matrices<'py>(
        &self,
        py: Python<'py>,
        frames: &Frames<'_>,
        are_local: bool,
    ) -> PyResult<Bound<'py, PyArray4<f32>>> {
        let shape = [frames.times.len(), self.asset.skeleton.len(), 4, 4];
        array::filled(py, &shape, |numbers| {
            frames.fill_matrices(are_local, numbers)
        })
    }
}
