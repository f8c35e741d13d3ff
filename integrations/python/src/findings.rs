//! Checks, and their findings.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use numpy::PyArray1;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use skincheck::check::config::{FILE_NAME, Layer, Selector, find_preset, preset_names};
use skincheck::check::{self as checking, ConfigChoice, FileReport, Request};
use skincheck::closeup;
use skincheck::diff::Kind;
use skincheck::finding::{self, Level};
use skincheck::import::Options;
use skincheck::lint::find_rule;
use skincheck::report::{self, Format, View};
use skincheck::rig::Asset;

use crate::array;
use crate::error::{ConfigError, LoadError, Raise, RenderError};
use crate::model::{Model, engine};
use crate::names::Names;
use crate::render::Image;

/// How often Ctrl-C is looked for.
const SIGNALS: Duration = Duration::from_millis(50);

/// Everything that one cause does to one subject, such as a mesh, a joint or a clip.
#[pyclass(frozen, module = "skincheck")]
pub(crate) struct Finding(Arc<finding::Finding>);

impl Finding {
    pub(crate) fn of(finding: &finding::Finding) -> Self {
        Self(Arc::new(finding.clone()))
    }
}

#[pymethods]
impl Finding {
    /// The code of the rule, such as ``"W103"``, or the kind of a difference, such as ``"bind-pose"``.
    #[getter]
    fn code(&self) -> &'static str {
        self.0.code.0
    }

    /// The name of the rule, such as ``"weights-not-normalized"``, or the kind of a difference.
    #[getter]
    fn name(&self) -> &'static str {
        find_rule(self.0.code.0).map_or(self.0.code.0, |rule| rule.meta().name)
    }

    /// ``"error"``, ``"warning"``, ``"hint"`` or ``"info"``.
    #[getter]
    fn level(&self) -> &'static str {
        self.0.level.name()
    }

    /// What is wrong: for a rule, a fragment about the location, else a sentence.
    #[getter]
    fn message(&self) -> &str {
        &self.0.message
    }

    /// How to fix it; empty for a difference, whose message says where to look.
    #[getter]
    fn fix(&self) -> String {
        find_rule(self.0.code.0).map_or_else(String::new, |rule| rule.meta().fix())
    }

    /// What the code means: the page of the rule as Markdown, or a line on the kind of difference.
    #[getter]
    fn explanation(&self) -> &'static str {
        let rule = find_rule(self.0.code.0).map(|rule| rule.meta().page);
        rule.or_else(|| Some(Kind::named(self.0.code.0)?.about()))
            .unwrap_or_default()
    }

    /// The cause that it shares with other findings, or the finding that explains it; ``None`` if it is its own.
    #[getter]
    fn cause(&self) -> Option<String> {
        self.0.cause.as_ref().map(ToString::to_string)
    }

    /// The location of the worst fault, such as ``mesh "Body" vertex 1841``.
    #[getter]
    fn location(&self) -> String {
        self.0.location.to_string()
    }

    /// The name of the mesh, if it concerns one.
    #[getter]
    fn mesh(&self) -> Option<&str> {
        self.0.location.mesh.as_deref()
    }

    /// The worst vertex of the mesh, from 0.
    #[getter]
    fn vertex(&self) -> Option<usize> {
        self.0.location.vertex
    }

    /// The time of the worst fault in its clip, in seconds.
    #[getter]
    fn time(&self) -> Option<f64> {
        self.0.location.time.map(|time| time.0)
    }

    /// All vertices with the fault: for each mesh, by its index in :attr:`Model.meshes`, ascending indices (uint32, read-only).
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let vertices = PyDict::new(py);
        for (index, mesh) in self.0.affected.meshes.iter().enumerate() {
            let of_mesh: Bound<'py, PyArray1<u32>> = array::view(py, &self.0, |finding| {
                array::list(&finding.affected.meshes[index].vertices)
            })?;
            vertices.set_item(mesh.instance.index(), of_mesh)?;
        }
        Ok(vertices)
    }

    /// The names of the joints that it concerns, the worst first; then those that move the worst vertex, the strongest first.
    #[getter]
    fn joints(&self) -> Vec<&str> {
        let worst = self.0.location.joint.iter();
        let of_vertex = self.0.location.joints.iter().map(|own| &own.joint);
        let mut joints: Vec<&str> = Vec::new();
        for joint in worst.chain(&self.0.affected.joints).chain(of_vertex) {
            if !joints.contains(&joint.as_str()) {
                joints.push(joint);
            }
        }
        joints
    }

    /// The names of the clips that show it, the worst first.
    #[getter]
    fn clips(&self) -> Vec<&str> {
        self.0.clips().map(|(name, _)| name).collect()
    }

    /// The number of faults in the worst pose.
    #[getter]
    fn count(&self) -> usize {
        self.0.count
    }

    /// The worst value, in the unit of the rule; ``None`` for a fault without a number.
    #[getter]
    fn value(&self) -> Option<f64> {
        self.0.measure.map(|measure| measure.value)
    }

    /// The limit that the value exceeds or falls short of.
    #[getter]
    fn limit(&self) -> Option<f64> {
        self.0.measure?.limit
    }

    /// One line: level, code, location and message.
    fn __str__(&self) -> String {
        let finding = &*self.0;
        let (level, code) = (finding.level.name(), finding.code);
        if find_rule(code.0).is_some() {
            format!("{level} {code}: {}: {}", finding.location, finding.message)
        } else {
            format!("{level} {code}: {}", finding.message)
        }
    }

    fn __repr__(&self) -> String {
        format!("<Finding {}>", self.__str__())
    }
}

