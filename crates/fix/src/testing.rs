//! A small model in every kind of storage, for tests: a flat arm of two joints or more, bent by a clip.

mod packed;

use std::path::PathBuf;

use data_encoding::BASE64;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::rig::Asset;
use crate::{FixError, Fixed, Options, fix};

/// How weights are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Storage {
    Float,
    Unorm8,
    Unorm16,
}

pub(crate) const STORAGES: [Storage; 3] = [Storage::Float, Storage::Unorm8, Storage::Unorm16];

/// Where the numbers of vertices are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Each attribute in a view of its own.
    Apart,
    /// Joints and weights in one view, vertex by vertex.
    Interleaved,
    /// The weights of the last vertex replace those of a sparse accessor.
    Sparse,
    /// Compressed by meshopt, with a buffer for what is not stored.
    Meshopt,
    /// Compressed by Draco.
    Draco,
}

pub(crate) const LAYOUTS: [Layout; 5] = [
    Layout::Apart,
    Layout::Interleaved,
    Layout::Sparse,
    Layout::Meshopt,
    Layout::Draco,
];

impl Layout {
    /// Whether numbers can be changed where they are.
    pub(crate) fn is_plain(self) -> bool {
        matches!(self, Self::Apart | Self::Interleaved)
    }
}

/// A model, before it is stored.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    pub(crate) storage: Storage,
    pub(crate) layout: Layout,
    /// Whether the file is a GLB.
    pub(crate) is_binary: bool,
    /// Vertices across and along the arm, which is 0.5 × 3.5.
    pub(crate) grid: [u8; 2],
    pub(crate) bones: u8,
    /// Whether every second influence is in another set.
    pub(crate) has_two_sets: bool,
    pub(crate) joints: Vec<[u8; 4]>,
    /// Fractions of 1.
    pub(crate) weights: Vec<[f32; 4]>,
    pub(crate) normals: Vec<[f32; 3]>,
    pub(crate) times: Vec<f32>,
    pub(crate) rotations: Vec<[f32; 4]>,
}

impl Model {
    /// A model without a fault.
    pub(crate) fn sound(storage: Storage, layout: Layout) -> Self {
        let (joints, weights) = (0..16)
            .map(|vertex| follows(f32::from(vertex >= 8)))
            .unzip();
        Self {
            storage,
            layout,
            is_binary: true,
            grid: [2, 8],
            bones: 2,
            has_two_sets: false,
            joints,
            weights,
            normals: vec![[0.0, 0.0, 1.0]; 16],
            times: vec![0.0, 0.5, 1.0, 1.5],
            rotations: [0.0_f32, 0.3, 0.6, 0.2]
                .map(|half| [0.0, 0.0, half, (1.0 - half * half).sqrt()])
                .to_vec(),
        }
    }

    /// A model of many vertices without a fault, which bends softly.
    pub(crate) fn soft(storage: Storage) -> Self {
        let grid = [8, 24];
        let vertices = 0..grid[0] * grid[1];
        // Multiples of 1/255, which every storage holds.
        let elbow = |vertex: u8| {
            f32::from(
                (u16::from(vertex / grid[0]) * 15)
                    .saturating_sub(60)
                    .min(255),
            ) / 255.0
        };
        let (joints, weights) = vertices
            .clone()
            .map(|vertex| follows(elbow(vertex)))
            .unzip();
        Self {
            grid,
            normals: vec![[0.0, 0.0, 1.0]; vertices.len()],
            joints,
            weights,
            ..Self::sound(storage, Layout::Apart)
        }
    }

