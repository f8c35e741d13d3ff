//! The report of `doctor` on this machine, as text or as JSON of schema `skincheck/doctor/1`.

use std::thread::available_parallelism;

use serde::Serialize;

use super::format::View;
use super::words::HeadedLines;
use crate::backend::Driver;
use crate::import::IMPORTERS;

/// The name of the format; its number grows with breaking changes.
const SCHEMA: &str = "skincheck/doctor/1";

/// The facts about the machine that belong in a bug report.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Examination {
    #[cfg_attr(feature = "testing", schemars(extend("const" = SCHEMA)))]
    schema: &'static str,
    pub(super) skincheck: Build,
    pub(super) importers: Vec<ImporterState>,
    /// `None` if it is not available (see `missing`), or if this build does not use it.
    pub(super) opengl: Option<OpenGl>,
    /// The number of processors available to this process.
    pub(super) threads: usize,
    pub(super) missing: Vec<Missing>,
}

/// The program.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub(super) struct Build {
    pub(super) version: &'static str,
    pub(super) system: &'static str,
    pub(super) architecture: &'static str,
    /// Cargo features.
    pub(super) features: Vec<&'static str>,
}

/// An importer.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub(super) struct ImporterState {
    pub(super) name: &'static str,
    pub(super) version: String,
    pub(super) extensions: &'static [&'static str],
}

/// The OpenGL driver.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub(super) struct OpenGl {
    pub(super) vendor: String,
    pub(super) renderer: String,
    pub(super) version: String,
    /// Whether it draws on the processor.
    pub(super) software: bool,
}

/// Something that this machine lacks.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub(super) struct Missing {
    pub(super) what: &'static str,
    /// The reason, and how to install it.
    pub(super) remedy: String,
}

impl Examination {
    /// * `driver` – which OpenGL driver to look for.
    #[must_use]
    pub fn of_this_machine(driver: Driver) -> Self {
        let mut missing = Vec::new();
        let opengl = opengl(driver).unwrap_or_else(|remedy| {
            let what = "OpenGL";
            missing.push(Missing { what, remedy });
            None
        });
        Self {
            schema: SCHEMA,
            skincheck: build(),
            importers: importers(),
            opengl,
            threads: available_parallelism().map_or(1, usize::from),
            missing,
        }
    }

    /// Returns whether nothing is missing.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty()
    }

    /// Renders the report as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        super::json::pretty(self)
    }

    /// Renders the report for people: one line per item, headed by its kind.
    #[must_use]
    pub fn to_text(&self, view: View) -> String {
        let mut page = HeadedLines::new(view);
        let skincheck = &self.skincheck;
        let features = listed(&skincheck.features);
        let system = format_args!("{} on {}", skincheck.system, skincheck.architecture);
        page.line(
            "skincheck",
            format_args!("{}, {system}, built with {features}", skincheck.version),
        );
        for (index, importer) in self.importers.iter().enumerate() {
            let heading = if index == 0 { "importers" } else { "" };
            let extensions = importer.extensions.join(" ");
            page.line(
                heading,
                format_args!("{} {}: {extensions}", importer.name, importer.version),
            );
        }
        if let Some(opengl) = &self.opengl {
            write_opengl(&mut page, opengl);
        }
        page.line("threads", self.threads);
        for missing in &self.missing {
            page.line(
                "missing",
                format_args!("{}: {}", missing.what, missing.remedy),
            );
        }
        page.text
    }
}

fn build() -> Build {
    let features = [
        ("assimp", cfg!(feature = "assimp")),
        ("gl", cfg!(feature = "gl")),
    ];
    Build {
        version: env!("CARGO_PKG_VERSION"),
        system: std::env::consts::OS,
        architecture: std::env::consts::ARCH,
        features: names(&features),
    }
}

fn importers() -> Vec<ImporterState> {
    let state = |importer: &&'static dyn crate::import::Importer| ImporterState {
        name: importer.name(),
        version: importer.version(),
        extensions: importer.extensions(),
    };
    IMPORTERS.iter().map(state).collect()
}

#[cfg(feature = "gl")]
fn opengl(driver: Driver) -> Result<Option<OpenGl>, String> {
    let offscreen = crate::gl::Offscreen::open(driver.into()).map_err(|error| error.to_string())?;
    let info = offscreen.info().clone();
    Ok(Some(OpenGl {
        vendor: info.vendor,
        renderer: info.renderer,
        version: info.version,
        software: info.is_software,
    }))
}

/// A build without the OpenGL path does not need OpenGL.
#[cfg(not(feature = "gl"))]
#[expect(clippy::unnecessary_wraps, reason = "as the build that has it")]
fn opengl(_: Driver) -> Result<Option<OpenGl>, String> {
    Ok(None)
}

/// The names whose flags are set.
fn names(flags: &[(&'static str, bool)]) -> Vec<&'static str> {
    let there = flags.iter().filter(|(_, there)| *there);
    there.map(|(name, _)| *name).collect()
}

fn write_opengl(page: &mut HeadedLines, opengl: &OpenGl) {
    let kind = if opengl.software {
        "software"
    } else {
        "hardware"
    };
    page.line(
        "opengl",
        format_args!(
            "{} ({kind}), {}, version {}",
            opengl.renderer, opengl.vendor, opengl.version
        ),
    );
}

fn listed(names: &[&str]) -> String {
    if names.is_empty() {
        "nothing optional".to_owned()
    } else {
        names.join(", ")
    }
}
