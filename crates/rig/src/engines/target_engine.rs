//! An engine with the options that a user sets.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use super::engine::{Choice, Engine, Stated, Storage};
use super::error::EngineError;
use super::table::find_engine;

/// An engine with the options that a user sets, such as `unreal:influences=unlimited,weights=16`.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetEngine {
    /// With the values of the options.
    engine: Box<Engine>,
    /// As given.
    text: String,
}

impl FromStr for TargetEngine {
    type Err = EngineError;

    fn from_str(text: &str) -> Result<Self, EngineError> {
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        let mut engine = *find_engine(name).ok_or_else(|| EngineError::UnknownEngine {
            name: name.to_owned(),
        })?;
        for option in options.split(',').filter(|option| !option.is_empty()) {
            let (option, value) = option.split_once('=').unwrap_or((option, ""));
            let mut known = engine.options.iter();
            let known = known
                .find(|known| known.choice.name() == option)
                .ok_or_else(|| EngineError::UnknownOption {
                    engine: engine.name,
                    option: option.to_owned(),
                })?;
            set(&mut engine, known.choice, known.source, value).ok_or_else(|| {
                EngineError::Value {
                    engine: engine.name,
                    option: known.choice.name(),
                    value: value.to_owned(),
                    expected: known.choice.values(),
                }
            })?;
        }
        Ok(Self {
            engine: Box::new(engine),
            text: text.to_owned(),
        })
    }
}

/// Sets an option; `None` if it cannot have the value.
fn set(engine: &mut Engine, choice: Choice, source: &'static str, value: &str) -> Option<()> {
    match choice {
        Choice::Influences(_) if value == "unlimited" => engine.influences = None,
        Choice::Influences(most) => {
            let value: NonZeroU32 = value
                .parse()
                .ok()
                .filter(|count: &NonZeroU32| count.get() <= most)?;
            engine.influences = Some(Stated { value, source });
        }
        Choice::Weights => {
            let bits = value.parse().ok().filter(|bits| [8, 16].contains(bits))?;
            let rounding = None;
            let value = Storage::Parts { bits, rounding };
            engine.storage = Some(Stated { value, source });
        }
        Choice::Rate => {
            let rate: f64 = value.parse().ok()?;
            let value = Some(rate).filter(|rate| (1.0..=1000.0).contains(rate));
            engine.rate = Some(Stated { value, source });
            value?;
        }
    }
    Some(())
}

/// As the user gave it.
impl fmt::Display for TargetEngine {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

impl TargetEngine {
    /// The engine, with the values of the options.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The option that keeps more of the model, such as `unreal:weights=16`.
    ///
    /// * `helps` – what it sets.
    #[doc(hidden)]
    pub fn remedy(&self, helps: impl Fn(Choice) -> bool) -> Option<String> {
        let mut choices = self.engine.options.iter().map(|option| option.choice);
        let choice = choices.find(|choice| helps(*choice))?;
        let value = match choice {
            Choice::Influences(_) => "unlimited",
            Choice::Weights => "16",
            Choice::Rate => return None,
        };
        Some(format!("{}:{}={value}", self.engine.name, choice.name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine(text: &str) -> Engine {
        *text.parse::<TargetEngine>().expect(text).engine()
    }

    fn error(text: &str) -> String {
        let error = text.parse::<TargetEngine>().expect_err(text);
        error.to_string()
    }

    #[test]
    fn an_option_overrides_what_the_engine_does_by_default() {
        let influences = |text: &str| engine(text).influences.map(|stated| stated.value.get());
        assert_eq!(influences("unity"), Some(4));
        assert_eq!(influences("unity:influences=2"), Some(2));
        assert_eq!(influences("unreal:influences=unlimited"), None);
        let rate = engine("godot:fps=60").rate.map(|stated| stated.value);
        assert_eq!(rate, Some(Some(60.0)));
        assert_eq!(engine("Unity").name, "unity");
    }

    #[test]
    fn an_unknown_engine_is_answered_with_those_that_exist() {
        assert_eq!(
            error("unrael"),
            "no engine \"unrael\" (did you mean \"unreal\"?); the engines are gltf, vrm, three, babylon, playcanvas, bevy, panda3d, \
             raylib, godot, filament, unity, unreal, roblox"
        );
    }

    #[test]
    fn an_unknown_option_is_answered_with_those_of_the_engine() {
        assert_eq!(
            error("unity:influence=4"),
            "unity has no option \"influence\" (did you mean \"influences\"?); it has influences (1 to 255, or unlimited)"
        );
        assert_eq!(
            error("roblox:influences=8"),
            "roblox has no option \"influences\"; it has none"
        );
    }

    #[test]
    fn a_value_that_an_option_cannot_have_is_an_error() {
        assert_eq!(
            error("unreal:weights=12"),
            "unreal:weights=12: expected 8 or 16"
        );
        assert_eq!(
            error("unity:influences=256"),
            "unity:influences=256: expected 1 to 255, or unlimited"
        );
        assert_eq!(
            error("godot:fps=NaN"),
            "godot:fps=NaN: expected frames per second, 1 to 1000"
        );
        assert_eq!(
            error("godot:fps"),
            "godot:fps=: expected frames per second, 1 to 1000"
        );
    }
}
