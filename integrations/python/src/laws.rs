//! The laws of posing and skinning, on an engine that is a Python function.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use pyo3::prelude::*;
use skincheck::export;
use skincheck::laws::{self, Engine, LawReport, Options, Subjects};
use skincheck::report::laws::{Checked, Setting, write};
use skincheck::rig::Asset;

use crate::error::{ConfigError, EngineError, Raise};
use crate::findings::format_named;
use crate::model::Model;

/// A law, and whether an engine keeps it on a model.
#[pyclass(frozen, module = "skincheck", get_all)]
pub(crate) struct Law {
    /// The path of the model.
    model: String,
    /// The name of the law, such as ``"rigid-motion"``.
    name: &'static str,
    /// What was tested: ``"rotation"``, ``"vector"``, ``"rig"`` or ``"skinning"``.
    subject: String,
    /// The law as a sentence.
    statement: &'static str,
    /// The number of cases to which it applied. Without one, nothing was tested.
    applied: u32,
    /// The number of cases that the engine does not support.
    unsupported: u32,
    /// How the engine breaks it, with numbers; ``None`` if it does not.
    broken: Option<String>,
    /// The smallest rig that breaks it, as the text of a glTF file.
    rig: Option<String>,
}

#[pymethods]
impl Law {
    fn __repr__(&self) -> String {
        let verdict = match (&self.broken, self.applied) {
            (Some(_), _) => "broken",
            (None, 0) => "not tested",
            (None, _) => "held",
        };
        format!("<Law {} ({}): {verdict}>", self.name, self.subject)
    }
}

/// What the laws say of an engine.
#[pyclass(frozen, module = "skincheck")]
pub(crate) struct LawsReport {
    setting: Setting,
    checked: Vec<Checked>,
}

#[pymethods]
impl LawsReport {
    /// Whether no law is broken. A law to which no case applied is not tested: see :attr:`Law.applied`.
    #[getter]
    fn hold(&self) -> bool {
        self.checked.iter().all(|checked| checked.laws.hold())
    }

    /// Every law on every model.
    #[getter]
    fn laws(&self) -> Vec<Law> {
        let models = self.checked.iter();
        models
            .flat_map(|checked| checked.laws.laws.iter().map(|law| of_law(checked, law)))
            .collect()
    }

    /// The broken ones.
    #[getter]
    fn broken(&self) -> Vec<Law> {
        let mut laws = self.laws();
        laws.retain(|law| law.broken.is_some());
        laws
    }

    /// Known mistakes that explain the broken laws, such as ``"a normalized lerp instead of slerp"``.
    #[getter]
    fn looks_like(&self) -> Vec<&'static str> {
        let causes = self.checked.iter().flat_map(|checked| &checked.looks_like);
        let mut mistakes: Vec<&str> = Vec::new();
        for cause in causes {
            if !mistakes.contains(&cause.mistake) {
                mistakes.push(cause.mistake);
            }
        }
        mistakes
    }

    /// The report as a text.
    ///
    /// :param format: ``"text"`` for people, or ``"json"``, ``"sarif"``, ``"junit"``, ``"github"``, ``"gitlab"``,
    ///     ``"markdown"`` or ``"html"``.
    #[pyo3(signature = (format="text"))]
    fn to_text(&self, format: &str) -> PyResult<String> {
        let format = format_named(format)?;
        Ok(write(&self.setting, (&self.checked, &[]), format))
    }

    fn __str__(&self) -> PyResult<String> {
        self.to_text("text")
    }

    fn __repr__(&self) -> String {
        let broken = self.broken().len();
        format!("<LawsReport: {broken} of {} broken>", self.laws().len())
    }
}

fn of_law(checked: &Checked, law: &LawReport) -> Law {
    let failure = law.failure.as_ref();
    Law {
        model: checked.model.clone(),
        name: law.law,
        subject: law.subject.clone(),
        statement: law.states,
        applied: law.applied,
        unsupported: law.unsupported,
        broken: failure.map(|failure| format!("{}: {}", failure.location, failure.broken)),
        rig: failure.and_then(|failure| export::to_gltf(&failure.rig).ok()),
    }
}

/// Tests the laws on an engine. `skincheck.laws` wraps it.
///
/// * `answer` – a request in, its answer out, both as the JSON of the protocol.
#[pyfunction]
#[pyo3(signature = (answer, models, *, cases, seed, law))]
pub(crate) fn laws_of(
    py: Python<'_>,
    answer: Py<PyAny>,
    models: Vec<Bound<'_, PyAny>>,
    cases: u32,
    seed: u64,
    law: Option<String>,
) -> PyResult<LawsReport> {
    let known = laws::all_laws();
    if let Some(name) = law
        .as_ref()
        .filter(|law| known.iter().all(|(name, _)| name != law))
    {
        let known: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let message = format!(
            "law: {name:?} is no law; expected one of {}",
            known.join(", ")
        );
        return Err(ConfigError::new_err(message));
    }
    let models = models.iter().map(|model| of_model(py, model));
    let models: Vec<(Arc<Asset>, PathBuf)> = models.collect::<PyResult<_>>()?;
    // An exception of the engine is raised as it is.
    let raised = Rc::new(RefCell::new(None));
    let engine = Engine::function({
        let raised = Rc::clone(&raised);
        move |request| {
            let answer = Python::attach(|py| answer.call1(py, (request,))?.extract::<String>(py));
            answer.map_err(|error| {
                let message = error.to_string();
                *raised.borrow_mut() = Some(error);
                message
            })
        }
    });
    let failed = |error| Err(raised.borrow_mut().take().unwrap_or(error));
    let declared = match engine.capabilities().raise(EngineError::new_err) {
        Ok(declared) => declared,
        Err(error) => return failed(error),
    };
    let mut options = Options::for_engine(&declared);
    (options.cases, options.seed, options.law) = (cases, seed, law);
    let subjects = Subjects::of(&engine);
    let mut checked = Vec::new();
    for (asset, path) in models {
        let laws = laws::check_model(&asset, &subjects, &options);
        let looks_like = laws::diagnose(&laws, &subjects, &options);
        if let Some(error) = engine.take_error() {
            return failed(Err::<(), _>(error).raise(EngineError::new_err).unwrap_err());
        }
        checked.push(Checked {
            model: path.display().to_string(),
            rigs: vec![None; laws.laws.len()],
            laws,
            failure: None,
            looks_like,
        });
    }
    let mut tested = checked.iter().flat_map(|checked| &checked.laws.laws);
    if !tested.any(LawReport::is_tested) {
        let reason = "no law was tested: no case applies; the models may lack clips, weights or skins, or the engine supports none";
        return Err(EngineError::new_err(reason));
    }
    let setting = Setting {
        seed,
        cases,
        engine: declared.engine,
    };
    Ok(LawsReport { setting, checked })
}

fn of_model(py: Python<'_>, model: &Bound<'_, PyAny>) -> PyResult<(Arc<Asset>, PathBuf)> {
    if let Ok(model) = model.cast::<Model>() {
        let model = model.get();
        return Ok((Arc::clone(&model.asset), model.path.clone()));
    }
    let model = Model::load_without_images(py, model.extract()?)?;
    Ok((model.asset, model.path))
}
