//! Programs, and their inputs to a draw call.

use std::cell::Cell;
use std::ffi::CStr;

use glam::{Mat4, Vec2, Vec3, Vec4};

use super::buffer::TexelBuffer;
use super::object::{Kind, Object};
use super::target::Texture;
use super::{Current, GlError};

/// The source of a program. It is the same in every run, so that the driver finds it in its cache.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    /// Named in errors.
    pub(super) name: &'static str,
    /// Texts that are concatenated.
    pub(super) vertex: &'a [&'a str],
    /// Empty for a program that draws nothing.
    pub(super) fragment: &'a [&'a str],
    /// The outputs that transform feedback writes, interleaved.
    pub(super) feedback: &'a [&'a CStr],
}

impl Source<'_> {
    /// The whole source, as the key of the program.
    fn text(&self) -> String {
        let outputs: Vec<_> = self
            .feedback
            .iter()
            .map(|name| name.to_string_lossy())
            .collect();
        [
            self.vertex.concat(),
            self.fragment.concat(),
            outputs.join(" "),
        ]
        .join("\0")
    }
}

/// A linked program, which all models of a context share.
#[derive(Debug)]
pub(super) struct Program<'gl> {
    gl: Current<'gl>,
    id: u32,
}

impl<'gl> Program<'gl> {
    /// # Errors
    ///
    /// [`GlError::Shader`] with the driver's message.
    pub(super) fn link(gl: Current<'gl>, source: &Source<'_>) -> Result<Self, GlError> {
        let link = || Ok(linked(gl, source)?.leave_to_context());
        let id = gl.program(source.text(), link)?;
        Ok(Self { gl, id })
    }

    /// Binds this program for the following draw calls.
    pub(super) fn bind(&self) -> Inputs<'_, 'gl> {
        let gl = self.gl;
        gl.use_program(self.id);
        Inputs {
            program: self,
            gl,
            units: Cell::new(0),
        }
    }
}

/// The inputs of a bound program. All of its samplers must be set: each gets its own unit.
#[derive(Debug)]
pub(super) struct Inputs<'p, 'gl> {
    program: &'p Program<'gl>,
    gl: Current<'gl>,
    units: Cell<u16>,
}

impl Inputs<'_, '_> {
    fn location(&self, name: &CStr) -> i32 {
        let program = self.program.id;
        // SAFETY: the context is current, the program is live and linked, and the name ends with 0.
        unsafe { gl::GetUniformLocation(program, name.as_ptr()) }
    }

    pub(super) fn int(&self, name: &CStr, value: i32) -> &Self {
        self.gl.uniform_int(self.location(name), value);
        self
    }

    pub(super) fn uint(&self, name: &CStr, value: u32) -> &Self {
        self.gl.uniform_uint(self.location(name), value);
        self
    }

    pub(super) fn ivec2(&self, name: &CStr, [x, y]: [i32; 2]) -> &Self {
        self.gl.uniform_ivec2(self.location(name), x, y);
        self
    }

    pub(super) fn flag(&self, name: &CStr, value: bool) -> &Self {
        self.int(name, i32::from(value))
    }

    pub(super) fn float(&self, name: &CStr, value: f32) -> &Self {
        self.gl.uniform_float(self.location(name), value);
        self
    }

    pub(super) fn vec2(&self, name: &CStr, value: Vec2) -> &Self {
        self.gl.uniform_vec2(self.location(name), value.x, value.y);
        self
    }

    pub(super) fn vec3(&self, name: &CStr, value: Vec3) -> &Self {
        let Vec3 { x, y, z } = value;
        self.gl.uniform_vec3(self.location(name), x, y, z);
        self
    }

    pub(super) fn vec4(&self, name: &CStr, value: Vec4) -> &Self {
        let [x, y, z, w] = value.to_array();
        self.gl.uniform_vec4(self.location(name), x, y, z, w);
        self
    }

    pub(super) fn mat4(&self, name: &CStr, value: &Mat4) -> &Self {
        let (location, columns) = (self.location(name), value.to_cols_array());
        // SAFETY: the context is current; sixteen floats are read from a local that holds sixteen.
        unsafe { gl::UniformMatrix4fv(location, 1, gl::FALSE, columns.as_ptr()) };
        self
    }

    pub(super) fn buffer(&self, name: &CStr, buffer: &TexelBuffer<'_>) -> &Self {
        self.sampler(name, gl::TEXTURE_BUFFER, buffer.texture())
    }

    pub(super) fn texture(&self, name: &CStr, texture: &Texture<'_>) -> &Self {
        self.sampler(name, texture.target(), texture.id())
    }

    fn sampler(&self, name: &CStr, target: u32, texture: u32) -> &Self {
        let unit = self.units.get();
        self.units.set(unit + 1);
        self.gl.active_texture(gl::TEXTURE0 + u32::from(unit));
        self.gl.bind_texture(target, texture);
        self.int(name, i32::from(unit))
    }
}

