//! The arguments that select the backend.

use anyhow::Context;
use clap::Args;
use clap::builder::TypedValueParser;

use super::number::choices;
use crate::backend::{BACKENDS, Backend, Device, Driver};

/// The backend that skins and draws.
#[derive(Debug, Args)]
#[command(next_help_heading = "Backend")]
pub(super) struct BackendArgs {
    /// Skin and draw in OpenGL, with this driver, instead of on the CPU (default driver: auto)
    #[arg(
        long,
        value_name = "DRIVER",
        value_parser = drivers(),
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "auto",
        hide_short_help = true
    )]
    pub(super) gl: Option<Driver>,
}

/// Which OpenGL.
#[derive(Debug, Args)]
#[command(next_help_heading = "Backend")]
pub(super) struct DriverArgs {
    /// OpenGL driver: Mesa's software rasterizer, a graphics card, or the machine's default
    #[arg(long, value_name = "DRIVER", value_parser = drivers(), default_value = "auto", hide_short_help = true)]
    pub(super) gl: Driver,
}

impl BackendArgs {
    /// Opens the chosen backend.
    pub(super) fn open(&self) -> anyhow::Result<Box<dyn Device>> {
        let name = if self.gl.is_some() { "gl" } else { "cpu" };
        Ok(backend(name)?.open(self.gl.unwrap_or_default())?)
    }
}

/// The backend with this name.
pub(super) fn backend(name: &str) -> anyhow::Result<&'static dyn Backend> {
    let found = BACKENDS.iter().find(|backend| backend.name() == name);
    found.copied().with_context(|| {
        format!(
            "this build of skincheck lacks the backend `{name}`; build it with default features"
        )
    })
}

fn drivers() -> impl TypedValueParser<Value = Driver> {
    choices([
        ("auto", Driver::Auto),
        ("software", Driver::Software),
        ("hardware", Driver::Hardware),
    ])
}
