//! The rules, one file each, a folder for each family.

pub(super) mod registry;
pub(super) mod rule;

mod bind;
mod clips;
mod cross;
mod deformation;
mod geometry;
mod hierarchy;
mod stored;
mod transforms;
mod weights;
