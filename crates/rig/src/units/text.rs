//! Counted things, lists and numbers in words.

use super::LengthUnit;

/// `1 error`, `2 errors`.
#[doc(hidden)]
#[must_use]
pub fn amount(count: usize, singular: &str) -> String {
    format!("{count} {}", counted(singular, count))
}

/// `singular`, or its plural unless it is 1.
#[doc(hidden)]
#[must_use]
pub fn counted(singular: &str, count: usize) -> String {
    if count == 1 {
        return singular.to_owned();
    }
    if let Some((head, rest)) = singular.split_once(" of ") {
        return format!("{} of {rest}", counted(head, count));
    }
    let ends = |end: &str| singular.strip_suffix(end);
    if let Some(stem) = ends("ex").or_else(|| ends("ix")) {
        return format!("{stem}ices");
    }
    match ends("y") {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if singular.ends_with(['s', 'x'])
            || singular.ends_with("ch")
            || singular.ends_with("sh") =>
        {
            format!("{singular}es")
        }
        _ => format!("{singular}s"),
    }
}

/// The first `most` of `names`, such as `a, b and 4 more`.
#[doc(hidden)]
pub fn first_few(names: impl ExactSizeIterator<Item = String>, most: usize) -> String {
    let more = names.len().saturating_sub(most);
    let shown = names.take(most).collect::<Vec<_>>().join(", ");
    match more {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// `decimal` without trailing zeros behind its point, and 0 without a sign.
#[doc(hidden)]
#[must_use]
pub fn without_trailing_zeros(decimal: &str) -> &str {
    if !decimal.contains('.') {
        return decimal;
    }
    match decimal.trim_end_matches('0').trim_end_matches('.') {
        "-0" => "0",
        trimmed => trimmed,
    }
}

/// `value` with at most `digits` significant digits (at least 1), without trailing zeros.
#[doc(hidden)]
#[must_use]
pub fn significant(value: f64, digits: usize) -> String {
    /// Smaller and larger numbers are written with an exponent.
    const PLAIN: std::ops::Range<f64> = 1e-4..1e7;
    let rounded = format!("{value:.*e}", digits.saturating_sub(1));
    let rounded: f64 = rounded.parse().unwrap_or(value);
    if rounded == 0.0 || !rounded.is_finite() || PLAIN.contains(&rounded.abs()) {
        rounded.to_string()
    } else {
        format!("{rounded:e}")
    }
}

/// `value` with the fewest digits that distinguish it from `other`, but at least `digits`.
#[doc(hidden)]
#[must_use]
pub fn unlike(value: f64, other: f64, digits: usize) -> String {
    /// Enough to distinguish any two f64.
    const ALL: usize = 17;
    let texts = (digits..=ALL).map(|digits| significant(value, digits));
    let mut distinct = texts.filter(|text| text.parse() != Ok(other));
    distinct.next().unwrap_or_else(|| significant(value, ALL))
}

/// The unit that suits lengths up to `largest` metres: mm up to 1 cm, cm up to 1 m.
#[doc(hidden)]
#[must_use]
pub fn unit_for(largest: f64) -> LengthUnit {
    match largest.abs() {
        ..0.01 => LengthUnit::Millimetre,
        ..1.0 => LengthUnit::Centimetre,
        _ => LengthUnit::Metre,
    }
}

/// A length of so many `metres` in `unit`, with three digits. Where it is too small for `unit`, in the one that suits it; as a
/// bound if it is too small or too large to mean anything.
#[doc(hidden)]
#[must_use]
pub fn length_in(unit: LengthUnit, metres: f64) -> String {
    /// No model is larger.
    const MOST: f64 = 1e5;
    /// Smaller numbers need an exponent.
    const LEAST: f64 = 1e-4;
    let suited = unit_for(metres);
    if metres.abs() > MOST {
        return "more than 100 km".to_owned();
    }
    let length = metres / unit.metres();
    if length != 0.0 && length.abs() < LEAST {
        return if unit == suited {
            format!("<{LEAST} {unit}")
        } else {
            length_in(suited, metres)
        };
    }
    format!("{} {unit}", significant(length, 3))
}

/// A length in the unit that suits it.
#[doc(hidden)]
#[must_use]
pub fn metres(length: f64) -> String {
    length_in(unit_for(length), length)
}

/// A time to the millisecond, without trailing zeros.
#[doc(hidden)]
#[must_use]
pub fn seconds(time: f64) -> String {
    format!("{} s", without_trailing_zeros(&format!("{time:.3}")))
}

/// `0.533 s`, or `0.533 s (frame 16)`.
#[doc(hidden)]
#[must_use]
pub fn time_with_frame(time: f64, frame: Option<f64>) -> String {
    let frame = frame.map(|frame| format!("{frame:.1}"));
    let frame = frame.map_or_else(String::new, |frame| {
        format!(" (frame {})", without_trailing_zeros(&frame))
    });
    format!("{}{frame}", seconds(time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_cut_to_the_digits_that_count() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.018, "0.018"),
            (183.04, "183"),
            (2.875, "2.875"),
            (123_456.0, "123500"),
            (-0.012_345, "-0.01235"),
            (1e-300, "1e-300"),
            (1.5e12, "1.5e12"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(significant(value, 4), text);
        }
        assert_eq!(significant(f64::NAN, 4), "NaN");
    }

    #[test]
    fn a_number_just_past_a_limit_does_not_look_like_it() {
        assert_eq!(unlike(2.200_04, 2.2, 4), "2.20004");
        assert_eq!(unlike(2.3, 2.2, 4), "2.3");
        let next = f64::from_bits(2.2_f64.to_bits() + 1);
        assert_ne!(unlike(next, 2.2, 4), "2.2");
        assert_eq!(unlike(2.2, 2.2, 4), "2.2");
    }

    #[test]
    fn lengths_have_the_unit_that_suits_them_and_three_digits() {
        for (length, text) in [
            (0.0, "0 mm"),
            (1.234_5e-9, "<0.0001 mm"),
            (0.001_234_5, "1.23 mm"),
            (0.300_857, "30.1 cm"),
            (2.486, "2.49 m"),
            (1234.5, "1230 m"),
            (f64::INFINITY, "more than 100 km"),
        ] {
            assert_eq!(metres(length), text);
        }
        for (length, text) in [
            (0.000_03, "0.03 mm"),
            (0.000_12, "0.00012 m"),
            (1e-9, "<0.0001 mm"),
            (0.0, "0 m"),
        ] {
            assert_eq!(length_in(LengthUnit::Metre, length), text);
        }
    }

    #[test]
    fn times_are_told_to_the_millisecond() {
        assert_eq!(seconds(0.033_333), "0.033 s");
        assert_eq!(seconds(2.5), "2.5 s");
        assert_eq!(seconds(0.0), "0 s");
        assert_eq!(time_with_frame(0.5, None), "0.5 s");
        assert_eq!(time_with_frame(0.5, Some(12.0)), "0.5 s (frame 12)");
        assert_eq!(time_with_frame(0.2, Some(4.8)), "0.2 s (frame 4.8)");
    }

    #[test]
    fn a_long_list_is_cut() {
        let names = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(first_few(names.clone().into_iter(), 3), "a, b, c");
        assert_eq!(first_few(names.into_iter(), 1), "a and 2 more");
    }

    #[test]
    fn zeros_are_removed_only_behind_the_point() {
        for (decimal, short) in [
            ("0.2500", "0.25"),
            ("100.000", "100"),
            ("100", "100"),
            ("-0.00", "0"),
            ("-0.10", "-0.1"),
        ] {
            assert_eq!(without_trailing_zeros(decimal), short);
        }
    }

    #[test]
    fn things_are_counted_as_people_do() {
        for (singular, plural) in [
            ("vertex", "vertices"),
            ("inverse bind matrix", "inverse bind matrices"),
            ("edge", "edges"),
            ("mesh", "meshes"),
            ("key", "keys"),
            ("body", "bodies"),
            ("pair of vertices", "pairs of vertices"),
        ] {
            assert_eq!(amount(2, singular), format!("2 {plural}"));
            assert_eq!(amount(1, singular), format!("1 {singular}"));
        }
    }
}
