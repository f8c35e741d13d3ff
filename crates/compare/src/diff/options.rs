//! Options, tolerances and errors of a comparison.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

use super::Kind;
use super::words::{Lengths, span};
use crate::deadline::{Deadline, TimedOut};
use crate::rig::WeightPolicy;
use crate::skinning::SkinningError;
use crate::units::LengthUnit;

/// Options of a comparison.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The user's settings.
    pub settings: Settings,
    /// How the models use their weights: before and after.
    pub weights: [WeightPolicy; 2],
    /// Whether nothing is reconciled that the files do not state: see [`Options::strict`].
    pub strict: bool,
    /// When the comparison must be done.
    pub deadline: Deadline,
}

/// The tolerance of a [strict](Options::strict) comparison. Both importers read the same numbers and round them to f32:
/// along forty joints in a row these roundings add up to 1e-5 of the diagonal.
const STRICT: Tolerance = Tolerance::Diagonal(1e-4);

impl Options {
    /// These options, for one file read by two importers: both must say the same.
    ///
    /// No similarity and no other timing is undone. A clip that only the second importer has is a difference, and the tolerance is
    /// 0.01 % of the diagonal unless the settings state another.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self.settings.tolerance.get_or_insert(STRICT);
        self.settings.count.insert(Kind::ClipAdded);
        self
    }
}

/// The settings in `[diff]` of `skincheck.toml` and on the command line.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// Overrides the default tolerance.
    pub tolerance: Option<Tolerance>,
    /// Differences that are accepted and undone.
    pub align: Vec<Accepted>,
    /// Kinds of findings that are remarks.
    pub ignore: BTreeSet<Kind>,
    /// Kinds of findings that count as differences, even if they are remarks by default.
    pub count: BTreeSet<Kind>,
    /// The only differences that count; all if `None`.
    pub only: Option<Only>,
    /// Scales the model after first.
    pub scale: Option<f64>,
    /// Names of joints before and after.
    pub joints: BTreeMap<String, String>,
    /// Names of clips before and after.
    pub clips: BTreeMap<String, String>,
    /// Tolerances for single clips, by their name before.
    pub clip_tolerances: BTreeMap<String, Tolerance>,
    /// Tolerances for single joints and the vertices that they move most, by their name before.
    pub joint_tolerances: BTreeMap<String, Tolerance>,
}

/// A difference that the user accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Accepted {
    /// A scale, rotation, mirroring or translation of the whole model.
    Similarity,
    /// Clips that run earlier, later, faster or slower.
    Time,
}

/// The differences that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Only {
    /// Differences of the deformed surface, not of names, the hierarchy, or joints without weights.
    Surface,
}

impl Settings {
    /// These settings, overridden by those of `others`.
    #[must_use]
    pub fn with(mut self, others: &Self) -> Self {
        self.tolerance = others.tolerance.or(self.tolerance);
        self.scale = others.scale.or(self.scale);
        self.align.extend(&others.align);
        self.ignore.extend(&others.ignore);
        self.count.extend(&others.count);
        self.only = others.only.or(self.only);
        let pairs = |list: &BTreeMap<String, String>| list.clone();
        self.joints.extend(pairs(&others.joints));
        self.clips.extend(pairs(&others.clips));
        self.clip_tolerances.extend(others.clip_tolerances.clone());
        self.joint_tolerances
            .extend(others.joint_tolerances.clone());
        self
    }

    pub(super) fn accepts(&self, what: Accepted) -> bool {
        self.align.contains(&what)
    }
}

/// The largest difference that is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(tag = "measure", content = "value", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Tolerance {
    /// A fraction of the diagonal of the model before.
    Diagonal(f64),
    /// A length in metres.
    Metres(f64),
}

impl Default for Tolerance {
    /// 0.1 % of the diagonal: 2 mm for a person.
    fn default() -> Self {
        Self::Diagonal(1e-3)
    }
}

/// An invalid tolerance.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a tolerance above 0 with its unit, such as 0.1% or 2mm")]
pub struct ToleranceError;

impl FromStr for Tolerance {
    type Err = ToleranceError;

    fn from_str(text: &str) -> Result<Self, ToleranceError> {
        let text = text.trim();
        let split = text.find(|c: char| c.is_ascii_alphabetic() && c != 'e' || c == '%');
        let (number, unit) = text.split_at(split.unwrap_or(text.len()));
        let number: f64 = number.trim().parse().map_err(|_| ToleranceError)?;
        if !(number > 0.0 && number.is_finite()) {
            return Err(ToleranceError);
        }
        if unit == "%" {
            return Ok(Self::Diagonal(number / 100.0));
        }
        let mut units = LengthUnit::ALL.into_iter();
        let found = units.find(|known| known.name() == unit);
        found.map_or(Err(ToleranceError), |unit| {
            Ok(Self::Metres(number * unit.metres()))
        })
    }
}

