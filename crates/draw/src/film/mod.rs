//! Many images of one model: contact sheets and animations.
//!
//! ```text
//! Frame, Frame, ... --Sheet--> one Frame with captions
//!                   --Animation--> APNG or GIF
//! ```

mod animation;
mod options;
mod sheet;

pub use crate::overlay::{caption, caption_strip};
pub use animation::Animation;
pub use options::{AnimationOptions, Format};
pub use sheet::{Sheet, beside, pages, sheet, tiled};

/// A film that cannot be encoded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FilmError {
    /// A side is longer than the format can store.
    #[error(
        "{format} stores images of at most {max} pixels a side, not {width}x{height}; choose a smaller --size"
    )]
    TooLarge {
        /// The format's name.
        format: &'static str,
        /// In pixels.
        width: u32,
        /// In pixels.
        height: u32,
        /// The longest side.
        max: u32,
    },
    /// A row of images would have more pixels than an image may have.
    #[error(
        "{images} images of {width}x{height} pixels are too many for one sheet; choose a smaller --size or fewer --times, or select clips with --clip"
    )]
    SheetTooLarge {
        /// How many images.
        images: usize,
        /// The width of one image, in pixels.
        width: u32,
        /// The height of one image, in pixels.
        height: u32,
    },
    /// The images of an animation have too many pixels altogether.
    #[error(
        "{images} images of {width}x{height} pixels are too many for one animation; choose a smaller --size, fewer --times or a lower --fps, or write numbered files (-o FOLDER/)"
    )]
    AnimationTooLarge {
        /// How many images.
        images: u32,
        /// The width of one image, in pixels.
        width: u32,
        /// The height of one image, in pixels.
        height: u32,
    },
    /// The PNG encoder refused an image.
    #[error("cannot encode the animated PNG")]
    Png(#[from] ::png::EncodingError),
    /// The GIF encoder refused an image.
    #[error("cannot encode the GIF")]
    Gif(#[from] ::gif::EncodingError),
}
