//! Lamps attached to the camera, so that a character reads well from any side.
//!
//! The light that a surface of linear colour `albedo` sends to the viewer, for unit vectors `n` (normal), `k` (to the key
//! lamp), `f` (to the fill lamp), `u` (the camera's up) and `v` (to the viewer):
//!
//! ```text
//! wrapped(c, w) = max(0, (c + w) / (1 + w))
//! sky           = ½ n·u + ½
//! diffuse       = KEY wrapped(n·k, KEY_WRAP) + FILL wrapped(n·f, FILL_WRAP) + mix(GROUND, SKY, sky)
//! shine         = GLOSS max(0, reflect(k, n)·v)⁸
//! rim           = RIM (1 - clamp(n·v, 0, 1))³ mix(0.4, 1, sky)
//! lit           = shoulder(albedo diffuse + rim (0.7 albedo + 0.3) + shine)
//! form          = FORM · (1, min(1, |n·v|), ½ n·k + ½)
//! ```
//!
//! Exposed so that the brightest diffuse white stays below 0.85 before the shoulder: a white figure keeps its shading.
//! `shoulder` keeps light up to [`SHOULDER`] and compresses the rest below 1.

use glam::Vec3;

/// Direction (right, up, towards the viewer; not of unit length) to the lamp, and its linear colour.
pub const KEY: (Vec3, Vec3) = (Vec3::new(-0.5, 0.62, 0.6), Vec3::new(0.64, 0.615, 0.575));
/// As [`KEY`].
pub const FILL: (Vec3, Vec3) = (Vec3::new(0.8, 0.05, 0.6), Vec3::new(0.11, 0.125, 0.15));
/// Light from everywhere, from above and from below.
pub const SKY: Vec3 = Vec3::new(0.17, 0.185, 0.215);
/// As [`SKY`].
pub const GROUND: Vec3 = Vec3::new(0.075, 0.072, 0.068);
/// Light along outlines, to separate a character from the background.
pub const RIM: Vec3 = Vec3::new(0.26, 0.29, 0.335);
/// How shiny everything is.
pub const GLOSS: f32 = 0.045;
/// How far the key lamp's light wraps around a form, as the cosine at which it ends.
pub const KEY_WRAP: f32 = 0.2;
/// As [`KEY_WRAP`].
pub const FILL_WRAP: f32 = 0.5;
/// Brighter light is compressed.
pub const SHOULDER: f32 = 0.7;
/// Terms of a factor that shows a surface's form without hiding its colour: constant, facing the viewer, and facing the
/// key lamp.
pub const FORM: Vec3 = Vec3::new(0.3, 0.5, 0.2);
