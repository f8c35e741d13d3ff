//! The script of the pages, and the viewer that shows models in motion on them: its style and shaders. Its markup is
//! `view/viewer.html`.
//!
//! A page embeds the viewer with the macro `embedded` and one `data` per model; its part of the script calls `embed`. The page of
//! `view` consists of nothing else and calls `mount`.

use askama::filters::Safe;
use serde_json::{Value, json};

use crate::look::glsl;

/// Joins files of this folder.
///
/// The viewer is one function, so that each of a page has its own scope, in which later files use what earlier ones declare.
macro_rules! script {
    ($($part:literal)+; $($page:literal)+) => {
        concat!(
            "\"use strict\";\nfunction mount(root, name, start) {\n",
            $(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/view/", $part, ".js")),)+
            "return open();\n}\n",
            $(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/", $page)),)+
        )
    };
}

/// The script of all pages: the viewer, and the part of each page, which does nothing on others.
pub(super) const SCRIPT: Safe<&str> = Safe(script!(
    "data" "matrix" "gl" "model" "camera" "overlay" "painter" "proof" "legend" "tree" "morphs" "player" "page";
    "view/embed.js" "view/main.js" "check/html/page.js" "diff/html/page.js" "golden/html/page.js"
));

/// The hash of the script, in base64.
pub(super) const SCRIPT_SHA256: &str = "X8YCa1ok5pdo/56JwTeE8M46NW7rOr7VNg8+uP/vcv8=";

/// The rules of the viewer.
pub(super) const STYLE: Safe<&str> = Safe(include_str!("view/viewer.css"));

/// Vertex and fragment shaders: those of the desktop where they compute the same.
pub(super) fn programs() -> Value {
    const HEAD: &str = include_str!("view/shaders/head.glsl");
    const DEFORM: [&str; 3] = [
        include_str!("view/shaders/textures.glsl"),
        glsl::DEFORM,
        include_str!("view/shaders/deform.vert"),
    ];
    let numbers = numbers();
    let text = |parts: &[&str]| format!("{HEAD}{}", parts.concat());
    let surface = text(&[&numbers, include_str!("view/shaders/surface.vert")]);
    json!({
        "deform": [text(&DEFORM), text(&["void main() {}\n"])],
        "pick": [surface, text(&[include_str!("view/shaders/pick.frag")])],
        "surface": [surface, text(&[
            &numbers,
            include_str!("view/shaders/decode.glsl"),
            glsl::LIGHT,
            include_str!("view/shaders/surface.frag"),
        ])],
        "plain": [
            text(&[include_str!("view/shaders/plain.vert")]),
            text(&[include_str!("view/shaders/plain.frag")]),
        ],
        "bone": [
            text(&[include_str!("view/shaders/bone.vert")]),
            text(&[include_str!("view/shaders/bone.frag")]),
        ],
    })
}

/// The constants of the look, and the numbers that the page's script gives the sources of colours.
fn numbers() -> String {
    let mut text = glsl::constants();
    let shows = [
        "SHOW_LIT",
        "SHOW_TEXTURE",
        "SHOW_NORMALS",
        "SHOW_VALUES",
        "SHOW_COLORS",
    ];
    let colors = [
        "COLORS_OF_MATERIAL",
        "COLORS_OF_JOINT",
        "COLORS_PAINTED",
        "COLORS_OF_NUMBERS",
    ];
    for (number, name) in shows.iter().enumerate().chain(colors.iter().enumerate()) {
        glsl::constant(&mut text, "int", name, &number.to_string());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constant_that_the_shaders_name_is_given() {
        let programs = programs();
        for name in ["SHOW_LIT", "SHOW_VALUES", "KEY_COLOR", "HEAT[5]"] {
            let text = programs["surface"][1].as_str().expect("it is a text");
            assert!(text.contains(&format!(" {name} = ")), "{name}");
        }
    }
}
