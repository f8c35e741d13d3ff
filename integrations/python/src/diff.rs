//! Comparisons.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};
use skincheck::diff::reference::{Reference as Stored, is_reference};
use skincheck::diff::{
    self as comparing, Accepted, DiffError as DiffFailure, Kind, Only, Options, PosedPairs,
    Settings, Source, Tolerance,
};
use skincheck::engines::TargetEngine;
use skincheck::pose::find_clip;
use skincheck::report::View;
use skincheck::report::diff::{Compared, Comparison, PageImages, Pair};
use skincheck::rig::{ClipId, SkinningOptions};
use skincheck::units::Seconds;

use crate::array::{self, Expected};
use crate::error::{DiffError, Raise, ReferenceFileError, UnknownNameError};
use crate::findings::{Finding, format_named};
use crate::model::Model;
use crate::names::Names;
use crate::reference::Reference;

/// How two clips, or the rest poses, compare. Lengths are in the unit of the model before.
#[pyclass(frozen, module = "skincheck", get_all)]
pub(crate) struct ClipDifference {
    /// The clip's name before and after; ``None`` for the rest pose.
    clips: Option<(String, String)>,
    /// Whether it is beyond the tolerance.
    differs: bool,
    /// The tolerance as a length.
    limit: f64,
    /// The largest distance of corresponding vertices.
    max: f64,
    /// The 99th percentile of the distances.
    p99: f64,
    /// The root of their mean square.
    rms: f64,
    /// The compared times in seconds: float64.
    times: Py<PyArray1<f64>>,
    /// The largest distance at each of these times: float64.
    max_over_time: Py<PyArray1<f64>>,
    /// The root of the mean square at each of these times: float64.
    rms_over_time: Py<PyArray1<f64>>,
}

impl ClipDifference {
    fn of(py: Python<'_>, take: &comparing::Take) -> Self {
        let column = |of: fn(&comparing::ErrorSample) -> f64| {
            PyArray1::from_vec(py, take.over_time.iter().map(of).collect()).unbind()
        };
        Self {
            clips: take
                .clips
                .as_ref()
                .map(|[before, after]| (before.clone(), after.clone())),
            differs: take.verdict.differs(),
            limit: take.limit,
            max: take.surface.max,
            p99: take.surface.p99,
            rms: take.surface.rms,
            times: column(|sample| sample.time.0),
            max_over_time: column(|sample| sample.max),
            rms_over_time: column(|sample| sample.rms),
        }
    }
}

#[pymethods]
impl ClipDifference {
    fn __repr__(&self) -> String {
        let name = match &self.clips {
            Some((before, _)) => format!("{before:?}"),
            None => "the rest pose".to_owned(),
        };
        format!("<ClipDifference of {name}: at most {}>", self.max)
    }
}

/// How two models differ.
#[pyclass(frozen, module = "skincheck")]
pub(crate) struct Difference {
    paths: [String; 2],
    engines: [Option<String>; 2],
    report: Arc<comparing::Report>,
}

#[pymethods]
impl Difference {
    /// Whether the rest pose and all clips are within the tolerance, and nothing else differs.
    #[getter]
    fn is_same(&self) -> bool {
        self.report.is_same()
    }

    /// Differences, whose level is ``"error"``, then remarks, whose level is ``"info"``; the stages in order.
    #[getter]
    fn findings(&self) -> Vec<Finding> {
        let findings = self.report.findings.iter();
        findings.map(|own| Finding::of(&own.finding)).collect()
    }

    /// The rest pose first, if both models have one, then each pair of clips.
    #[getter]
    fn clips(&self, py: Python<'_>) -> Vec<ClipDifference> {
        let takes = self.report.takes.iter();
        takes.map(|take| ClipDifference::of(py, take)).collect()
    }

    /// What either model has and is not compared, in words.
    #[getter]
    fn not_compared(&self) -> Vec<String> {
        self.report.not_compared.clone()
    }

    /// The diagonal of the model before, in its unit.
    #[getter]
    fn diagonal(&self) -> f64 {
        self.report.diagonal
    }

    /// The length of that unit in metres, if either model states it.
    #[getter]
    fn metres_per_unit(&self) -> Option<f64> {
        self.report.metres_per_unit
    }

    /// The report as a text.
    ///
    /// :param format: ``"text"`` for people, or ``"json"``, ``"sarif"``, ``"junit"``, ``"github"``, ``"gitlab"``,
    ///     ``"markdown"`` or ``"html"``.
    #[pyo3(signature = (format="text"))]
    fn to_text(&self, format: &str) -> PyResult<String> {
        let compared = Compared {
            paths: self.paths.clone(),
            importers: None,
            report: (*self.report).clone(),
        };
        let comparison = Comparison {
            folders: None,
            engines: self.engines.clone(),
            models: vec![Pair::Compared(Box::new(compared))],
            left: 0,
        };
        Ok(comparison.write(
            format_named(format)?,
            View::default(),
            &PageImages::default(),
        ))
    }

    fn __str__(&self) -> PyResult<String> {
        self.to_text("text")
    }

