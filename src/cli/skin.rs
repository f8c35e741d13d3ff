//! The arguments for the use of weights.

use std::num::NonZeroU32;

use clap::{Args, ValueEnum};

use super::number;
use crate::rig::{SkinningMethod, SkinningOptions, WeightPolicy};

/// How weights are used.
#[derive(Debug, Args)]
#[command(next_help_heading = "Skinning")]
pub(super) struct SkinArgs {
    /// Divide each vertex's weights by their sum, as in engines, or use them as stored
    #[arg(long, value_enum, default_value_t = Weights::Normalize)]
    weights: Weights,
    /// Keep a vertex's N largest weights and renormalize, as an engine with that limit does
    #[arg(
        long,
        value_name = "N",
        value_parser = number::from_one::<NonZeroU32>,
        allow_negative_numbers = true
    )]
    max_influences: Option<NonZeroU32>,
    /// Blend matrices (linear) or rigid motions (dual-quaternion); auto uses the method an FBX file asks for, and
    /// linear for all other formats
    #[arg(long, value_enum, value_name = "METHOD", default_value_t = Method::Auto)]
    skinning: Method,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
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

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Weights {
    Normalize,
    AsIs,
}

impl SkinArgs {
    /// For the library.
    pub(super) fn options(&self) -> SkinningOptions {
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
