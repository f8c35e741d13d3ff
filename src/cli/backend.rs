//! The arguments that select the backend.

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::number::choices;
use crate::backend::{BACKENDS, BackendError, Device, Driver};

/// The backend that skins and draws.
#[derive(Debug, Args)]
#[command(next_help_heading = "Backend")]
pub(super) struct BackendArgs {
    /// Backend that skins and draws
    #[arg(long, value_name = "NAME", default_value = BACKENDS[0].name(), value_parser = names(), hide_short_help = true)]
    backend: String,
    #[command(flatten)]
    pub(super) driver: DriverArgs,
}

/// Which OpenGL.
#[derive(Debug, Args)]
#[command(next_help_heading = "Backend")]
pub(super) struct DriverArgs {
    /// OpenGL driver: Mesa's software rasterizer, a graphics card, or the machine's default
    #[arg(long, value_name = "DRIVER", value_parser = choices([("auto", Driver::Auto), ("software", Driver::Software), ("hardware", Driver::Hardware)]), default_value = "auto", hide_short_help = true)]
    pub(super) gl: Driver,
}

/// The name of the backend that uses OpenGL.
const GL: &str = "gl";

impl BackendArgs {
    /// Refuses an OpenGL driver for a backend that does not use it.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let (gl, backend) = (self.driver.gl, &self.backend);
        anyhow::ensure!(
            backend == GL || gl == Driver::Auto,
            "--gl has no effect with the backend `{backend}`, which does not use OpenGL; add --backend {GL}, or omit --gl"
        );
        Ok(())
    }

    /// Whether models can be drawn side by side.
    pub(super) fn is_cpu(&self) -> bool {
        self.backend != GL
    }

    /// Opens the chosen backend.
    pub(super) fn open(&self) -> Result<Box<dyn Device>, BackendError> {
        let chosen = BACKENDS.iter().find(|b| b.name() == self.backend);
        let backend = chosen.expect("the parser lets only names of backends through");
        backend.open(self.driver.gl)
    }
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(BACKENDS.iter().map(|backend| backend.name()))
}
