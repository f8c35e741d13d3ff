//! The deformation of the surface in motion.
//!
//! A skinned mesh is compared with its bind pose ([`Surface`](surface::Surface)), with the morph targets of the pose
//! applied, because those are intended. The scale of joints is intended too: for each vertex, [`Bent`] knows how the
//! scale of its joints alone stretches its surroundings, and lengths, areas and volumes are compared with that. Units
//! (a palette that scales by 100), squash and stretch, and parts hidden by a scale of 0 therefore do not count; only
//! neighbours that follow different joints do. Meshes without a skin follow their node, or their morph targets, and
//! cannot deform otherwise.

pub(crate) mod bent;
pub(crate) mod bodies;
mod pliant;
pub(crate) mod rest;
mod scale;
pub(crate) mod sections;
mod sizes;
pub(crate) mod surface;

pub(crate) use bent::{Bent, Extent, all as bent};
pub(crate) use rest::rest;
pub(crate) use surface::surface_of;