/// The result of checking a model.
#[pyclass(frozen, module = "skincheck")]
pub(crate) struct Report {
    file: FileReport,
    /// The model if it was in memory; others are read again for pictures.
    asset: Option<Arc<Asset>>,
    import: Options,
}

#[pymethods]
impl Report {
    /// The path of the model.
    #[getter]
    fn path(&self) -> &Path {
        &self.file.path
    }

    /// The findings, in the order of the rules.
    #[getter]
    fn findings(&self) -> Vec<Finding> {
        self.file.findings.iter().map(Finding::of).collect()
    }

    /// Whether the model was checked, and no finding fails the check: no error, and with ``deny_warnings`` no warning.
    #[getter]
    fn passes(&self) -> bool {
        self.file.passes()
    }

    /// Why the model could not be read, or not be checked completely.
    #[getter]
    fn failure(&self) -> Option<&str> {
        self.file.failure.as_deref()
    }

    /// The path of the configuration that applied.
    #[getter]
    fn config(&self) -> Option<&Path> {
        self.file.config.as_deref()
    }

    /// The name of the preset that applied.
    #[getter]
    fn preset(&self) -> Option<&str> {
        self.file.preset.as_deref()
    }

    /// The target engine or format, with its options.
    #[getter]
    fn engine(&self) -> Option<&str> {
        self.file.engine.as_deref()
    }

    /// The rules that could not be checked: codes and reasons.
    #[getter]
    fn unchecked(&self) -> Vec<(&'static str, &str)> {
        let unchecked = self.file.unchecked.iter();
        unchecked
            .map(|rule| (rule.code.0, rule.reason.as_str()))
            .collect()
    }

    /// The report as a text.
    ///
    /// :param format: ``"text"`` for people, or ``"json"``, ``"sarif"``, ``"junit"``, ``"github"``, ``"gitlab"``,
    ///     ``"markdown"`` or ``"html"``.
    #[pyo3(signature = (format="text"))]
    fn to_text(&self, format: &str) -> PyResult<String> {
        let report = checking::Report {
            files: vec![self.file.clone()],
            ..checking::Report::default()
        };
        Ok(report::check::write(
            &report,
            format_named(format)?,
            View::default(),
        ))
    }

