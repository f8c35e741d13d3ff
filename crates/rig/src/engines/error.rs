//! Errors of target engines.

use super::engine::Engine;
use super::table::ENGINES;
use crate::names::{hint, nearest};

/// Why an engine cannot be chosen or emulated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// There is no engine of this name.
    #[error("no engine \"{name}\"{}; the engines are {}", hint(nearest(.name, names(|_| true))), listed(|_| true))]
    UnknownEngine {
        /// As given.
        name: String,
    },
    /// The engine has no such option.
    #[error("{engine} has no option \"{option}\"{}", options(.engine, .option))]
    UnknownOption {
        /// The name of the engine.
        engine: &'static str,
        /// As given.
        option: String,
    },
    /// The option cannot have this value.
    #[error("{engine}:{option}={value}: expected {expected}")]
    Value {
        /// The name of the engine.
        engine: &'static str,
        /// The name of the option.
        option: &'static str,
        /// As given.
        value: String,
        /// The values it may have.
        expected: String,
    },
    /// No source says what the engine does to weights and clips.
    #[error(
        "no source says which weights {engine} drops or how it samples clips: it has limits for skincheck check, but nothing to \
         emulate; emulated are {}",
        listed(Engine::is_emulated)
    )]
    NotEmulated {
        /// The name of the engine.
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

fn names(of: fn(&Engine) -> bool) -> impl Iterator<Item = &'static str> {
    let engines = ENGINES.iter().filter(move |engine| of(engine));
    engines.map(|engine| engine.name)
}

fn listed(of: fn(&Engine) -> bool) -> String {
    names(of).collect::<Vec<_>>().join(", ")
}

/// The end of a message about an unknown option: the options of the engine.
fn options(engine: &str, option: &str) -> String {
    let engine = ENGINES.iter().find(|known| known.name == engine);
    let choices = engine.map_or(&[][..], |engine| engine.options).iter();
    let choices: Vec<_> = choices.map(|option| option.choice).collect();
    if choices.is_empty() {
        return "; it has none".to_owned();
    }
    let meant = nearest(option, choices.iter().map(|choice| choice.name()));
    let choices = choices
        .iter()
        .map(|choice| format!("{} ({})", choice.name(), choice.values()));
    let choices: Vec<String> = choices.collect();
    format!("{}; it has {}", hint(meant), choices.join(", "))
}
