//! Rules about the surface in motion.
//!
//! A skinned mesh is compared with itself as bound ([`Surface`]), morphed as in the pose: the effect of morph targets
//! is intended. So is the effect of the joints' own scale: for each vertex, [`Bent`] knows how much the scale of its
//! joints alone stretches and shrinks its surroundings, and lengths, areas and volumes are compared with that. Units (a
//! palette that scales by 100), squash and stretch, and parts hidden by a scale of 0 therefore have no effect; what
//! remains comes from neighbours that follow different joints. Meshes without a skin follow their node or their morph
//! targets, and cannot deform otherwise.

mod bent;
mod bodies;
mod counted;
mod extent;
mod hinges;
mod islets;
mod normals;
mod pliant;
mod rest;
mod scale;
mod shape;
mod sizes;
mod surface;
#[cfg(test)]
mod tests;

mod d601_nonfinite_vertex;
mod d602_overstretched_edge;
mod d603_collapsed_triangle;
mod d604_inverted_region;
mod d605_volume_loss;
mod d606_seam_crack;
mod d607_degenerate_normal;
mod d608_static_bounds_too_small;
mod d609_exploded;

pub(in crate::lint) use bent::{Bent, all as bent};
pub(in crate::lint) use counted::Counted;
pub(in crate::lint) use extent::Extent;
pub(in crate::lint) use normals::Normals;
pub(in crate::lint) use rest::Rest;
pub(in crate::lint) use surface::Surface;

use super::rule::Rule;

/// In the order of their codes.
pub(super) static RULES: &[&dyn Rule] = &[
    &d601_nonfinite_vertex::NonfiniteVertex,
    &d602_overstretched_edge::OverstretchedEdge,
    &d603_collapsed_triangle::CollapsedTriangle,
    &d604_inverted_region::InvertedRegion,
    &d605_volume_loss::VolumeLoss,
    &d606_seam_crack::SeamCrack,
    &d607_degenerate_normal::DegenerateNormal,
    &d608_static_bounds_too_small::StaticBoundsTooSmall,
    &d609_exploded::Exploded,
];
