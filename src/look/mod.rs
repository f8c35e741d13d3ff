//! What a picture's colours are made of, whoever draws it: numbers and tables, so that pictures of two backends may be
//! compared. What each backend does with them is its own.

pub mod checker;
pub mod colors;
pub mod lamps;
pub mod srgb;
