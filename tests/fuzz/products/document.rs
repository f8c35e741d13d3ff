//! Builds a glTF document and its buffer.

use serde_json::{Map, Value, json};

/// A document in the making.
#[derive(Default)]
pub(crate) struct Document {
    lists: Map<String, Value>,
    buffer: Vec<u8>,
}

impl Document {
    /// Appends `item` to a list, such as "nodes", and returns its index.
    pub(crate) fn add(&mut self, list: &str, item: Value) -> usize {
        let list = self.lists.entry(list).or_insert_with(|| json!([]));
        let items = list.as_array_mut().expect("all of them are lists");
        items.push(item);
        items.len() - 1
    }

    pub(crate) fn view(&mut self, bytes: &[u8]) -> usize {
        let start = self.buffer.len().next_multiple_of(4);
        self.buffer.resize(start, 0);
        self.buffer.extend(bytes);
        let view = json!({"buffer": 0, "byteOffset": start, "byteLength": bytes.len()});
        self.add("bufferViews", view)
    }

    /// An accessor of `kind`, such as "VEC3".
    pub(crate) fn floats(&mut self, kind: &str, numbers: &[f32]) -> usize {
        let width = width(kind);
        let bounds = |fold: fn(f32, f32) -> f32| {
            let of = |column: usize| {
                let numbers = numbers.iter().skip(column).step_by(width);
                numbers.copied().reduce(fold)
            };
            (0..width).map(of).collect::<Vec<_>>()
        };
        let bytes: Vec<u8> = numbers
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        let view = self.view(&bytes);
        let accessor = json!({
            "bufferView": view, "componentType": 5126, "type": kind, "count": numbers.len() / width,
            "min": bounds(f32::min), "max": bounds(f32::max),
        });
        self.add("accessors", accessor)
    }

    /// As [`Document::floats`], of 16 bits.
    pub(crate) fn shorts(&mut self, kind: &str, numbers: &[u16]) -> usize {
        let bytes: Vec<u8> = numbers
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        self.integers(kind, 5123, &bytes, numbers.len())
    }

    /// Indices of vertices.
    pub(crate) fn indices(&mut self, numbers: &[u32]) -> usize {
        let bytes: Vec<u8> = numbers
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        self.integers("SCALAR", 5125, &bytes, numbers.len())
    }

    fn integers(&mut self, kind: &str, component: u32, bytes: &[u8], numbers: usize) -> usize {
        let view = self.view(bytes);
        let count = numbers / width(kind);
        let accessor =
            json!({"bufferView": view, "componentType": component, "type": kind, "count": count});
        self.add("accessors", accessor)
    }

    /// A primitive: a strip of triangles along +Y, skinned to joints in turn.
    pub(crate) fn strip(&mut self, vertices: usize, joints: usize) -> Value {
        let (mut positions, mut slots, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for index in 0..vertices {
            let along = small(index) / small(vertices.max(1));
            positions.extend([small(index % 2) / 5.0, 2.0 * along, small(index % 7) / 50.0]);
            let joint = u16::try_from(index * joints / vertices).expect("joints are few");
            slots.extend([joint, joint.saturating_sub(1), 0, 0]);
            weights.extend([0.75, 0.25, 0.0, 0.0]);
        }
        let count = u32::try_from(vertices).expect("vertices are few");
        let triangles = (2..count).flat_map(|index| [index - 2, index - 1, index]);
        let indices = self.indices(&triangles.collect::<Vec<_>>());
        json!({
            "attributes": {
                "POSITION": self.floats("VEC3", &positions),
                "JOINTS_0": self.shorts("VEC4", &slots),
                "WEIGHTS_0": self.floats("VEC4", &weights),
            },
            "indices": indices,
        })
    }

    /// A skin whose joints are a chain of new nodes.
    pub(crate) fn chain(&mut self, joints: usize) -> usize {
        let nodes: Vec<usize> = (0..joints).map(|index| self.node(index, joints)).collect();
        self.add("skins", json!({"joints": nodes}))
    }

    fn node(&mut self, index: usize, joints: usize) -> usize {
        let next = self.count("nodes") + 1;
        let mut node = json!({"name": format!("j{index}"), "translation": [0.0, 0.5, 0.0]});
        if index + 1 < joints {
            node["children"] = json!([next]);
        }
        self.add("nodes", node)
    }

    fn count(&self, list: &str) -> usize {
        let list = self.lists.get(list).and_then(Value::as_array);
        list.map_or(0, Vec::len)
    }

    /// A clip that rotates a node back and forth.
    pub(crate) fn rotate(&mut self, node: usize) {
        let sampler = self.rotation(3);
        let clip = json!({"name": "bend", "samplers": [sampler],
            "channels": [{"sampler": 0, "target": {"node": node, "path": "rotation"}}]});
        self.add("animations", clip);
    }

    /// A sampler of rotations.
    pub(crate) fn rotation(&mut self, keys: usize) -> Value {
        let times: Vec<f32> = (0..keys).map(|key| small(key) / small(keys)).collect();
        let turns = (0..keys).map(|key| 0.3 * f32::from(u8::from(key % 2 == 1)));
        let turns = turns.flat_map(|angle| [angle.sin(), 0.0, 0.0, angle.cos()]);
        let turns: Vec<f32> = turns.collect();
        json!({"input": self.floats("SCALAR", &times), "output": self.floats("VEC4", &turns)})
    }

    pub(crate) fn use_extension(&mut self, name: &str) {
        self.add("extensionsUsed", json!(name));
    }

    /// The file.
    pub(crate) fn glb(mut self) -> Vec<u8> {
        let mut is_root = vec![true; self.count("nodes")];
        for node in self
            .lists
            .get("nodes")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            for child in node["children"].as_array().into_iter().flatten() {
                let child = child.as_u64().and_then(|child| usize::try_from(child).ok());
                if let Some(is_root) = child.and_then(|child| is_root.get_mut(child)) {
                    *is_root = false;
                }
            }
        }
        let roots = is_root.iter().enumerate().filter(|(_, is_root)| **is_root);
        let roots: Vec<usize> = roots.map(|(index, _)| index).collect();
        self.add("scenes", json!({"nodes": roots}));
        self.buffer.resize(self.buffer.len().next_multiple_of(4), 0);
        self.add("buffers", json!({"byteLength": self.buffer.len()}));
        self.lists
            .insert("asset".to_owned(), json!({"version": "2.0"}));
        let mut text = Value::Object(self.lists).to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let length = |length: usize| u32::try_from(length).expect("it is small").to_le_bytes();
        let whole = length(12 + 8 + text.len() + 8 + self.buffer.len());
        let head = [&b"glTF\x02\0\0\0"[..], &whole].concat();
        let text = [&length(text.len()), &b"JSON"[..], &text].concat();
        [
            head,
            text,
            length(self.buffer.len()).to_vec(),
            b"BIN\0".to_vec(),
            self.buffer,
        ]
        .concat()
    }
}

fn width(kind: &str) -> usize {
    match kind {
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" => 4,
        _ => 1,
    }
}

/// A count as a float; those here are small.
pub(crate) fn small(count: usize) -> f32 {
    f32::from(u16::try_from(count % 65536).expect("it is a remainder"))
}
