//! Many images of one model: contact sheets and animations.
//!
//! ```text
//! Frame, Frame, ... --Sheet--> one Frame with captions
//!                   --Animation--> APNG, GIF or WebP
//! ```

mod animation;
mod apng;
mod error;
mod gif;
mod reel;
mod sheet;
mod tiled;
mod webp;

pub use animation::Animation;
pub use error::FilmError;
pub use reel::{Format, Reel};
pub use sheet::{Sheet, check_sheet, sheet};
pub use tiled::{beside, tiled};

pub use crate::overlay::{caption, glyph_side};
