//! The rules: what can be wrong with a rig, one file a rule.
//!
//! A rule looks at the model itself ([`Rule::check`]), at each of its poses ([`Rule::watch`]), or both, and says what it
//! has against it. What a mended model cannot show any more, importers keep as [`Evidence`](crate::rig::Evidence); a
//! rule that needs what the importer did not look for is *not checkable*, and the report says so.

mod context;
mod finding;
mod motion;
mod numbers;
mod part;
mod prepared;
mod profile;
mod registry;
mod rule;
mod run;
mod settings;
mod size;
mod stored;
#[cfg(test)]
mod testing;
mod topology;
mod uses;
mod weighting;

mod bind;
mod clips;
mod cross;
mod deformation;
mod geometry;
mod hierarchy;
mod transforms;
mod weights;

pub use context::Context;
pub use cross::CrossCheck;
pub use finding::{Finding, Findings, Offence};
pub use motion::{
    LEAST_MOMENTS, MOMENTS_OF_LARGE_MODEL, MOST_MOMENTS_OF_MODEL, MOST_VERTICES_OF_CLIP, Moment,
    Source, Thinned,
};
pub use profile::{Axes, Conversion, PROFILES, Profile, Sources, find_profile};
pub use registry::{FAMILIES, Family, find_rule, opt_in_rules, rules};
pub use rule::{Code, DefaultLevel, Level, Limit, LimitRange, Rule, RuleMeta};
pub use run::{Checked, Unchecked, check};
pub use settings::{ClipMoments, ExpectedHeight, RangeOfMotion, Settings, matches};
