//! A small glTF file under construction.

use data_encoding::BASE64;
use serde_json::{Map, Value, json};

/// Component types of accessors (glTF 2.0, §3.6.2.2).
pub(crate) const I8: u32 = 5120;
pub(crate) const U8: u32 = 5121;
pub(crate) const I16: u32 = 5122;
pub(crate) const U16: u32 = 5123;
pub(crate) const F32: u32 = 5126;

/// A rotation by 0°.
pub(crate) const STILL: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
/// Rotations by 73.7° about X, Y and Z.
pub(crate) const ABOUT_X: [f32; 4] = [0.6, 0.0, 0.0, 0.8];
pub(crate) const ABOUT_Y: [f32; 4] = [0.0, 0.6, 0.0, 0.8];
pub(crate) const ABOUT_Z: [f32; 4] = [0.0, 0.0, 0.6, 0.8];

/// The joints of a vertex, by slot, and their weights.
pub(crate) type Influences = Vec<(u8, f32)>;

/// How weights are stored.
#[derive(Clone, Copy)]
pub(crate) enum Weights {
    Float,
    /// Normalized bytes.
    Bytes,
    /// Normalized shorts.
    Shorts,
}

/// A file with one buffer and one animation.
pub(crate) struct Draft {
    /// Without its buffer.
    pub(crate) json: Value,
    pub(crate) bytes: Vec<u8>,
    /// The times at which it is posed, in seconds.
    pub(crate) times: Vec<f64>,
}

impl Draft {
    /// A scene of the nodes without a parent, and an animation without channels.
    pub(crate) fn new(nodes: Value) -> Self {
        let children = nodes.as_array().into_iter().flatten();
        let children: Vec<&Value> = children
            .filter_map(|node| node["children"].as_array())
            .flatten()
            .collect();
        let roots = 0..nodes.as_array().map_or(0, Vec::len);
        let roots: Vec<usize> = roots
            .filter(|node| !children.contains(&&json!(node)))
            .collect();
        let mut json = json!({
            "asset": { "version": "2.0" },
            "scene": 0,
            "scenes": [{ "nodes": roots }],
            "meshes": [],
            "accessors": [],
            "bufferViews": [],
            "animations": [{ "name": "clip", "channels": [], "samplers": [] }],
        });
        json["nodes"] = nodes;
        Self {
            json,
            bytes: Vec::new(),
            times: vec![0.0, 0.25, 0.5, 0.75, 1.0],
        }
    }

    /// One node, called `mover`, with a triangle.
    pub(crate) fn mover() -> Self {
        let mut draft = Self::new(json!([{ "name": "mover", "mesh": 0 }]));
        draft.triangle();
        draft
    }

    /// A strip that is bound to a chain of three joints, which bends.
    pub(crate) fn arm() -> Self {
        Self::arm_of(arm_nodes())
    }

    /// As [`Draft::arm`], with other nodes: 0 has the mesh, 1 to 3 are the joints.
    pub(crate) fn arm_of(nodes: Value) -> Self {
        let mut draft = Self::new(nodes);
        draft.strip(&strip_influences(), U8, Weights::Float);
        draft.skin(&[1, 2, 3], Some(&ARM));
        draft.bend([2, 3]);
        draft
    }

    pub(crate) fn at(mut self, times: &[f64]) -> Self {
        self.times = times.to_vec();
        self
    }

    /// Adds an element to a list, and returns its index.
    pub(crate) fn push(&mut self, list: &str, element: Value) -> usize {
        if self.json[list].is_null() {
            self.json[list] = json!([]);
        }
        push(&mut self.json[list], element)
    }

