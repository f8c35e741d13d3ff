//! The drawing programs.

use super::textures::STANDARD;
use crate::gl::program::{Program, Source};
use crate::gl::{Current, GlError};
use crate::look::{colors, glsl};

const VERSION: &str = include_str!("../shaders/version.glsl");
const CAMERA: &str = include_str!("../shaders/camera.glsl");
const SURFACE: &str = include_str!("../shaders/surface.glsl");
const SAMPLES: &str = include_str!("../shaders/samples.glsl");
const SHADE: &str = include_str!("../shaders/shade.glsl");
const FINISH: &str = include_str!("../shaders/finish.glsl");
/// In place of [`FINISH`] where no surface has one.
const NO_FINISH: &str =
    "vec3 finished(Spot at, vec3 color, Form form) { return lit(color, form); }\n";
const LAYERS: &str = include_str!("../shaders/layers.glsl");
const TRIANGLE: &str = include_str!("../shaders/triangle.vert");
const EVERYWHERE: &str = include_str!("../shaders/everywhere.vert");

/// The colour source, as a number for shaders.
pub(super) const SHOW_LIT: i32 = 0;
pub(super) const SHOW_TEXTURE: i32 = 1;
pub(super) const SHOW_NORMALS: i32 = 2;
pub(super) const SHOW_VALUES: i32 = 3;
pub(super) const SHOW_COLORS: i32 = 4;
pub(super) const SHOW_DEPTH: i32 = 5;
pub(super) const SHOW_WIREFRAME: i32 = 6;

/// A flag in a surface's third number, beside its texture's wrapping in u.
pub(super) const BOTH_SIDES: u32 = 4;

/// Flags in the last number of a surface's finish.
pub(super) const REFLECTS: u32 = 1;
/// See [`REFLECTS`].
pub(super) const HAS_TANGENTS: u32 = 2;

/// The programs that every image needs.
#[derive(Debug)]
pub(super) struct Programs<'gl> {
    /// The nearest opaque triangle of a sample.
    pub(super) visible: Program<'gl>,
    /// The next translucent triangle of a sample.
    pub(super) peel: Program<'gl>,
    /// Converts samples to bytes.
    pub(super) resolve: Program<'gl>,
}

/// The features that shaders are compiled for. A software rasterizer runs the whole shader for every pixel, so each
/// contains only what one colour source needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a part of the shaders"
)]
pub(super) struct Needs {
    /// One of the numbers above.
    pub(super) show: i32,
    pub(super) textures: bool,
    pub(super) finish: bool,
    pub(super) masks: bool,
    pub(super) translucent: bool,
}

/// The programs that use materials.
#[derive(Debug)]
pub(super) struct Shading<'gl> {
    /// Colours of opaque triangles and the background.
    pub(super) solid: Program<'gl>,
    /// The nearest triangle of a sample, for surfaces with holes.
    pub(super) masked: Option<Program<'gl>>,
    /// Colours of translucent triangles.
    pub(super) translucent: Option<Program<'gl>>,
}

impl<'gl> Programs<'gl> {
    pub(super) fn link(gl: Current<'gl>) -> Result<Self, GlError> {
        let (triangles, everywhere) = (&[VERSION, CAMERA, TRIANGLE], &[VERSION, EVERYWHERE]);
        let visible = [VERSION, include_str!("../shaders/visible.frag")];
        let peel = [VERSION, include_str!("../shaders/peel.frag")];
        let resolve = [VERSION, include_str!("../shaders/resolve.frag")];
        Ok(Self {
            visible: link(gl, "visible", triangles, &visible)?,
            peel: link(gl, "peel", triangles, &peel)?,
            resolve: link(gl, "resolve", everywhere, &resolve)?,
        })
    }
}

impl<'gl> Shading<'gl> {
    pub(super) fn link(gl: Current<'gl>, needs: Needs) -> Result<Self, GlError> {
        let (triangles, everywhere) = (&[VERSION, CAMERA, TRIANGLE], &[VERSION, EVERYWHERE]);
        let numbers = numbers(needs);
        let surface = [VERSION, &numbers, SAMPLES, CAMERA, SURFACE];
        let masked = include_str!("../shaders/masked.frag");
        let solid = include_str!("../shaders/solid.frag");
        let translucent = include_str!("../shaders/translucent.frag");
        let color = |name, last| {
            let finish = if needs.finish { FINISH } else { NO_FINISH };
            let texts = [&surface[..], &[glsl::LIGHT, finish, SHADE, LAYERS, last]].concat();
            link(gl, name, everywhere, &texts)
        };
        let mask = || link(gl, "masked", triangles, &[&surface[..], &[masked]].concat());
        Ok(Self {
            solid: color("solid", solid)?,
            masked: needs.masks.then(mask).transpose()?,
            translucent: needs
                .translucent
                .then(|| color("translucent", translucent))
                .transpose()?,
        })
    }
}

fn link<'gl>(
    gl: Current<'gl>,
    name: &'static str,
    vertex: &[&str],
    fragment: &[&str],
) -> Result<Program<'gl>, GlError> {
    let source = Source {
        name,
        vertex,
        fragment,
        feedback: &[],
    };
    Program::link(gl, &source)
}

/// What the look needs, and the numbers of the modes, as constants of the shading language.
fn numbers(needs: Needs) -> String {
    let mut text = glsl::constants();
    let samples = STANDARD.map(|[x, y]| format!("vec2({x:?}, {y:?})"));
    let samples = format!("vec2[4]({})", samples.join(", "));
    glsl::constant(&mut text, "vec2", "SAMPLES[4]", &samples);
    for (name, value) in [
        ("SHOW", needs.show),
        ("SHOW_LIT", SHOW_LIT),
        ("SHOW_TEXTURE", SHOW_TEXTURE),
        ("SHOW_NORMALS", SHOW_NORMALS),
        ("SHOW_VALUES", SHOW_VALUES),
        ("SHOW_DEPTH", SHOW_DEPTH),
        ("SHOW_WIREFRAME", SHOW_WIREFRAME),
    ] {
        glsl::constant(&mut text, "int", name, &value.to_string());
    }
    if needs.finish {
        for (name, value) in [
            ("DIELECTRIC", colors::DIELECTRIC),
            ("LEAST_ROUGHNESS", colors::LEAST_ROUGHNESS),
            ("HIGHLIGHT", colors::HIGHLIGHT),
        ] {
            glsl::constant(&mut text, "float", name, &format!("{value:?}"));
        }
    }
    glsl::constant(&mut text, "bool", "TEXTURES", &needs.textures.to_string());
    glsl::constant(&mut text, "uint", "BOTH_SIDES", &format!("{BOTH_SIDES}u"));
    text
}
