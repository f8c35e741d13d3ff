//! The viewer that shows models in motion on pages: its script, its markup, and the data of models.
//!
//! A page embeds it with [`template`] and one [`data`] per model; its script, which begins with that of the viewer (`script!`), calls
//! `embed`. The page of `view` consists of nothing else and calls `mount`.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::escape::base64;
use super::shell::{self, json_element};
use crate::look::glsl;
use crate::viewer::{Packed, checker};

/// The script of a page that shows models: the viewer, and the page's own file.
///
/// The viewer is one function, so that each of a page has its own scope, in which later files use what earlier ones declare.
macro_rules! script {
    ($page:literal) => {
        $crate::report::viewer::script!(
            "data" "matrix" "gl" "model" "camera" "overlay" "painter" "proof" "legend" "tree" "player" "page"; $page
        )
    };
    ($($part:literal)+; $page:literal) => {
        concat!(
            "\"use strict\";\nfunction mount(root, name, start) {\n",
            $(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/view/", $part, ".js")),)+
            "return open();\n}\n",
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/view/embed.js")),
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/", $page)),
        )
    };
}
pub(super) use script;

/// The rules of the viewer.
pub(super) const STYLE: &str = include_str!("view/viewer.css");

/// The markup of the viewer.
///
/// * `still` – HTML of what is shown until the model is.
pub(super) fn markup(still: &str) -> String {
    include_str!("view/main.html").replace("STILL\n", still)
}

/// What a page needs once to embed viewers.
pub(super) fn template() -> String {
    format!(
        "<template id=\"viewer\">\n<style>\n{}{STYLE}</style>\n<div class=\"viewer\">\n{}</div>\n</template>\n{}",
        shell::STYLE,
        markup(""),
        shaders()
    )
}

/// The data of a model, which is inflated when it is first shown.
///
/// * `name` – by which the page's script asks for it.
pub(super) fn data(name: usize, packed: &Packed) -> String {
    let blocks: Vec<String> = packed.blocks.iter().map(|block| base64(block)).collect();
    let mut html = json_element(&format!("model-{name}"), &packed.json);
    let _ = writeln!(
        html,
        "<script type=\"application/octet-stream\" id=\"blocks-{name}\">{}</script>",
        blocks.join(" ")
    );
    html
}

/// The shaders of the viewer, and the image that it lays on texture coordinates.
pub(super) fn shaders() -> String {
    let (kind, checker) = checker();
    format!(
        "{}<script type=\"application/octet-stream\" id=\"checker\" data-type=\"{kind}\">{}</script>\n",
        json_element("shaders", &programs()),
        base64(&checker)
    )
}

/// Vertex and fragment shaders: those of the desktop where they compute the same.
fn programs() -> Value {
    const HEAD: &str = include_str!("view/shaders/head.glsl");
    const DEFORM: [&str; 3] = [
        include_str!("view/shaders/textures.glsl"),
        include_str!("../gl/shaders/deform.glsl"),
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