    /// The file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.edited(|_| ())
    }

    /// The file, after a change of its document.
    pub(crate) fn edited(&self, edit: impl FnOnce(&mut Value)) -> Vec<u8> {
        let mut writer = Writer::default();
        let [columns, rows] = self.grid.map(u16::from);
        let steps = self.grid.map(|count| f32::from(count - 1));
        let positions = (0..columns * rows).map(|vertex| {
            let [x, y] = [vertex % columns, vertex / columns].map(f32::from);
            [x * (0.5 / steps[0]), y * (3.5 / steps[1]) - 2.0, 0.0]
        });
        let positions: Vec<[f32; 3]> = positions.collect();
        let position = writer.add(&floats(positions.as_flattened()), None, (5126, "VEC3"));
        writer.accessors[position]["min"] = json!(positions.first());
        writer.accessors[position]["max"] = json!(positions.last());
        let normals: Vec<u8> = self
            .normals
            .iter()
            .flat_map(|normal| floats(normal))
            .collect();
        let normal = writer.add(&normals, None, (5126, "VEC3"));
        let mut attributes = json!({"POSITION": position, "NORMAL": normal});
        for (set, influences) in self.sets().iter().enumerate() {
            let [joints, weights] = self.add_weights(influences, &mut writer);
            attributes[format!("JOINTS_{set}")] = json!(joints);
            attributes[format!("WEIGHTS_{set}")] = json!(weights);
        }
        let squares = (0..columns * (rows - 1)).filter(|a| (a + 1) % columns != 0);
        let corners = squares.flat_map(|a| {
            let b = a + columns;
            [a, a + 1, b + 1, a, b + 1, b]
        });
        let corners: Vec<u8> = corners.flat_map(u16::to_le_bytes).collect();
        let indices = writer.add(&corners, None, (5123, "SCALAR"));
        let step = 4.0 / f32::from(self.bones);
        let bones = 0..self.bones;
        let binds: Vec<f32> = bones
            .clone()
            .flat_map(|bone| bind(2.0 - step * f32::from(bone)))
            .collect();
        let binds = writer.add(&floats(&binds), None, (5126, "MAT4"));
        let input = writer.add(&floats(&self.times), None, (5126, "SCALAR"));
        let ends = [f32::min, f32::max].map(|end| self.times.iter().copied().reduce(end));
        writer.accessors[input]["min"] = json!([ends[0]]);
        writer.accessors[input]["max"] = json!([ends[1]]);
        let output = writer.add(&floats(self.rotations.as_flattened()), None, (5126, "VEC4"));
        let mut nodes: Vec<Value> = bones.clone().map(|bone| {
            let y = if bone == 0 { -2.0 } else { step };
            json!({"name": format!("bone {bone}"), "translation": [0.0, y, 0.0], "children": [bone + 1]})
        }).collect();
        nodes[usize::from(self.bones) - 1]
            .as_object_mut()
            .expect("it is one")
            .remove("children");
        nodes.push(json!({"name": "arm", "mesh": 0, "skin": 0}));
        let mut document = json!({
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": [0, self.bones]}],
            "nodes": nodes,
            "meshes": [{"name": "arm", "primitives": [{"attributes": attributes, "indices": indices}]}],
            "skins": [{"joints": bones.collect::<Vec<u8>>(), "inverseBindMatrices": binds}],
            "animations": [{"name": "Bend", "samplers": [{"input": input, "output": output}],
                "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}]}],
            "accessors": writer.accessors,
            "bufferViews": writer.views,
            "extras": {"number": 1.50},
        });
        document["buffers"] = json!([{}]);
        edit(&mut document);
        match self.layout {
            Layout::Meshopt => packed::by_meshopt(&mut document, &mut writer.bytes),
            Layout::Draco => packed::by_draco(&mut document, &mut writer.bytes),
            _ => (),
        }
        document["buffers"][0]["byteLength"] = json!(writer.bytes.len());
        if !self.is_binary {
            let text = BASE64.encode(&writer.bytes);
            let uri = format!("data:application/octet-stream;base64,{text}");
            document["buffers"][0]["uri"] = json!(uri);
        }
        if self.is_binary {
            glb(&document.to_string(), &writer.bytes)
        } else {
            format!("{document:#}\n").into_bytes()
        }
    }

    /// The influences of each set, vertex by vertex.
    fn sets(&self) -> Vec<Vec<Influences>> {
        let pairs = self
            .joints
            .iter()
            .copied()
            .zip(self.weights.iter().copied());
        if !self.has_two_sets {
            return vec![pairs.collect()];
        }
        let split = |slots: [usize; 2]| {
            let own = pairs.clone().map(move |(joints, weights)| {
                let [a, b] = slots;
                (
                    [joints[a], joints[b], 0, 0],
                    [weights[a], weights[b], 0.0, 0.0],
                )
            });
            own.collect()
        };
        vec![split([0, 2]), split([1, 3])]
    }

    /// The accessors of joints and weights.
    fn add_weights(&self, influences: &[Influences], writer: &mut Writer) -> [usize; 2] {
        let weights: Vec<Vec<u8>> = influences
            .iter()
            .map(|(_, weights)| self.stored(weights))
            .collect();
        let joints: Vec<[u8; 4]> = influences.iter().map(|(joints, _)| *joints).collect();
        let code = match self.storage {
            Storage::Float => 5126,
            Storage::Unorm8 => 5121,
            Storage::Unorm16 => 5123,
        };
        let (joints, weights) = if self.layout == Layout::Interleaved {
            let pairs = joints.iter().zip(&weights);
            let rows: Vec<u8> = pairs
                .flat_map(|(joints, weights)| [&joints[..], weights].concat())
                .collect();
            let stride = 4 + weights[0].len();
            let joints = writer.add(&rows, Some(stride), (5121, "VEC4"));
            writer.accessors[joints]["count"] = json!(influences.len());
            let mut own = writer.accessors[joints].clone();
            own["byteOffset"] = json!(4);
            own["componentType"] = json!(code);
            writer.accessors.push(own);
            (joints, writer.accessors.len() - 1)
        } else {
            let joints = writer.add(joints.as_flattened(), None, (5121, "VEC4"));
            let mut base = weights.clone();
            let last = base.len() - 1;
            if self.layout == Layout::Sparse {
                base[last].fill(0);
            }
            let own = writer.add(&base.concat(), None, (code, "VEC4"));
            if self.layout == Layout::Sparse {
                let index = u16::try_from(last).expect("there are few").to_le_bytes();
                let [indices, values] =
                    [&index[..], &weights[last]].map(|bytes| writer.view(bytes, None));
                writer.accessors[own]["sparse"] = json!({
                    "count": 1,
                    "indices": {"bufferView": indices, "componentType": 5123},
                    "values": {"bufferView": values},
                });
            }
            (joints, own)
        };
        if self.storage != Storage::Float {
            writer.accessors[weights]["normalized"] = json!(true);
        }
        [joints, weights]
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "weights are from 0 to 1"
    )]
    fn stored(&self, weights: &[f32; 4]) -> Vec<u8> {
        match self.storage {
            Storage::Float => floats(weights),
            Storage::Unorm8 => weights
                .map(|weight| (weight * 255.0).round() as u8)
                .to_vec(),
            Storage::Unorm16 => weights
                .map(|weight| ((weight * 65535.0).round() as u16).to_le_bytes())
                .concat(),
        }
    }
}

