//! OpenGL objects that are deleted when dropped, queries, and calls whose arguments are plain values.

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

/// Counts events between begin and end.
#[derive(Debug)]
pub(super) struct Query<'gl> {
    object: Object<'gl>,
    target: u32,
}

impl<'gl> Query<'gl> {
    /// Counts the primitives that transform feedback writes.
    pub(super) fn written(gl: Current<'gl>) -> Self {
        Self::new(gl, gl::TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN)
    }

    /// Is 1 if any sample passes.
    pub(super) fn any_drawn(gl: Current<'gl>) -> Self {
        Self::new(gl, gl::ANY_SAMPLES_PASSED)
    }

    fn new(gl: Current<'gl>, target: u32) -> Self {
        let object = Object::new(gl, Kind::Query);
        Self { object, target }
    }

    /// Runs `calls` and waits for the result of the query.
    pub(super) fn during<E>(&self, calls: impl FnOnce() -> Result<(), E>) -> Result<u32, E> {
        let gl = self.object.gl();
        gl.begin_query(self.target, self.object.id());
        let outcome = calls();
        gl.end_query(self.target);
        outcome?;
        let mut result = 0;
        // SAFETY: the context is current and the query live and ended; one number is written to one local.
        unsafe { gl::GetQueryObjectuiv(self.object.id(), gl::QUERY_RESULT, &raw mut result) };
        Ok(result)
    }
}

/// The texture unit for creating textures. Programs use others, so that creating one never unbinds what they read.
pub(super) const SCRATCH_UNIT: u32 = gl::TEXTURE15;

macro_rules! plain_calls {
    ($($(#[$doc:meta])* $name:ident => $function:ident($($argument:ident: $kind:ty),*);)*) => {
        #[expect(clippy::allow_attributes, reason = "not every call has many arguments")]
        impl Current<'_> {
            $(
                $(#[$doc])*
                #[allow(clippy::too_many_arguments, reason = "OpenGL's own list")]
                pub(super) fn $name(self, $($argument: $kind),*) {
                    // SAFETY: `self` proves a current context with loaded functions, and no argument is a pointer: wrong
                    // values set OpenGL's error and do nothing.
                    unsafe { gl::$function($($argument),*) }
                }
            )*
        }
    };
}

plain_calls! {
    /// `glActiveTexture`.
    active_texture => ActiveTexture(unit: u32);
    /// `glBindTexture`.
    bind_texture => BindTexture(target: u32, texture: u32);
    /// `glBindBuffer`.
    bind_buffer => BindBuffer(target: u32, buffer: u32);
    /// `glBindBufferRange`.
    bind_buffer_range => BindBufferRange(target: u32, index: u32, buffer: u32, offset: isize, size: isize);
    /// `glBindVertexArray`.
    bind_vertex_array => BindVertexArray(array: u32);
    /// `glBindFramebuffer`.
    bind_framebuffer => BindFramebuffer(target: u32, framebuffer: u32);
    /// `glTexBuffer`.
    tex_buffer => TexBuffer(target: u32, format: u32, buffer: u32);
    /// `glTexParameteri`.
    tex_parameter => TexParameteri(target: u32, name: u32, value: i32);
    /// `glFramebufferTexture`.
    framebuffer_texture => FramebufferTexture2D(target: u32, attachment: u32, kind: u32, texture: u32, level: i32);
    /// `glFramebufferTextureLayer`.
    framebuffer_layer => FramebufferTextureLayer(target: u32, attachment: u32, texture: u32, level: i32, layer: i32);
    /// `glEnableVertexAttribArray`.
    enable_attribute => EnableVertexAttribArray(index: u32);
    /// `glUseProgram`.
    use_program => UseProgram(program: u32);
    /// `glUniform1i`.
    uniform_int => Uniform1i(location: i32, value: i32);
    /// `glUniform1ui`.
    uniform_uint => Uniform1ui(location: i32, value: u32);
    /// `glUniform1f`.
    uniform_float => Uniform1f(location: i32, value: f32);
    /// `glUniform2f`.
    uniform_vec2 => Uniform2f(location: i32, x: f32, y: f32);
    /// `glUniform2i`.
    uniform_ivec2 => Uniform2i(location: i32, x: i32, y: i32);
    /// `glUniform3f`.
    uniform_vec3 => Uniform3f(location: i32, x: f32, y: f32, z: f32);
    /// `glUniform4f`.
    uniform_vec4 => Uniform4f(location: i32, x: f32, y: f32, z: f32, w: f32);
    /// `glEnable`.
    enable => Enable(what: u32);
    /// `glDisable`.
    disable => Disable(what: u32);
    /// `glEnablei`.
    enable_indexed => Enablei(what: u32, index: u32);
    /// `glColorMaski`.
    color_mask => ColorMaski(index: u32, red: u8, green: u8, blue: u8, alpha: u8);
    /// `glDepthFunc`.
    depth_func => DepthFunc(function: u32);
    /// `glDepthMask`.
    depth_mask => DepthMask(write: u8);
    /// `glBlendFunc`.
    blend_func => BlendFunc(source: u32, destination: u32);
    /// `glCullFace`.
    cull_face => CullFace(face: u32);
    /// `glFrontFace`.
    front_face => FrontFace(winding: u32);
    /// `glViewport`.
    viewport => Viewport(x: i32, y: i32, width: i32, height: i32);
    /// `glReadBuffer`.
    read_buffer => ReadBuffer(attachment: u32);
    /// `glBeginTransformFeedback`.
    begin_transform_feedback => BeginTransformFeedback(primitive: u32);
    /// `glEndTransformFeedback`.
    end_transform_feedback => EndTransformFeedback();
    /// `glBeginQuery`.
    begin_query => BeginQuery(target: u32, query: u32);
    /// `glEndQuery`.
    end_query => EndQuery(target: u32);
}
