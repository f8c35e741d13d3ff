//! Precision and recall on generated models.

use std::path::Path;

use super::planted::{Found, alarm_table, curves, false_alarms, healthy, measure, real, table};
use super::{corpus, reported};
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
    ("units and axes", 95),
];

/// The least part of the faults that the file proves which is reported at level warning or above, in percent.
const PROVED_FLOOR: usize = 90;

#[test]
fn healthy_models_get_no_hint() {
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
    let proved = measured
        .iter()
        .fold(Found::default(), |sum, own| sum.plus(own.proved()));
    assert!(
        100 * proved.certain >= PROVED_FLOOR * proved.planted,
        "{proved:?}"
    );
    assert_generated("tests/suite/verdicts/recall.md", &table(&measured));
    let healthy: Vec<_> = healthy::all().map(|(_, asset)| asset).collect();
    hold_real_characters();
    let page = format!(
        "{HEAD}{}{FALSE_ALARMS}{}{CHARACTERS}{}{}",
        curves(&measured),
        alarm_table(&healthy),
        stored(CORPUS),
        stored(UNSEEN) + &stored(EVIDENCE)
    );
    assert_generated("docs/recall.md", &page);
}

/// Plants faults in the characters of the corpus, if there is one, and holds the results against [`CORPUS`].
fn hold_real_characters() {
    let Some(files) = corpus() else {
        println!("SKINCHECK_CORPUS names no folder of models: no faults planted there");
        return;
    };
    let (hosts, measured) = real::measure(&files);
    for family in &measured {
        print!("{}", family.details());
    }
    let assets = hosts.iter().map(|host| &host.asset);
    let text = format!(
        "There are {} characters.\n\n{}\n{}\n{}",
        hosts.len(),
        table(&measured),
        curves(&measured),
        alarm_table(assets)
    );
    assert_generated(CORPUS, &text);
}

fn stored(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    std::fs::read_to_string(path).unwrap_or_default()
}

const HEAD: &str = "# Detection against false alarms

How often the rules of `skincheck check` find faults that were planted on purpose, and what they report on healthy models. The
limits of each rule are also halved and doubled, so that the numbers show what a change gains and costs. Of some limits, a
larger value is stricter.
`make bench STAGE=verdicts` measures again.

## Faults in generated models

Each fault is planted alone, in generated models of several kinds, and counts if a rule made for it reports it at level hint or
above. *Unseen* strengths are too small to be visible. Nothing should be reported at these.

";

const FALSE_ALARMS: &str = "
## Generated healthy models

The number of the 45 healthy models that a rule reports, with its limits halved, as they are, and doubled.

";

const CHARACTERS: &str = "
## Faults in real characters

The same faults in characters of public projects, and the number of these characters that a rule reports as they are. A fault
counts as found if a rule for it reports a vertex, joint or clip that it did not report before, or if another rule reports
for the first time. Some reports on characters as they are, are true: not all of them are without fault.

A weight of a far joint that is too small to see can still be reported: the joint is no longer without weights, and the joints
beside it are (`H305`). A clip that bends a single limb shows the others as they rest, and with them a rest pose that differs
from the bind pose (`B205`).

";

/// What was reported on models that the rules were not made with, and judged by a person.
const UNSEEN: &str = "tests/suite/verdicts/unseen.md";

/// The verdicts on each rule.
const EVIDENCE: &str = "tests/suite/verdicts/evidence.md";

/// What was measured in real characters, for those who have no corpus.
const CORPUS: &str = "tests/suite/verdicts/corpus.md";
