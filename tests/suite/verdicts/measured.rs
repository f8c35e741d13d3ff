//! Precision and recall on generated models.

use super::planted::{alarms, healthy, measure, table};
use super::told;

/// The least recall of a family, in percent.
const FLOORS: &[(&str, usize)] = &[("weights", 95), ("bind", 100), ("hierarchy", 90)];

#[test]
fn healthy_models_get_no_warning() {
    assert!(healthy::count() >= 40);
    let loud = healthy::all().flat_map(|(name, asset)| {
        let alarms = alarms(&asset).into_iter();
        alarms.map(move |finding| format!("{name}: {}", told(&finding)))
    });
    let loud: Vec<String> = loud.collect();
    assert!(loud.is_empty(), "{loud:#?}");
}

#[test]
fn planted_faults_are_found() {
    let measured = measure();
    measured
        .iter()
        .for_each(|family| print!("{}", family.details()));
    print!("{}", table(&measured));
    for (family, floor) in FLOORS {
        let own = measured.iter().find(|own| own.family == *family);
        let [seen, unseen] = own.expect("the family is measured").totals();
        assert!(100 * seen.found >= floor * seen.planted, "{family}");
        assert_eq!(unseen.found, 0, "{family}");
    }
}
