use proptest::prelude::*;

use super::*;
use crate::Settings;
use crate::testing::{arm, findings_with};
use crate::units::law::holds;
use crate::units::{SignedAxis, Space};

/// What is said of [`arm`], which is 2 units high.
fn message(metres_per_unit: Option<f64>, expected: ExpectedHeight, engine: &str) -> String {
    let mut asset = arm();
    asset.space.metres_per_unit = metres_per_unit;
    let settings = Settings {
        height: Some(expected),
        engine: engine.parse().ok(),
        ..Settings::default()
    };
    let mut found = findings_with(&asset, &ImplausibleSize, &settings);
    found
        .pop()
        .map_or_else(String::new, |finding| finding.message)
}

const PERSON: ExpectedHeight = ExpectedHeight {
    least: 1.5,
    most: 2.2,
    unit: LengthUnit::Metre,
};

const PERSON_IN_CENTIMETRES: ExpectedHeight = ExpectedHeight {
    least: 150.0,
    most: 220.0,
    unit: LengthUnit::Centimetre,
};

#[test]
fn the_height_is_reported_in_the_units_of_the_configuration_and_of_the_engine() {
    for (expected, engine, reported) in [
        (PERSON, "", "0.02 m high, expected 1.5 to 2.2 m"),
        (PERSON, "gltf", "0.02 m high, expected 1.5 to 2.2 m"),
        (
            PERSON,
            "unreal",
            "0.02 m (2 cm) high, expected 1.5 to 2.2 m",
        ),
        (
            PERSON,
            "roblox",
            "0.02 m (0.07143 studs) high, expected 1.5 to 2.2 m",
        ),
        (
            PERSON_IN_CENTIMETRES,
            "unreal",
            "2 cm (0.02 m) high, expected 150 to 220 cm",
        ),
        (
            PERSON_IN_CENTIMETRES,
            "",
            "2 cm (0.02 m) high, expected 150 to 220 cm",
        ),
    ] {
        let hint = "; the file is in centimetres, but metres would fit";
        let message = message(Some(0.01), expected, engine);
        assert_eq!(message, format!("{reported}{hint}"));
    }
}

#[test]
fn no_unit_is_named_where_none_or_several_would_fit() {
    let tall = ExpectedHeight {
        least: 5.0,
        most: 6.0,
        unit: LengthUnit::Metre,
    };
    let reported = "0.02 m high, expected 5 to 6 m";
    assert_eq!(message(Some(0.01), tall, ""), reported);
    let small = ExpectedHeight {
        least: 0.03,
        most: 3.0,
        unit: LengthUnit::Metre,
    };
    let reported = "0.02 m high, expected 0.03 to 3 m";
    assert_eq!(message(Some(0.01), small, ""), reported);
}

#[test]
fn a_file_without_a_unit_is_taken_to_be_in_metres_and_says_so() {
    let child = ExpectedHeight {
        least: 0.015,
        most: 0.025,
        unit: LengthUnit::Metre,
    };
    assert_eq!(
        message(None, child, ""),
        "2 m high, expected 0.015 to 0.025 m; the file states no unit (metres assumed), but centimetres would fit"
    );
    assert_eq!(message(None, PERSON, ""), "");
}

#[test]
fn a_foot_and_a_stud_are_only_confused_where_studs_are_counted() {
    let expected = ExpectedHeight {
        least: 0.55,
        most: 0.62,
        unit: LengthUnit::Metre,
    };
    assert!(message(Some(1.0), expected, "").ends_with("but feet would fit"));
    assert!(message(Some(1.0), expected, "roblox").ends_with("expected 0.55 to 0.62 m"));
}

#[test]
fn a_file_that_was_converted_is_as_high_as_it_was() {
    let mut asset = arm();
    asset.stated_space = Some(Space {
        up: SignedAxis::PlusZ,
        front: SignedAxis::MinusY,
        metres_per_unit: Some(0.01),
    });
    let settings = Settings {
        height: Some(PERSON),
        ..Settings::default()
    };
    assert!(findings_with(&asset, &ImplausibleSize, &settings).is_empty());
}

/// Whatever unit a range is given in, the same heights fit.
fn law_of_units(verdict: impl Fn(&ExpectedHeight, f64) -> Verdict) -> Result<(), String> {
    let unit = prop::sample::select(LengthUnit::ALL.to_vec());
    // As parts of the least height: of a model below it, within the range, and above it.
    let parts = (0.1..0.99, 1.01..1.9, 2.1..9.0);
    let cases = (unit, 0.01..100.0, parts);
    holds(&cases, |(unit, least, (below, within, above))| {
        let expected = ExpectedHeight {
            least: least / unit.metres(),
            most: 2.0 * least / unit.metres(),
            unit,
        };
        let reported = [below, within, above].map(|part| verdict(&expected, part * least));
        let right = matches!(
            reported,
            [
                Verdict::TooLow { .. },
                Verdict::Fits,
                Verdict::TooHigh { .. }
            ]
        );
        prop_assert!(right, "{expected:?}: {reported:?}");
        Ok(())
    })
}

#[test]
fn the_same_heights_fit_in_any_unit() {
    assert_eq!(law_of_units(verdict), Ok(()));
}

#[test]
fn a_range_that_is_taken_for_metres_breaks_the_law() {
    let forgetful = |expected: &ExpectedHeight, metres: f64| {
        let unit = LengthUnit::Metre;
        verdict(&ExpectedHeight { unit, ..*expected }, metres)
    };
    assert!(law_of_units(forgetful).is_err());
}
