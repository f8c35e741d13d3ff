//! The arguments for the use of weights.

use std::num::NonZeroU32;

use clap::{Args, ValueEnum};

use super::number;
use crate::engines::TargetEngine;
use crate::lint::{MAX_INFLUENCES, Settings};
use crate::rig::{Asset, SkinningMethod, SkinningOptions, WeightPolicy};

/// How weights are used.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Skinning")]
pub(super) struct SkinArgs {
    /// Show the model as this engine skins it, such as unreal or godot
    ///
    /// Options follow a colon: unreal:influences=unlimited,weights=16. skincheck rules --engines lists engines and options.
    #[arg(
        long,
        value_name = "NAME[:OPTION=VALUE,…]",
        conflicts_with_all = ["weights", "max_influences"]
    )]
    engine: Option<TargetEngine>,
    /// Divide each vertex's weights by their sum, as in engines, or use them as stored
    #[arg(long, value_enum, default_value_t = Weights::Normalize, hide_short_help = true)]
    weights: Weights,
    /// Keep a vertex's N largest weights and renormalize, as an engine with that limit does
    #[arg(
        long,
        value_name = "N",
        value_parser = number::from_one::<NonZeroU32>,
        allow_negative_numbers = true,
        hide_short_help = true
    )]
    max_influences: Option<NonZeroU32>,
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
    engine_before: Option<TargetEngine>,
    /// --engine of the version on the right
    #[arg(
        long,
        value_name = "NAME[:OPTION=VALUE,…]",
        requires = "compare",
        conflicts_with = "engine",
        hide_short_help = true
    )]
    engine_after: Option<TargetEngine>,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Weights {
    Normalize,
    AsIs,
}

impl SkinArgs {
    /// The engine, if it is another one than that of `other`, for a caption; empty if it is the same.
    pub(super) fn unlike(&self, other: &Self) -> String {
        if self.engine == other.engine {
            return String::new();
        }
        let engine = self.engine().map(|engine| format!("in {engine}"));
        engine.unwrap_or_else(|| "as in the file".to_owned())
    }

    /// Turns `asset` into the model that the engine of `--engine` skins.
    ///
    /// * `show` – the mode of `--show`. `truncation` measures what the engine cuts, so it gets all influences.
    pub(super) fn emulate(&self, asset: &mut Asset, show: Option<&str>) -> anyhow::Result<()> {
        match (&self.engine, show) {
            (None, _) => {}
            (Some(engine), Some("truncation")) => engine.apply_uncut(asset)?,
            (Some(engine), _) => engine.apply(asset)?,
        }
        Ok(())
    }

    /// The engine of `--engine`, for reports.
    pub(super) fn engine(&self) -> Option<String> {
        self.engine.as_ref().map(TargetEngine::to_string)
    }

    /// The settings of rules whose measurements are shown.
    pub(super) fn settings(&self) -> Settings {
        let mut settings = Settings {
            engine: self.engine.clone(),
            ..Settings::default()
        };
        if let Some(most) = self.max_influences {
            settings.limits.insert(MAX_INFLUENCES, most.get().into());
        }
        settings
    }

    /// For the library.
    pub(super) fn options(&self) -> SkinningOptions {
        let options = self.own_options();
        match &self.engine {
            Some(engine) => engine.skinning(options),
            None => options,
        }
    }

    fn own_options(&self) -> SkinningOptions {
        SkinningOptions {
            weights: match self.weights {
                Weights::Normalize => WeightPolicy::Normalize,
                Weights::AsIs => WeightPolicy::AsIs,
            },
            max_influences: self.max_influences,
            method: self.skinning.method(),
        }
    }
}
