//! Repaired copies.

use std::collections::BTreeSet;
use std::path::PathBuf;

use pyo3::prelude::*;
use skincheck::check::config::{Layer, Resolved};
use skincheck::engines::TargetEngine;
use skincheck::fix::{self as fixing, Options, find_repair};
use skincheck::import;
use skincheck::lint::find_rule;

use crate::error::{ConfigError, FixError, Raise};
use crate::findings::chosen;

/// A repair that is proved.
#[pyclass(frozen, get_all, module = "skincheck")]
#[derive(Clone)]
pub(crate) struct Repair {
    /// The code of the rule whose findings it removed, such as ``"W103"``.
    code: &'static str,
    /// How much it changed.
    changed: usize,
    /// What it changed, such as ``"vertex"``.
    counted: &'static str,
    /// How many faults the rule found before.
    before: usize,
    /// How many it finds in the copy.
    after: usize,
    /// Why it left some.
    left: Vec<String>,
}

/// What changed between a model and its copy, and what did not.
#[pyclass(frozen, get_all, module = "skincheck")]
pub(crate) struct Proof {
    /// Whether the copy was made: something was repaired.
    is_fixed: bool,
    /// The repairs that are proved.
    repaired: Vec<Repair>,
    /// The codes of rules whose repair was undone, with the reason.
    undone: Vec<(&'static str, String)>,
    /// The number of vertices that moved, all of them among the repaired.
    moved: usize,
    /// The largest distance, in the unit of the model.
    farthest: f64,
    /// The number of all other vertices.
    still: usize,
    /// The compressed and sparse parts that are stored plainly because their data changed, such as ``"meshes/0/primitives/1"``.
    plain: Vec<String>,
    /// What is proved of the vertices, in words; ``None`` if nothing was repaired.
    sentence: Option<String>,
}

/// Writes a repaired copy of a glTF model, if every repair in it can be proved to change nothing else.
///
/// :param path: The model.
/// :param out: The copy; without it, the repairs are proved and nothing is written.
/// :param only: Codes or names of the only rules whose findings are repaired.
/// :param config: The path of a ``skincheck.toml``, a dict of its settings, or ``False`` for none; by default, the nearest one above the
///     model.
/// :param engine: The engine that the copy is for, such as ``"unreal"``: its largest number of influences is kept.
/// :raises FixError: The model cannot be read, is no glTF, or the copy cannot be written.
/// :raises ConfigError: A rule has no repair, the engine is unknown, or the configuration cannot be used.
#[pyfunction]
#[pyo3(signature = (path, out=None, *, only=None, config=None, engine=None))]
pub(crate) fn fix(
    py: Python<'_>,
    path: PathBuf,
    out: Option<PathBuf>,
    only: Option<Vec<String>>,
    config: Option<&Bound<'_, PyAny>>,
    engine: Option<&str>,
) -> PyResult<Proof> {
    let only = only.unwrap_or_default().into_iter().map(|name| {
        let code = find_rule(&name).map(|rule| rule.meta().code);
        let code = code.filter(|code| find_repair(*code).is_some());
        code.ok_or_else(|| ConfigError::new_err(format!("only: {name:?} has no repair")))
    });
    let engine = engine.map(|name| {
        let engine = name.parse::<TargetEngine>();
        engine.map_err(|error| ConfigError::new_err(format!("engine {name:?}: {error}")))
    });
    let mut import = import::Options::default();
    let config = chosen(config, &mut import)?
        .of(&path)
        .raise(ConfigError::new_err)?;
    let layer = Layer {
        engine: engine.transpose()?,
        ..Layer::default()
    };
    let layers = config.iter().flat_map(|config| config.layers(&path));
    let options = Options {
        only: only.collect::<PyResult<BTreeSet<_>>>()?,
        settings: Resolved::of(layers.chain([&layer])).settings,
        import,
        ..Options::default()
    };
    let fixed = py.detach(|| {
        let fixed = fixing::fix(&path, &options).raise(FixError::new_err)?;
        if let Some(out) = &out {
            fixed.write(out, &path).raise(FixError::new_err)?;
        }
        PyResult::Ok(fixed)
    })?;
    let proof = fixed.proof;
    let sentence = proof.sentence();
    let moved = proof.moved.unwrap_or_default();
    let repaired = proof.repaired.into_iter().map(|own| Repair {
        code: own.code.0,
        changed: own.changed,
        counted: own.counted,
        before: own.before,
        after: own.after,
        left: own.left,
    });
    let undone = proof.undone.into_iter();
    Ok(Proof {
        is_fixed: fixed.file.is_some(),
        repaired: repaired.collect(),
        undone: undone.map(|own| (own.code.0, own.reason)).collect(),
        moved: moved.vertices,
        farthest: moved.farthest,
        still: moved.still,
        plain: proof.plain,
        sentence,
    })
}
