//! The page of `view`: a model in motion.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::escape::{base64, xml};
use super::shell::{Script, Shell};
use crate::look::glsl;
use crate::rig::Asset;
use crate::shown::printable;
use crate::units::amount;
use crate::viewer::Packed;

const STYLE: &str = include_str!("view/page.css");

/// One scope: later files use what earlier ones declare.
pub(super) const SCRIPT: Script = Script {
    text: concat!(
        include_str!("view/data.js"),
        include_str!("view/matrix.js"),
        include_str!("view/gl.js"),
        include_str!("view/model.js"),
        include_str!("view/camera.js"),
        include_str!("view/overlay.js"),
        include_str!("view/painter.js"),
        include_str!("view/proof.js"),
        include_str!("view/legend.js"),
        include_str!("view/tree.js"),
        include_str!("view/player.js"),
        include_str!("view/page.js"),
    ),
    sha256: "Kv+hB4pro7lTF2yFKyKEQ0P9yz32QjC5XMX4br72e24=",
};

const MAIN: &str = include_str!("view/main.html");

/// How the content of our pages begins.
const SIGNATURE: &str = "<main>\n<div class=\"stage\">\n<div class=\"picture\" id=\"picture\">";

/// A page that shows a model.
#[derive(Debug)]
pub(crate) struct Page {
    title: String,
    header: String,
    packed: Packed,
    still: String,
}

impl Page {
    /// * `name` – of the model's file.
    /// * `still` – a PNG file, for browsers that cannot draw the model.
    pub(crate) fn new(name: &str, asset: &Asset, mut packed: Packed, still: &[u8]) -> Self {
        packed.json["name"] = json!(name);
        packed.json["version"] = json!(env!("CARGO_PKG_VERSION"));
        packed.json["shaders"] = shaders();
        let name = xml(&printable(name));
        Self {
            header: format!(
                "<h1>{name}</h1>\n<p class=\"faint\">{}</p>\n",
                summary(asset)
            ),
            title: name,
            packed,
            still: base64(still),
        }
    }

    /// What was thinned, in words.
    pub(crate) fn notes(&self) -> &[String] {
        &self.packed.notes
    }

    pub(crate) fn to_html(&self) -> String {
        let mut main = MAIN.replace("STILL", &self.still);
        for (index, block) in self.packed.blocks.iter().enumerate() {
            let _ = writeln!(
                main,
                "<script type=\"application/octet-stream\" id=\"block-{index}\">{}</script>",
                base64(block)
            );
        }
        Shell {
            title: &self.title,
            style: STYLE,
            header: &self.header,
            main: &main,
            data: Some(("model", self.packed.json.clone())),
            script: Some(SCRIPT),
        }
        .page()
    }

    /// Whether a file holds a page of this kind.
    pub(crate) fn is_ours(bytes: &[u8]) -> bool {
        let head = &bytes[..bytes.len().min(1 << 16)];
        let found = head
            .windows(SIGNATURE.len())
            .any(|part| part == SIGNATURE.as_bytes());
        bytes.starts_with(b"<!DOCTYPE html>") && found
    }
}

fn summary(asset: &Asset) -> String {
    let instances = asset
        .instances
        .iter()
        .map(|instance| asset.mesh_of(instance));
    let (vertices, triangles) = instances.fold((0, 0), |(vertices, triangles), mesh| {
        (
            vertices + mesh.positions.len(),
            triangles + mesh.triangles.len(),
        )
    });
    let joints = asset.bound_joints().iter().filter(|bound| **bound).count();
    [
        amount(vertices, "vertex"),
        amount(triangles, "triangle"),
        amount(joints, "joint"),
        amount(asset.clips.len(), "clip"),
    ]
    .join(", ")
}

/// The shaders of the page: those of the desktop where they compute the same.
fn shaders() -> Value {
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
mod tests;
