//! What rules measure, whether or not it exceeds a limit.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::core::context::Context;
use crate::core::numbers::significant;
use crate::finding::Code;
use crate::rig::{Location, PoseName};
use crate::units::Seconds;

/// A number that a rule measures against a limit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gauge {
    /// In words, such as `stretch`.
    pub(crate) name: &'static str,
    pub(crate) unit: ReadingUnit,
    /// Its value in a model without any fault, from which [`Reading::nearness`] counts.
    pub(crate) ideal: f64,
}

impl Gauge {
    /// A number that is 0 in a model without any fault.
    pub(crate) const fn new(name: &'static str, unit: ReadingUnit) -> Self {
        Self {
            name,
            unit,
            ideal: 0.0,
        }
    }

    /// A number that is `ideal` in a model without any fault.
    pub(crate) const fn ideally(self, ideal: f64) -> Self {
        Self { ideal, ..self }
    }

    /// How much of the way from the ideal to `limit` a value has gone.
    fn nearness(&self, value: f64, limit: f64) -> f64 {
        (value - self.ideal) / (limit - self.ideal)
    }
}

/// The unit of a [`Reading`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ReadingUnit {
    /// A ratio.
    Times,
    /// A part of 1.
    Part,
    /// The diagonal of the model or the mesh, as the rule's page says.
    Diagonals,
    /// Degrees.
    Degrees,
    /// Seconds.
    Seconds,
    /// Metres.
    Metres,
    /// A weight, or a sum of weights.
    Weight,
    /// A number of things.
    Count,
}

/// The value that comes nearest to a limit of a rule, or exceeds it most.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "testing", schemars(rename = "Measured"))]
pub struct Reading {
    /// The rule.
    pub rule: Code,
    /// What it measures, such as `stretch`.
    pub name: String,
    /// Of the value and the limit.
    pub unit: ReadingUnit,
    /// The value.
    pub value: f64,
    /// The limit.
    pub limit: f64,
    /// How near the value is to the limit: 0 for a model without any fault, 1 at the limit, more beyond it.
    pub nearness: f64,
    /// Where it is.
    pub place: Place,
}

/// Where a [`Reading`] is, by names. Fields that do not apply are empty.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Place {
    /// The mesh.
    pub mesh: Option<String>,
    /// Its vertex, from 0.
    pub vertex: Option<usize>,
    /// The skin.
    pub skin: Option<String>,
    /// The joint, or any other node.
    pub joint: Option<String>,
    /// The clip.
    pub clip: Option<String>,
    /// Absolute in the clip.
    pub time: Option<Seconds>,
    /// The frame of the clip at this time, counted from 0 s, if the clip's frame rate is known.
    pub frame: Option<f64>,
    /// The pose outside any clip, as `--pose` names it.
    #[cfg_attr(feature = "testing", schemars(with = "Option<String>"))]
    pub pose: Option<PoseName>,
}

impl Reading {
    /// Whether a value within its limit may still be worth a look. Counts are at their limit by design, and weights are off by
    /// the rounding that their limit allows.
    #[must_use]
    pub fn is_gradual(&self) -> bool {
        !matches!(self.unit, ReadingUnit::Count | ReadingUnit::Weight)
    }

    /// Whether the value is beyond the limit.
    #[must_use]
    pub fn is_beyond(&self) -> bool {
        self.nearness > 1.0
    }

    /// The value, such as `2.1×`.
    #[must_use]
    pub fn value_text(&self) -> String {
        /// Of a value; limits are written as they are configured.
        const DIGITS: usize = 3;
        self.unit.text(self.value, DIGITS)
    }

    fn is_of_minimum(&self) -> bool {
        (self.value > self.limit) == (self.nearness < 1.0)
    }

    /// The limit, such as `of 4×`, or `at least 35 %` for a minimum.
    #[must_use]
    pub fn limit_text(&self) -> String {
        /// Fewer than rounding adds to a limit.
        const DIGITS: usize = 12;
        let words = if self.is_of_minimum() {
            "at least"
        } else {
            "of"
        };
        let unit = match self.unit {
            ReadingUnit::Diagonals => " diagonals",
            _ => "",
        };
        format!("{words} {}{unit}", self.unit.text(self.limit, DIGITS))
    }
}

impl fmt::Display for Reading {
    /// Such as `stretch 2.1× of 4× (mesh "Body" vertex 3, clip "Walk" at 0.43 s)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, limit) = (self.value_text(), self.limit_text());
        let comma = if self.is_of_minimum() { "," } else { "" };
        write!(f, "{} {value}{comma} {limit} ({})", self.name, self.place)
    }
}

impl ReadingUnit {
    fn text(self, value: f64, digits: usize) -> String {
        // Without the sign of -0.
        let value = value + 0.0;
        let number = significant(value, digits);
        match self {
            Self::Times => format!("{number}\u{d7}"),
            Self::Part => format!("{} %", significant(100.0 * value, digits)),
            Self::Degrees => format!("{number}\u{b0}"),
            Self::Seconds => format!("{number} s"),
            Self::Metres => format!("{number} m"),
            Self::Diagonals | Self::Weight => number,
            Self::Count => value.to_string(),
        }
    }
}

