//! Rules about geometry, and the file as a whole.

mod facing;
mod g801_nonfinite_position;
mod g803_degenerate_triangle;
mod g804_missing_normals;
mod g806_missing_texture;
mod g807_nothing_to_skin;
mod g808_no_clip;
mod g809_reversed_triangles;
mod g810_misleading_normals;
mod g811_stray_vertex;
mod g812_nonfinite_attribute;
mod g813_wild_target;
mod g819_broken_expression;
mod g820_over_budget;
mod g822_inert;
mod g823_leftover_mesh;
mod stored;

use super::rule::Rule;

/// In the order of their codes.
pub(super) static RULES: &[&dyn Rule] = &[
    &g801_nonfinite_position::NonfinitePosition,
    &stored::FaceIndexOutOfRange,
    &g803_degenerate_triangle::DegenerateTriangle,
    &g804_missing_normals::MissingNormals,
    &stored::NonunitNormal,
    &g806_missing_texture::MissingTexture,
    &g807_nothing_to_skin::NothingToSkin,
    &g808_no_clip::NoClip,
    &g809_reversed_triangles::ReversedTriangles,
    &g810_misleading_normals::MisleadingNormals,
    &g811_stray_vertex::StrayVertex,
    &g812_nonfinite_attribute::NonfiniteAttribute,
    &g813_wild_target::WildTarget,
    &stored::MorphWeightCount,
    &stored::UnequalTargets,
    &stored::TangentHandedness,
    &stored::StatedBounds,
    &stored::ForbiddenStorage,
    &g819_broken_expression::BrokenExpression,
    &g820_over_budget::OverBudget,
    &g822_inert::Inert,
    &g823_leftover_mesh::LeftoverMesh,
];
