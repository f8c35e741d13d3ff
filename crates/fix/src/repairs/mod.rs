//! The repairs, one file each, named after the first rule whose finding it removes. A repair changes what the findings name and nothing
//! else; whether it succeeded is for the proof to say.

mod c505_unordered_keys;
mod c511_nonunit_key;
mod c512_zero_quaternion;
mod c513_quaternion_flip;
mod c521_constant_channel;
mod c528_jump;
mod d602_overstretched_edge;
mod g804_missing_normals;
mod g805_nonunit_normal;
mod g817_stated_bounds;
mod g818_forbidden_storage;
mod h301_duplicate_joint_name;
mod keys;
mod primitives;
mod surface;
mod t401_nonunit_rotation;
mod w102_negative_weight;
mod w103_weights_not_normalized;
mod w104_unweighted_vertex;
mod w106_too_many_influences;
mod w109_duplicate_influence;
mod w112_dust_weights;
mod w114_far_influence;
mod weights;

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use crate::document::{Document, Refusal};
use crate::finding::{Code, Finding};
use crate::lint::MAX_INFLUENCES;
use crate::rig::Asset;

pub(crate) use primitives::{Named, named};

/// How to repair what a rule finds.
pub struct Repair {
    /// The rule.
    pub code: Code,
    /// Whether it is done only for a user who asks for it: what the rule finds may be meant, or is no fault.
    pub on_request: bool,
    /// What it changes, in the singular, such as `vertex`.
    pub counted: &'static str,
    /// What the repair may move.
    pub(crate) changes: Changes,
    pub(crate) run: fn(&mut Job<'_>) -> Changed,
}

impl Repair {
    /// Whether it is done for a user who names no rules.
    ///
    /// * `has_engine` – whether an engine limits the influences of a vertex.
    #[must_use]
    pub fn is_wanted(&self, has_engine: bool) -> bool {
        !self.on_request || has_engine && self.code == MAX_INFLUENCES.0
    }
}

/// What of a model a repair may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Changes {
    /// Nothing that a pose shows.
    Nothing,
    /// The weights of the vertices that the finding names, and where they are.
    Weights,
    /// The same, also of vertices that the named ones enclose.
    Patches,
    /// Normals that are missing or not of length 1.
    Normals,
    /// Names of nodes.
    Names,
    /// The first and the last key of clips.
    Ends,
}

/// A document to repair.
pub(crate) struct Job<'a> {
    pub(crate) document: &'a mut Document,
    /// The model as it was read from the file.
    pub(crate) asset: &'a Asset,
    /// What the rule found.
    pub(crate) findings: &'a [&'a Finding],
    /// The vertices to change.
    pub(crate) named: Named,
    /// The most vertices of a mesh whose binding is replaced; 1 % of it if `None`.
    pub(crate) most: Option<usize>,
    /// The most influences of a vertex.
    pub(crate) most_influences: Option<NonZeroU32>,
}

/// What a repair did.
#[derive(Debug, Default)]
pub(crate) struct Changed {
    /// How much it changed.
    pub(crate) count: usize,
    /// Why it left something as it was, each reason once.
    pub(crate) left: Vec<String>,
    /// The clips from which it removed keys, and the times that are left.
    pub(crate) kept: BTreeMap<usize, [f64; 2]>,
}

impl Changed {
    fn leave(&mut self, reason: impl Into<String>) {
        let reason = reason.into();
        if !self.left.contains(&reason) {
            self.left.push(reason);
        }
    }

    /// Counts what was done, or keeps the reason why it was not.
    fn add(&mut self, done: Result<usize, Refusal>) {
        match done {
            Ok(count) => self.count += count,
            Err(refusal) => self.leave(refusal.to_string()),
        }
    }
}

macro_rules! repairs {
    ($($code:literal: $module:ident, $counted:literal, $changes:ident, $on_request:literal;)+) => {
        &[$(Repair {
            code: Code($code),
            on_request: $on_request,
            counted: $counted,
            changes: Changes::$changes,
            run: $module::repair,
        }),+]
    };
}

/// All repairs, and whether each is done only on request, in the order in which they are done: the sums of weights last, because the others change them.
pub static REPAIRS: &[Repair] = repairs! {
    "W102": w102_negative_weight, "vertex", Weights, false;
    "W109": w109_duplicate_influence, "vertex", Weights, false;
    "W112": w112_dust_weights, "vertex", Weights, true;
    "W106": w106_too_many_influences, "vertex", Weights, true;
    "W103": w103_weights_not_normalized, "vertex", Weights, false;
    "W104": w104_unweighted_vertex, "vertex", Weights, false;
    "W114": w114_far_influence, "vertex", Weights, true;
    "D602": d602_overstretched_edge, "vertex", Patches, true;
    "T401": t401_nonunit_rotation, "node", Nothing, false;
    "C505": c505_unordered_keys, "key", Nothing, false;
    "C512": c512_zero_quaternion, "key", Nothing, false;
    "C511": c511_nonunit_key, "key", Nothing, false;
    "C513": c513_quaternion_flip, "key", Nothing, true;
    "C521": c521_constant_channel, "channel", Nothing, true;
    "C528": c528_jump, "rest pose", Ends, true;
    "G804": g804_missing_normals, "vertex", Normals, true;
    "G805": g805_nonunit_normal, "vertex", Normals, false;
    "H301": h301_duplicate_joint_name, "node", Names, false;
    "G817": g817_stated_bounds, "accessor", Nothing, false;
    "G818": g818_forbidden_storage, "accessor", Nothing, true;
};

/// The repair of what a rule finds, if there is one.
#[must_use]
pub fn find_repair(code: Code) -> Option<&'static Repair> {
    REPAIRS.iter().find(|repair| repair.code == code)
}
