//! A headless OpenGL context.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use surfman::{ContextAttributeFlags, ContextAttributes, GLVersion};

#[cfg(all(unix, not(target_vendor = "apple"), not(target_os = "android")))]
use surfman::mesa_surfaceless::{connection::Connection, context::Context, device::Device};
#[cfg(not(all(unix, not(target_vendor = "apple"), not(target_os = "android"))))]
use surfman::{Connection, Context, Device};

use super::choice::SOFTWARE_VARIABLE;
use super::error::Missing;
use super::info::GlInfo;
use super::{GlChoice, GlError, library};

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
    /// * `choice` – the kind of driver; see [`prepare_environment`](super::prepare_environment).
    ///
    /// # Errors
    ///
    /// [`GlError::Unavailable`] if the machine has no OpenGL 3.3, [`GlError::WrongKind`] if it has only another kind,
    /// and [`GlError::Nested`] if this thread has an open context already.
    pub fn open(choice: GlChoice) -> Result<Self, GlError> {
        let exclusive = Exclusive::take()?;
        library::load().map_err(GlError::Unavailable)?;
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
