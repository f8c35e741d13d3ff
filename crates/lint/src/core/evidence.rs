//! How a rule is known to be right: by the file itself, or by models that it was not made with.

use std::ops::Add;

use serde::Serialize;

use crate::finding::Code;

/// How a rule is known to be right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Known {
    /// The file proves what the rule reports: it contradicts itself, its format, the limits of the engine, or what the
    /// user expects of it. No intention of its author makes that right.
    Proved,
    /// What the rule reports may be meant. It is a warning or an error only if that [`is_earned`](Verdicts::is_earned).
    Judged,
}

/// How many findings were judged, by verdict: of each rule at most one per file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Verdicts {
    /// The fault is there, and would stop a release.
    #[serde(rename = "true")]
    pub right: u32,
    /// The fault is there, and nobody would mend it.
    pub debatable: u32,
    /// There is no fault.
    #[serde(rename = "false")]
    pub wrong: u32,
}

impl Verdicts {
    const fn of(right: u32, debatable: u32, wrong: u32) -> Self {
        Self {
            right,
            debatable,
            wrong,
        }
    }

    /// Their number.
    #[must_use]
    pub fn count(self) -> u32 {
        self.right + self.debatable + self.wrong
    }

    /// Whether a rule that is judged may be a warning or an error: of at least eight verdicts, at most 5 % are false, and
    /// at least 60 % are true.
    #[must_use]
    pub fn is_earned(self) -> bool {
        let count = self.count();
        count >= 8 && 100 * self.wrong <= 5 * count && 100 * self.right >= 60 * count
    }
}

impl Add for Verdicts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::of(
            self.right + other.right,
            self.debatable + other.debatable,
            self.wrong + other.wrong,
        )
    }
}

/// Models that no rule had been made or tuned with, and what was judged of their warnings and errors, since the sixth set of their
/// hints too.
#[derive(Debug)]
#[non_exhaustive]
pub struct JudgedSet {
    /// Its number in words, such as `first`.
    pub name: &'static str,
    /// When it was judged, as `2026-11-27`.
    pub date: &'static str,
    /// The number of models.
    pub files: u32,
    /// By rule, in the order of the codes. Some rules were judged together; some have been removed since.
    pub verdicts: &'static [(&'static [&'static str], Verdicts)],
    /// Of rules that were not recorded.
    pub others: Verdicts,
}

impl JudgedSet {
    /// The verdicts on a rule.
    #[must_use]
    pub fn of(&self, code: Code) -> Verdicts {
        let rows = self.verdicts.iter();
        let own = rows.filter(|(codes, _)| codes.contains(&code.0));
        own.fold(Verdicts::default(), |sum, (_, verdicts)| sum + *verdicts)
    }

