//! Conformance vectors for engines that never run skincheck: small glTF files that test one thing each, with the posed
//! nodes and vertices that glTF's formulas give in f64.
//!
//! [`Set`] is generated, the same on every machine. [`judge()`] compares an engine's [`Answer`] to a case with what is expected
//! within the bounds that the [laws](crate::laws) derive, and names the planted fault that fails the same cases.

mod answer;
mod cases;
mod draft;
mod faults;
mod member;
mod set;

#[cfg(test)]
mod tests;

pub(crate) use answer::{Answer, Compared, Tolerance, Wrong};
pub(crate) use member::{Member, Needs};
pub(crate) use set::{Judged, LooksLike, Set, Verdict, judge};

/// Version of the set: grows with every change of a file or an expected number.
pub(crate) const VERSION: u32 = 1;