    /// Draws the findings that have a location: the place of each, in its pose.
    ///
    /// :param size: Width and height of each drawing, in pixels.
    /// :param limit: How many are drawn, the highest levels first.
    /// :returns: Findings with their pictures.
    #[pyo3(signature = (*, size=480, limit=24))]
    fn pictures(&self, py: Python<'_>, size: u32, limit: usize) -> PyResult<Vec<(Finding, Image)>> {
        if self.file.findings.is_empty() {
            return Ok(Vec::new());
        }
        let asset = match &self.asset {
            Some(asset) => Arc::clone(asset),
            None => Model::load(py, self.file.path.clone(), self.import.clone())?.asset,
        };
        let drawn = py.detach(|| {
            let settings = &self.file.settings.settings;
            closeup::close_ups(&asset, &self.file.findings, settings, size, limit)
                .raise(RenderError::new_err)
        })?;
        let pictures = drawn.into_iter().map(|close_up| {
            let finding = &self.file.findings[close_up.finding];
            (Finding::of(finding), Image::of(close_up.image))
        });
        Ok(pictures.collect())
    }

    fn __str__(&self) -> PyResult<String> {
        self.to_text("text")
    }

    fn __repr__(&self) -> String {
        let path = self.file.path.display().to_string();
        format!("<Report {path:?}: {} findings>", self.file.findings.len())
    }
}

pub(crate) fn format_named(name: &str) -> PyResult<Format> {
    let mut formats = Format::ALL.into_iter();
    formats.find(|format| format.name() == name).ok_or_else(|| {
        let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        unknown("format", name, &names)
    })
}

fn unknown(what: &str, given: &str, known: &[&str]) -> PyErr {
    ConfigError::new_err(format!(
        "{what} {given:?} is unknown; expected one of {}",
        known.join(", ")
    ))
}

/// Settings as keyword arguments.
struct Settings<'py> {
    config: Option<Bound<'py, PyAny>>,
    preset: Option<String>,
    engine: Option<String>,
    select: Option<Names>,
    ignore: Option<Names>,
    level: Option<String>,
    deny_warnings: Option<bool>,
    timeout: Option<f64>,
}

impl Settings<'_> {
    fn layer(&self) -> PyResult<Layer> {
        let selectors = |words: &[String]| -> PyResult<Vec<Selector>> {
            words
                .iter()
                .map(|word| Selector::parse(word).raise(ConfigError::new_err))
                .collect()
        };
        if let Some(preset) = &self.preset
            && find_preset(preset).is_none()
        {
            return Err(unknown(
                "preset",
                preset,
                &preset_names().collect::<Vec<_>>(),
            ));
        }
        let level = self.level.as_deref().map(|name| {
            let found = Level::ALL.into_iter().find(|level| level.name() == name);
            found.ok_or_else(|| unknown("level", name, &Level::ALL.map(Level::name)))
        });
        Ok(Layer {
            preset: self.preset.clone(),
            engine: self.engine.as_deref().map(engine).transpose()?,
            select: self.select.as_deref().map(selectors).transpose()?,
            ignore: self.ignore.as_deref().map_or(Ok(Vec::new()), selectors)?,
            level: level.transpose()?,
            deny_warnings: self.deny_warnings,
            ..Layer::default()
        })
    }

    fn request(&self, files: Vec<PathBuf>, mut import: Options) -> PyResult<Request> {
        let config = chosen(self.config.as_ref(), &mut import)?;
        let timeout = self.timeout.map(Duration::try_from_secs_f64).transpose();
        import.limits.time =
            timeout.map_err(|_| ConfigError::new_err("timeout: expected seconds above 0"))?;
        Ok(Request {
            files,
            config,
            layer: self.layer()?,
            import,
            ..Request::default()
        })
    }
}

/// The configuration that a caller chose: a path, a dict, ``False`` for none, or the nearest one. Models may name the files below its folder.
pub(crate) fn chosen(
    config: Option<&Bound<'_, PyAny>>,
    import: &mut Options,
) -> PyResult<ConfigChoice> {
    let config = match config {
        None => ConfigChoice::Nearest,
        Some(config) if config.is_instance_of::<PyBool>() && !config.is_truthy()? => {
            ConfigChoice::None
        }
        Some(config) => match config.cast::<PyDict>() {
            Ok(settings) => ConfigChoice::Text(document(settings)?),
            Err(_) => ConfigChoice::File(config.extract().map_err(|_| {
                PyTypeError::new_err(
                    "config: expected a path, a dict of settings, or False for none",
                )
            })?),
        },
    };
    import.project_file = (config == ConfigChoice::Nearest).then_some(FILE_NAME);
    if let ConfigChoice::File(path) = &config {
        let folder = path.parent().map(Path::to_owned);
        import.read_from.extend(folder);
    }
    Ok(config)
}

