//! Errors of lenses.

use crate::lens::engines::LENSES;
use crate::names::{hint, nearest};

/// Why a lens cannot be chosen or applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LensError {
    /// There is no lens of this name.
    #[error("no engine \"{name}\"{}; the engines are {}", hint(nearest(.name, engines())), engines().collect::<Vec<_>>().join(", "))]
    UnknownEngine {
        /// As given.
        name: String,
    },
    /// The engine has no such option.
    #[error("{engine} has no option \"{option}\"{}", options(.engine, .option))]
    UnknownOption {
        /// The name of the lens.
        engine: &'static str,
        /// As given.
        option: String,
    },
    /// The option cannot have this value.
    #[error("{engine}:{option}={value}: expected {expected}")]
    Value {
        /// The name of the lens.
        engine: &'static str,
        /// The name of the option.
        option: &'static str,
        /// As given.
        value: String,
        /// The values it may have.
        expected: String,
    },
    /// No source states in which space the engine holds its matrices.
    #[error(
        "no source states in which space {engine} holds its matrices, so it does not support --at; these engines do: {}",
        placed()
    )]
    NotPlaced {
        /// The name of the lens.
        engine: &'static str,
    },
    /// The sampled clip would have too many keys.
    #[error("clip \"{clip}\" would have more than {most} keys as the engine interpolates it")]
    TooManyKeys {
        /// The clip's name, escaped.
        clip: String,
        /// The limit.
        most: usize,
    },
}

/// The engines that can be placed.
fn placed() -> String {
    let placed = LENSES.iter().filter(|lens| lens.world.source.is_some());
    placed.map(|lens| lens.name).collect::<Vec<_>>().join(", ")
}

fn engines() -> impl Iterator<Item = &'static str> {
    LENSES.iter().map(|lens| lens.name)
}

/// The end of a message about an unknown option: the options of the engine.
fn options(engine: &str, option: &str) -> String {
    let lens = LENSES.iter().find(|lens| lens.name == engine);
    let settings = lens.map_or(&[][..], |lens| lens.settings);
    let names = settings.iter().map(|setting| setting.name);
    if settings.is_empty() {
        return "; it has none".to_owned();
    }
    let described: Vec<String> = settings
        .iter()
        .map(|setting| format!("{} ({})", setting.name, setting.values.describe()))
        .collect();
    format!(
        "{}; it has {}",
        hint(nearest(option, names)),
        described.join(", ")
    )
}
