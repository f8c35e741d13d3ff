//! Which instruction set the kernels use.

use fearless_simd::Level;

/// The instruction set that runs the kernels fastest on this machine. The bits are the same with each.
///
/// AVX2 even where there is AVX-512, which takes 3 % to 8 % longer to draw and 5 % to skin, since the processor lowers
/// its clock for wide registers (Sapphire Rapids).
#[must_use]
pub fn level() -> Level {
    let widest = Level::new();
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = widest.as_avx2() {
        return Level::Avx2(avx2);
    }
    widest
}

/// All instruction sets that this machine can run.
#[cfg(any(test, feature = "testing"))]
pub fn levels() -> Vec<Level> {
    let widest = Level::new();
    let mut levels = vec![Level::fallback(), Level::baseline(), widest];
    #[cfg(target_arch = "x86_64")]
    {
        levels.extend(widest.as_sse4_2().map(Level::Sse4_2));
        levels.extend(widest.as_avx2().map(Level::Avx2));
    }
    levels
}
