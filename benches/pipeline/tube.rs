//! Animated tubes of any size, as GLB files.

#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "angles and counts need no more digits"
)]

use std::cell::OnceCell;
use std::f32::consts::TAU;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde_json::{Value, json};

/// A tube along a chain of joints, four of which influence each vertex. Every clip rotates every joint.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tube {
    pub(crate) rings: u32,
    /// Vertices per ring.
    pub(crate) sides: u32,
    /// At least four.
    pub(crate) joints: u32,
    pub(crate) clips: u32,
    pub(crate) keys: u32,
    /// Whether vertices are written in reverse order.
    pub(crate) is_reversed: bool,
}

/// The content of an accessor with its own buffer view.
struct List<'a> {
    kind: &'static str,
    component: u32,
    count: u32,
    /// In bytes.
    length: u64,
    bytes: Box<dyn Iterator<Item = u8> + 'a>,
}

const FLOAT: u32 = 5126;
const UNSIGNED_BYTE: u32 = 5121;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;

impl Tube {
    /// 500,000 vertices that 60 joints move through a clip of two seconds.
    pub(crate) const LARGE: Self = Self {
        rings: 1000,
        sides: 500,
        joints: 60,
        clips: 1,
        keys: 61,
        is_reversed: false,
    };
    /// Two million vertices, 152 MB.
    pub(crate) const HUGE: Self = Self {
        rings: 2000,
        sides: 1000,
        ..Self::LARGE
    };
    /// 10,000 vertices, and 100 clips of ten seconds.
    pub(crate) const LIBRARY: Self = Self {
        rings: 100,
        sides: 100,
        clips: 100,
        keys: 300,
        ..Self::LARGE
    };