    /// Adds a buffer view, at a multiple of 4 bytes.
    pub(crate) fn view(&mut self, bytes: &[u8]) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let start = self.bytes.len();
        self.bytes.extend(bytes);
        let view = json!({ "buffer": 0, "byteOffset": start, "byteLength": bytes.len() });
        self.push("bufferViews", view)
    }

    /// Adds an accessor with a view of its own.
    pub(crate) fn accessor(&mut self, component: u32, kind: &str, bytes: &[u8]) -> usize {
        let size = match component {
            I8 | U8 => 1,
            I16 | U16 => 2,
            _ => 4,
        };
        let (count, view) = (bytes.len() / (size * width(kind)), self.view(bytes));
        let accessor =
            json!({ "bufferView": view, "componentType": component, "count": count, "type": kind });
        self.push("accessors", accessor)
    }

    pub(crate) fn floats(&mut self, kind: &str, numbers: &[f32]) -> usize {
        let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        self.accessor(F32, kind, &bytes)
    }

    /// As [`Draft::floats`], with the smallest and largest numbers, as positions and key times need them.
    pub(crate) fn bounded(&mut self, kind: &str, numbers: &[f32]) -> usize {
        let accessor = self.floats(kind, numbers);
        self.bound(accessor, kind, numbers);
        accessor
    }

    pub(crate) fn bound(&mut self, accessor: usize, kind: &str, numbers: &[f32]) {
        let fold = |pick: fn(f32, f32) -> f32| -> Vec<f32> {
            let column = |at: usize| numbers.iter().skip(at).step_by(width(kind)).copied();
            (0..width(kind))
                .filter_map(|at| column(at).reduce(pick))
                .collect()
        };
        self.json["accessors"][accessor]["min"] = json!(fold(f32::min));
        self.json["accessors"][accessor]["max"] = json!(fold(f32::max));
    }

    /// Adds a channel, and returns its sampler.
    ///
    /// * `path` – `translation`, `rotation`, `scale` or `weights`.
    /// * `values` – for `CUBICSPLINE`: in-tangent, value, out-tangent.
    pub(crate) fn track(
        &mut self,
        node: usize,
        path: &str,
        interpolation: &str,
        times: &[f32],
        values: &[f32],
    ) -> usize {
        let kind = match path {
            "rotation" => "VEC4",
            "weights" => "SCALAR",
            _ => "VEC3",
        };
        let output = self.floats(kind, values);
        self.track_of(node, path, interpolation, times, output)
    }

    /// As [`Draft::track`], with an accessor of values.
    pub(crate) fn track_of(
        &mut self,
        node: usize,
        path: &str,
        interpolation: &str,
        times: &[f32],
        output: usize,
    ) -> usize {
        let input = self.bounded("SCALAR", times);
        let sampler = json!({ "input": input, "interpolation": interpolation, "output": output });
        let sampler = push(&mut self.json["animations"][0]["samplers"], sampler);
        self.channel(sampler, node, path);
        sampler
    }

    pub(crate) fn channel(&mut self, sampler: usize, node: usize, path: &str) {
        let channel = json!({ "sampler": sampler, "target": { "node": node, "path": path } });
        push(&mut self.json["animations"][0]["channels"], channel);
    }

    /// Linear from [`STILL`] at 0 s to a rotation at 1 s.
    pub(crate) fn rotate(&mut self, node: usize, to: [f32; 4]) {
        self.track(
            node,
            "rotation",
            "LINEAR",
            &[0.0, 1.0],
            &[STILL, to].concat(),
        );
    }

    /// Linear between two translations, at 0 s and 1 s.
    pub(crate) fn translate(&mut self, node: usize, from: [f32; 3], to: [f32; 3]) {
        self.track(
            node,
            "translation",
            "LINEAR",
            &[0.0, 1.0],
            &[from, to].concat(),
        );
    }

    /// Rotates two nodes about different axes.
    pub(crate) fn bend(&mut self, [first, second]: [usize; 2]) {
        self.rotate(first, ABOUT_Z);
        self.rotate(second, ABOUT_X);
    }

    /// Adds a mesh of one primitive.
    pub(crate) fn mesh(&mut self, primitive: Value) -> usize {
        let primitives = Value::Array(vec![primitive]);
        let mesh = Map::from_iter([("primitives".to_owned(), primitives)]);
        self.push("meshes", Value::Object(mesh))
    }

    /// Adds a mesh of one triangle.
    pub(crate) fn triangle(&mut self) -> usize {
        let primitive = self.primitive(&TRIANGLE, &[0, 1, 2]);
        self.mesh(primitive)
    }

    /// A primitive of positions and normals.
    pub(crate) fn primitive(&mut self, positions: &[[f32; 3]], corners: &[u8]) -> Value {
        let position = self.bounded("VEC3", positions.as_flattened());
        let normals = vec![[0.0, 0.0, 1.0]; positions.len()];
        let normal = self.floats("VEC3", normals.as_flattened());
        let corners: Vec<u8> = corners
            .iter()
            .flat_map(|corner| u16::from(*corner).to_le_bytes())
            .collect();
        let indices = self.accessor(U16, "SCALAR", &corners);
        json!({ "attributes": { "POSITION": position, "NORMAL": normal }, "indices": indices })
    }

    /// Replaces the normals of the first primitive.
    pub(crate) fn set_normals(&mut self, normals: &[[f32; 3]]) {
        // The accessor after that of its positions.
        let view = &self.json["bufferViews"][1];
        let start = view["byteOffset"]
            .as_u64()
            .and_then(|start| usize::try_from(start).ok());
        let start = start.expect("the view has an offset");
        let bytes: Vec<u8> = normals
            .as_flattened()
            .iter()
            .flat_map(|n| n.to_le_bytes())
            .collect();
        self.bytes[start..start + bytes.len()].copy_from_slice(&bytes);
    }

    /// Adds a mesh: a strip along Y, two vertices per row.
    ///
    /// * `rows` – the influences of each row.
    pub(crate) fn strip(&mut self, rows: &[Influences], joints: u32, weights: Weights) -> usize {
        let primitive = self.strip_primitive(rows, joints, weights);
        self.mesh(primitive)
    }

    pub(crate) fn strip_primitive(
        &mut self,
        rows: &[Influences],
        joints: u32,
        weights: Weights,
    ) -> Value {
        let mut primitive =
            self.primitive(&strip_positions(rows.len()), &strip_corners(rows.len()));
        let twice: Vec<&Influences> = rows.iter().flat_map(|row| [row, row]).collect();
        self.influences(&mut primitive, &twice, joints, weights);
        primitive
    }

    /// Adds joints and weights to a primitive.
    pub(crate) fn influences(
        &mut self,
        primitive: &mut Value,
        vertices: &[&Influences],
        component: u32,
        weights: Weights,
    ) {
        let most = vertices.iter().map(|list| list.len()).max().unwrap_or(0);
        for set in 0..most.div_ceil(4) {
            let four = |list: &&Influences| -> [(u8, f32); 4] {
                std::array::from_fn(|at| list.get(4 * set + at).copied().unwrap_or((0, 0.0)))
            };
            let all: Vec<(u8, f32)> = vertices.iter().flat_map(four).collect();
            let joints: Vec<u8> = match component {
                U8 => all.iter().map(|(joint, _)| *joint).collect(),
                _ => all
                    .iter()
                    .flat_map(|(joint, _)| u16::from(*joint).to_le_bytes())
                    .collect(),
            };
            let joints = self.accessor(component, "VEC4", &joints);
            let numbers: Vec<f32> = all.iter().map(|(_, weight)| *weight).collect();
            let weights = self.weights(&numbers, weights);
            primitive["attributes"][format!("JOINTS_{set}")] = json!(joints);
            primitive["attributes"][format!("WEIGHTS_{set}")] = json!(weights);
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "weights are from 0 to 1"
    )]
    fn weights(&mut self, numbers: &[f32], stored: Weights) -> usize {
        let scaled = |most: f64| numbers.iter().map(move |n| (f64::from(*n) * most).round());
        let (component, bytes): (u32, Vec<u8>) = match stored {
            Weights::Float => return self.floats("VEC4", numbers),
            Weights::Bytes => (U8, scaled(255.0).map(|n| n as u8).collect()),
            Weights::Shorts => {
                let shorts = scaled(65535.0).flat_map(|n| (n as u16).to_le_bytes());
                (U16, shorts.collect())
            }
        };
        let accessor = self.accessor(component, "VEC4", &bytes);
        self.json["accessors"][accessor]["normalized"] = json!(true);
        accessor
    }

    /// Adds a skin.
    ///
    /// * `binds` – where each joint is when the mesh is bound; `None` for a skin without inverse bind matrices.
    pub(crate) fn skin(&mut self, joints: &[usize], binds: Option<&[[f32; 3]]>) -> usize {
        let mut skin = json!({ "joints": joints });
        if let Some(binds) = binds {
            let matrices: Vec<f32> = binds
                .iter()
                .flat_map(|[x, y, z]| {
                    let (x, y, z) = (0.0 - x, 0.0 - y, 0.0 - z);
                    [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., x, y, z, 1.]
                })
                .collect();
            skin["inverseBindMatrices"] = json!(self.floats("MAT4", &matrices));
        }
        self.push("skins", skin)
    }

    /// A morph target that moves some vertices.
    pub(crate) fn target(&mut self, offsets: &[[f32; 3]]) -> Value {
        json!({ "POSITION": self.bounded("VEC3", offsets.as_flattened()) })
    }

    /// The document with its buffer inside, and a description in its `asset.extras`.
    pub(crate) fn finish(mut self, tests: &str, wrong: &str) -> Map<String, Value> {
        self.json["asset"]["extras"] = json!({ "tests": tests, "aWrongEngine": wrong });
        let data = BASE64.encode(&self.bytes);
        let uri = format!("data:application/octet-stream;base64,{data}");
        let own = json!({ "byteLength": self.bytes.len(), "uri": uri });
        // A draft may have added more buffers after this one.
        let mut buffers = vec![own];
        buffers.extend(
            self.json["buffers"]
                .as_array()
                .into_iter()
                .flatten()
                .cloned(),
        );
        self.json["buffers"] = json!(buffers);
        match self.json {
            Value::Object(members) => members,
            _ => Map::new(),
        }
    }
}

