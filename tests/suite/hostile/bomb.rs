//! Small files that would need more memory than any machine has: one mesh, used by many nodes.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use skincheck::backend::{BACKENDS, BackendError, Driver, Scene};
use skincheck::import;
use skincheck::pose;
use skincheck::rig::Asset;
use skincheck::rig::SkinningOptions;
use skincheck::skinning::SkinningError;
use skincheck::view::{Framing, Projection, Style, ViewDirection, Viewport};

use crate::folder::Folder;

/// The number of instances of the mesh.
const NODES: usize = 2000;

/// Longer than a refusal takes on a busy machine, shorter than drawing would.
const SOON: Duration = Duration::from_secs(30);

/// A glTF file, and its buffer, with a square grid.
struct Bomb {
    /// Vertices along an edge.
    side: u16,
    /// The number of times each triangle is listed.
    repeats: usize,
}

/// Few enough vertices to be skinned: 2 million.
const OF_TRIANGLES: Bomb = Bomb {
    side: 32,
    repeats: 20,
};

/// 33 million vertices.
const OF_VERTICES: Bomb = Bomb {
    side: 128,
    repeats: 1,
};

impl Bomb {
    fn vertices(&self) -> usize {
        usize::from(self.side).pow(2)
    }

    fn triangles(&self) -> usize {
        2 * usize::from(self.side - 1).pow(2) * self.repeats
    }

    fn positions(&self) -> Vec<u8> {
        let side = self.side;
        let positions =
            (0..side).flat_map(|y| (0..side).map(move |x| [f32::from(x), f32::from(y), 0.0]));
        positions.flatten().flat_map(f32::to_le_bytes).collect()
    }

    fn indices(&self) -> Vec<u8> {
        let side = self.side;
        let corners = (0..side - 1).flat_map(|y| (0..side - 1).map(move |x| y * side + x));
        let squares =
            corners.flat_map(|at| [at, at + 1, at + side, at + 1, at + side + 1, at + side]);
        let once: Vec<u8> = squares.flat_map(u16::to_le_bytes).collect();
        once.repeat(self.repeats)
    }

    /// Writes the files into `folder`.
    fn plant(&self, folder: &Folder) -> PathBuf {
        let (positions, indices) = (self.positions(), self.indices());
        let text = serde_json::json!({
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": (0..NODES).collect::<Vec<_>>()}],
            "nodes": vec![serde_json::json!({"mesh": 0}); NODES],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
            "accessors": [
                {
                    "bufferView": 0, "componentType": 5126, "count": self.vertices(), "type": "VEC3",
                    "min": [0, 0, 0], "max": [self.side - 1, self.side - 1, 0],
                },
                {"bufferView": 1, "componentType": 5123, "count": 3 * self.triangles(), "type": "SCALAR"},
            ],
            "bufferViews": [
                {"buffer": 0, "byteLength": positions.len()},
                {"buffer": 0, "byteOffset": positions.len(), "byteLength": indices.len()},
            ],
            "buffers": [{"uri": "bomb.bin", "byteLength": positions.len() + indices.len()}],
        });
        let path = folder.path("bomb.gltf");
        fs::write(&path, text.to_string()).expect("the folder is writable");
        let buffer = [positions, indices].concat();
        folder.write("bomb.bin", buffer);
        path
    }

    fn load(&self) -> Asset {
        let folder = Folder::new();
        let path = self.plant(&folder);
        import::load(&path, &super::options()).expect("it is well-formed")
    }
}

#[test]
fn a_mesh_of_many_triangles_with_many_instances_is_refused_before_it_is_drawn() {
    let started = Instant::now();
    let error = render(&OF_TRIANGLES.load()).expect_err("no machine draws that");
    let BackendError::TooManyTriangles { triangles, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(triangles, NODES * OF_TRIANGLES.triangles());
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
}

#[test]
fn a_mesh_of_many_vertices_with_many_instances_is_refused_before_it_is_skinned() {
    let started = Instant::now();
    let asset = OF_VERTICES.load();
    let mut device = BACKENDS[0]
        .open(Driver::default())
        .expect("the CPU is there");
    let mut model = device.load(&asset).expect("it is small");
    let skinned = model.deform(&pose::bind(&asset), &SkinningOptions::default());
    let error = skinned.map(drop).expect_err("no machine skins that");
    let BackendError::Skinning(SkinningError::TooManyVertices { vertices, .. }) = error else {
        panic!("{error}");
    };
    assert_eq!(vertices, NODES * OF_VERTICES.vertices());
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
}

fn render(asset: &Asset) -> Result<(), BackendError> {
    let viewport = Viewport {
        width: 16,
        height: 16,
    };
    let direction = ViewDirection::default();
    let framing = Framing::new(&asset.space, direction, Projection::default(), viewport);
    let scene = Scene {
        pose: &pose::bind(asset),
        skinning: SkinningOptions::default(),
        camera: framing.camera(),
        viewport,
        style: Style::default(),
    };
    let mut device = BACKENDS[0].open(Driver::default())?;
    device.load(asset)?.render(&scene).map(drop)
}

/// Runs the program with 2 GiB of address space and two threads, because threads reserve address space, too.
#[cfg(target_os = "linux")]
#[test]
fn the_program_refuses_both_by_name_with_little_memory() {
    for (bomb, what) in [
        (OF_TRIANGLES, "triangles in total"),
        (OF_VERTICES, "vertices"),
    ] {
        let folder = Folder::new();
        bomb.plant(&folder);
        let script = r#"ulimit -v 2097152; exec "$0" render bomb.gltf --size 16x16 -o out.png"#;
        let output = std::process::Command::new("sh")
            .args(["-c", script])
            .arg(crate::program::path())
            .env("RAYON_NUM_THREADS", "2")
            .current_dir(folder.root())
            .output()
            .expect("sh starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(
            stderr.contains("bomb.gltf: ") && stderr.contains(what),
            "{stderr}"
        );
        assert!(!folder.path("out.png").exists());
    }
}
