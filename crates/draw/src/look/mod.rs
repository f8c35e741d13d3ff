//! The numbers and tables behind an image's colours. All backends share them, so that their images can be compared;
//! each backend uses them in its own code.

pub mod bitmaps;
pub mod colors;
pub mod glsl;
pub mod joint_colors;
pub mod mipmap;
pub mod srgb;
