//! The peer of drawing: a blob drawn by plain OpenGL, as any program would. One pass, four samples per pixel, a texture
//! with mipmaps, the light of the CPU path, sRGB colours, read back.

#![expect(
    unsafe_code,
    reason = "OpenGL is a C interface; a context is current as long as the peer lives"
)]

use std::ffi::CStr;
use std::fmt::Write;
use std::ptr;

use glam::{Mat3, Vec3};
use skincheck::gl::{GlChoice, GlError, Offscreen};
use skincheck::look::colors::{FILL, FILL_WRAP, GLOSS, GROUND, KEY, KEY_WRAP, RIM, SHOULDER, SKY};

use crate::blob::{Blob, TEXTURE};

const SIDE: i32 = 1024;

const VERTEX: &str = "
layout(location = 0) in vec3 a_position;
layout(location = 1) in vec3 a_normal;
layout(location = 2) in vec2 a_uv;
uniform mat4 u_clip_from_world;
out vec3 v_position;
out vec3 v_normal;
out vec2 v_uv;
void main() {
    v_position = a_position;
    v_normal = a_normal;
    v_uv = a_uv;
    gl_Position = u_clip_from_world * vec4(a_position, 1.0);
}
";

/// See `look::colors`.
const FRAGMENT: &str = "
uniform sampler2D u_texture;
uniform mat3 u_axes;
uniform vec3 u_eye;
in vec3 v_position;
in vec3 v_normal;
in vec2 v_uv;
out vec4 o_color;
float wrapped(float cosine, float wrap) { return max((cosine + wrap) / (1.0 + wrap), 0.0); }
vec3 shoulder(vec3 light) {
    vec3 over = (light - SHOULDER) / (1.0 - SHOULDER);
    return mix(light, SHOULDER + (1.0 - SHOULDER) * over / (1.0 + over), greaterThan(light, vec3(SHOULDER)));
}
void main() {
    vec3 albedo = texture(u_texture, v_uv).rgb;
    vec3 n = normalize(v_normal), v = normalize(u_eye - v_position);
    vec3 key = u_axes * normalize(KEY), fill = u_axes * normalize(FILL);
    float sky = dot(n, u_axes[1]) * 0.5 + 0.5;
    vec3 diffuse = KEY_COLOR * wrapped(dot(n, key), KEY_WRAP) + FILL_COLOR * wrapped(dot(n, fill), FILL_WRAP)
        + mix(GROUND, SKY, sky);
    float shine = max(dot(2.0 * dot(n, key) * n - key, v), 0.0);
    shine *= shine; shine *= shine; shine *= shine;
    float grazing = 1.0 - clamp(dot(n, v), 0.0, 1.0);
    vec3 rim = RIM * (grazing * grazing * grazing * mix(0.4, 1.0, sky));
    o_color = vec4(shoulder(albedo * diffuse + rim * (0.7 * albedo + 0.3) + GLOSS * shine), 1.0);
}
";

/// A blob in OpenGL's memory.
pub(crate) struct Peer {
    offscreen: Offscreen,
    indices: i32,
    /// Framebuffers with four samples per pixel, and with one.
    frames: [u32; 2],
    pixels: Vec<u8>,
}

impl Peer {
    /// Opens a context, compiles, and uploads `blob`.
    pub(crate) fn new(blob: &Blob) -> Result<Self, GlError> {
        let offscreen = Offscreen::open(GlChoice::Auto)?;
        upload_mesh(blob);
        upload_texture(blob);
        use_program(blob);
        let frames = [frame(4), frame(0)];
        let indices = i32::try_from(3 * blob.mesh().triangles.len()).expect("blobs are small");
        Ok(Self {
            offscreen,
            indices,
            frames,
            pixels: vec![0; (4 * SIDE * SIDE) as usize],
        })
    }

    pub(crate) fn renderer(&self) -> &str {
        &self.offscreen.info().renderer
    }

