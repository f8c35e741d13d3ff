//! The context of comparisons over time.

use super::common::{Common, Posed, Scale};
use super::matching::Matching;
use super::morphs::MorphOrder;
use super::shown::Shown;

/// Both models and their correspondences.
pub(super) struct Motion<'a> {
    pub(super) matching: &'a Matching<'a>,
    pub(super) morphs: &'a MorphOrder,
    pub(super) shown: &'a [Shown; 2],
    pub(super) common: Common,
    pub(super) scale: Scale,
    /// The rest poses of both.
    pub(super) rest: &'a [Posed; 2],
}
