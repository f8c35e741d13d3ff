//! `B210`: implausible-size.

use super::body::metres_high;
use crate::analysis::armature;
use crate::core::conversion::{stated, unit_name};
use crate::core::numbers::{capped, significant, unlike};
use crate::core::reading::{Gauge, ReadingUnit};
use crate::finding::Finding;
use crate::rig::Location;
use crate::units::LengthUnit;
use crate::{
    Context, ExpectedHeight, Findings, Follows, Offence, Required, Rule, Through, declare_rule,
    follows,
};

/// Significant digits of a height; more only if these do not distinguish it from the expected one.
const DIGITS: usize = 4;

const HEIGHT: Gauge = Gauge::new("height", ReadingUnit::Metres);

declare_rule! {
    ImplausibleSize, "B210", "implausible-size", Warning, Proved,
    requires = Some(Required { key: "size.height", example: "[size]\nheight = [150, 220]    # minimum and maximum\nunit = \"cm\"    # of these numbers; m if omitted" })
}

impl Rule for ImplausibleSize {
    fn uncheckable(&self, cx: &Context<'_>) -> Option<String> {
        let set = cx.settings.height.is_some();
        cx.unset(&Self::META, set, "no height in [size]")
    }

    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::If(is_scaled) => ["B209"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let (Some(expected), Some(metres)) = (cx.settings.height, metres_high(cx)) else {
            return;
        };
        let group = Location::FILE;
        let unit = expected.unit.metres();
        let ends = [expected.least, expected.most].map(|end| end * unit);
        let middle = ends[0].midpoint(ends[1]);
        let limit = if metres < middle { ends[0] } else { ends[1] };
        out.measure(HEIGHT.ideally(middle), [metres, limit], || Location::FILE);
        let offence = match verdict(&expected, metres) {
            Verdict::Fits => return,
            Verdict::TooHigh { value } => Offence::above(&group, "model", value, expected.most),
            Verdict::TooLow { value } => Offence::below(&group, "model", value, expected.least),
        };
        out.add(offence, |subject| (subject, message(cx, &expected, metres)));
    }
}

/// Whether the model would have the expected height without the scale that `cause` reports.
fn is_scaled(cx: &Context<'_>, cause: &Finding, _: &Finding) -> bool {
    let heights = cx.settings.height.zip(metres_high(cx));
    let factor = armature::scale_of_all(cx, cause);
    heights
        .zip(factor)
        .is_some_and(|((expected, metres), factor)| {
            verdict(&expected, metres / factor) == Verdict::Fits
        })
}

/// A height, in the unit of the expected one.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Verdict {
    Fits,
    TooHigh { value: f64 },
    TooLow { value: f64 },
}

fn verdict(expected: &ExpectedHeight, metres: f64) -> Verdict {
    let value = metres / expected.unit.metres();
    if value > expected.most {
        Verdict::TooHigh { value }
    } else if value < expected.least {
        Verdict::TooLow { value }
    } else {
        Verdict::Fits
    }
}

/// Such as `0.018 m (1.8 cm) high, expected 1.5 to 2.2 m; the file is in centimetres, but metres would fit`.
fn message(cx: &Context<'_>, expected: &ExpectedHeight, metres: f64) -> String {
    /// The largest height that is written out.
    const FARTHEST_KM: f64 = 100.0;
    let ExpectedHeight { least, most, unit } = expected;
    let value = metres / unit.metres();
    let limit = if value > *most { most } else { least };
    let reported = unlike(value, *limit, DIGITS);
    let also = also(cx, *unit).map_or_else(String::new, |other| {
        let value = significant(metres / other.metres(), DIGITS);
        format!(" ({value} {other})")
    });
    let of_file = unit_of_file(cx, expected, metres);
    let reported = capped(metres / 1000.0, FARTHEST_KM).map_or_else(
        || format!("{reported} {unit}{also}"),
        |reported| format!("{reported} km"),
    );
    format!("{reported} high, expected {least} to {most} {unit}{of_file}")
}

/// The second unit of a reported height, besides `unit`: the engine's, else metres.
fn also(cx: &Context<'_>, unit: LengthUnit) -> Option<LengthUnit> {
    let candidates = unit_of_engine(cx).into_iter().chain([LengthUnit::Metre]);
    candidates.into_iter().find(|other| *other != unit)
}

fn unit_of_engine(cx: &Context<'_>) -> Option<LengthUnit> {
    let engine = cx.settings.engine.as_ref()?.engine();
    engine.unit.map(|unit| unit.value)
}

/// A remark about the file's unit, if any.
fn unit_of_file(cx: &Context<'_>, expected: &ExpectedHeight, metres: f64) -> String {
    let stated = stated(cx.asset).map(|(_, metres_per_unit)| metres_per_unit);
    let units = metres / stated.unwrap_or(1.0);
    let fit = fitting(cx, expected, units).map_or_else(String::new, |unit| {
        format!(", but {} would fit", unit.words())
    });
    match stated {
        None => format!("; the file states no unit (metres assumed){fit}"),
        Some(_) if fit.is_empty() => fit,
        Some(metres_per_unit) => {
            format!("; the file is in {}{fit}", unit_name(metres_per_unit))
        }
    }
}

/// The only unit in which a model of this many units would have the expected height.
fn fitting(cx: &Context<'_>, expected: &ExpectedHeight, units: f64) -> Option<LengthUnit> {
    // A stud is nearly a foot, and only models for Roblox are measured in studs.
    let of_engine = unit_of_engine(cx);
    let counted = |unit: &LengthUnit| *unit != LengthUnit::Stud || of_engine == Some(*unit);
    let fits = |unit: &LengthUnit| {
        let value = units * unit.metres() / expected.unit.metres();
        (expected.least..=expected.most).contains(&value)
    };
    let candidates = LengthUnit::ALL.into_iter().filter(counted);
    let mut fitting = candidates.filter(fits);
    fitting.next().filter(|_| fitting.next().is_none())
}

#[cfg(test)]
mod tests;