    fn __repr__(&self) -> String {
        let [before, after] = &self.paths;
        let is_same = if self.is_same() {
            "the same"
        } else {
            "different"
        };
        format!("<Difference {before:?} and {after:?}: {is_same}>")
    }
}

/// A model or reference in memory, or of a file, and its name.
fn source(argument: &Bound<'_, PyAny>) -> PyResult<(Source, String)> {
    if let Ok(model) = argument.cast::<Model>() {
        let model = model.get();
        return Ok((
            Source::Model(Arc::clone(&model.asset)),
            model.path.display().to_string(),
        ));
    }
    if let Ok(reference) = argument.cast::<Reference>() {
        let stored = reference.borrow().stored();
        stored.validate().raise(ReferenceFileError::new_err)?;
        return Ok((Source::Reference(Box::new(stored)), "reference".to_owned()));
    }
    let path: PathBuf = argument.extract().map_err(|_| {
        PyTypeError::new_err("expected a path, a skincheck.Model or a skincheck.Reference")
    })?;
    let name = path.display().to_string();
    let py = argument.py();
    if py.detach(|| is_reference(&path)) {
        let stored = py.detach(|| Stored::load(&path).raise(ReferenceFileError::new_err));
        return Ok((Source::Reference(Box::new(stored?)), name));
    }
    let model = Model::load_without_images(py, path)?;
    Ok((Source::Model(model.asset), name))
}

fn kinds(names: Option<Names>, argument: &str) -> PyResult<BTreeSet<Kind>> {
    let kind = |name: &String| {
        Kind::named(name).ok_or_else(|| {
            let known: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
            DiffError::new_err(format!(
                "{argument}: {name:?} is no kind of difference; expected one of {}",
                known.join(", ")
            ))
        })
    };
    names.unwrap_or_default().iter().map(kind).collect()
}

fn accepted(names: Option<Names>) -> PyResult<Vec<Accepted>> {
    let accepted = |name: &String| match name.as_str() {
        "similarity" => Ok(Accepted::Similarity),
        "time" => Ok(Accepted::Time),
        _ => Err(DiffError::new_err(format!(
            "align: expected \"similarity\" or \"time\", not {name:?}"
        ))),
    };
    names.unwrap_or_default().iter().map(accepted).collect()
}

/// What corresponds to what.
fn pairing(
    align: Option<Names>,
    scale: Option<f64>,
    joints: Option<BTreeMap<String, String>>,
    clips: Option<BTreeMap<String, String>>,
) -> PyResult<Settings> {
    if let Some(scale) = scale.filter(|scale| !(*scale > 0.0 && scale.is_finite())) {
        return Err(DiffError::new_err(format!(
            "scale {scale}: expected a number above 0"
        )));
    }
    Ok(Settings {
        align: accepted(align)?,
        scale,
        joints: joints.unwrap_or_default(),
        clips: clips.unwrap_or_default(),
        ..Settings::default()
    })
}

/// The engine that skins a source, if it is a model.
fn engine_of(source: &Bound<'_, PyAny>) -> Option<String> {
    let model = source.cast::<Model>().ok()?;
    model.get().engine.as_ref().map(TargetEngine::to_string)
}

/// The options for two sources, of which models may be as engines skin them.
fn options(settings: Settings, sources: [&Bound<'_, PyAny>; 2]) -> Options {
    let weights = |source: &Bound<'_, PyAny>| {
        let model = source.cast::<Model>().ok();
        let engine = model.and_then(|model| model.get().engine.as_ref());
        let default = SkinningOptions::default();
        engine
            .map_or(default, |engine| engine.skinning(default))
            .weights
    };
    let mut options = Options::default();
    options.settings = settings;
    options.weights = sources.map(weights);
    options
}

