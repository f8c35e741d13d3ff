//! Large files: a tube along a chain of joints, four of which move each vertex.

#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "all counts are small"
)]

use std::f32::consts::TAU;
use std::io::{self, BufWriter, Write};
use std::path::Path;

const JOINTS: u32 = 60;
const RADIUS: f32 = 4.0;

/// A model in one .glb.
#[derive(Clone, Copy)]
pub(crate) struct Tube {
    pub(crate) rings: u32,
    pub(crate) sides: u32,
    /// Keys of a clip that bends it, at 30 per second; 0 for no clip.
    pub(crate) frames: u32,
    /// Whether vertices are written last to first.
    pub(crate) is_reversed: bool,
}

/// What an accessor holds.
struct List {
    kind: &'static str,
    component: u32,
    count: u32,
    bytes: Vec<u8>,
}

impl Tube {
    /// # Errors
    ///
    /// If there is no room for it.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        let mut lists = self.mesh();
        let bind = lists.len();
        let columns = (0..JOINTS).flat_map(|joint| {
            glam::Mat4::from_translation(glam::Vec3::NEG_Y * joint as f32).to_cols_array()
        });
        lists.push(List::floats("MAT4", 16, columns));
        let mut json = Self::nodes();
        json += &format!(
            ",\"inverseBindMatrices\":{bind}}}],\"meshes\":[{{\"primitives\":[{{\"attributes\":{{\"POSITION\":0,\"NORMAL\":1,\"TEXCOORD_0\":2,\"JOINTS_0\":3,\"WEIGHTS_0\":4}},\"indices\":5}}]}}]"
        );
        if self.frames > 0 {
            json += &self.animation(&mut lists);
        }
        let (mut views, mut accessors, mut length) = (Vec::new(), Vec::new(), 0);
        for (index, list) in lists.iter().enumerate() {
            let size = list.bytes.len();
            views.push(format!(
                "{{\"buffer\":0,\"byteOffset\":{length},\"byteLength\":{size}}}"
            ));
            let List {
                kind,
                component,
                count,
                ..
            } = list;
            accessors.push(format!("{{\"bufferView\":{index},\"componentType\":{component},\"count\":{count},\"type\":\"{kind}\"}}"));
            length += size;
        }
        json += &format!(
            ",\"bufferViews\":[{}],\"accessors\":[{}],\"buffers\":[{{\"byteLength\":{length}}}]}}",
            views.join(","),
            accessors.join(",")
        );
        while !json.len().is_multiple_of(4) {
            json.push(' ');
        }
        let mut file = BufWriter::new(std::fs::File::create(path)?);
        file.write_all(b"glTF")?;
        for word in [2, 28 + json.len() + length, json.len()] {
            file.write_all(&(word as u32).to_le_bytes())?;
        }
        file.write_all(b"JSON")?;
        file.write_all(json.as_bytes())?;
        file.write_all(&(length as u32).to_le_bytes())?;
        file.write_all(b"BIN\0")?;
        for list in lists {
            file.write_all(&list.bytes)?;
        }
        file.flush()
    }

    /// Everything up to the joints of the skin.
    fn nodes() -> String {
        let joint = |joint: u32| match joint {
            JOINTS => ",{\"translation\":[0,1,0]}".to_owned(),
            1 => ",{\"children\":[2]}".to_owned(),
            _ => format!(",{{\"translation\":[0,1,0],\"children\":[{}]}}", joint + 1),
        };
        let nodes: String = (1..=JOINTS).map(joint).collect();
        let joints: Vec<String> = (1..=JOINTS).map(|joint| joint.to_string()).collect();
        format!(
            "{{\"asset\":{{\"version\":\"2.0\"}},\"nodes\":[{{\"mesh\":0,\"skin\":0}}{nodes}],\"skins\":[{{\"joints\":[{}]",
            joints.join(",")
        )
    }

    /// Positions, normals, texture coordinates, joints, weights and triangles.
    fn mesh(&self) -> Vec<List> {
        let Self { rings, sides, .. } = *self;
        let count = rings * sides;
        let number = |index: u32| {
            if self.is_reversed {
                count - 1 - index
            } else {
                index
            }
        };
        let all = || {
            (0..count)
                .map(number)
                .map(|vertex| (vertex / sides, vertex % sides))
        };
        let angle = |side: u32| (side as f32 / sides as f32 * TAU).sin_cos();
        let height = |ring: u32| ring as f32 / rings as f32 * (JOINTS - 1) as f32;
        let first = |ring: u32| (ring * (JOINTS - 1) / rings).min(JOINTS - 4) as u8;
        let quad = |(ring, side): (u32, u32)| {
            let [a, b] = [ring, ring + 1].map(|ring| ring * sides + side);
            let [c, d] = [a, b].map(|corner| corner - side + (side + 1) % sides);
            [a, b, c, c, b, d].map(number)
        };
        let positions = all().flat_map(|(ring, side)| {
            let (sin, cos) = angle(side);
            [RADIUS * cos, height(ring), RADIUS * sin]
        });
        let normals = all().flat_map(|(_, side)| {
            let (sin, cos) = angle(side);
            [cos, 0.0, sin]
        });
        let uvs =
            all().flat_map(|(ring, side)| [side as f32 / sides as f32, ring as f32 / rings as f32]);
        let joints = all().flat_map(|(ring, _)| (0..4).map(move |joint| first(ring) + joint));
        let weights = all().flat_map(|_| [0.4, 0.3, 0.2, 0.1]);
        let quads = (0..rings - 1).flat_map(|ring| (0..sides).map(move |side| (ring, side)));
        let corners = quads.flat_map(quad).flat_map(u32::to_le_bytes);
        vec![
            List::floats("VEC3", 3, positions),
            List::floats("VEC3", 3, normals),
            List::floats("VEC2", 2, uvs),
            List {
                kind: "VEC4",
                component: 5121,
                count,
                bytes: joints.collect(),
            },
            List::floats("VEC4", 4, weights),
            List {
                kind: "SCALAR",
                component: 5125,
                count: (rings - 1) * sides * 6,
                bytes: corners.collect(),
            },
        ]
    }

    /// Every joint swings, each in its own time.
    fn animation(&self, lists: &mut Vec<List>) -> String {
        let input = lists.len();
        let times = (0..self.frames).map(|frame| frame as f32 / 30.0);
        lists.push(List::floats("SCALAR", 1, times));
        let (mut channels, mut samplers) = (Vec::new(), Vec::new());
        for joint in 0..JOINTS {
            let rotations = (0..self.frames).flat_map(|frame| {
                let phase = (frame * (2 + joint % 3)) as f32 / self.frames as f32;
                let (sin, cos) = (0.02 * (phase * TAU).sin()).sin_cos();
                [sin, 0.0, 0.0, cos]
            });
            let output = lists.len();
            lists.push(List::floats("VEC4", 4, rotations));
            channels.push(format!(
                "{{\"sampler\":{joint},\"target\":{{\"node\":{},\"path\":\"rotation\"}}}}",
                joint + 1
            ));
            samplers.push(format!("{{\"input\":{input},\"output\":{output}}}"));
        }
        format!(
            ",\"animations\":[{{\"channels\":[{}],\"samplers\":[{}]}}]",
            channels.join(","),
            samplers.join(",")
        )
    }
}

impl List {
    /// * `width` – numbers an element.
    fn floats(kind: &'static str, width: usize, numbers: impl Iterator<Item = f32>) -> Self {
        let bytes: Vec<u8> = numbers.flat_map(f32::to_le_bytes).collect();
        Self {
            kind,
            component: 5126,
            count: (bytes.len() / 4 / width) as u32,
            bytes,
        }
    }
}
