//! Which instruction set the kernels use: AVX2 where the processor has it, otherwise what every processor of its kind has.

pub use fearless_simd::{Level, Simd};

/// The instruction set that runs the kernels fastest on this machine. The bits are the same with each.
///
/// AVX2 even where there is AVX-512, which takes 3 % to 8 % longer to draw and 5 % to skin, since the processor lowers
/// its clock for wide registers (Sapphire Rapids).
#[must_use]
pub fn level() -> Level {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = Level::new().as_avx2() {
        return Level::Avx2(avx2);
    }
    everywhere()
}

fn everywhere() -> Level {
    #[cfg(target_arch = "x86_64")]
    if let Some(sse2) = Level::baseline().as_sse2() {
        return Level::Sse2(sse2);
    }
    Level::baseline()
}

/// All that the kernels are compiled for and this machine can run.
#[cfg(any(test, feature = "testing"))]
#[must_use]
pub fn levels() -> Vec<Level> {
    vec![everywhere(), level()]
}

/// Runs `$op` with the instruction set of a level that [`level`](fn@crate::simd::level) gave.
///
/// `fearless_simd::dispatch` compiles `$op` for every instruction set, twice as many as are used.
#[doc(hidden)]
#[macro_export]
macro_rules! dispatch {
    ($level:expr, $simd:ident => $op:expr) => {
        match $level {
            #[cfg(target_arch = "x86_64")]
            $crate::simd::Level::Avx2($simd) => $crate::dispatch!(@with $simd => $op),
            #[cfg(target_arch = "x86_64")]
            $crate::simd::Level::Sse2($simd) => $crate::dispatch!(@with $simd => $op),
            #[cfg(target_arch = "aarch64")]
            $crate::simd::Level::Neon($simd) => $crate::dispatch!(@with $simd => $op),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            $crate::simd::Level::WasmSimd128($simd) => $crate::dispatch!(@with $simd => $op),
            // It takes as long to compile as all else of `draw`.
            #[cfg(not(any(
                target_arch = "x86_64",
                target_arch = "aarch64",
                all(target_arch = "wasm32", target_feature = "simd128")
            )))]
            $crate::simd::Level::Fallback($simd) => $crate::dispatch!(@with $simd => $op),
            _ => unreachable!("the kernels are not compiled for this level"),
        }
    };
    (@with $simd:ident => $op:expr) => {
        $crate::simd::Simd::vectorize(
            $simd,
            #[inline(always)]
            || $op,
        )
    };
}
