//! The arguments that say what skins and draws.

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use skincheck::backend::{BACKENDS, BackendError, Device, Driver};

/// What skins and draws.
#[derive(Debug, Args)]
#[command(next_help_heading = "Backend")]
pub(super) struct BackendArgs {
    /// What skins and draws
    #[arg(long, value_name = "NAME", default_value = BACKENDS[0].name(), value_parser = names())]
    backend: String,
    #[command(flatten)]
    driver: DriverArgs,
}

/// Which OpenGL.
#[derive(Debug, Args)]
#[command(next_help_heading = "Backend")]
pub(super) struct DriverArgs {
    /// Which OpenGL: Mesa's software rasterizer, a graphics card, or what the machine offers first
    #[arg(long, value_name = "DRIVER", value_enum, default_value_t = DriverArg::Auto)]
    gl: DriverArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DriverArg {
    Auto,
    Software,
    Hardware,
}

/// The one backend that runs on an OpenGL.
const GL: &str = "gl";

impl BackendArgs {
    /// Refuses the choice of an OpenGL that would not be used.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let (gl, backend) = (self.driver.gl, &self.backend);
        anyhow::ensure!(
            backend == GL || gl == DriverArg::Auto,
            "--gl chooses an OpenGL, and the backend `{backend}` uses none; add --backend {GL}, or leave --gl out"
        );
        Ok(())
    }

    /// Opens the chosen backend.
    pub(super) fn open(&self) -> Result<Box<dyn Device>, BackendError> {
        let chosen = BACKENDS.iter().find(|b| b.name() == self.backend);
        let backend = chosen.expect("the parser lets only names of backends through");
        backend.open(self.driver())
    }

    /// For the library.
    pub(super) fn driver(&self) -> Driver {
        self.driver.driver()
    }
}

impl DriverArgs {
    /// For the library.
    pub(super) fn driver(&self) -> Driver {
        match self.gl {
            DriverArg::Auto => Driver::Auto,
            DriverArg::Software => Driver::Software,
            DriverArg::Hardware => Driver::Hardware,
        }
    }
}

/// Tells the driver which OpenGL is wanted, by the environment.
///
/// To be called before anything else that a command does: no other thread may run yet.
#[cfg(feature = "gl")]
#[expect(
    unsafe_code,
    reason = "Mesa takes its choice from the environment alone"
)]
pub(super) fn prepare(driver: Driver) {
    // SAFETY: the arguments have been parsed and nothing has been done yet, so this is the only thread.
    unsafe { skincheck::gl::prepare_environment(driver.into()) };
}

/// Without OpenGL there is nothing to tell.
#[cfg(not(feature = "gl"))]
pub(super) fn prepare(_: Driver) {}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(BACKENDS.iter().map(|backend| backend.name()))
}
