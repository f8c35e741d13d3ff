//! The arguments for the use of weights.

use std::num::NonZeroU32;
use std::str::FromStr;

use clap::{Args, ValueEnum};

use super::number;
use crate::engines::TargetEngine;
use crate::lint::{MAX_INFLUENCES, Settings};
use crate::rig::{Asset, SkinningMethod, SkinningOptions, WeightPolicy};
use crate::units::amount;

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
    /// --weights of the version that --compare draws on the left (default: the same as on the right)
    #[arg(
        long = "before-weights",
        id = "before_weights",
        value_enum,
        value_name = "WEIGHTS",
        requires = "compare",
        hide_short_help = true
    )]
    weights: Option<Weights>,
    /// --max-influences of the version on the left; all keeps every weight
    #[arg(
        long = "before-max-influences",
        id = "before_max_influences",
        value_name = "N|all",
        requires = "compare",
        hide_short_help = true,
        allow_negative_numbers = true
    )]
    max_influences: Option<Influences>,
    /// --skinning of the version on the left
    #[arg(
        long = "before-skinning",
        id = "before_skinning",
        value_enum,
        value_name = "METHOD",
        requires = "compare",
        hide_short_help = true
    )]
    skinning: Option<Method>,
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
            weights: self.weights.unwrap_or(later.weights),
            max_influences: match self.max_influences {
                None => later.max_influences,
                Some(Influences::All) => None,
                Some(Influences::Most(most)) => Some(most),
            },
            skinning: self.skinning.unwrap_or(later.skinning),
        }
    }
}

/// How many influences a vertex keeps.
#[derive(Debug, Clone, Copy)]
enum Influences {
    All,
    Most(NonZeroU32),
}

impl FromStr for Influences {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self::All);
        }
        let most = number::from_one(text).map(Self::Most);
        most.map_err(|error| format!("{error}; or all"))
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
    /// The options that differ from `other`, for a caption: `4 influences, dual-quaternion`; empty without a difference.
    pub(super) fn unlike(&self, other: &Self) -> String {
        fn name(value: &impl ValueEnum) -> String {
            let value = value.to_possible_value();
            value.map_or_else(String::new, |value| value.get_name().to_owned())
        }
        let influences = match self.max_influences {
            None => "all influences".to_owned(),
            Some(most) => amount(most.get() as usize, "influence"),
        };
        let engine = self.engine().map(|engine| format!("in {engine}"));
        let parts = [
            (
                self.engine != other.engine,
                engine.unwrap_or_else(|| "as in the file".to_owned()),
            ),
            (
                self.weights != other.weights,
                format!("{} weights", name(&self.weights)),
            ),
            (self.max_influences != other.max_influences, influences),
            (
                self.skinning != other.skinning,
                format!("{} skinning", name(&self.skinning)),
            ),
        ];
        let unlike: Vec<String> = parts
            .into_iter()
            .filter(|(differs, _)| *differs)
            .map(|(_, text)| text)
            .collect();
        unlike.join(", ")
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
