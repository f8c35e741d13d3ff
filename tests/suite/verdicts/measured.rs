//! Precision and recall on generated models.

use super::planted::{false_alarms, healthy, measure, table};
use super::reported;
use crate::support::assert_generated;

/// The least recall of a family, in percent.
const FLOORS: &[(&str, usize)] = &[
    ("weights", 95),
    ("bind", 95),
    ("hierarchy", 95),
    ("clips", 95),
    ("surface", 95),
    ("scene", 95),
    ("morph", 95),
];

#[test]
fn healthy_models_get_no_warning() {
    assert!(healthy::count() >= 40);
    let loud = false_alarms().into_iter();
    let loud = loud.map(|(name, finding)| format!("{name}: {}", reported(&finding)));
    let loud: Vec<String> = loud.collect();
    assert!(loud.is_empty(), "{loud:#?}");
}

#[test]
fn planted_faults_are_found_as_often_as_the_page_of_rules_says() {
    let measured = measure();
    for family in &measured {
        print!("{}", family.details());
    }
    for (family, floor) in FLOORS {
        let own = measured.iter().find(|own| own.family == *family);
        let [seen, unseen] = own.expect("the family is measured").totals();
        assert!(100 * seen.by_any >= floor * seen.planted, "{family}");
        assert_eq!(unseen.by_any, 0, "{family}");
    }
    assert_generated("tests/suite/verdicts/recall.md", &table(&measured));
}