fn push(list: &mut Value, element: Value) -> usize {
    let list = list.as_array_mut().expect("it is a list");
    list.push(element);
    list.len() - 1
}

fn width(kind: &str) -> usize {
    match kind {
        "SCALAR" => 1,
        "VEC3" => 3,
        "MAT4" => 16,
        _ => 4,
    }
}

pub(crate) const TRIANGLE: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

/// Where the joints of the arm are bound.
pub(crate) const ARM: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 2.0, 0.0]];

/// A mesh and a chain of joints.
pub(crate) fn arm_nodes() -> Value {
    json!([
        { "name": "body", "mesh": 0, "skin": 0 },
        { "name": "root", "children": [2] },
        { "name": "middle", "translation": [0, 1, 0], "children": [3] },
        { "name": "tip", "translation": [0, 1, 0] },
    ])
}

/// The influences of the arm's rows. Bytes and shorts store multiples of a fifth exactly.
pub(crate) fn strip_influences() -> Vec<Influences> {
    vec![
        vec![(0, 1.0)],
        vec![(0, 0.8), (1, 0.2)],
        vec![(0, 0.4), (1, 0.6)],
        vec![(1, 0.8), (2, 0.2)],
        vec![(2, 1.0)],
    ]
}

/// Two vertices per row, rows half a unit apart.
pub(crate) fn strip_positions(rows: usize) -> Vec<[f32; 3]> {
    let heights = (0..rows).scan(-0.5, |height, _| {
        *height += 0.5;
        Some(*height)
    });
    heights
        .flat_map(|y| [[-0.25, y, 0.0], [0.25, y, 0.0]])
        .collect()
}

fn strip_corners(rows: usize) -> Vec<u8> {
    let starts = (0_u8..).step_by(2).take(rows.saturating_sub(1));
    starts
        .flat_map(|a| [a, a + 1, a + 3, a, a + 3, a + 2])
        .collect()
}