/// The distance of each vertex of a model from its counterpart in another, at times of clips.
///
/// :param reference: A path, a :class:`Model`, or a :class:`Reference`.
/// :param model: The same; its vertices are measured.
/// :param times: For the name of each clip of the model, times in seconds, such as :attr:`ClipDifference.times`; for ``None``, the
///     rest pose, any one time.
/// :returns: For each of them, times × vertices of all meshes of the model, in the unit of the reference, NaN without a counterpart:
///     float32.
/// :raises DiffError: The two cannot be compared, or the reference lacks one of the clips.
///
/// The other arguments are those of :func:`diff`; names of the reference come before those of the model.
#[pyfunction]
#[pyo3(signature = (reference, model, times, *, align=None, scale=None, joints=None, clips=None))]
#[expect(clippy::too_many_arguments, reason = "most are named")]
pub(crate) fn distances<'py>(
    py: Python<'py>,
    reference: &Bound<'py, PyAny>,
    model: &Bound<'py, PyAny>,
    times: &Bound<'py, PyMapping>,
    align: Option<Names>,
    scale: Option<f64>,
    joints: Option<BTreeMap<String, String>>,
    clips: Option<BTreeMap<String, String>>,
) -> PyResult<Bound<'py, PyDict>> {
    let options = options(pairing(align, scale, joints, clips)?, [reference, model]);
    let (reference, _) = source(reference)?;
    let (model, _) = source(model)?;
    let items = times.items()?;
    let wanted = items.iter().map(|item| {
        let (clip, times): (Option<String>, Bound<'_, PyAny>) = item.extract()?;
        let id = clip.as_deref().map(|name| clip_of(&model, name));
        let expected = Expected {
            name: "times",
            shape: &[None],
            words: "one number of seconds per frame",
        };
        let (times, _) = array::numbers::<f64>(&times, expected)?;
        Ok((clip, id.transpose()?, times))
    });
    let wanted: Vec<(Option<String>, Option<ClipId>, Vec<f64>)> =
        wanted.collect::<PyResult<_>>()?;
    let measured = py.detach(|| {
        let look = |_: &comparing::Report, posed: &PosedPairs<'_>| {
            let of_clip = |(_, id, times): &(_, _, Vec<f64>)| distances_at(posed, *id, times);
            wanted.iter().map(of_clip).collect::<Result<Vec<_>, _>>()
        };
        let (_, measured) = comparing::compare_and_inspect(&reference, &model, &options, look)?;
        measured.unwrap_or(Err(DiffFailure::NothingInCommon))
    });
    let by_clip = PyDict::new(py);
    for ((clip, ..), rows) in wanted.into_iter().zip(measured.raise(DiffError::new_err)?) {
        let rows = rows.ok_or_else(|| {
            let what = clip.as_ref().map(|name| format!("clip {name:?}"));
            let what = what.unwrap_or_else(|| "rest pose".to_owned());
            DiffError::new_err(format!("the reference has no {what} to compare with"))
        })?;
        by_clip.set_item(clip, PyArray2::from_vec2(py, &rows)?)?;
    }
    Ok(by_clip)
}

/// The distances of all vertices at each time of a clip; `None` if no clip corresponds to it.
fn distances_at(
    posed: &PosedPairs<'_>,
    clip: Option<ClipId>,
    times: &[f64],
) -> Result<Option<Vec<Vec<f32>>>, DiffFailure> {
    let row = |time: &f64| {
        let pair = posed.at_time(clip, Seconds(*time))?;
        Ok(pair.map(|pair| pair.distances.concat()))
    };
    times.iter().map(row).collect()
}

/// The clip of a name.
fn clip_of(source: &Source, name: &str) -> PyResult<ClipId> {
    match source {
        Source::Model(asset) => find_clip(asset, name).raise(UnknownNameError::new_err),
        Source::Reference(reference) => {
            let found = reference.clips.iter().position(|clip| clip.name == name);
            found.map(ClipId::from_index).ok_or_else(|| {
                UnknownNameError::new_err(format!("the reference has no clip named {name:?}"))
            })
        }
    }
}

/// Compares two versions of a rig over all clips: how far apart their surfaces are, where, when, and the stage at fault.
///
/// Axes and units are reconciled as both state them. Joints, clips and vertices are matched by name, position and motion.
///
/// :param before: A path, a :class:`Model`, or a :class:`Reference`.
/// :param after: The same, of the version that may have changed.
/// :param tolerance: The largest difference that is ignored, with its unit, such as ``"0.1%"`` of the diagonal or ``"2mm"``.
/// :param align: Differences that are accepted and undone: ``"similarity"`` of the whole model, ``"time"`` of clips.
/// :param ignore: Kinds of findings that are remarks, such as ``"resampled"``.
/// :param count: Kinds of findings that are differences.
/// :param only_surface: Whether only differences of the deformed surface count.
/// :param scale: Multiplies the model after first.
/// :param joints: Names of joints before, and after.
/// :param clips: Names of clips before, and after.
/// :raises DiffError: They cannot be compared, or a setting is wrong.
#[pyfunction]
#[pyo3(signature = (before, after, *, tolerance=None, align=None, ignore=None, count=None, only_surface=false, scale=None,
    joints=None, clips=None))]
#[expect(clippy::too_many_arguments, reason = "all but two are named")]
pub(crate) fn diff(
    py: Python<'_>,
    before: &Bound<'_, PyAny>,
    after: &Bound<'_, PyAny>,
    tolerance: Option<&str>,
    align: Option<Names>,
    ignore: Option<Names>,
    count: Option<Names>,
    only_surface: bool,
    scale: Option<f64>,
    joints: Option<BTreeMap<String, String>>,
    clips: Option<BTreeMap<String, String>>,
) -> PyResult<Difference> {
    let tolerance = tolerance.map(|text| {
        text.parse::<Tolerance>()
            .map_err(|error| DiffError::new_err(format!("tolerance {text:?}: {error}")))
    });
    let settings = Settings {
        tolerance: tolerance.transpose()?,
        ignore: kinds(ignore, "ignore")?,
        count: kinds(count, "count")?,
        only: only_surface.then_some(Only::Surface),
        ..pairing(align, scale, joints, clips)?
    };
    let options = options(settings, [before, after]);
    let engines = [before, after].map(engine_of);
    let (before, before_path) = source(before)?;
    let (after, after_path) = source(after)?;
    let report = py.detach(|| comparing::compare(&before, &after, &options));
    Ok(Difference {
        paths: [before_path, after_path],
        engines,
        report: Arc::new(report.raise(DiffError::new_err)?),
    })
}
