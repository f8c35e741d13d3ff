//! The lenses, one file each.

pub(crate) mod babylon;
pub(crate) mod bevy;
pub(crate) mod filament;
pub(crate) mod godot;
pub(crate) mod panda3d;
pub(crate) mod playcanvas;
pub(crate) mod raylib;
pub(crate) mod roblox;
pub(crate) mod three;
pub(crate) mod unity;
pub(crate) mod unreal;

use std::num::NonZeroU32;

use super::statement::Lens;

/// Every lens, in the order of the documentation.
pub static LENSES: &[Lens] = &[
    three::LENS,
    babylon::LENS,
    playcanvas::LENS,
    bevy::LENS,
    panda3d::LENS,
    raylib::LENS,
    godot::LENS,
    filament::LENS,
    unity::LENS,
    unreal::LENS,
    roblox::LENS,
];

const FOUR: Option<NonZeroU32> = NonZeroU32::new(4);
const EIGHT: Option<NonZeroU32> = NonZeroU32::new(8);

/// The lens named `name`, ignoring case.
#[must_use]
pub fn find_lens(name: &str) -> Option<&'static Lens> {
    let mut lenses = LENSES.iter();
    lenses.find(|lens| lens.name.eq_ignore_ascii_case(name))
}
