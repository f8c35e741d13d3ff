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

#[derive(Debug, Clone, Copy, ValueEnum)]
enum DriverArg {
    Auto,
    Software,
    Hardware,
}

impl BackendArgs {
    /// Opens the chosen backend.
    pub(super) fn open(&self) -> Result<Box<dyn Device>, BackendError> {
        let chosen = BACKENDS.iter().find(|b| b.name() == self.backend);
        let backend = chosen.expect("the parser lets only names of backends through");
        backend.open(self.driver.driver())
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

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(BACKENDS.iter().map(|backend| backend.name()))
}
