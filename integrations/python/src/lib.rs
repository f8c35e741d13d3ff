//! The Python module `skincheck`, as `skincheck._native`. All logic is the library's; this translates arguments, errors and arrays.

mod array;
mod command;
mod diff;
mod error;
mod findings;
mod fix;
mod laws;
mod model;
mod names;
mod parts;
mod pose;
mod posed;
mod reference;
mod render;
mod select;

use pyo3::prelude::*;

#[pymodule]
#[pyo3(name = "_native")]
mod native {
    #[pymodule_export]
    use crate::command::{host_workers, run_command, run_worker};
    #[pymodule_export]
    use crate::diff::{ClipDifference, Difference, diff, distances};
    #[pymodule_export]
    use crate::error::{
        ConfigError, DiffError, EngineError, Error, FixError, LoadError, PoseError,
        ReferenceFileError, RenderError, UnknownNameError,
    };
    #[pymodule_export]
    use crate::findings::{Finding, Report, check, check_all, find_models};
    #[pymodule_export]
    use crate::fix::{Proof, Repair, fix};
    #[pymodule_export]
    use crate::laws::{Law, LawsReport, laws_of};
    #[pymodule_export]
    use crate::model::{Model, engines, load};
    #[pymodule_export]
    use crate::parts::{Clip, Joint, Material, Mesh, Skin};
    #[pymodule_export]
    use crate::pose::Pose;
    #[pymodule_export]
    use crate::reference::Reference;
    #[pymodule_export]
    use crate::render::Image;

    /// The version of skincheck.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "as Python names it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