/// The joints and weights of a vertex in one set.
type Influences = ([u8; 4], [f32; 4]);

/// What follows the elbow by this weight, and else the shoulder.
fn follows(elbow: f32) -> Influences {
    let joint = u8::from(elbow > 0.0);
    ([0, joint, 0, 0], [1.0 - elbow, elbow, 0.0, 0.0])
}

#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Writer {
    fn view(&mut self, bytes: &[u8], stride: Option<usize>) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let mut view =
            json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len()});
        if let Some(stride) = stride {
            view["byteStride"] = json!(stride);
        }
        self.bytes.extend(bytes);
        self.views.push(view);
        self.views.len() - 1
    }

    fn add(&mut self, bytes: &[u8], stride: Option<usize>, (code, kind): (u16, &str)) -> usize {
        let size = match code {
            5121 => 1,
            5123 => 2,
            _ => 4,
        };
        let width = match kind {
            "SCALAR" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let view = self.view(bytes, stride);
        self.accessors.push(
            json!({"bufferView": view, "componentType": code, "type": kind,
            "count": bytes.len() / stride.unwrap_or(size * width)}),
        );
        self.accessors.len() - 1
    }
}

fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

/// Moves `y` up.
fn bind(y: f32) -> [f32; 16] {
    glam::Mat4::from_translation(glam::Vec3::Y * y).to_cols_array()
}

fn glb(text: &str, bytes: &[u8]) -> Vec<u8> {
    let mut file = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    for (kind, contents, padding) in [(b"JSON", text.as_bytes(), b' '), (b"BIN\0", bytes, 0)] {
        let length = contents.len().next_multiple_of(4);
        file.extend(u32::try_from(length).expect("it is small").to_le_bytes());
        file.extend(kind);
        file.extend(contents);
        file.resize(file.len() + length - contents.len(), padding);
    }
    let length = u32::try_from(file.len()).expect("it is small");
    file[8..12].copy_from_slice(&length.to_le_bytes());
    file
}

/// A file in a folder of its own.
pub(crate) struct Stored {
    folder: TempDir,
    name: &'static str,
}

impl Stored {
    pub(crate) fn new(file: &[u8]) -> Self {
        let name = if file.starts_with(b"glTF") {
            "arm.glb"
        } else {
            "arm.gltf"
        };
        let stored = Self {
            folder: TempDir::new().expect("there is room"),
            name,
        };
        std::fs::write(stored.path(), file).expect("there is room");
        stored
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join(self.name)
    }
}

/// The model in a file.
pub(crate) fn loaded(file: &[u8]) -> Asset {
    crate::import::load(&Stored::new(file).path(), &reading()).expect("it can be read")
}

fn reading() -> crate::import::Options {
    crate::import::Options {
        isolation: crate::import::Isolation::InProcess,
        ..crate::import::Options::default()
    }
}

/// What becomes of a file that can be read.
pub(crate) fn fixed(file: &[u8], only: &[&'static str]) -> Fixed {
    try_to_fix(file, only).expect("it can be read")
}

/// What becomes of a file.
pub(crate) fn try_to_fix(file: &[u8], only: &[&'static str]) -> Result<Fixed, FixError> {
    try_with(file, only, Options::default())
}

pub(crate) fn try_with(
    file: &[u8],
    only: &[&'static str],
    options: Options,
) -> Result<Fixed, FixError> {
    let options = Options {
        only: only.iter().map(|code| crate::finding::Code(code)).collect(),
        import: reading(),
        ..options
    };
    fix(&Stored::new(file).path(), &options)
}