    /// The verdicts on all rules.
    #[must_use]
    pub fn total(&self) -> Verdicts {
        let rows = self.verdicts.iter();
        rows.fold(self.others, |sum, (_, verdicts)| sum + *verdicts)
    }
}

/// Every set, in the order of the dates.
pub static JUDGED_SETS: &[JudgedSet] = &[
    JudgedSet {
        name: "first",
        date: "2026-11-27",
        files: 117,
        verdicts: &[
            (&["B209"], Verdicts::of(1, 0, 0)),
            (&["C503"], Verdicts::of(0, 6, 0)),
            (&["C528"], Verdicts::of(2, 0, 0)),
            (&["C529"], Verdicts::of(0, 2, 0)),
            (&["C532"], Verdicts::of(0, 0, 1)),
            (&["C534"], Verdicts::of(0, 1, 0)),
            (&["C536"], Verdicts::of(0, 1, 0)),
            (&["D602"], Verdicts::of(4, 6, 0)),
            (&["D610"], Verdicts::of(0, 3, 0)),
            (&["D611"], Verdicts::of(0, 1, 0)),
            (&["G806"], Verdicts::of(5, 0, 0)),
            (&["G811"], Verdicts::of(0, 0, 1)),
            (&["H305"], Verdicts::of(0, 6, 0)),
            (&["W113"], Verdicts::of(1, 0, 1)),
            (&["W116"], Verdicts::of(0, 2, 0)),
        ],
        others: Verdicts::of(8, 2, 0),
    },
    JudgedSet {
        name: "second",
        date: "2026-11-27",
        files: 85,
        verdicts: &[
            (&["B205"], Verdicts::of(0, 2, 0)),
            (&["B209"], Verdicts::of(4, 0, 0)),
            (&["C523"], Verdicts::of(1, 0, 0)),
            (&["C528"], Verdicts::of(0, 1, 0)),
            (&["C532"], Verdicts::of(0, 0, 4)),
            (&["C536"], Verdicts::of(0, 1, 0)),
            (&["D602"], Verdicts::of(3, 5, 0)),
            (&["D604"], Verdicts::of(0, 3, 0)),
            (&["D610"], Verdicts::of(0, 1, 0)),
            (&["D611"], Verdicts::of(0, 1, 0)),
            (&["G806"], Verdicts::of(7, 0, 0)),
            (&["H305"], Verdicts::of(0, 4, 0)),
            (&["W113"], Verdicts::of(1, 1, 0)),
            (&["W116"], Verdicts::of(1, 0, 0)),
        ],
        others: Verdicts::of(8, 1, 0),
    },
    JudgedSet {
        name: "third",
        date: "2026-11-27",
        files: 72,
        verdicts: &[
            (&["B209"], Verdicts::of(2, 1, 0)),
            (&["C523"], Verdicts::of(0, 0, 2)),
            (&["C528"], Verdicts::of(1, 0, 4)),
            (&["C529"], Verdicts::of(0, 1, 9)),
            (&["C531"], Verdicts::of(0, 0, 2)),
            (&["C532"], Verdicts::of(0, 0, 3)),
            (&["C534"], Verdicts::of(0, 0, 3)),
            (&["C536"], Verdicts::of(0, 2, 1)),
            (&["D602"], Verdicts::of(7, 13, 0)),
            (&["D604"], Verdicts::of(1, 1, 0)),
            (&["D605"], Verdicts::of(1, 2, 1)),
            (&["D610"], Verdicts::of(2, 2, 0)),
            (&["D611"], Verdicts::of(1, 3, 2)),
            (&["G811"], Verdicts::of(0, 1, 7)),
            (&["H305"], Verdicts::of(0, 5, 1)),
            (&["T403", "T406"], Verdicts::of(4, 2, 0)),
            (&["W116"], Verdicts::of(0, 1, 1)),
        ],
        others: Verdicts::of(1, 2, 3),
    },
    JudgedSet {
        name: "fourth",
        date: "2026-11-28",
        files: 23,
        verdicts: &[
            (&["B205"], Verdicts::of(0, 4, 0)),
            (&["G803"], Verdicts::of(0, 5, 0)),
        ],
        others: Verdicts::of(8, 6, 0),
    },
    JudgedSet {
        name: "fifth",
        date: "2026-11-28",
        files: 87,
        verdicts: &[
            (&["B205"], Verdicts::of(0, 7, 0)),
            (&["B207"], Verdicts::of(0, 1, 0)),
            (&["B209"], Verdicts::of(4, 3, 0)),
            (&["B211"], Verdicts::of(0, 0, 1)),
            (&["B212"], Verdicts::of(9, 0, 0)),
            (&["B213"], Verdicts::of(0, 0, 1)),
            (&["C501"], Verdicts::of(0, 2, 0)),
            (&["C505"], Verdicts::of(2, 0, 0)),
            (&["C506"], Verdicts::of(0, 0, 2)),
            (&["C509"], Verdicts::of(2, 0, 0)),
            (&["C514"], Verdicts::of(1, 1, 1)),
            (&["C523"], Verdicts::of(0, 0, 13)),
            (&["C528"], Verdicts::of(0, 3, 5)),
            (&["C529"], Verdicts::of(0, 0, 2)),
            (&["C532"], Verdicts::of(0, 0, 2)),
            (&["C534"], Verdicts::of(0, 1, 0)),
            (&["D602"], Verdicts::of(4, 8, 2)),
            (&["D604"], Verdicts::of(0, 1, 0)),
            (&["D606"], Verdicts::of(0, 0, 2)),
            (&["D607"], Verdicts::of(0, 1, 0)),
            (&["D610"], Verdicts::of(2, 1, 0)),
            (&["D611"], Verdicts::of(0, 2, 0)),
            (&["G803"], Verdicts::of(0, 2, 0)),
            (&["G805"], Verdicts::of(0, 1, 0)),
            (&["G806"], Verdicts::of(2, 0, 0)),
            (&["G807"], Verdicts::of(0, 1, 0)),
            (&["G810"], Verdicts::of(10, 2, 0)),
            (&["G813"], Verdicts::of(0, 0, 1)),
            (&["H301"], Verdicts::of(1, 1, 2)),
            (&["H305"], Verdicts::of(0, 1, 0)),
            (&["T406"], Verdicts::of(0, 1, 0)),
            (&["W103"], Verdicts::of(2, 0, 0)),
            (&["W104"], Verdicts::of(1, 0, 1)),
            (&["W105"], Verdicts::of(0, 0, 1)),
            (&["W106"], Verdicts::of(6, 3, 0)),
            (&["W107"], Verdicts::of(6, 2, 0)),
            (&["W113"], Verdicts::of(0, 0, 2)),
            (&["W114"], Verdicts::of(0, 0, 1)),
        ],
        others: Verdicts::of(2, 0, 0),
    },
    JudgedSet {
        name: "sixth",
        date: "2026-11-29",
        files: 50,
        verdicts: &[
            (&["B205"], Verdicts::of(0, 3, 0)),
            (&["B209"], Verdicts::of(13, 0, 0)),
            (&["C514"], Verdicts::of(0, 3, 0)),
            (&["C523"], Verdicts::of(0, 1, 6)),
            (&["C525"], Verdicts::of(0, 1, 0)),
            (&["C528"], Verdicts::of(0, 0, 5)),
            (&["C529"], Verdicts::of(0, 1, 1)),
            (&["C530"], Verdicts::of(0, 0, 1)),
            (&["C539"], Verdicts::of(0, 0, 3)),
            (&["D602"], Verdicts::of(3, 14, 0)),
            (&["D604"], Verdicts::of(0, 2, 0)),
            (&["D606"], Verdicts::of(3, 2, 0)),
            (&["D610"], Verdicts::of(2, 3, 0)),
            (&["G806"], Verdicts::of(0, 2, 0)),
            (&["G810"], Verdicts::of(1, 0, 0)),
            (&["G811"], Verdicts::of(0, 0, 1)),
            (&["G823"], Verdicts::of(1, 0, 0)),
            (&["H301"], Verdicts::of(0, 1, 1)),
            (&["H305"], Verdicts::of(0, 2, 0)),
            (&["W104"], Verdicts::of(2, 0, 0)),
            (&["W106"], Verdicts::of(7, 2, 0)),
            (&["W107"], Verdicts::of(6, 2, 0)),
            (&["W109"], Verdicts::of(0, 1, 0)),
            (&["W113"], Verdicts::of(3, 1, 0)),
        ],
        others: Verdicts::of(0, 0, 0),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_false_of_twenty_and_three_true_of_five_are_enough() {
        for (verdicts, is_earned) in [
            ((8, 0, 0), true),
            ((7, 0, 0), false),
            ((12, 7, 1), true),
            ((11, 8, 1), false),
            ((17, 0, 1), false),
            ((19, 0, 1), true),
        ] {
            let (right, debatable, wrong) = verdicts;
            let judged = Verdicts::of(right, debatable, wrong);
            assert_eq!(judged.is_earned(), is_earned, "{verdicts:?}");
        }
    }

    #[test]
    fn the_rules_of_a_set_add_up_to_what_was_published() {
        let totals = JUDGED_SETS.iter().map(JudgedSet::total);
        let published = [
            Verdicts::of(21, 30, 3),
            Verdicts::of(25, 20, 4),
            Verdicts::of(20, 36, 39),
            Verdicts::of(8, 15, 0),
            Verdicts::of(54, 45, 39),
            Verdicts::of(41, 41, 18),
        ];
        assert!(totals.eq(published));
    }
}