impl<'de> Deserialize<'de> for Tolerance {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Diagonal(part) => write!(f, "{} % of the diagonal", short(part * 100.0)),
            Self::Metres(metres) => write!(f, "{} mm", short(metres * 1000.0)),
        }
    }
}

/// Rounds away the noise of binary fractions.
fn short(number: f64) -> f64 {
    let text = format!("{number:.9e}");
    text.parse().unwrap_or(number)
}

impl Lengths {
    /// A tolerance in the unit of the model before; `None` for a length if that is unknown.
    pub(super) fn limit(&self, tolerance: Tolerance) -> Option<f64> {
        Some(match tolerance {
            Tolerance::Diagonal(part) => part * self.diagonal,
            Tolerance::Metres(metres) => metres / self.metres_per_unit?,
        })
    }
}

/// The reason why two models could not be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DiffError {
    /// A model is too large to be skinned.
    #[error("a model cannot be skinned")]
    Skinning(#[from] SkinningError),
    /// The time limit was reached.
    #[error(transparent)]
    TimedOut(#[from] TimedOut),
    /// The tolerance is a length, and neither model states its unit.
    #[error(
        "a tolerance in millimetres needs a model that states its unit; use a percentage of the diagonal, such as 0.1%"
    )]
    UnknownUnit,
    /// A name in the configuration or on the command line does not exist in the model.
    #[error("no {what} named \"{name}\" in the model {side}")]
    UnknownName {
        /// `joint` or `clip`.
        what: &'static str,
        /// As given.
        name: String,
        /// `before` or `after`.
        side: &'static str,
    },
    /// An image is requested of a clip that only one of the models has.
    #[error("the reference has no {clip} to compare with")]
    NoCounterpart {
        /// Such as `clip "Walk"`.
        clip: String,
    },
    /// A reference's frames lie outside the other clip.
    #[error(
        "clip \"{clip}\": {} of the reference's {all} frames lies within both clips, {} before and {} after; its times must be \
         in seconds of the clip",
        if *common == 0 { "none" } else { "only one" },
        span(&ranges[0]),
        span(&ranges[1])
    )]
    TooFewFrames {
        /// The name before.
        clip: String,
        /// Frames within both clips.
        common: usize,
        /// All frames.
        all: usize,
        /// Start and end of the clip on each side, in seconds.
        ranges: [[f64; 2]; 2],
    },
    /// All results together would not fit in memory.
    #[error(
        "comparing {clips} clips of {joints} joints and {vertices} vertices takes {} MB of memory; the limit is {} MB; \
         split the clips of both models over several files and compare those",
        bytes / 1_000_000,
        limit / 1_000_000
    )]
    TooLarge {
        /// Pairs of clips.
        clips: usize,
        /// Pairs of joints.
        joints: usize,
        /// Pairs of vertices.
        vertices: usize,
        /// What their results take.
        bytes: usize,
        /// What they may take.
        limit: usize,
    },
    /// Only the surface counts, and the models have no vertices in common.
    #[error(
        "no vertex of one model corresponds to one of the other, so there is no surface; compare without `only`"
    )]
    NoSurface,
    /// Nothing in one model corresponds to the other.
    #[error(
        "the models have nothing in common: no joint and no vertex of one corresponds to one of the other"
    )]
    NothingInCommon,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tolerance_is_a_number_and_a_unit() {
        assert_eq!("0.1%".parse(), Ok(Tolerance::Diagonal(0.1 / 100.0)));
        assert_eq!("2 mm".parse(), Ok(Tolerance::Metres(0.002)));
        assert_eq!("1e-3m".parse(), Ok(Tolerance::Metres(0.001)));
        for wrong in ["", "2", "0%", "-1mm", "1px", "nan%", "2 parsecs", "%"] {
            assert_eq!(wrong.parse::<Tolerance>(), Err(ToleranceError), "{wrong}");
        }
        assert_eq!(Tolerance::default().to_string(), "0.1 % of the diagonal");
    }

    #[test]
    fn a_length_needs_a_known_unit() {
        let lengths = Lengths::new(200.0, Some(0.01));
        assert_eq!(lengths.limit(Tolerance::Metres(0.02)), Some(2.0));
        assert_eq!(lengths.limit(Tolerance::Diagonal(0.25)), Some(50.0));
        let unknown = Lengths::new(200.0, None);
        assert_eq!(unknown.limit(Tolerance::Metres(0.02)), None);
    }
}
