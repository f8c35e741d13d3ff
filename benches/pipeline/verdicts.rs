//! The fraction of planted faults that the rules find, and their false alarms: the stage `verdicts`. It takes a minute
//! and runs only when named.

use std::path::PathBuf;

use crate::planted::{alarm_table, curves, false_alarms, healthy, measure, real, table};

/// Prints the curves and the table, if the stage is selected.
pub(crate) fn are_asked_for() -> bool {
    let asked = std::env::args().any(|argument| argument == "verdicts");
    if asked {
        let measured = measure();
        for family in &measured {
            print!("{}", family.details());
        }
        println!("\n{}\n{}", table(&measured), curves(&measured));
        let alarms = false_alarms();
        println!(
            "{} alarms on {} healthy models",
            alarms.len(),
            healthy::count()
        );
        let assets: Vec<_> = healthy::all().map(|(_, asset)| asset).collect();
        println!("\n{}", alarm_table(&assets));
        in_real_characters();
        for (name, alarm) in alarms {
            println!(
                "{name}: {} {}: {}",
                alarm.code, alarm.location, alarm.message
            );
        }
    }
    asked
}

/// Prints the same of the characters in `$SKINCHECK_CORPUS`, if it is set.
fn in_real_characters() {
    let Some(folder) = std::env::var_os("SKINCHECK_CORPUS") else {
        return;
    };
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()) {
            let list = if path.is_dir() {
                &mut folders
            } else {
                &mut files
            };
            list.push(path);
        }
    }
    files.sort();
    let (hosts, measured) = real::measure(&files);
    println!("In {} real characters:\n", hosts.len());
    println!("{}\n{}", table(&measured), curves(&measured));
    println!("{}", alarm_table(hosts.iter().map(|host| &host.asset)));
}
