//! The look in the shading language of OpenGL and WebGL.

use std::fmt::Write as _;

use glam::Vec3;

use super::colors;

/// The light on a surface. It needs [`constants`] before it.
pub const LIGHT: &str = include_str!("light.glsl");

/// Morph targets and skinning of one vertex. The text before it gives the numbers of the vertex.
pub const DEFORM: &str = include_str!("deform.glsl");

/// Appends a constant.
pub fn constant(text: &mut String, kind: &str, name: &str, value: &str) {
    writeln!(text, "const {kind} {name} = {value};").expect("a string takes any text");
}

/// The numbers of the look, the same text in every run.
pub fn constants() -> String {
    let mut text = String::new();
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
        constant(&mut text, "vec3", name, &vector(value));
    }
    for (name, value) in [
        ("GLOSS", colors::GLOSS),
        ("KEY_WRAP", colors::KEY_WRAP),
        ("FILL_WRAP", colors::FILL_WRAP),
        ("SHOULDER", colors::SHOULDER),
    ] {
        constant(&mut text, "float", name, &format!("{value:?}"));
    }
    let [near, far] = colors::DEPTH;
    constant(
        &mut text,
        "vec2",
        "DEPTH",
        &format!("vec2({near:?}, {far:?})"),
    );
    let heat = colors::HEAT.map(vector).join(", ");
    constant(&mut text, "vec3", "HEAT[5]", &format!("vec3[5]({heat})"));
    text
}

fn vector(value: Vec3) -> String {
    let Vec3 { x, y, z } = value;
    format!("vec3({x:?}, {y:?}, {z:?})")
}
