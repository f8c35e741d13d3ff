//! What `skincheck.toml` says of approvals: the tables `[[test]]` and the folder.

use std::fmt::{self, Display};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use crate::check::config::{Pattern, PatternError};
use crate::diff::Tolerance;
use crate::names::fits;
use crate::pose::Times;
use crate::units::Seconds;
use crate::view::{Show, ViewDirection, ViewError, Viewport};

/// What a configuration says of approvals; its other tables belong to `check` and `diff`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tables {
    #[serde(rename = "test")]
    pub(super) tests: Vec<Spanned<Test>>,
    /// The folder of approvals, relative to the folder of the configuration; if unset, they are next to each model.
    pub(super) approved: Option<PathBuf>,
}

/// The approved poses of some models.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Test {
    /// The models.
    #[serde(deserialize_with = "one_or_more")]
    pub(super) model: Vec<ModelPattern>,
    /// Names of clips, in which `*` matches any characters; if unset, all clips with keys.
    #[serde(default)]
    pub(super) clips: Option<Vec<String>>,
    /// The sample times of each clip.
    #[serde(default = "four", deserialize_with = "times")]
    pub(super) times: Times,
    /// The cameras of images.
    #[serde(default = "default_camera", deserialize_with = "one_or_more")]
    pub(super) camera: Vec<ViewDirection>,
    /// The size of images.
    #[serde(default = "default_size", deserialize_with = "parsed")]
    pub(super) size: Viewport,
    /// The mode of images, as in `--show`.
    #[serde(default, deserialize_with = "parsed")]
    pub(super) show: ShowWord,
    /// Whether images are approved.
    #[serde(default = "yes")]
    pub(super) pictures: bool,
    /// The tolerance of the numbers.
    #[serde(default)]
    pub(super) tolerance: Option<Tolerance>,
}

/// A model's path, or a pattern of paths.
#[derive(Debug, Clone)]
pub struct ModelPattern {
    text: String,
    pattern: Pattern,
}

/// A mode of `--show`. Joints are looked up in each model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShowWord(pub(super) String);

impl Default for ShowWord {
    fn default() -> Self {
        Self("lit".to_owned())
    }
}

impl FromStr for ShowWord {
    type Err = ViewError;

    fn from_str(text: &str) -> Result<Self, ViewError> {
        let show = Show::parse(text, |_| Ok::<_, ViewError>(Vec::new()))?;
        if show.needs_numbers().is_some() {
            return Err(ViewError::Measured(show.name()));
        }
        Ok(Self(text.to_owned()))
    }
}

impl FromStr for ModelPattern {
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
    pub(super) fn names(&self, clip: &str) -> bool {
        let mut patterns = self.clips.iter().flatten();
        self.clips.is_none() || patterns.any(|pattern| fits(pattern, clip))
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

fn parsed<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(D::Error::custom)
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a string or a list of strings")]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

fn one_or_more<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    let texts = match OneOrMore::deserialize(deserializer)? {
        OneOrMore::One(text) => vec![text],
        OneOrMore::More(texts) if texts.is_empty() => {
            return Err(D::Error::custom("expected at least one"));
        }
        OneOrMore::More(texts) => texts,
    };
    let parsed = texts
        .iter()
        .map(|text| text.parse().map_err(D::Error::custom));
    parsed.collect()
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected a count such as 5, \"keys\", or seconds such as [0, 0.5]"
)]
enum CountOrTimes {
    Count(u32),
    Word(String),
    Seconds(Vec<f64>),
}

fn times<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Times, D::Error> {
    let mut seconds = match CountOrTimes::deserialize(deserializer)? {
        CountOrTimes::Count(count) => return count.to_string().parse().map_err(D::Error::custom),
        CountOrTimes::Word(word) => return word.parse().map_err(D::Error::custom),
        CountOrTimes::Seconds(seconds) => seconds,
    };
    if seconds.is_empty() || !seconds.iter().all(|time| *time >= 0.0 && time.is_finite()) {
        return Err(D::Error::custom(
            "expected at least one time, in seconds from 0 on",
        ));
    }
    seconds.sort_by(f64::total_cmp);
    seconds.dedup();
    Ok(Times::List(seconds.into_iter().map(Seconds).collect()))
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
        let test = read("model = [\"a.glb\", \"b.glb\"]\ncamera = \"front\"\nclips = [\"Walk*\"]")
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
