//! OpenGL calls whose arguments are plain values, which only need a current context to be sound.

use super::Current;

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
