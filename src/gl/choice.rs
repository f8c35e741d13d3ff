//! The requested OpenGL, and how to request it from the driver.

/// Which OpenGL to use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum GlChoice {
    /// The machine's default.
    #[default]
    Auto,
    /// Mesa's software rasterizer: the same images on any graphics card.
    Software,
    /// A graphics card; an error without one.
    Hardware,
}

/// Mesa reads it when the process first connects.
pub(super) const SOFTWARE_VARIABLE: &str = "LIBGL_ALWAYS_SOFTWARE";

/// Passes `choice` to the driver through the environment, Mesa's only way to configure it.
///
/// Without it, [`Offscreen::open`](super::Offscreen::open) refuses [`GlChoice::Software`] on a machine with a graphics
/// card. [`GlChoice::Auto`] leaves the environment as the user has set it.
///
/// # Safety
///
/// Call it at the start of `main`, before there is a second thread: another thread that reads the environment at the
/// same time, as the C library does in many places, would read freed memory.
#[expect(unsafe_code, reason = "changing the environment is unsafe")]
pub unsafe fn prepare_environment(choice: GlChoice) {
    match choice {
        GlChoice::Auto => {}
        // SAFETY: the caller promises that there is no other thread.
        GlChoice::Software => unsafe { std::env::set_var(SOFTWARE_VARIABLE, "1") },
        // SAFETY: as above.
        GlChoice::Hardware => unsafe { std::env::remove_var(SOFTWARE_VARIABLE) },
    }
}

/// Whether a `GL_RENDERER` is one of Mesa's software rasterizers.
pub(super) fn is_software(renderer: &str) -> bool {
    let renderer = renderer.to_ascii_lowercase();
    let known = ["llvmpipe", "softpipe", "swrast", "software rasterizer"];
    known.iter().any(|name| renderer.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn software_rasterizers_are_distinguished_from_graphics_cards() {
        assert!(is_software("llvmpipe (LLVM 15.0.6, 256 bits)"));
        assert!(is_software("softpipe"));
        assert!(is_software(
            "zink Vulkan 1.3(llvmpipe (LLVM 15.0.6, 256 bits) (LAVAPIPE))"
        ));
        assert!(!is_software("Mesa Intel(R) UHD Graphics 620 (KBL GT2)"));
    }
}