impl From<Location> for Place {
    fn from(location: Location) -> Self {
        Self {
            mesh: location.mesh,
            vertex: location.vertex,
            skin: location.skin,
            joint: location.joint,
            clip: location.clip,
            time: location.time,
            frame: location.frame,
            pose: location.pose,
        }
    }
}

impl fmt::Display for Place {
    /// As a [`Location`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.clone();
        let location = Location {
            mesh: place.mesh,
            vertex: place.vertex,
            skin: place.skin,
            joint: place.joint,
            clip: place.clip,
            time: place.time,
            frame: place.frame,
            pose: place.pose,
            ..Location::FILE
        };
        location.fmt(f)
    }
}

/// The values of one rule that are nearest to its limits, by gauge.
#[derive(Debug, Default)]
pub(crate) struct Readings(Vec<Nearest>);

/// The value of a gauge that is nearest to its limit.
#[derive(Debug)]
struct Nearest {
    gauge: Gauge,
    value: f64,
    limit: f64,
    nearness: f64,
    /// By ids.
    location: Location,
}

impl Readings {
    /// Keeps a value if it is nearer to its limit than all before. Values that are not finite are other rules' faults, and nothing is
    /// near to a limit that is not.
    ///
    /// * `location` – of the value, by ids; called only for one that is kept.
    pub(crate) fn add(
        &mut self,
        gauge: Gauge,
        [value, limit]: [f64; 2],
        location: impl FnOnce() -> Location,
    ) {
        let nearness = gauge.nearness(value, limit);
        if !(nearness.is_finite() && limit.is_finite()) {
            return;
        }
        let known = self.0.iter().position(|own| own.gauge.name == gauge.name);
        if known.is_some_and(|known| self.0[known].nearness >= nearness) {
            return;
        }
        let nearest = Nearest {
            gauge,
            value,
            limit,
            nearness,
            location: location(),
        };
        match known {
            Some(known) => self.0[known] = nearest,
            None => self.0.push(nearest),
        }
    }

    /// Whether nothing was measured.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Says in which pose the values were measured.
    pub(crate) fn in_pose(&mut self, pose: &Location) {
        for own in &mut self.0 {
            own.location.ids.clip = pose.ids.clip;
            own.location.time = pose.time;
            own.location.pose.clone_from(&pose.pose);
        }
    }

    /// Adds the values of a later pose.
    pub(crate) fn merge(&mut self, later: Self) {
        for own in later.0 {
            self.add(own.gauge, [own.value, own.limit], || own.location);
        }
    }

    /// With the names of the places.
    pub(crate) fn named(self, cx: &Context<'_>, rule: Code) -> impl Iterator<Item = Reading> {
        self.0.into_iter().map(move |own| Reading {
            rule,
            name: own.gauge.name.to_owned(),
            unit: own.gauge.unit,
            value: own.value,
            limit: own.limit,
            nearness: own.nearness.max(0.0),
            place: cx.named(own.location).into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;
    use crate::rig::ClipId;
    use crate::testing::{arm, rotating};

    const STRETCH: Gauge = Gauge::new("stretch", ReadingUnit::Times).ideally(1.0);
    const VOLUME: Gauge = Gauge::new("volume", ReadingUnit::Part).ideally(1.0);

    fn named(readings: Readings) -> Vec<Reading> {
        let asset = rotating(arm(), glam::Quat::IDENTITY);
        let settings = Settings::default();
        let cx = Context::new(&asset, "arm.glb".as_ref(), &settings);
        readings.named(&cx, Code("D602")).collect()
    }

    fn in_clip(values: &[(Gauge, f64, f64)], time: f64) -> Readings {
        let mut readings = Readings::default();
        for (gauge, value, limit) in values {
            readings.add(*gauge, [*value, *limit], || Location::FILE);
        }
        readings.in_pose(&Location::FILE.clip_id(ClipId(0)).at(Seconds(time)));
        readings
    }

    #[test]
    fn the_value_nearest_to_its_limit_is_kept_with_its_pose() {
        let mut all = in_clip(&[(STRETCH, 2.0, 4.0), (VOLUME, 0.9, 0.5)], 0.25);
        all.merge(in_clip(&[(STRETCH, 2.5, 4.0), (VOLUME, 0.95, 0.5)], 0.5));
        all.merge(in_clip(&[(STRETCH, f64::NAN, 4.0)], 0.75));
        let texts: Vec<String> = named(all).iter().map(Reading::to_string).collect();
        let expected = [
            "stretch 2.5\u{d7} of 4\u{d7} (clip \"turn\" at 0.5 s)",
            "volume 90 %, at least 50 % (clip \"turn\" at 0.25 s)",
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn nearness_counts_from_the_ideal_to_the_limit() {
        let nearness = |gauge, value, limit| {
            let readings = named(in_clip(&[(gauge, value, limit)], 0.0));
            readings.first().map(|own| own.nearness)
        };
        assert_eq!(nearness(STRETCH, 1.0, 4.0), Some(0.0));
        assert_eq!(nearness(STRETCH, 2.5, 4.0), Some(0.5));
        assert_eq!(nearness(VOLUME, 0.25, 0.5), Some(1.5));
        assert_eq!(nearness(VOLUME, 1.2, 0.5), Some(0.0));
        assert_eq!(nearness(STRETCH, 2.0, f64::INFINITY), None);
    }
}