    /// A tube file named `name`, written when its path is first requested.
    pub(crate) fn file(self, name: &'static str) -> impl Fn() -> PathBuf + Clone {
        let path = Rc::new(OnceCell::new());
        move || {
            let write = || {
                let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
                self.write(&path).expect("there is room for it");
                path
            };
            path.get_or_init(write).clone()
        }
    }

    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        let lists = self.lists();
        let mut json = self.document(&lists).to_string();
        while !json.len().is_multiple_of(4) {
            json.push(' ');
        }
        let length: u64 = lists.iter().map(|list| list.length).sum();
        let mut file = BufWriter::new(File::create(path)?);
        file.write_all(b"glTF")?;
        for word in [2, 28 + json.len() as u64 + length, json.len() as u64] {
            file.write_all(&(word as u32).to_le_bytes())?;
        }
        file.write_all(b"JSON")?;
        file.write_all(json.as_bytes())?;
        file.write_all(&(length as u32).to_le_bytes())?;
        file.write_all(b"BIN\0")?;
        for byte in lists.into_iter().flat_map(|list| list.bytes) {
            file.write_all(&[byte])?;
        }
        file.flush()
    }

    /// The accessors: six of the mesh, two that joints and clips share, and one per clip and joint.
    fn lists(&self) -> Vec<List<'_>> {
        let Self {
            rings,
            sides,
            joints,
            is_reversed,
            ..
        } = *self;
        let (vertices, step) = (rings * sides, (joints - 1) as f32 / rings as f32);
        let angle = move |side: u32| (side as f32 / sides as f32 * TAU).sin_cos();
        let ordered = move |vertex: u32| {
            if is_reversed {
                vertices - 1 - vertex
            } else {
                vertex
            }
        };
        let point = move |vertex: u32| (ordered(vertex) / sides, ordered(vertex) % sides);
        let all = move || (0..vertices).map(point);
        let position = move |(ring, side)| {
            let (sin, cos) = angle(side);
            floats([4.0 * cos, ring as f32 * step, 4.0 * sin])
        };
        let normal = move |(_, side)| {
            let (sin, cos) = angle(side);
            floats([cos, 0.0, sin])
        };
        let uv =
            move |(ring, side)| floats([side as f32 / sides as f32, ring as f32 / rings as f32]);
        let first = move |ring: u32| ((ring as f32 * step) as u32).min(joints - 4);
        let wide = joints > 256;
        let slots =
            move |(ring, _)| (0..4).flat_map(move |slot| slot_bytes(first(ring) + slot, wide));
        let quad = move |(ring, side)| {
            let [a, b] = [ring, ring + 1].map(|ring| ring * sides + side);
            let [c, d] = [a, b].map(|corner| corner - side + (side + 1) % sides);
            [a, b, c, c, b, d]
                .into_iter()
                .map(ordered)
                .flat_map(u32::to_le_bytes)
        };
        let squares = all().filter(move |(ring, _)| ring + 1 < rings);
        let inverse_bind = |joint: u32| {
            let mut matrix = glam::Mat4::IDENTITY;
            matrix.w_axis.y = -(joint as f32);
            floats(matrix.to_cols_array())
        };
        let component = if wide { UNSIGNED_SHORT } else { UNSIGNED_BYTE };
        let mut lists = vec![
            List::new("VEC3", FLOAT, vertices, 12, all().flat_map(position)),
            List::new("VEC3", FLOAT, vertices, 12, all().flat_map(normal)),
            List::new("VEC2", FLOAT, vertices, 8, all().flat_map(uv)),
            List::new(
                "VEC4",
                component,
                vertices,
                if wide { 8 } else { 4 },
                all().flat_map(slots),
            ),
            List::new(
                "VEC4",
                FLOAT,
                vertices,
                16,
                all().flat_map(|_| floats([0.4, 0.3, 0.2, 0.1])),
            ),
            List::new(
                "SCALAR",
                UNSIGNED_INT,
                (rings - 1) * sides * 6,
                4,
                squares.flat_map(quad),
            ),
            List::new(
                "MAT4",
                FLOAT,
                joints,
                64,
                (0..joints).flat_map(inverse_bind),
            ),
            List::new(
                "SCALAR",
                FLOAT,
                self.keys,
                4,
                (0..self.keys).flat_map(|key| floats([key as f32 / 30.0])),
            ),
        ];
        let pairs = (0..self.clips).flat_map(|clip| (0..joints).map(move |joint| (clip, joint)));
        lists.extend(pairs.map(|(clip, joint)| {
            let rotation = move |key| floats(self.rotation(clip, joint, key));
            List::new(
                "VEC4",
                FLOAT,
                self.keys,
                16,
                (0..self.keys).flat_map(rotation),
            )
        }));
        lists
    }

    /// A gentle swing, alternately about x and z, whose sum along the chain is the same for any number of joints.
    fn rotation(&self, clip: u32, joint: u32, key: u32) -> [f32; 4] {
        let phase = key as f32 / (self.keys.max(2) - 1) as f32;
        let wave = TAU * phase * (1 + clip % 3) as f32 + joint as f32 * 0.3 + clip as f32;
        let half = 0.03 * (60.0 / self.joints as f32).min(1.0) * wave.sin();
        let (sin, cos) = half.sin_cos();
        if joint.is_multiple_of(2) {
            [sin, 0.0, 0.0, cos]
        } else {
            [0.0, 0.0, sin, cos]
        }
    }

    fn document(&self, lists: &[List<'_>]) -> Value {
        let joint = |joint: u32| {
            let height = f32::from(u8::from(joint > 0));
            let children: Vec<u32> = (joint + 1 < self.joints)
                .then_some(joint + 2)
                .into_iter()
                .collect();
            let mut node = json!({"name": format!("joint {joint}"), "translation": [0, height, 0]});
            if !children.is_empty() {
                node["children"] = json!(children);
            }
            node
        };
        let mesh = json!({"mesh": 0, "skin": 0});
        let nodes: Vec<Value> = std::iter::once(mesh)
            .chain((0..self.joints).map(joint))
            .collect();
        let mut start = 0;
        let (mut views, mut accessors) = (Vec::new(), Vec::new());
        for (index, list) in lists.iter().enumerate() {
            views.push(json!({"buffer": 0, "byteOffset": start, "byteLength": list.length}));
            let mut accessor = json!({"bufferView": index, "componentType": list.component, "count": list.count, "type": list.kind});
            if index == 0 {
                let height =
                    (self.rings - 1) as f32 * ((self.joints - 1) as f32 / self.rings as f32);
                accessor["min"] = json!([-4, 0, -4]);
                accessor["max"] = json!([4, height, 4]);
            } else if index == 7 {
                accessor["min"] = json!([0]);
                accessor["max"] = json!([(self.keys - 1) as f32 / 30.0]);
            }
            accessors.push(accessor);
            start += list.length;
        }
        let clip = |clip: u32| {
            let first = 8 + clip * self.joints;
            let sampler = |joint| json!({"input": 7, "output": first + joint});
            let channel = |joint| json!({"sampler": joint, "target": {"node": joint + 1, "path": "rotation"}});
            let (samplers, channels): (Vec<Value>, Vec<Value>) = (0..self.joints)
                .map(|joint| (sampler(joint), channel(joint)))
                .unzip();
            json!({"name": format!("clip {clip}"), "samplers": samplers, "channels": channels})
        };
        let attributes =
            json!({"POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2, "JOINTS_0": 3, "WEIGHTS_0": 4});
        let mut document = json!({
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": [0, 1]}],
            "nodes": nodes,
            "skins": [{"joints": (1..=self.joints).collect::<Vec<u32>>(), "inverseBindMatrices": 6}],
            "meshes": [{"primitives": [{"attributes": attributes, "indices": 5}]}],
            "buffers": [{"byteLength": start}],
            "bufferViews": views,
            "accessors": accessors,
        });
        if self.clips > 0 {
            document["animations"] = (0..self.clips).map(clip).collect();
        }
        document
    }
}

impl<'a> List<'a> {
    /// * `size` – of an element, in bytes.
    fn new(
        kind: &'static str,
        component: u32,
        count: u32,
        size: u64,
        bytes: impl Iterator<Item = u8> + 'a,
    ) -> Self {
        let length = u64::from(count) * size;
        let bytes = Box::new(bytes);
        Self {
            kind,
            component,
            count,
            length,
            bytes,
        }
    }
}

fn floats<const N: usize>(numbers: [f32; N]) -> impl Iterator<Item = u8> {
    numbers.into_iter().flat_map(f32::to_le_bytes)
}

fn slot_bytes(slot: u32, wide: bool) -> impl Iterator<Item = u8> {
    slot.to_le_bytes()
        .into_iter()
        .take(if wide { 2 } else { 1 })
}
