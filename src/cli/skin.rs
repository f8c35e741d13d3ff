//! The arguments for the use of weights.

use std::num::NonZeroU32;
use std::str::FromStr;

use clap::{Args, ValueEnum};

use crate::engines::{EngineError, TargetEngine};
use crate::lint::{MAX_INFLUENCES, Settings};
use crate::rig::{Asset, SkinningMethod, SkinningOptions, WeightPolicy};

/// What `--engine` reads besides the engines.
pub(super) const FILE: &str = "\
For render, film, view and bake, file is no engine, but the model as it is: file:influences=4 keeps the four largest weights
of a vertex, and file:weights=as-is does not divide them by their sum.
";

/// How weights are used.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Skinning")]
pub(super) struct SkinArgs {
    /// Show the model as this engine skins it, such as unreal or godot
    ///
    /// Options follow a colon: unreal:influences=unlimited,weights=16. skincheck rules --engines lists engines and options.
    /// file is no engine, but the model as it is: file:influences=4 keeps the four largest weights of a vertex, and
    /// file:weights=as-is does not divide them by their sum.
    #[arg(long, value_name = "NAME[:OPTION=VALUE,…]")]
    engine: Option<Skinner>,
    /// Blend matrices (linear) or rigid motions (dual-quaternion); auto uses the method an FBX file asks for, and
    /// linear for all other formats
    #[arg(long, value_enum, value_name = "METHOD", default_value_t = Method::Auto, hide_short_help = true)]
    skinning: Method,
}

/// The options of the earlier version where they differ.
#[derive(Debug, Args)]
#[command(next_help_heading = "Skinning")]
pub(super) struct BeforeArgs {
    /// --engine of the version that --compare draws on the left
    #[arg(
        long,
        value_name = "NAME[:OPTION=VALUE,…]",
        requires = "compare",
        conflicts_with = "engine",
        hide_short_help = true
    )]
    engine_before: Option<Skinner>,
    /// --engine of the version on the right
    #[arg(
        long,
        value_name = "NAME[:OPTION=VALUE,…]",
        requires = "compare",
        conflicts_with = "engine",
        hide_short_help = true
    )]
    engine_after: Option<Skinner>,
}

impl BeforeArgs {
    /// The options of the later version.
    ///
    /// * `both` – those of both.
    pub(super) fn later(&self, both: &SkinArgs) -> SkinArgs {
        SkinArgs {
            engine: self.engine_after.clone().or_else(|| both.engine.clone()),
            ..both.clone()
        }
    }

    /// The options of the earlier version.
    ///
    /// * `later` – those of both.
    pub(super) fn over(&self, later: &SkinArgs) -> SkinArgs {
        SkinArgs {
            engine: self.engine_before.clone().or_else(|| later.engine.clone()),
            ..later.clone()
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Method {
    Auto,
    Linear,
    DualQuaternion,
}

impl Method {
    /// For the library.
    pub(super) fn method(self) -> SkinningMethod {
        match self {
            Self::Auto => SkinningMethod::AsInFile,
            Self::Linear => SkinningMethod::Linear,
            Self::DualQuaternion => SkinningMethod::DualQuaternion,
        }
    }
}

/// What skins the model.
#[derive(Debug, Clone, PartialEq)]
enum Skinner {
    Engine(TargetEngine),
    /// No engine, but the file as it is, with a limit of influences.
    File {
        /// As given.
        text: String,
        influences: Option<NonZeroU32>,
        weights: WeightPolicy,
    },
}

/// A text that names neither an engine nor the file.
#[derive(Debug, thiserror::Error)]
enum SkinnerError {
    #[error("{0}; file is the model as it is")]
    Unknown(EngineError),
    #[error(transparent)]
    Engine(EngineError),
    #[error("expected file:influences=N, with N from 1, or file:weights=as-is")]
    File,
}

impl FromStr for Skinner {
    type Err = SkinnerError;

    fn from_str(text: &str) -> Result<Self, SkinnerError> {
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        if name != "file" {
            let engine = text.parse().map_err(|error| match error {
                EngineError::UnknownEngine { .. } => SkinnerError::Unknown(error),
                _ => SkinnerError::Engine(error),
            });
            return engine.map(Self::Engine);
        }
        let (mut influences, mut weights) = (None, WeightPolicy::Normalize);
        for option in options.split(',').filter(|option| !option.is_empty()) {
            match option.split_once('=').unwrap_or((option, "")) {
                ("influences", count) => {
                    influences = Some(count.parse().map_err(|_| SkinnerError::File)?);
                }
                ("weights", "as-is") => weights = WeightPolicy::AsIs,
                _ => return Err(SkinnerError::File),
            }
        }
        Ok(Self::File {
            text: text.to_owned(),
            influences,
            weights,
        })
    }
}

impl SkinArgs {
    /// The engine, if it is another one than that of `other`, for a caption; empty if it is the same.
    pub(super) fn unlike(&self, other: &Self) -> String {
        if self.engine == other.engine {
            return String::new();
        }
        match &self.engine {
            None => "as in the file".to_owned(),
            Some(Skinner::File { text, .. }) => text.clone(),
            Some(Skinner::Engine(engine)) => format!("in {engine}"),
        }
    }

    /// Turns `asset` into the model that the engine of `--engine` skins.
    ///
    /// * `show` – the mode of `--show`. `truncation` measures what the engine cuts, so it gets all influences.
    pub(super) fn emulate(&self, asset: &mut Asset, show: Option<&str>) -> anyhow::Result<()> {
        match (&self.engine, show) {
            (None | Some(Skinner::File { .. }), _) => {}
            (Some(Skinner::Engine(engine)), Some("truncation")) => engine.apply_uncut(asset)?,
            (Some(Skinner::Engine(engine)), _) => engine.apply(asset)?,
        }
        Ok(())
    }

    /// The engine of `--engine`, for reports.
    pub(super) fn engine(&self) -> Option<String> {
        self.engine.as_ref().map(|skinner| match skinner {
            Skinner::Engine(engine) => engine.to_string(),
            Skinner::File { text, .. } => text.clone(),
        })
    }

    /// The settings of rules whose measurements are shown.
    pub(super) fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        match &self.engine {
            Some(Skinner::Engine(engine)) => settings.engine = Some(engine.clone()),
            Some(Skinner::File {
                influences: Some(most),
                ..
            }) => {
                settings.limits.insert(MAX_INFLUENCES, most.get().into());
            }
            _ => {}
        }
        settings
    }

    /// For the library.
    pub(super) fn options(&self) -> SkinningOptions {
        let options = SkinningOptions {
            method: self.skinning.method(),
            ..SkinningOptions::default()
        };
        match &self.engine {
            None => options,
            Some(Skinner::Engine(engine)) => engine.skinning(options),
            Some(Skinner::File {
                influences,
                weights,
                ..
            }) => SkinningOptions {
                weights: *weights,
                max_influences: *influences,
                ..options
            },
        }
    }
}
