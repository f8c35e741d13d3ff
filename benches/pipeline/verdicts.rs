//! The fraction of planted faults that the rules find, and their false alarms: the stage `verdicts`. It takes a minute
//! and runs only when named.

use crate::planted::{false_alarms, healthy, measure, table};

/// Prints the curves and the table, if the stage is selected.
pub(crate) fn are_asked_for() -> bool {
    let asked = std::env::args().any(|argument| argument == "verdicts");
    if asked {
        let measured = measure();
        for family in &measured {
            print!("{}", family.details());
        }
        println!("\n{}", table(&measured));
        let alarms = false_alarms();
        println!(
            "{} alarms on {} healthy models",
            alarms.len(),
            healthy::count()
        );
        for (name, alarm) in alarms {
            println!(
                "{name}: {} {}: {}",
                alarm.code, alarm.location, alarm.message
            );
        }
    }
    asked
}
