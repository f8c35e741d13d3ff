//! Rules about the deformed surface.

#[cfg(test)]
mod tests;

mod d601_nonfinite_vertex;
mod d602_overstretched_edge;
mod d603_collapsed_triangle;
mod d604_inverted_region;
mod d605_volume_loss;
mod d606_seam_crack;
mod d608_static_bounds_too_small;
mod d609_exploded;
mod d610_pinched_limb;

use crate::{Follows, Rule, Through, follows};

/// What stretches a surface, or squeezes it to nothing: wrong weights there, a mesh in another unit, a wrong track of the clip.
const DISTORTING: &[Follows] = follows![
    Through::Mended => ["B214", "W119"],
    Through::Vertices => ["W101", "W102", "W104", "W105", "W114"],
    Through::Mended => ["B211", "C530", "C531", "C536"],
    Through::Between => ["C538"],
];

/// In the order of their codes.
pub(super) static RULES: &[&dyn Rule] = &[
    &d601_nonfinite_vertex::NonfiniteVertex,
    &d602_overstretched_edge::OverstretchedEdge,
    &d603_collapsed_triangle::CollapsedTriangle,
    &d604_inverted_region::InvertedRegion,
    &d605_volume_loss::VolumeLoss,
    &d606_seam_crack::SeamCrack,
    &d608_static_bounds_too_small::StaticBoundsTooSmall,
    &d609_exploded::Exploded,
    &d610_pinched_limb::PinchedLimb,
];
