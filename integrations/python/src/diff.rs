//! Comparisons.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use numpy::PyArray1;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use skincheck::check::config::FILE_NAME;
use skincheck::diff::reference::{Reference as Stored, is_reference};
use skincheck::diff::{
    self as comparing, Accepted, Kind, Only, Options, Settings, Source, Tolerance,
};
use skincheck::import;
use skincheck::report::diff::{Compared, Comparison, PageImages, Pair};

use crate::error::{DiffError, Raise, ReferenceFileError};
use crate::findings::{Finding, format_named};
use crate::model::Model;
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
    /// The largest distance on the screen, in pixels.
    pixels: f64,
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
            differs: take.differs,
            limit: take.limit,
            max: take.surface.max,
            p99: take.surface.p99,
            rms: take.surface.rms,
            pixels: take.surface.pixels,
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
        self.report.findings.iter().map(Finding::of).collect()
    }

    /// The rest pose first, if both models have one, then each pair of clips.
    #[getter]
    fn clips(&self, py: Python<'_>) -> Vec<ClipDifference> {
        let takes = self.report.takes.iter();
        takes.map(|take| ClipDifference::of(py, take)).collect()
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
            report: (*self.report).clone(),
        };
        let comparison = Comparison {
            folders: None,
            engines: [None, None],
            models: vec![Pair::Compared(compared)],
            left: 0,
        };
        Ok(comparison.write(format_named(format)?, &PageImages::default()))
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
    let options = import::Options {
        images: false,
        project_file: Some(FILE_NAME),
        ..import::Options::default()
    };
    let model = Model::load(py, path, options)?;
    Ok((Source::Model(model.asset), name))
}

fn kinds(names: Option<Vec<String>>, argument: &str) -> PyResult<BTreeSet<Kind>> {
    let kind = |name: String| {
        Kind::named(&name).ok_or_else(|| {
            let known: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
            DiffError::new_err(format!(
                "{argument}: {name:?} is no kind of difference; expected one of {}",
                known.join(", ")
            ))
        })
    };
    names.unwrap_or_default().into_iter().map(kind).collect()
}

fn accepted(names: Option<Vec<String>>) -> PyResult<Vec<Accepted>> {
    let accepted = |name: String| match name.as_str() {
        "similarity" => Ok(Accepted::Similarity),
        "time" => Ok(Accepted::Time),
        _ => Err(DiffError::new_err(format!(
            "align: expected \"similarity\" or \"time\", not {name:?}"
        ))),
    };
    names
        .unwrap_or_default()
        .into_iter()
        .map(accepted)
        .collect()
}

/// Compares two versions of a rig over all clips: how far apart their surfaces are, where, when, and the stage at fault.
///
/// Axes and units are reconciled as both state them. Joints, clips and vertices are matched by name, position and motion,
/// never by index.
///
/// :param before: A path, a :class:`Model`, or a :class:`Reference`.
/// :param after: The same, of the version that may have changed.
/// :param tolerance: The largest difference that is ignored, with its unit, such as ``"0.1%"`` of the diagonal, ``"2mm"`` or
///     ``"0.5px"``.
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
    align: Option<Vec<String>>,
    ignore: Option<Vec<String>>,
    count: Option<Vec<String>>,
    only_surface: bool,
    scale: Option<f64>,
    joints: Option<BTreeMap<String, String>>,
    clips: Option<BTreeMap<String, String>>,
) -> PyResult<Difference> {
    let tolerance = tolerance.map(|text| {
        text.parse::<Tolerance>()
            .map_err(|error| DiffError::new_err(format!("tolerance {text:?}: {error}")))
    });
    if let Some(scale) = scale.filter(|scale| !(*scale > 0.0 && scale.is_finite())) {
        return Err(DiffError::new_err(format!(
            "scale {scale}: expected a number above 0"
        )));
    }
    let mut options = Options::default();
    options.settings = Settings {
        tolerance: tolerance.transpose()?,
        align: accepted(align)?,
        ignore: kinds(ignore, "ignore")?,
        count: kinds(count, "count")?,
        only: only_surface.then_some(Only::Surface),
        scale,
        joints: joints.unwrap_or_default(),
        clips: clips.unwrap_or_default(),
        ..Settings::default()
    };
    let (before, before_path) = source(before)?;
    let (after, after_path) = source(after)?;
    let report = py.detach(|| comparing::compare(&before, &after, &options));
    Ok(Difference {
        paths: [before_path, after_path],
        report: Arc::new(report.raise(DiffError::new_err)?),
    })
}
