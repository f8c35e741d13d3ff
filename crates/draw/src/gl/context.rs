//! A headless OpenGL context: how to request it from the driver, and what the driver says about itself.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ffi::CStr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use surfman::{ContextAttributeFlags, ContextAttributes, GLVersion};

#[cfg(all(unix, not(target_vendor = "apple"), not(target_os = "android")))]
use surfman::mesa_surfaceless::{connection::Connection, context::Context, device::Device};
#[cfg(not(all(unix, not(target_vendor = "apple"), not(target_os = "android"))))]
use surfman::{Connection, Context, Device};

use super::GlError;
use super::error::Missing;
use crate::account::Unallocated;

/// The `gl` crate keeps its function pointers in process-wide statics, so there is one context at a time.
static FUNCTIONS: Mutex<()> = Mutex::new(());

thread_local! {
    /// Whether this thread holds [`FUNCTIONS`].
    static HELD: Cell<bool> = const { Cell::new(false) };
}

/// An OpenGL 3.3 core context without window or display server, current on the thread that opened it.
pub struct Offscreen {
    device: Device,
    context: Context,
    info: GlInfo,
    live_objects: Cell<usize>,
    /// Linked programs by their sources, for all models: linking takes far longer than a frame. They end with the context.
    programs: RefCell<BTreeMap<String, u32>>,
    _exclusive: Exclusive, // Not `Send`: neither is `Offscreen`.
}

impl std::fmt::Debug for Offscreen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Offscreen")
            .field("info", &self.info)
            .finish_non_exhaustive()
    }
}

impl Offscreen {
    /// Opens a context.
    ///
    /// A process has one at a time: this waits until another thread drops its own.
    ///
    /// * `choice` – the kind of driver; see [`prepare_environment`].
    ///
    /// # Errors
    ///
    /// [`GlError::Unavailable`] if the machine has no OpenGL 3.3, [`GlError::WrongKind`] if it has only another kind,
    /// and [`GlError::Nested`] if this thread has an open context already.
    pub fn open(choice: GlChoice) -> Result<Self, GlError> {
        let exclusive = Exclusive::take()?;
        load_library().map_err(GlError::Unavailable)?;
        let connection = Connection::new().map_err(|error| no_driver(&error))?;
        let (device, context) = connect(&connection, choice)?;
        let mut offscreen = Self {
            device,
            context,
            info: GlInfo::default(),
            live_objects: Cell::new(0),
            programs: RefCell::default(),
            _exclusive: exclusive,
        };
        offscreen.start()?;
        offscreen.check_kind(choice)?;
        Ok(offscreen)
    }

    fn start(&mut self) -> Result<(), GlError> {
        self.device
            .make_context_current(&self.context)
            .map_err(|error| no_context(&error))?;
        gl::load_with(|symbol| self.device.get_proc_address(&self.context, symbol));
        let info = GlInfo::read(self.current());
        self.info = info;
        if self.info.api < [3, 3] {
            let reason = self.info.version.clone();
            return Err(GlError::Unavailable(Missing::Version { reason }));
        }
        Ok(())
    }

    fn check_kind(&self, choice: GlChoice) -> Result<(), GlError> {
        let wanted = match choice {
            GlChoice::Software if !self.info.is_software => "software",
            GlChoice::Hardware if self.info.is_software => "hardware",
            _ => return Ok(()),
        };
        let renderer = self.info.renderer.clone();
        Err(GlError::WrongKind { wanted, renderer })
    }

    /// The driver's information about itself.
    #[must_use]
    pub fn info(&self) -> &GlInfo {
        &self.info
    }

    /// Proof that the context is current on this thread.
    #[must_use]
    pub fn current(&self) -> Current<'_> {
        Current(self)
    }
}

impl Drop for Offscreen {
    fn drop(&mut self) {
        // surfman panics if a context is dropped undestroyed; a failed destroy has no remedy.
        let _ = self.device.destroy_context(&mut self.context);
    }
}

fn connect(connection: &Connection, choice: GlChoice) -> Result<(Device, Context), GlError> {
    // surfman writes the variable that Mesa has already read by now; it must stay what it is.
    let software = choice == GlChoice::Software || std::env::var_os(SOFTWARE_VARIABLE).is_some();
    let adapter = if software {
        connection.create_software_adapter()
    } else {
        connection.create_low_power_adapter()
    };
    let device = connection
        .create_device(&adapter.map_err(|error| no_driver(&error))?)
        .map_err(|error| no_driver(&error))?;
    let attributes = ContextAttributes {
        version: GLVersion::new(3, 3),
        flags: ContextAttributeFlags::empty(),
    };
    let descriptor = device
        .create_context_descriptor(&attributes)
        .map_err(|error| no_context(&error))?;
    let context = device
        .create_context(&descriptor, None)
        .map_err(|error| no_context(&error))?;
    Ok((device, context))
}

// surfman's error has no `Display`.
fn no_driver(error: &surfman::Error) -> GlError {
    let reason = format!("{error:?}");
    GlError::Unavailable(Missing::Driver { reason })
}

fn no_context(error: &surfman::Error) -> GlError {
    let reason = format!("{error:?}");
    GlError::Unavailable(Missing::Version { reason })
}