    /// Draws a frame and reads its colours.
    pub(crate) fn draw(&mut self) -> u8 {
        let [many, one] = self.frames;
        // SAFETY: the context is current, its objects live, and `pixels` has room for the frame.
        unsafe {
            gl::BindFramebuffer(gl::FRAMEBUFFER, many);
            gl::ClearColor(0.01, 0.01, 0.02, 1.0);
            gl::Clear(gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT);
            let count = self.indices;
            gl::DrawElements(gl::TRIANGLES, count, gl::UNSIGNED_INT, ptr::null());
            gl::BindFramebuffer(gl::DRAW_FRAMEBUFFER, one);
            let (side, colors) = (SIDE, gl::COLOR_BUFFER_BIT);
            gl::BlitFramebuffer(0, 0, side, side, 0, 0, side, side, colors, gl::NEAREST);
            gl::BindFramebuffer(gl::READ_FRAMEBUFFER, one);
            let at = self.pixels.as_mut_ptr().cast();
            gl::ReadPixels(0, 0, side, side, gl::RGBA, gl::UNSIGNED_BYTE, at);
            assert_eq!(gl::GetError(), gl::NO_ERROR);
        }
        self.pixels[self.pixels.len() / 2]
    }
}

fn upload_mesh(blob: &Blob) {
    let mesh = blob.mesh();
    let vertices = mesh.positions.iter().zip(&mesh.normals);
    let vertices: Vec<[f32; 8]> = vertices
        .zip(&mesh.uv_sets[0])
        .map(|((p, n), t)| [p.x, p.y, p.z, n.x, n.y, n.z, t.x, t.y])
        .collect();
    let (mut array, mut buffers) = (0, [0; 2]);
    let bytes = |size: usize| isize::try_from(size).expect("blobs are small");
    // SAFETY: a context is current, and the sizes are those of the copied lists.
    unsafe {
        gl::GenVertexArrays(1, &raw mut array);
        gl::BindVertexArray(array);
        gl::GenBuffers(2, buffers.as_mut_ptr());
        gl::BindBuffer(gl::ARRAY_BUFFER, buffers[0]);
        let (at, size) = (vertices.as_ptr().cast(), size_of_val(&vertices[..]));
        gl::BufferData(gl::ARRAY_BUFFER, bytes(size), at, gl::STATIC_DRAW);
        gl::BindBuffer(gl::ELEMENT_ARRAY_BUFFER, buffers[1]);
        let (at, size) = (
            mesh.triangles.as_ptr().cast(),
            size_of_val(&mesh.triangles[..]),
        );
        gl::BufferData(gl::ELEMENT_ARRAY_BUFFER, bytes(size), at, gl::STATIC_DRAW);
        for (index, (count, start)) in [(3, 0_usize), (3, 12), (2, 24)].into_iter().enumerate() {
            let index = u32::try_from(index).unwrap_or_default();
            let start = ptr::without_provenance(start);
            gl::VertexAttribPointer(index, count, gl::FLOAT, gl::FALSE, 32, start);
            gl::EnableVertexAttribArray(index);
        }
    }
}

fn upload_texture(blob: &Blob) {
    let mut texture = 0;
    let side = TEXTURE.cast_signed();
    // SAFETY: a context is current, and the bitmap has the stated number of texels.
    unsafe {
        gl::GenTextures(1, &raw mut texture);
        gl::BindTexture(gl::TEXTURE_2D, texture);
        let (format, kind) = (gl::RGBA, gl::UNSIGNED_BYTE);
        let inner = gl::SRGB8_ALPHA8.cast_signed();
        let at = blob.bitmap().rgba.as_ptr().cast();
        gl::TexImage2D(gl::TEXTURE_2D, 0, inner, side, side, 0, format, kind, at);
        gl::GenerateMipmap(gl::TEXTURE_2D);
        let filter = gl::LINEAR_MIPMAP_LINEAR.cast_signed();
        gl::TexParameteri(gl::TEXTURE_2D, gl::TEXTURE_MIN_FILTER, filter);
    }
}

