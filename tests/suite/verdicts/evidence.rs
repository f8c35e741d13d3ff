//! The evidence for the level of each rule, as docs/recall.md publishes it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use skincheck::finding::Code;
use skincheck::lint::{self, Described, JUDGED_SETS, Known, RuleMeta, Verdicts};

use crate::support::assert_generated;

#[test]
fn the_published_evidence_is_that_of_the_rules() {
    let page = format!("{HEAD}{}{RULES}{}{}", sets(), rules(), judged_without());
    assert_generated("tests/suite/verdicts/evidence.md", &page);
    let recall = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/recall.md");
    let recall = std::fs::read_to_string(recall).expect("it is in the repository");
    assert!(recall.ends_with(&page), "docs/recall.md is out of date");
}

const HEAD: &str = "
## Certain, or a hint

Each rule states how it is known. Some are *proved*: the file contradicts itself, its format, the limits of the engine or what the
configuration expects, and no intention makes that right: storage, sums, indices, matrices, names, contracts, what is stated twice.
What all others report *may be meant*. Such a rule is a warning or an error only if, of at least eight pairs in all sets together, at
most 5 % were false and at least 60 % true. Otherwise it is a hint, and if more than half were false, it is checked only on request.
A test holds each rule against this table (`crates/lint/src/core/evidence.rs`).

| set | judged | files | pairs | true | debatable | false |
|---|---|---|---|---|---|---|
";

const RULES: &str = "
Verdicts are true/debatable/false. A rule without a level has been removed.

";

fn sets() -> String {
    let rows = JUDGED_SETS.iter().map(|set| {
        let total = set.total();
        let of = |count: u32| {
            format!(
                "{count} ({:.0} %)",
                100.0 * f64::from(count) / f64::from(total.count())
            )
        };
        let [right, debatable, wrong] = [total.right, total.debatable, total.wrong].map(of);
        format!(
            "| {} | {} | {} | {} | {right} | {debatable} | {wrong} |\n",
            set.name,
            set.date,
            set.files,
            total.count()
        )
    });
    rows.collect()
}

/// One row per rule that was judged.
fn rules() -> String {
    let rows = JUDGED_SETS.iter().flat_map(|set| set.verdicts);
    let codes: BTreeSet<&'static str> = rows.flat_map(|(codes, _)| *codes).copied().collect();
    let mut text = String::from("| rule | level | known |");
    for set in JUDGED_SETS {
        write!(text, " {} |", set.name).expect("a string takes text");
    }
    text += " all |\n|---|---|---|";
    text += &"---|".repeat(JUDGED_SETS.len() + 1);
    text += "\n";
    for code in codes {
        let meta = lint::find_rule(code).map(Described::meta);
        let level = meta.map_or(String::new(), level);
        let known = meta.map_or("", known);
        write!(text, "| {code} | {level} | {known} |").expect("a string takes text");
        let mut all = Verdicts::default();
        for set in JUDGED_SETS {
            let own = set.of(Code(code));
            all = all + own;
            write!(text, " {} |", cell(own)).expect("a string takes text");
        }
        writeln!(text, " {} |", cell(all)).expect("a string takes text");
    }
    text += "| others | | |";
    for set in JUDGED_SETS {
        write!(text, " {} |", cell(set.others)).expect("a string takes text");
    }
    text + " |\n"
}

/// The rules that may be meant and have reported nothing.
fn judged_without() -> String {
    let metas = lint::rules().map(Described::meta);
    let codes = metas.filter(|meta| meta.known == Known::Judged && meta.verdicts().count() == 0);
    let codes: Vec<String> = codes.map(|meta| format!("`{}`", meta.code)).collect();
    format!(
        "\nWhat these rules report may be meant, too, and they have reported nothing: {}. All others are\nproved.\n",
        codes.join(", ")
    )
}

fn level(meta: &RuleMeta) -> String {
    if meta.is_on_request() {
        format!("{}, on request", meta.level.name())
    } else {
        meta.level.name().to_owned()
    }
}

fn known(meta: &RuleMeta) -> &'static str {
    match meta.known {
        Known::Proved => "proved",
        Known::Judged => "may be meant",
    }
}

fn cell(verdicts: Verdicts) -> String {
    let Verdicts {
        right,
        debatable,
        wrong,
        ..
    } = verdicts;
    match verdicts.count() {
        0 => String::new(),
        _ => format!("{right}/{debatable}/{wrong}"),
    }
}
