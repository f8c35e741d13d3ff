use super::*;
use crate::import::collada::document::parse;

/// A sampler whose sources have these widths and contents.
fn read(sources: &[(&str, usize, &str)]) -> Result<Sampler, Unclear> {
    let source = |(semantic, width, content): &(&str, usize, &str)| {
        let count = content.split_ascii_whitespace().count() / width;
        let kind = if *semantic == "INTERPOLATION" {
            "Name_array"
        } else {
            "float_array"
        };
        format!(
            r##"<source id="{semantic}"><{kind} id="{semantic}-array">{content}</{kind}>
                <technique_common><accessor source="#{semantic}-array" count="{count}" stride="{width}"/></technique_common>
                </source>"##
        )
    };
    let input = |(semantic, ..): &(&str, usize, &str)| {
        format!(r##"<input semantic="{semantic}" source="#{semantic}"/>"##)
    };
    let sources_text: String = sources.iter().map(source).collect();
    let inputs: String = sources.iter().map(input).collect();
    let text = format!(r#"<COLLADA>{sources_text}<sampler id="s">{inputs}</sampler></COLLADA>"#);
    let xml = parse(&text).expect("it is well-formed");
    let document = Document::new(&xml);
    let sampler = Sampler::read(&document, document.at("#s", "sampler")?)?;
    Ok(sampler.expect("it has keys"))
}

const TIMES: (&str, usize, &str) = ("INPUT", 1, "0 2");
const VALUES: (&str, usize, &str) = ("OUTPUT", 1, "1 7");

fn at(sampler: &Sampler, column: usize, time: f64) -> f64 {
    sampler.curve(column).segment(time).at(time)
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

#[test]
fn each_key_says_how_it_goes_on() {
    let sampler = read(&[
        ("INPUT", 1, "0 1 2 3"),
        ("OUTPUT", 1, "0 1 3 0"),
        ("INTERPOLATION", 1, "STEP LINEAR BEZIER STEP"),
        ("IN_TANGENT", 2, "0 0 0 0 0 0 2.666666667 3"),
        ("OUT_TANGENT", 2, "0 0 0 0 2.333333333 3 0 0"),
    ]);
    let sampler = sampler.expect("it is whole");
    let values = [0.9, 1.5, 2.5].map(|time| at(&sampler, 0, time));
    let expected = [0.0, 2.0, 3.0 * 7.0 / 8.0];
    assert!(
        values.iter().zip(expected).all(|(a, b)| close(*a, b)),
        "{values:?}"
    );
    assert!(sampler.is_curved() && sampler.deviations.is_empty());
}

#[test]
fn hermite_tangents_are_derivatives_and_bezier_handles_are_points() {
    let with = |kind, width, arrive, leave| {
        let kinds = ("INTERPOLATION", 1, kind);
        let tangents = [("IN_TANGENT", width, arrive), ("OUT_TANGENT", width, leave)];
        read(&[TIMES, VALUES, kinds, tangents[0], tangents[1]]).expect("it is whole")
    };
    // From 1 to 7 with a derivative of 12 per span at the start and none at the end.
    let hermite = with("HERMITE HERMITE", 1, "0 0", "12 0");
    let with_times = with("HERMITE HERMITE", 2, "0 0 2 0", "2 12 0 0");
    let bezier = with("BEZIER BEZIER", 1, "0 7", "5 0");
    let bezier_with_times = with(
        "BEZIER BEZIER",
        2,
        "0 0 1.333333333333 7",
        "0.666666666667 5 0 0",
    );
    let expected = 0.5 * 1.0 + 0.5 * 7.0 + 12.0 * 0.125;
    for sampler in [hermite, with_times, bezier, bezier_with_times] {
        assert!(close(at(&sampler, 0, 1.0), expected), "{sampler:?}");
    }
}

#[test]
fn wide_keys_have_a_handle_a_number() {
    let with = |width, arrive, leave| {
        let values = ("OUTPUT", 2, "0 10 1 20");
        let kinds = ("INTERPOLATION", 1, "BEZIER BEZIER");
        let tangents = [("IN_TANGENT", width, arrive), ("OUT_TANGENT", width, leave)];
        read(&[TIMES, values, kinds, tangents[0], tangents[1]]).expect("it is whole")
    };
    let third = "0.666666666667 0 0.666666666667 10 0 0 0 0";
    let pairs = with(4, "0 0 0 0 1.333333333333 0 1.333333333333 20", third);
    let shared = with(3, "0 0 0 1.333333333333 0 20", "0.666666666667 0 10 0 0 0");
    let plain = with(2, "0 0 0 20", "0 10 0 0");
    for sampler in [pairs, shared, plain] {
        assert!(close(at(&sampler, 0, 1.0), 0.125), "{sampler:?}");
        assert!(close(at(&sampler, 1, 1.0), 15.0), "{sampler:?}");
    }
}

#[test]
fn unsupported_interpolation_becomes_linear_with_a_note() {
    for kind in ["CARDINAL", "BSPLINE", "BEZIER", "HERMITE", "WAVY"] {
        let kinds = format!("{kind} {kind}");
        let sampler = read(&[TIMES, VALUES, ("INTERPOLATION", 1, &kinds)]).expect("it is whole");
        assert!(close(at(&sampler, 0, 1.0), 4.0));
        assert_eq!(sampler.deviations.len(), 1, "{kind}");
        assert!(!sampler.is_curved());
    }
}

#[test]
fn mismatched_lists_are_an_error() {
    let linear = ("INTERPOLATION", 1, "LINEAR LINEAR");
    let bezier = ("INTERPOLATION", 1, "BEZIER BEZIER");
    let tangent = |semantic| (semantic, 2, "0 0");
    let cases: [&[(&str, usize, &str)]; 5] = [
        &[],
        &[TIMES],
        &[TIMES, ("OUTPUT", 1, "1 2 3"), linear],
        &[
            ("INPUT", 1, "0 1 2"),
            ("OUTPUT", 1, "0 1 2"),
            ("INTERPOLATION", 1, "STEP"),
        ],
        &[
            TIMES,
            VALUES,
            bezier,
            tangent("IN_TANGENT"),
            tangent("OUT_TANGENT"),
        ],
    ];
    for sources in cases {
        assert!(read(sources).is_err(), "{sources:?}");
    }
}
