//! The report of `doctor`: what this machine can do. Its JSON is schema `skincheck/doctor/1`.

mod text;

use std::thread::available_parallelism;

use crate::backend::{BACKENDS, Driver};
use crate::import::IMPORTERS;
use serde::Serialize;

/// Everything that a report of a fault should say of the machine it was found on.
#[derive(Debug, Serialize)]
pub struct Examination {
    /// Names this layout; grows with the first change that a reader would trip over.
    schema: &'static str,
    pub(super) skincheck: Build,
    pub(super) importers: Vec<ImporterState>,
    pub(super) backends: Vec<&'static str>,
    /// `None` where it cannot be had (`missing` says why), or where this build does not use it.
    pub(super) opengl: Option<OpenGl>,
    pub(super) cpu: Cpu,
    pub(super) missing: Vec<Missing>,
}

#[derive(Debug, Serialize)]
pub(super) struct Build {
    pub(super) version: &'static str,
    pub(super) system: &'static str,
    pub(super) architecture: &'static str,
    /// Cargo features.
    pub(super) features: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
pub(super) struct ImporterState {
    pub(super) name: &'static str,
    pub(super) version: String,
    pub(super) extensions: &'static [&'static str],
}

#[derive(Debug, Serialize)]
pub(super) struct OpenGl {
    pub(super) vendor: String,
    pub(super) renderer: String,
    pub(super) version: String,
    pub(super) software: bool,
    pub(super) max_samples: i32,
    /// Texels of a buffer texture: a limit of influences and joints.
    pub(super) max_buffer_texels: usize,
    pub(super) max_texture_side: usize,
    pub(super) subpixel_bits: i32,
}

#[derive(Debug, Serialize)]
pub(super) struct Cpu {
    /// As the system offers them to this process.
    pub(super) threads: usize,
    /// Instruction sets that this CPU has; results do not depend on them.
    pub(super) features: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
pub(super) struct Missing {
    pub(super) what: &'static str,
    /// Why, and how to get it.
    pub(super) remedy: String,
}

impl Examination {
    /// * `driver` – which OpenGL to look for.
    #[must_use]
    pub fn of_this_machine(driver: Driver) -> Self {
        let mut missing = Vec::new();
        let opengl = opengl(driver).unwrap_or_else(|remedy| {
            let what = "OpenGL";
            missing.push(Missing { what, remedy });
            None
        });
        Self {
            schema: "skincheck/doctor/1",
            skincheck: build(),
            importers: importers(),
            backends: BACKENDS.iter().map(|backend| backend.name()).collect(),
            opengl,
            cpu: Cpu {
                threads: available_parallelism().map_or(1, usize::from),
                features: cpu_features(),
            },
            missing,
        }
    }
}

impl Examination {
    /// Whether nothing is missing.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty()
    }

    /// For machines.
    #[must_use]
    pub fn to_json(&self) -> String {
        super::json::pretty(self)
    }

    /// For people: one line a thing, headed by its kind.
    #[must_use]
    pub fn to_text(&self) -> String {
        text::write(self)
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
    let opened = crate::gl::Offscreen::open(driver.into());
    let offscreen = opened.map_err(|error| error.to_string())?;
    let info = offscreen.info().clone();
    Ok(Some(OpenGl {
        vendor: info.vendor,
        renderer: info.renderer,
        version: info.version,
        software: info.is_software,
        max_samples: info.max_samples,
        max_buffer_texels: info.max_buffer_texels,
        max_texture_side: info.max_texture_side,
        subpixel_bits: info.subpixel_bits,
    }))
}

/// A build that has no OpenGL path misses no OpenGL.
#[cfg(not(feature = "gl"))]
#[expect(clippy::unnecessary_wraps, reason = "as the build that has it")]
fn opengl(_: Driver) -> Result<Option<OpenGl>, String> {
    Ok(None)
}

#[cfg(target_arch = "x86_64")]
fn cpu_features() -> Vec<&'static str> {
    names(&[
        ("sse4.2", is_x86_feature_detected!("sse4.2")),
        ("avx", is_x86_feature_detected!("avx")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("fma", is_x86_feature_detected!("fma")),
        ("avx512f", is_x86_feature_detected!("avx512f")),
    ])
}

#[cfg(target_arch = "aarch64")]
fn cpu_features() -> Vec<&'static str> {
    names(&[("neon", std::arch::is_aarch64_feature_detected!("neon"))])
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn cpu_features() -> Vec<&'static str> {
    Vec::new()
}

/// Of those that are there.
fn names(flags: &[(&'static str, bool)]) -> Vec<&'static str> {
    let there = flags.iter().filter(|(_, there)| *there);
    there.map(|(name, _)| *name).collect()
}
