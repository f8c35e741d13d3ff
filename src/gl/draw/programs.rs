//! The drawing programs.

use std::fmt::Write as _;

use glam::Vec3;

use super::textures::STANDARD;
use crate::gl::program::{Program, Source};
use crate::gl::{Current, GlError};
use crate::look::colors;

const VERSION: &str = include_str!("../shaders/version.glsl");
const CAMERA: &str = include_str!("../shaders/camera.glsl");
const SURFACE: &str = include_str!("../shaders/surface.glsl");
const SAMPLES: &str = include_str!("../shaders/samples.glsl");
const SHADE: &str = include_str!("../shaders/shade.glsl");
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
pub(super) struct Needs {
    /// One of the numbers above.
    pub(super) show: i32,
    pub(super) textures: bool,
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
            let texts = [&surface[..], &[SHADE, LAYERS, last]].concat();
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

/// The numbers of the look as constants of the shading language, the same text in every run.
fn numbers(needs: Needs) -> String {
    let mut text = String::new();
    let mut add = |kind: &str, name: &str, value: String| {
        writeln!(text, "const {kind} {name} = {value};").expect("a string takes any text");
    };
    for (name, value) in [
        ("KEY_COLOR", colors::KEY.1),
        ("FILL_COLOR", colors::FILL.1),
        ("SKY", colors::SKY),
        ("GROUND", colors::GROUND),
        ("RIM", colors::RIM),
        ("FORM", colors::FORM),
        ("WIRE", colors::WIRE),
        ("BETWEEN_WIRES", colors::BETWEEN_WIRES),
        ("UNWEIGHTED", colors::UNWEIGHTED),
    ] {
        add("vec3", name, vector(value));
    }
    for (name, value) in [
        ("GLOSS", colors::GLOSS),
        ("KEY_WRAP", colors::KEY_WRAP),
        ("FILL_WRAP", colors::FILL_WRAP),
        ("SHOULDER", colors::SHOULDER),
    ] {
        add("float", name, format!("{value:?}"));
    }
    let [near, far] = colors::DEPTH;
    add("vec2", "DEPTH", format!("vec2({near:?}, {far:?})"));
    add(
        "vec3",
        "HEAT[5]",
        format!("vec3[5]({})", list(&colors::HEAT.map(vector))),
    );
    let samples = STANDARD.map(|[x, y]| format!("vec2({x:?}, {y:?})"));
    add("vec2", "SAMPLES[4]", format!("vec2[4]({})", list(&samples)));
    for (name, value) in [
        ("SHOW", needs.show),
        ("SHOW_LIT", SHOW_LIT),
        ("SHOW_TEXTURE", SHOW_TEXTURE),
        ("SHOW_NORMALS", SHOW_NORMALS),
        ("SHOW_VALUES", SHOW_VALUES),
        ("SHOW_DEPTH", SHOW_DEPTH),
        ("SHOW_WIREFRAME", SHOW_WIREFRAME),
    ] {
        add("int", name, value.to_string());
    }
    add("bool", "TEXTURES", needs.textures.to_string());
    add("uint", "BOTH_SIDES", format!("{BOTH_SIDES}u"));
    text
}

fn vector(value: Vec3) -> String {
    let Vec3 { x, y, z } = value;
    format!("vec3({x:?}, {y:?}, {z:?})")
}

fn list(values: &[String]) -> String {
    values.join(", ")
}
