//! Rules about geometry, and the file as a whole.

mod g802_face_index_out_of_range;
mod g805_nonunit_normal;

use super::rule::Rule;

/// In the order of their codes.
pub(super) static RULES: &[&dyn Rule] = &[
    &g802_face_index_out_of_range::FaceIndexOutOfRange,
    &g805_nonunit_normal::NonunitNormal,
];
