//! Rules about geometry, and the file as a whole.

mod g801_nonfinite_position;
mod g803_degenerate_triangle;
mod g804_missing_normals;
mod g806_missing_texture;
mod g807_nothing_to_skin;
mod g808_no_clip;

use super::rule::Rule;

/// In the order of their codes.
pub(super) static RULES: &[&dyn Rule] = &[
    &g801_nonfinite_position::NonfinitePosition,
    &g803_degenerate_triangle::DegenerateTriangle,
    &g804_missing_normals::MissingNormals,
    &g806_missing_texture::MissingTexture,
    &g807_nothing_to_skin::NothingToSkin,
    &g808_no_clip::NoClip,
];