/// A dict of settings as the text of a `skincheck.toml`.
fn document(settings: &Bound<'_, PyDict>) -> PyResult<String> {
    let lines = settings
        .iter()
        .map(|(key, value)| Ok(format!("{} = {}\n", quoted(&key)?, toml(&value)?)));
    lines.collect()
}

fn quoted(key: &Bound<'_, PyAny>) -> PyResult<String> {
    let key: String = key
        .extract()
        .map_err(|_| PyTypeError::new_err("config: expected keys that are strings"))?;
    let letters = key.chars().map(|letter| match letter {
        '"' | '\\' => format!("\\{letter}"),
        control if control.is_control() => format!("\\u{:04X}", u32::from(control)),
        plain => plain.to_string(),
    });
    Ok(format!("\"{}\"", letters.collect::<String>()))
}

fn toml(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(table) = value.cast::<PyDict>() {
        let pairs = table
            .iter()
            .map(|(key, value)| Ok(format!("{} = {}", quoted(&key)?, toml(&value)?)));
        let pairs: Vec<String> = pairs.collect::<PyResult<_>>()?;
        return Ok(format!("{{ {} }}", pairs.join(", ")));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items = value.try_iter()?.map(|item| toml(&item?));
        let items: Vec<String> = items.collect::<PyResult<_>>()?;
        return Ok(format!("[{}]", items.join(", ")));
    }
    if value.is_instance_of::<PyString>() {
        return quoted(value);
    }
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok(value.is_true().to_string());
    }
    if value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>() {
        return Ok(value.str()?.to_string());
    }
    Err(PyTypeError::new_err(format!(
        "config: expected strings, numbers, booleans, lists and dicts, not {}",
        value.get_type().name()?
    )))
}

/// Runs `work` in a thread, without the interpreter's lock. Ctrl-C sets the flag that it receives, and abandons it.
fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = channel();
    let flag = Arc::clone(&stop);
    let thread = thread::Builder::new().spawn(move || {
        // Nobody receives what was abandoned.
        let _ = sender.send(work(&flag));
    });
    thread.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    // A receiver is of one thread, which the interpreter does not know.
    let receiver = Mutex::new(receiver);
    loop {
        let answer = py.detach(|| {
            let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
            receiver.recv_timeout(SIGNALS)
        });
        match answer {
            Ok(answer) => return Ok(answer),
            Err(RecvTimeoutError::Timeout) => py
                .check_signals()
                .inspect_err(|_| stop.store(true, Ordering::Relaxed))?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err(
                    "skincheck itself failed; please report this",
                ));
            }
        }
    }
}

/// Checks a model against the rules.
///
/// :param model: The path of a model, or a :class:`Model` in memory.
/// :param config: The path of a configuration, a ``dict`` with the settings of one, or ``False`` for none; without it, the nearest
///     ``skincheck.toml`` in the model's folder or above.
/// :param preset: A discipline, such as ``"mobile"``, whose levels and limits come before those of the configuration.
/// :param engine: The target engine or format, with the settings that a user makes in it, such as ``"unity"`` or
///     ``"unreal:weights=16"``.
/// :param select: Codes, names or letters of families of the only rules to check.
/// :param ignore: Codes, names or letters of families of rules to leave out.
/// :param level: The least level that is reported: ``"info"``, ``"hint"``, ``"warning"`` or ``"error"``.
/// :param deny_warnings: Whether warnings fail the check.
/// :param timeout: The longest time that the work on a model may take, in seconds; unless it is given, 60 s, and more for a
///     file of more than 20 MB.
/// :raises LoadError: The model cannot be read.
/// :raises ConfigError: A setting or the configuration is wrong.
#[pyfunction]
#[pyo3(signature = (model, *, config=None, preset=None, engine=None, select=None, ignore=None,
    level=None, deny_warnings=None, timeout=None))]