fn use_program(blob: &Blob) {
    let view = blob.camera.view_from_world;
    let clip = (blob.camera.clip_from_view * view).to_cols_array();
    let axes = Mat3::from_mat4(view).transpose().to_cols_array();
    let eye = view.inverse().w_axis.truncate().to_array();
    // SAFETY: a context is current, names end in 0, and arrays are as long as their uniforms.
    unsafe {
        let program = gl::CreateProgram();
        gl::AttachShader(program, shader(gl::VERTEX_SHADER, VERTEX));
        gl::AttachShader(program, shader(gl::FRAGMENT_SHADER, FRAGMENT));
        gl::LinkProgram(program);
        let mut linked = 0;
        gl::GetProgramiv(program, gl::LINK_STATUS, &raw mut linked);
        assert_eq!(linked, 1, "the shaders fit together");
        gl::UseProgram(program);
        let at = |name: &CStr| gl::GetUniformLocation(program, name.as_ptr());
        gl::UniformMatrix4fv(at(c"u_clip_from_world"), 1, gl::FALSE, clip.as_ptr());
        gl::UniformMatrix3fv(at(c"u_axes"), 1, gl::FALSE, axes.as_ptr());
        gl::Uniform3fv(at(c"u_eye"), 1, eye.as_ptr());
        gl::Enable(gl::DEPTH_TEST);
        gl::Enable(gl::CULL_FACE);
        gl::Enable(gl::FRAMEBUFFER_SRGB);
        gl::Viewport(0, 0, SIDE, SIDE);
    }
}

fn shader(kind: u32, text: &str) -> u32 {
    let mut source = "#version 330 core\n".to_owned();
    let vectors = [
        ("KEY", KEY.0),
        ("KEY_COLOR", KEY.1),
        ("FILL", FILL.0),
        ("FILL_COLOR", FILL.1),
        ("SKY", SKY),
        ("GROUND", GROUND),
        ("RIM", RIM),
    ];
    for (name, Vec3 { x, y, z }) in vectors {
        writeln!(source, "const vec3 {name} = vec3({x:?}, {y:?}, {z:?});").expect("it is a string");
    }
    let numbers = [
        ("GLOSS", GLOSS),
        ("KEY_WRAP", KEY_WRAP),
        ("FILL_WRAP", FILL_WRAP),
        ("SHOULDER", SHOULDER),
    ];
    for (name, number) in numbers {
        writeln!(source, "const float {name} = {number:?};").expect("it is a string");
    }
    source.push_str(text);
    let length = i32::try_from(source.len()).expect("it is short");
    // SAFETY: a context is current, and the text has the stated length.
    unsafe {
        let shader = gl::CreateShader(kind);
        gl::ShaderSource(shader, 1, &source.as_ptr().cast(), &raw const length);
        gl::CompileShader(shader);
        let mut compiled = 0;
        gl::GetShaderiv(shader, gl::COMPILE_STATUS, &raw mut compiled);
        assert_eq!(compiled, 1, "{source}");
        shader
    }
}

/// A framebuffer for colours and depth.
fn frame(samples: i32) -> u32 {
    let (mut frame, mut buffers) = (0, [0; 2]);
    let kinds = [
        (gl::SRGB8_ALPHA8, gl::COLOR_ATTACHMENT0),
        (gl::DEPTH_COMPONENT24, gl::DEPTH_ATTACHMENT),
    ];
    // SAFETY: a context is current, and both arrays have two elements.
    unsafe {
        gl::GenFramebuffers(1, &raw mut frame);
        gl::BindFramebuffer(gl::FRAMEBUFFER, frame);
        gl::GenRenderbuffers(2, buffers.as_mut_ptr());
        for (buffer, (format, position)) in buffers.into_iter().zip(kinds) {
            gl::BindRenderbuffer(gl::RENDERBUFFER, buffer);
            gl::RenderbufferStorageMultisample(gl::RENDERBUFFER, samples, format, SIDE, SIDE);
            gl::FramebufferRenderbuffer(gl::FRAMEBUFFER, position, gl::RENDERBUFFER, buffer);
        }
        let status = gl::CheckFramebufferStatus(gl::FRAMEBUFFER);
        assert_eq!(status, gl::FRAMEBUFFER_COMPLETE);
    }
    frame
}