/// This thread's exclusive right to use OpenGL.
struct Exclusive(#[expect(dead_code, reason = "held for its lifetime")] MutexGuard<'static, ()>);

impl Exclusive {
    fn take() -> Result<Self, GlError> {
        if HELD.get() {
            return Err(GlError::Nested);
        }
        // A thread that panicked left nothing behind: everyone loads the function pointers again.
        let guard = FUNCTIONS.lock().unwrap_or_else(PoisonError::into_inner);
        HELD.set(true);
        Ok(Self(guard))
    }
}

impl Drop for Exclusive {
    fn drop(&mut self) {
        HELD.set(false);
    }
}

/// Proof that a context is current on this thread and its functions are loaded.
///
/// Every GL object holds one, so none can outlive its context.
#[derive(Debug, Clone, Copy)]
pub struct Current<'gl>(&'gl Offscreen);

impl<'gl> Current<'gl> {
    /// The driver's information about itself.
    #[must_use]
    pub fn info(self) -> &'gl GlInfo {
        &self.0.info
    }

    /// The number of live buffers, textures, programs and the like.
    #[must_use]
    pub fn live_objects(self) -> usize {
        self.0.live_objects.get()
    }

    pub(super) fn count_objects(self, change: isize) {
        let count = &self.0.live_objects;
        count.set(count.get().saturating_add_signed(change));
    }

    /// Books memory that the driver is about to hold; `None` if that is a graphics card's.
    pub(super) fn book(self, bytes: usize) -> Option<Unallocated> {
        self.0.info.is_software.then(|| Unallocated::new(bytes))
    }

    /// The program linked from `source`: an earlier one, or else the result of `link`, which must then stay alive.
    pub(super) fn program(
        self,
        source: String,
        link: impl FnOnce() -> Result<u32, GlError>,
    ) -> Result<u32, GlError> {
        let known = self.0.programs.borrow().get(&source).copied();
        if let Some(id) = known {
            return Ok(id);
        }
        let id = link()?;
        self.0.programs.borrow_mut().insert(source, id);
        Ok(id)
    }

    /// Converts a pending GL error to a [`GlError::Call`].
    ///
    /// # Errors
    ///
    /// [`GlError::Call`] naming `call`.
    #[expect(clippy::unused_self, reason = "it is the proof")]
    pub(super) fn check(self, call: &'static str) -> Result<(), GlError> {
        // SAFETY: `self` proves a current context with loaded functions; there are no arguments.
        match unsafe { gl::GetError() } {
            gl::NO_ERROR => Ok(()),
            code => Err(GlError::Call { call, code }),
        }
    }
}

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
const SOFTWARE_VARIABLE: &str = "LIBGL_ALWAYS_SOFTWARE";

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

/// Names under which surfman looks for the library.
#[cfg(all(unix, not(target_vendor = "apple"), not(target_os = "android")))]
const NAMES: [&str; 2] = ["libEGL.so.1", "libEGL.so"];

/// Loads libEGL, and keeps it loaded.
#[cfg(all(unix, not(target_vendor = "apple"), not(target_os = "android")))]
#[expect(unsafe_code, reason = "loading a library runs its initializers")]
fn load_library() -> Result<(), Missing> {
    for name in NAMES {
        // SAFETY: libEGL is a system library whose initializers ask nothing of the caller; surfman would load it next.
        if let Ok(library) = unsafe { libloading::Library::new(name) } {
            // Unloading it while a driver's threads run would remove their code.
            std::mem::forget(library);
            return Ok(());
        }
    }
    Err(Missing::Library)
}

/// OpenGL is part of the system.
#[cfg(not(all(unix, not(target_vendor = "apple"), not(target_os = "android"))))]
fn load_library() -> Result<(), Missing> {
    Ok(())
}

/// A driver's information about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GlInfo {
    /// `GL_VENDOR`.
    pub vendor: String,
    /// `GL_RENDERER`.
    pub renderer: String,
    /// `GL_VERSION`.
    pub version: String,
    /// Major and minor version of OpenGL.
    pub api: [i32; 2],
    /// Whether it is a software rasterizer.
    pub is_software: bool,
    /// Most texels of a buffer texture, which limits influences, joints, triangles and images.
    pub max_buffer_texels: usize,
}

impl GlInfo {
    pub(super) fn read(gl: Current<'_>) -> Self {
        let renderer = text(gl, gl::RENDERER);
        let texels = integer(gl, gl::MAX_TEXTURE_BUFFER_SIZE);
        Self {
            vendor: text(gl, gl::VENDOR),
            version: text(gl, gl::VERSION),
            api: [
                integer(gl, gl::MAJOR_VERSION),
                integer(gl, gl::MINOR_VERSION),
            ],
            is_software: is_software(&renderer),
            max_buffer_texels: usize::try_from(texels).unwrap_or_default(),
            renderer,
        }
    }
}

fn integer(_: Current<'_>, name: u32) -> i32 {
    let mut value = 0;
    // SAFETY: the context is current, and all names used here have one value, for which there is room.
    unsafe { gl::GetIntegerv(name, &raw mut value) };
    value
}

fn text(_: Current<'_>, name: u32) -> String {
    // SAFETY: the context is current.
    let text = unsafe { gl::GetString(name) };
    if text.is_null() {
        return String::new();
    }
    // SAFETY: OpenGL returns strings that end with 0 and live as long as the context.
    let text = unsafe { CStr::from_ptr(text.cast()) };
    text.to_string_lossy().into_owned()
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
