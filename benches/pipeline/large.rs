//! Whole processes on large files and on files of which little is wanted.

#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "all counts are small"
)]

use std::ffi::OsStr;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::stage::Stage;
use crate::stages::run;

/// Two million vertices, 152 MB.
const RINGS: u32 = 2000;
const SIDES: u32 = 1000;
const JOINTS: u32 = 60;

/// Models of the corpus, if there is one, with what is to be seen of each: one picture.
const PICTURES: [(&str, &str); 4] = [
    ("render of CesiumMan", "CesiumMan_glb/CesiumMan.glb"),
    ("render of Fox", "Fox/Fox.glb"),
    (
        "render of the Kenney FBX",
        "maya_kenney_character_7700_binary/maya_kenney_character_7700_binary.fbx",
    ),
    ("render of Knight, 76 clips", "Knight_KayKit/Knight.glb"),
];

pub(crate) fn all() -> Vec<Stage<'static>> {
    let corpus = std::env::var_os("SKINCHECK_CORPUS").map(PathBuf::from);
    let models = PICTURES.iter().filter_map(|(name, path)| {
        let path = corpus.as_ref()?.join(path);
        path.is_file().then(|| render(name, path))
    });
    std::iter::once(inspect()).chain(models).collect()
}

/// Nothing reads a file faster than into memory that it already has.
fn inspect() -> Stage<'static> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("large.glb");
    write_tube(&path).expect("there is room for it");
    let model = path.clone();
    let mut bytes = Vec::new();
    Stage::new(
        "inspect of 2 million vertices",
        move || run(["inspect".as_ref(), model.as_os_str()]),
        "reading its bytes (bound)",
        move || {
            bytes.clear();
            let mut file = std::fs::File::open(&path).expect("it was just written");
            io::Read::read_to_end(&mut file, &mut bytes).expect("it is a file")
        },
    )
}

fn render(name: &'static str, model: PathBuf) -> Stage<'static> {
    let picture = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-large.png");
    let version = || run([OsStr::new("--version")]);
    let render = move || {
        let options = ["--quiet", "render", "-o"].map(OsStr::new);
        run(options
            .into_iter()
            .chain([picture.as_os_str(), model.as_os_str()]));
    };
    Stage::new(name, render, "--version (bound)", version)
}

/// A tube along a chain of joints, four of which move each vertex.
fn write_tube(path: &Path) -> io::Result<()> {
    let vertices = RINGS * SIDES;
    let angle = |side: u32| (side as f32 / SIDES as f32 * std::f32::consts::TAU).sin_cos();
    let height = |ring: u32| ring as f32 / RINGS as f32 * (JOINTS - 1) as f32;
    let all = || (0..RINGS).flat_map(|ring| (0..SIDES).map(move |side| (ring, side)));
    let first = |ring: u32| (ring * (JOINTS - 1) / RINGS).min(JOINTS - 4) as u8;
    let quad = |(ring, side)| {
        let [a, b] = [ring, ring + 1].map(|ring| ring * SIDES + side);
        let [c, d] = [a, b].map(|corner| corner - side + (side + 1) % SIDES);
        [a, b, c, c, b, d].into_iter().flat_map(u32::to_le_bytes)
    };
    let lists: [(&str, u64, Box<dyn Iterator<Item = u8>>); 6] = [
        (
            "VEC3",
            12,
            Box::new(all().flat_map(|(ring, side)| {
                let (sin, cos) = angle(side);
                floats([4.0 * cos, height(ring), 4.0 * sin])
            })),
        ),
        (
            "VEC3",
            12,
            Box::new(all().flat_map(|(_, side)| {
                let (sin, cos) = angle(side);
                floats([cos, 0.0, sin])
            })),
        ),
        (
            "VEC2",
            8,
            Box::new(all().flat_map(|(ring, side)| {
                floats([side as f32 / SIDES as f32, ring as f32 / RINGS as f32])
            })),
        ),
        (
            "VEC4",
            4,
            Box::new(all().flat_map(|(ring, _)| (0..4).map(move |joint| first(ring) + joint))),
        ),
        (
            "VEC4",
            16,
            Box::new(all().flat_map(|_| floats([0.4, 0.3, 0.2, 0.1]))),
        ),
        (
            "SCALAR",
            4,
            Box::new(all().filter(|(ring, _)| ring + 1 < RINGS).flat_map(quad)),
        ),
    ];
    let corners = u64::from((RINGS - 1) * SIDES * 6);
    let mut json = format!(
        "{{\"asset\":{{\"version\":\"2.0\"}},\"nodes\":[{{\"mesh\":0,\"skin\":0}}{}],\"skins\":[{{\"joints\":[",
        ",{}".repeat(JOINTS as usize)
    );
    json += &(1..=JOINTS)
        .map(|joint| joint.to_string())
        .collect::<Vec<_>>()
        .join(",");
    json += "]}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"NORMAL\":1,\"TEXCOORD_0\":2,\"JOINTS_0\":3,\"WEIGHTS_0\":4},\"indices\":5}]}]";
    let (mut views, mut accessors, mut length) = (Vec::new(), Vec::new(), 0);
    for (index, (kind, size, _)) in lists.iter().enumerate() {
        let count = if index == 5 { corners } else { vertices.into() };
        let component = [5126, 5126, 5126, 5121, 5126, 5125][index];
        views.push(format!(
            "{{\"buffer\":0,\"byteOffset\":{length},\"byteLength\":{}}}",
            count * size
        ));
        accessors.push(format!("{{\"bufferView\":{index},\"componentType\":{component},\"count\":{count},\"type\":\"{kind}\"}}"));
        length += count * size;
    }
    let parts = format!(
        ",\"bufferViews\":[{}],\"accessors\":[{}],\"buffers\":[{{\"byteLength\":{length}}}]}}",
        views.join(","),
        accessors.join(",")
    );
    json.push_str(&parts);
    while !json.len().is_multiple_of(4) {
        json.push(' ');
    }
    let mut file = BufWriter::new(std::fs::File::create(path)?);
    let whole = 12 + 8 + json.len() as u64 + 8 + length;
    let length = length as u32;
    file.write_all(b"glTF")?;
    for word in [2, whole as u32, json.len() as u32] {
        file.write_all(&word.to_le_bytes())?;
    }
    file.write_all(b"JSON")?;
    file.write_all(json.as_bytes())?;
    file.write_all(&length.to_le_bytes())?;
    file.write_all(b"BIN\0")?;
    for (_, _, bytes) in lists {
        for byte in bytes {
            file.write_all(&[byte])?;
        }
    }
    file.flush()
}

fn floats<const N: usize>(numbers: [f32; N]) -> impl Iterator<Item = u8> {
    numbers.into_iter().flat_map(f32::to_le_bytes)
}