fn linked<'gl>(gl: Current<'gl>, source: &Source<'_>) -> Result<Object<'gl>, GlError> {
    let object = Object::new(gl, Kind::Program);
    let vertex = compile(gl, gl::VERTEX_SHADER, source.vertex, source.name)?;
    attach(gl, &object, &vertex);
    let fragment = match source.fragment {
        [] => None,
        texts => Some(compile(gl, gl::FRAGMENT_SHADER, texts, source.name)?),
    };
    if let Some(fragment) = &fragment {
        attach(gl, &object, fragment);
    }
    capture(gl, &object, source.feedback);
    // SAFETY: the context is current and the program is live.
    unsafe { gl::LinkProgram(object.id()) };
    if parameter(gl, &object, gl::LINK_STATUS) == 0 {
        return Err(GlError::Shader {
            shader: source.name,
            log: program_log(gl, &object),
        });
    }
    gl.check("glLinkProgram")?;
    Ok(object)
}

fn compile<'gl>(
    gl: Current<'gl>,
    stage: u32,
    texts: &[&str],
    name: &'static str,
) -> Result<Object<'gl>, GlError> {
    let shader = Object::new(gl, Kind::Shader(stage));
    let text = texts.concat();
    let start = text.as_ptr().cast();
    let length = i32::try_from(text.len()).expect("the crate's own shaders are short");
    // SAFETY: the context is current and the shader live; one text of the given length is read, and copied.
    unsafe { gl::ShaderSource(shader.id(), 1, &raw const start, &raw const length) };
    // SAFETY: the context is current and the shader live.
    unsafe { gl::CompileShader(shader.id()) };
    let mut compiled = 0;
    // SAFETY: as above; one number is written to one local.
    unsafe { gl::GetShaderiv(shader.id(), gl::COMPILE_STATUS, &raw mut compiled) };
    if compiled == 0 {
        let log = shader_log(gl, &shader);
        return Err(GlError::Shader { shader: name, log });
    }
    Ok(shader)
}

fn attach(_: Current<'_>, program: &Object<'_>, shader: &Object<'_>) {
    // SAFETY: the context is current, and both are live.
    unsafe { gl::AttachShader(program.id(), shader.id()) };
}

fn capture(_: Current<'_>, program: &Object<'_>, outputs: &[&CStr]) {
    let names: Vec<_> = outputs.iter().map(|name| name.as_ptr()).collect();
    let count = i32::try_from(names.len()).expect("a handful");
    let mode = gl::INTERLEAVED_ATTRIBS;
    // SAFETY: the context is current and the program live; `count` names that end with 0 are read.
    unsafe { gl::TransformFeedbackVaryings(program.id(), count, names.as_ptr(), mode) };
}

fn parameter(_: Current<'_>, program: &Object<'_>, name: u32) -> i32 {
    let mut value = 0;
    // SAFETY: the context is current and the program live; one number is written to one local.
    unsafe { gl::GetProgramiv(program.id(), name, &raw mut value) };
    value
}

/// The most bytes of a log in an error message.
const LOG_BYTES: usize = 2048;

fn program_log(_: Current<'_>, program: &Object<'_>) -> String {
    read_log(|size, written, text| {
        // SAFETY: the context is current and the program live; at most `size` bytes are written to `text`.
        unsafe { gl::GetProgramInfoLog(program.id(), size, written, text) }
    })
}

fn shader_log(_: Current<'_>, shader: &Object<'_>) -> String {
    read_log(|size, written, text| {
        // SAFETY: the context is current and the shader live; at most `size` bytes are written to `text`.
        unsafe { gl::GetShaderInfoLog(shader.id(), size, written, text) }
    })
}

fn read_log(read: impl FnOnce(i32, *mut i32, *mut std::ffi::c_char)) -> String {
    let mut text = vec![0_u8; LOG_BYTES];
    let size = i32::try_from(LOG_BYTES).expect("it is small");
    let mut written = 0;
    read(size, &raw mut written, text.as_mut_ptr().cast());
    text.truncate(usize::try_from(written).unwrap_or_default());
    String::from_utf8_lossy(&text).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gl::testing::open;

    #[test]
    fn programs_of_one_source_are_linked_once() {
        let Some(offscreen) = open() else { return };
        let link = |vertex| {
            let source = Source {
                name: "empty",
                vertex: &[vertex],
                fragment: &[],
                feedback: &[],
            };
            let program = Program::link(offscreen.current(), &source);
            program.expect("it is valid").id
        };
        let empty = "#version 330 core\nvoid main() {}";
        let other = "#version 330 core\nvoid main() { gl_Position = vec4(0.0); }";
        let first = link(empty);
        assert_eq!(link(empty), first);
        assert_ne!(link(other), first);
    }
}
