//! The table of faults and the checks that catch them.

use super::checks::{Check, Model, models};
use super::fault::Fault;

#[test]
fn no_check_raises_an_alarm_without_a_fault() {
    let models = models();
    for check in Check::ALL {
        let alarms = check.witnesses(&models, None);
        assert!(alarms.is_empty(), "{}: {alarms:?}", check.name());
    }
}

#[test]
#[cfg_attr(not(feature = "assimp"), ignore = "needs the formats of assimp")]
fn every_planted_fault_is_caught_by_a_named_check() {
    let models = models();
    let mut holes = Vec::new();
    for &fault in Fault::ALL {
        let caught = catches(&models, fault);
        let stage = format!("{:?}", fault.stage()).to_lowercase();
        println!(
            "{stage:10} {:80} {}",
            fault.description(),
            caught.join("; ")
        );
        if caught.is_empty() {
            holes.push(fault);
        }
    }
    assert!(holes.is_empty(), "nothing catches {holes:?}");
}

/// Each check that detects `fault`, with the fixture that revealed it.
fn catches(models: &[Model], fault: Fault) -> Vec<String> {
    let catch = |check: &Check| {
        let files = check.witnesses(models, Some(fault));
        let (first, others) = files.split_first()?;
        Some(format!(
            "{}: {first} and {} more",
            check.name(),
            others.len()
        ))
    };
    Check::ALL.iter().filter_map(catch).collect()
}
