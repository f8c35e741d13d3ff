//! The rules, one file per rule.
//!
//! A rule examines the model itself ([`Rule::check`]), each of its poses ([`Rule::watch`]), or both, and reports
//! findings. Importers record faults that a repaired model no longer shows as [`Evidence`](crate::rig::Evidence). If
//! the importer does not look for a rule's fault, the rule is *not checkable*, and the report says so.
//!
//! `core` holds the descriptions of rules, findings, settings, and the [`Context`], which caches each analysis by its
//! type. `analysis` holds the analyses that several rules share, and `rules` has a folder for each family.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

// The modules of other packages.
use skincheck_draw::view;
use skincheck_import as import;
use skincheck_rig::{
    deadline, engines, facing, finding, groups, lists, names, palette, pose, rig, shown, skinning,
    units,
};

mod analysis;
mod core;
mod coverage;
mod measure;
mod rules;
mod run;
#[cfg(test)]
mod testing;
mod watch;

pub use self::core::context::Context;
pub use self::core::contract::{Contract, ContractError, ContractJoint, contracts};
pub use self::core::conversion::{Conversion, Quantity};
pub use self::core::evidence::{JUDGED_SETS, JudgedSet, Known, Verdicts};
pub use self::core::findings::{Findings, Offence};
pub use self::core::meta::{Limit, LimitRange, Required, RuleMeta};
pub use self::core::reading::{Place, Reading, ReadingUnit};
pub use self::core::settings::{
    ExpectedHeight, MAX_INFLUENCES, RangeOfMotion, SampleTimes, Settings,
};
#[doc(hidden)]
pub use analysis::motion::range::range_of_motion;
pub use analysis::motion::{
    LEAST_SAMPLES, MOST_SAMPLES_OF_MODEL, MOST_VERTICES_OF_CLIP, SAMPLES_OF_LARGE_MODEL, Sample,
    Source, Thinned,
};
#[doc(hidden)]
pub use analysis::topology::weld;
pub use coverage::{CheckedClip, Coverage, Share};
pub use measure::Measure;
pub use rules::rule::{Described, Follows, Rule, Through};
use rules::rule::{declare_rule, declare_stored_rule, follows};
#[doc(hidden)]
pub use rules::{AT_REST, rests};
pub use rules::{FAMILIES, Family, find_rule, rules};
pub use run::{Checked, Unchecked, check};
