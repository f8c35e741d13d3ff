//! Tables `[[test]]`: models whose poses and images are approved.

use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::path::Path;

use serde::de::{Error, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};

use super::strings::{Pattern, PatternError};
use crate::diff::Tolerance;
use crate::names::matches;
use crate::pose::Times;
use crate::units::Seconds;
use crate::view::{Show, ViewDirection, ViewError, Viewport};

/// The approved poses of some models.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Test {
    /// The models.
    #[serde(alias = "models", deserialize_with = "one_or_more")]
    pub model: Vec<ModelPattern>,
    /// Names of clips, in which `*` matches any characters; if unset, all clips with keys.
    #[serde(default)]
    pub clips: Option<Vec<String>>,
    /// The sample times of each clip.
    #[serde(default = "four", deserialize_with = "times")]
    pub times: Times,
    /// The cameras of images.
    #[serde(
        alias = "cameras",
        default = "default_camera",
        deserialize_with = "one_or_more"
    )]
    pub camera: Vec<ViewDirection>,
    /// The size of images.
    #[serde(default = "default_size", deserialize_with = "parsed")]
    pub size: Viewport,
    /// The mode of images, as in `--show`.
    #[serde(default, deserialize_with = "parsed")]
    pub show: ShowWord,
    /// Whether images are approved.
    #[serde(default = "yes")]
    pub pictures: bool,
    /// The tolerance of the numbers.
    #[serde(default)]
    pub tolerance: Option<Tolerance>,
}

/// A model's path, or a pattern of paths.
#[derive(Debug, Clone)]
pub struct ModelPattern {
    text: String,
    pattern: Pattern,
}

/// A mode of `--show`. Joints are looked up in each model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShowWord(pub String);

impl Default for ShowWord {
    fn default() -> Self {
        Self("lit".to_owned())
    }
}

impl std::str::FromStr for ShowWord {
    type Err = ViewError;

    fn from_str(text: &str) -> Result<Self, ViewError> {
        let show = Show::parse(text, |_| Ok::<_, ViewError>(Vec::new()))?;
        if show.needs_numbers().is_some() {
            return Err(ViewError::Measured(show.name()));
        }
        Ok(Self(text.to_owned()))
    }
}

impl std::str::FromStr for ModelPattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        Ok(Self {
            text: text.to_owned(),
            pattern: Pattern::in_any_folder(text)?,
        })
    }
}

impl Display for ModelPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl ModelPattern {
    /// * `model` – relative to the folder of the configuration.
    #[must_use]
    pub fn matches(&self, model: &Path) -> bool {
        self.pattern.matches(model) || Path::new(&self.text) == model
    }
}

impl Test {
    /// Whether clips of this name are tested.
    #[must_use]
    pub fn names(&self, clip: &str) -> bool {
        let mut patterns = self.clips.iter().flatten();
        self.clips.is_none() || patterns.any(|pattern| matches(pattern, clip))
    }
}

/// Thirds, so that a motion that repeats twice or four times within its clip is not sampled at its start each time.
fn four() -> Times {
    Times::Even(4)
}

fn default_camera() -> Vec<ViewDirection> {
    vec![ViewDirection::default()]
}

/// A quarter of a film's pixels: twenty images of a character take less than a megabyte.
fn default_size() -> Viewport {
    Viewport {
        width: 256,
        height: 256,
    }
}

fn yes() -> bool {
    true
}

/// Parses a string as the field's type.
struct Parsed<T>(PhantomData<T>);

/// Parses one string, or a list of strings that is not empty.
struct OneOrMore<T>(PhantomData<T>);

impl<T: std::str::FromStr<Err: Display>> Visitor<'_> for Parsed<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }
}

impl<'de, T: std::str::FromStr<Err: Display>> Visitor<'de> for OneOrMore<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a list of strings")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Vec<T>, E> {
        text.parse().map(|one| vec![one]).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
        let mut all = Vec::new();
        while let Some(text) = list.next_element::<String>()? {
            all.push(text.parse().map_err(A::Error::custom)?);
        }
        if all.is_empty() {
            return Err(A::Error::custom("expected at least one"));
        }
        Ok(all)
    }
}

fn parsed<'de, D: Deserializer<'de>, T: std::str::FromStr<Err: Display>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_str(Parsed(PhantomData))
}

fn one_or_more<'de, D: Deserializer<'de>, T: std::str::FromStr<Err: Display>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    deserializer.deserialize_any(OneOrMore(PhantomData))
}

struct TimesVisitor;

/// A number of times, `"keys"`, or a list of seconds.
fn times<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Times, D::Error> {
    deserializer.deserialize_any(TimesVisitor)
}

impl<'de> Visitor<'de> for TimesVisitor {
    type Value = Times;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a count such as 5, \"keys\", or seconds such as [0, 0.5]")
    }

    fn visit_i64<E: Error>(self, count: i64) -> Result<Times, E> {
        if count < 1 {
            return Err(E::invalid_value(Unexpected::Signed(count), &self));
        }
        count.to_string().parse().map_err(E::custom)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Times, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Times, A::Error> {
        let mut times = Vec::new();
        while let Some(time) = list.next_element::<f64>()? {
            if !(time >= 0.0 && time.is_finite()) {
                return Err(A::Error::custom("expected seconds from 0 on"));
            }
            times.push(time);
        }
        times.sort_by(f64::total_cmp);
        times.dedup();
        if times.is_empty() {
            return Err(A::Error::custom("expected at least one time"));
        }
        Ok(Times::List(times.into_iter().map(Seconds).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Test, String> {
        toml::from_str(text).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn a_model_is_enough() {
        let test = read("model = \"characters/*.glb\"").expect("it is right");
        assert_eq!(test.times, Times::Even(4));
        assert_eq!(test.camera, [ViewDirection::ThreeQuarter]);
        assert!(test.pictures && test.names("Walk"));
        let matches = |path: &str| test.model[0].matches(Path::new(path));
        assert!(matches("characters/hero.glb") && !matches("props/hero.glb"));
    }

    #[test]
    fn one_or_more_of_models_and_cameras_are_read() {
        let test = read("models = [\"a.glb\", \"b.glb\"]\ncamera = \"front\"\nclips = [\"Walk*\"]")
            .expect("it is right");
        assert_eq!((test.model.len(), test.camera.len()), (2, 1));
        assert!(test.names("WalkFast") && !test.names("Run"));
    }

    #[test]
    fn times_are_a_count_keys_or_seconds() {
        let times = |value: &str| read(&format!("model = \"a\"\ntimes = {value}"));
        let times = |value: &str| times(value).map(|test| test.times);
        assert_eq!(times("7"), Ok(Times::Even(7)));
        assert_eq!(times("\"keys\""), Ok(Times::Keys));
        let listed = Times::List(vec![Seconds(0.0), Seconds(0.5)]);
        assert_eq!(times("[0.5, 0.0]"), Ok(listed));
        for wrong in ["0", "-1", "[]", "[-1.0]", "\"often\"", "true"] {
            assert!(times(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, expected) in [
            ("camera = \"front\"", "missing field `model`"),
            ("model = []", "expected at least one"),
            ("model = \"a\"\nshow = \"lid\"", "did you mean \"lit\""),
            ("model = \"a\"\nsize = \"0x1\"", "0x1"),
            ("model = \"a[\"", "invalid pattern"),
            ("model = \"a\"\ntime = 3", "unknown field `time`"),
        ] {
            let message = read(text).expect_err("it is wrong");
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