#[expect(clippy::too_many_arguments, reason = "all but one are named")]
pub(crate) fn check(
    model: &Bound<'_, PyAny>,
    config: Option<Bound<'_, PyAny>>,
    preset: Option<String>,
    engine: Option<String>,
    select: Option<Names>,
    ignore: Option<Names>,
    level: Option<String>,
    deny_warnings: Option<bool>,
    timeout: Option<f64>,
) -> PyResult<Report> {
    let py = model.py();
    let settings = Settings {
        config,
        preset,
        engine,
        select,
        ignore,
        level,
        deny_warnings,
        timeout,
    };
    let read;
    let loaded = if let Ok(model) = model.cast::<Model>() {
        model.get()
    } else {
        let path: PathBuf = model.extract().map_err(|_| {
            PyTypeError::new_err("expected the path of a model or a skincheck.Model")
        })?;
        let import = Options {
            project_file: Some(FILE_NAME),
            ..Options::default()
        };
        read = Model::load(py, path, import)?;
        &read
    };
    let request = settings.request(vec![loaded.path.clone()], loaded.import.clone())?;
    let asset = Arc::clone(&loaded.asset);
    let file = interruptible(py, move |_| {
        let plan = checking::plan(request)?;
        Ok(checking::check_loaded(&plan, asset))
    })?;
    let file =
        file.map_err(|error: checking::PlanError| ConfigError::new_err(skincheck::causes(&error)))?;
    if let Some(failure) = &file.failure {
        return Err(LoadError::new_err(format!(
            "{}: {failure}",
            loaded.path.display()
        )));
    }
    Ok(Report {
        file,
        asset: Some(Arc::clone(&loaded.asset)),
        import: loaded.import.clone(),
    })
}

/// Finds the models that :func:`check_all` checks: those of folders without what ``.gitignore`` and configurations exclude.
///
/// :param models: Paths of models, folders of models, and patterns such as ``"assets/**/*.glb"``.
/// :raises ConfigError: A configuration or a pattern is wrong.
#[pyfunction]
pub(crate) fn find_models(models: &Bound<'_, PyAny>) -> PyResult<Vec<PathBuf>> {
    let request = Request {
        files: paths(models)?,
        ..Request::default()
    };
    models.py().detach(|| {
        let plan = checking::plan(request).raise(ConfigError::new_err)?;
        Ok(plan.files().map(Path::to_owned).collect())
    })
}

fn paths(models: &Bound<'_, PyAny>) -> PyResult<Vec<PathBuf>> {
    if let Ok(path) = models.extract::<PathBuf>() {
        return Ok(vec![path]);
    }
    models
        .extract()
        .map_err(|_| PyTypeError::new_err("models: expected a path or a list of paths"))
}

/// Checks many models, several at once.
///
/// :param models: Paths of models, folders of models, and patterns such as ``"assets/**/*.glb"``.
/// :returns: A report per model, in the order of the arguments. A model that cannot be read has a :attr:`Report.failure`.
///
/// The other arguments are those of :func:`check`.
#[pyfunction]
#[pyo3(signature = (models, *, config=None, preset=None, engine=None, select=None, ignore=None,
    level=None, deny_warnings=None, timeout=None))]
#[expect(clippy::too_many_arguments, reason = "all but one are named")]
pub(crate) fn check_all(
    models: &Bound<'_, PyAny>,
    config: Option<Bound<'_, PyAny>>,
    preset: Option<String>,
    engine: Option<String>,
    select: Option<Names>,
    ignore: Option<Names>,
    level: Option<String>,
    deny_warnings: Option<bool>,
    timeout: Option<f64>,
) -> PyResult<Vec<Report>> {
    let settings = Settings {
        config,
        preset,
        engine,
        select,
        ignore,
        level,
        deny_warnings,
        timeout,
    };
    let request = settings.request(paths(models)?, Options::default())?;
    let import = request.import.clone();
    let outcome = interruptible(models.py(), move |stop| {
        let plan = checking::plan(request).raise(ConfigError::new_err)?;
        PyResult::Ok(checking::run_until(&plan, &|_| {}, stop))
    })??;
    let report = |file| Report {
        file,
        asset: None,
        import: import.clone(),
    };
    Ok(outcome.report.files.into_iter().map(report).collect())
}
