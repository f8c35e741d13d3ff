//! OpenGL objects that are deleted when dropped.

use super::Current;

/// The kind of an OpenGL object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Buffer,
    Texture,
    Framebuffer,
    VertexArray,
    Query,
    Program,
    /// `GL_VERTEX_SHADER` or `GL_FRAGMENT_SHADER`.
    Shader(u32),
}

/// The name of a live object.
#[derive(Debug)]
pub(super) struct Object<'gl> {
    gl: Current<'gl>,
    kind: Kind,
    id: u32,
}

impl<'gl> Object<'gl> {
    /// Creates an object. OpenGL decides its target at its first use.
    pub(super) fn new(gl: Current<'gl>, kind: Kind) -> Self {
        gl.count_objects(1);
        let id = create(gl, kind);
        Self { gl, kind, id }
    }

    /// Its name; 0 if the driver could not create it.
    pub(super) fn id(&self) -> u32 {
        self.id
    }

    pub(super) fn gl(&self) -> Current<'gl> {
        self.gl
    }

    /// Leaves the object to its context, which deletes it at its end. Returns its name.
    pub(super) fn leave_to_context(self) -> u32 {
        self.gl.count_objects(-1);
        let id = self.id;
        std::mem::forget(self);
        id
    }
}

impl Drop for Object<'_> {
    fn drop(&mut self) {
        self.gl.count_objects(-1);
        delete(self.gl, self.kind, self.id);
    }
}

fn create(_: Current<'_>, kind: Kind) -> u32 {
    let mut id = 0;
    let name = &raw mut id;
    match kind {
        // SAFETY: the context is current; one name is written to one local.
        Kind::Buffer => unsafe { gl::GenBuffers(1, name) },
        // SAFETY: as above.
        Kind::Texture => unsafe { gl::GenTextures(1, name) },
        // SAFETY: as above.
        Kind::Framebuffer => unsafe { gl::GenFramebuffers(1, name) },
        // SAFETY: as above.
        Kind::VertexArray => unsafe { gl::GenVertexArrays(1, name) },
        // SAFETY: as above.
        Kind::Query => unsafe { gl::GenQueries(1, name) },
        // SAFETY: the context is current; there is no argument.
        Kind::Program => id = unsafe { gl::CreateProgram() },
        // SAFETY: the context is current; the argument is a number.
        Kind::Shader(stage) => id = unsafe { gl::CreateShader(stage) },
    }
    id
}

fn delete(_: Current<'_>, kind: Kind, id: u32) {
    let name = &raw const id;
    match kind {
        // SAFETY: the object's context is current, and one name is read from one local.
        Kind::Buffer => unsafe { gl::DeleteBuffers(1, name) },
        // SAFETY: as above.
        Kind::Texture => unsafe { gl::DeleteTextures(1, name) },
        // SAFETY: as above.
        Kind::Framebuffer => unsafe { gl::DeleteFramebuffers(1, name) },
        // SAFETY: as above.
        Kind::VertexArray => unsafe { gl::DeleteVertexArrays(1, name) },
        // SAFETY: as above.
        Kind::Query => unsafe { gl::DeleteQueries(1, name) },
        // SAFETY: the object's context is current, and the name is its own.
        Kind::Program => unsafe { gl::DeleteProgram(id) },
        // SAFETY: as above.
        Kind::Shader(_) => unsafe { gl::DeleteShader(id) },
    }
}
