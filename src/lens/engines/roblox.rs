//! Roblox.

use super::FOUR;
use crate::lens::statement::{Interpolation, Kept, Lens, Stated, Storage, Sum, Unweighted, World};
use crate::rig::SkinningMethod;

pub(crate) const LENS: Lens = Lens {
    name: "roblox",
    title: "Roblox",
    version: "Creator Hub, 2025",
    influences: Stated::by(
        "Roblox Creator Hub, general specifications of meshes, max influences: 4",
        FOUR,
    ),
    kept: Stated::assumed(Kept::Largest),
    sum: Stated::assumed(Sum::Divided),
    unweighted: Stated::assumed(Unweighted::Node),
    storage: Stated::assumed(Storage::Float),
    blending: Stated::assumed(SkinningMethod::AsInFile),
    joints: Stated::by(
        "Roblox Creator Hub, general specifications of meshes, without a limit",
        None,
    ),
    rotations: Stated::assumed(Interpolation::Spherical),
    rate: Stated::assumed(None),
    world: Stated::assumed(World::Relative),
    settings: &[],
};
