//! Rules about geometry, and the file as a whole.

mod facing;

mod g801_nonfinite_position;
mod g802_face_index_out_of_range;
mod g803_degenerate_triangle;
mod g804_missing_normals;
mod g805_nonunit_normal;
mod g806_missing_texture;
mod g807_nothing_to_skin;
mod g808_no_clip;
mod g809_reversed_triangles;
mod g810_misleading_normals;
mod g811_stray_vertex;
mod g812_nonfinite_attribute;
mod g813_wild_target;
mod g814_morph_weight_count;
mod g815_unequal_targets;
mod g816_tangent_handedness;
mod g817_stated_bounds;
mod g818_forbidden_storage;

use crate::lint::rules::rule::Rule;

/// In the order of their codes.
pub(super) static RULES: &[&dyn Rule] = &[
    &g801_nonfinite_position::NonfinitePosition,
    &g802_face_index_out_of_range::FaceIndexOutOfRange,
    &g803_degenerate_triangle::DegenerateTriangle,
    &g804_missing_normals::MissingNormals,
    &g805_nonunit_normal::NonunitNormal,
    &g806_missing_texture::MissingTexture,
    &g807_nothing_to_skin::NothingToSkin,
    &g808_no_clip::NoClip,
    &g809_reversed_triangles::ReversedTriangles,
    &g810_misleading_normals::MisleadingNormals,
    &g811_stray_vertex::StrayVertex,
    &g812_nonfinite_attribute::NonfiniteAttribute,
    &g813_wild_target::WildTarget,
    &g814_morph_weight_count::MorphWeightCount,
    &g815_unequal_targets::UnequalTargets,
    &g816_tangent_handedness::TangentHandedness,
    &g817_stated_bounds::StatedBounds,
    &g818_forbidden_storage::ForbiddenStorage,
];
