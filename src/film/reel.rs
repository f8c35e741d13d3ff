//! Size and speed of an animation.

/// How an animation plays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reel {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// How many images there will be.
    pub count: u32,
    /// Images per second.
    pub fps: f64,
    /// How often it plays; 0 for ever.
    pub plays: u16,
}

impl Reel {
    /// How long image `index` is shown, in units of 1 / `per_second` seconds.
    ///
    /// The times of all images are rounded, not their durations, so that rounding does not accumulate.
    pub(super) fn duration(&self, index: u32, per_second: f64) -> u32 {
        let end = |index: u32| (f64::from(index) * per_second / self.fps).round();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "positive, and it saturates"
        )]
        let duration = (end(index + 1) - end(index)) as u32;
        duration
    }
}
