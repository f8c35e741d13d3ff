//! Assets as glTF files: nodes, meshes, skins and clips, in one text with its buffer inside.
//!
//! Materials and images are omitted, and so are tangents. Numbers are stored as f32 and read back bit for bit; so are
//! key times that are f32 already.

use data_encoding::BASE64;
use glam::{Mat4, Quat, Vec3};
use serde_json::{Map, Value, json};

use crate::rig::{Asset, Clip, Influence, LocalTransform, Mesh, NodeId, Skin, Span, Track};

/// An asset that glTF cannot represent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// A number that JSON or glTF forbids.
    #[error("{0} has a non-finite number, which glTF cannot store")]
    NotFinite(String),
    /// A glTF sampler has one kind of interpolation.
    #[error(
        "a track of clip {0} mixes step, linear and cubic spans, which a glTF sampler cannot represent"
    )]
    MixedSpans(usize),
    /// glTF drives the weights of one mesh per node.
    #[error(
        "clip {0} drives the morph weights of a node without a mesh or with several, which glTF cannot represent"
    )]
    MorphNode(usize),
    /// A channel of whole matrices.
    #[error("clip {0} drives whole matrices, which glTF cannot represent")]
    MatrixTrack(usize),
}

/// `asset` as the text of a .gltf file.
///
/// # Errors
///
/// [`ExportError`] if glTF cannot represent the asset.
///
/// # Reference
///
/// glTF 2.0, chapters 3 and 5.
pub fn to_gltf(asset: &Asset) -> Result<String, ExportError> {
    Ok(format!("{:#}\n", document(asset)?))
}

/// As [`to_gltf`], without line breaks.
#[doc(hidden)]
pub fn to_gltf_line(asset: &Asset) -> Result<String, ExportError> {
    Ok(document(asset)?.to_string())
}

fn document(asset: &Asset) -> Result<Value, ExportError> {
    let mut buffer = Buffer::default();
    let skins = asset
        .skins
        .iter()
        .map(|skin| self::skin(skin, &mut buffer))
        .collect::<Result<Vec<Value>, _>>()?;
    let mut meshes = Vec::new();
    for (index, mesh) in asset.meshes.iter().enumerate() {
        meshes.push(self::mesh(index, mesh, &mut buffer)?);
    }
    let mut animations = Vec::new();
    for (index, clip) in asset.clips.iter().enumerate() {
        let mut animation = animation(index, clip, &mut buffer)?;
        morph_animation(asset, index, clip, &mut buffer, &mut animation)?;
        animations.push(animation);
    }
    let mut nodes = nodes(asset)?;
    for instance in &asset.instances {
        let mut uses = Map::new();
        uses.insert("mesh".into(), json!(instance.mesh.index()));
        if let Some(skin) = instance.skin {
            uses.insert("skin".into(), json!(skin.index()));
        }
        if !asset.mesh_of(instance).morph_targets.is_empty() {
            finite(&instance.morph_weights, || "a morph weight".to_owned())?;
            let count = asset.mesh_of(instance).morph_targets.len();
            let weights = instance
                .morph_weights
                .iter()
                .copied()
                .chain(std::iter::repeat(0.0))
                .take(count);
            uses.insert("weights".into(), json!(weights.collect::<Vec<f32>>()));
        }
        let node = &mut nodes[instance.node.index()];
        if node.contains_key("mesh") {
            // A node has one mesh; further ones are attached to child nodes.
            let child = nodes.len();
            children(&mut nodes[instance.node.index()]).push(json!(child));
            nodes.push(uses);
        } else {
            node.extend(uses);
        }
    }
    let roots: Vec<usize> = asset
        .skeleton
        .iter()
        .filter(|(_, node)| node.parent.is_none())
        .map(|(id, _)| id.index())
        .collect();
    let mut document = json!({
        "asset": { "version": "2.0", "generator": asset.reader.to_string() },
        "scene": 0,
        "scenes": [{ "nodes": roots }],
    });
    let lists = [
        ("nodes", nodes.into_iter().map(Value::Object).collect()),
        ("meshes", meshes),
        ("skins", skins),
        ("animations", animations),
        ("accessors", buffer.accessors),
        ("bufferViews", buffer.views),
    ];
    for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        document[name] = Value::Array(list);
    }
    if !buffer.bytes.is_empty() {
        let uri = format!(
            "data:application/octet-stream;base64,{}",
            BASE64.encode(&buffer.bytes)
        );
        document["buffers"] = json!([{ "byteLength": buffer.bytes.len(), "uri": uri }]);
    }
    Ok(document)
}

fn children(node: &mut Map<String, Value>) -> &mut Vec<Value> {
    let list = node.entry("children").or_insert_with(|| json!([]));
    list.as_array_mut().expect("children are a list")
}

fn nodes(asset: &Asset) -> Result<Vec<Map<String, Value>>, ExportError> {
    let mut nodes: Vec<Map<String, Value>> = Vec::new();
    let driven: Vec<NodeId> = asset
        .clips
        .iter()
        .flat_map(|c| c.channels.iter().map(|c| c.node))
        .collect();
    for (id, node) in asset.skeleton.iter() {
        let mut members = Map::new();
        members.insert("name".into(), json!(node.name));
        let numbers = match &node.rest {
            // glTF forbids a matrix on a node that a clip drives.
            LocalTransform::Matrix(matrix) if !driven.contains(&id) => {
                let numbers = matrix.to_cols_array();
                members.insert("matrix".into(), json!(numbers));
                numbers.to_vec()
            }
            rest => {
                let trs = rest.to_trs();
                members.insert("translation".into(), json!(trs.translation.to_array()));
                members.insert("rotation".into(), json!(trs.rotation.to_array()));
                members.insert("scale".into(), json!(trs.scale.to_array()));
                let mut numbers = trs.translation.to_array().to_vec();
                numbers.extend(trs.rotation.to_array());
                numbers.extend(trs.scale.to_array());
                numbers
            }
        };
        finite(&numbers, || format!("node {id}"))?;
        nodes.push(members);
        if let Some(parent) = node.parent {
            children(&mut nodes[parent.index()]).push(json!(id.index()));
        }
    }
    Ok(nodes)
}

fn finite(numbers: &[f32], place: impl Fn() -> String) -> Result<(), ExportError> {
    if numbers.iter().all(|number| number.is_finite()) {
        return Ok(());
    }
    Err(ExportError::NotFinite(place()))
}

fn skin(skin: &Skin, buffer: &mut Buffer) -> Result<Value, ExportError> {
    let matrices = skin.inverse_bind_matrices.iter();
    let numbers: Vec<f32> = matrices.flat_map(Mat4::to_cols_array).collect();
    finite(&numbers, || format!("skin \"{}\"", skin.name))?;
    let joints: Vec<usize> = skin.joints.iter().map(|joint| joint.index()).collect();
    let mut members = json!({ "name": skin.name, "joints": joints });
    if !numbers.is_empty() {
        members["inverseBindMatrices"] = json!(buffer.floats(&numbers, "MAT4", false));
    }
    Ok(members)
}

fn mesh(index: usize, mesh: &Mesh, buffer: &mut Buffer) -> Result<Value, ExportError> {
    let vectors = |list: &[Vec3]| -> Vec<f32> { list.iter().flat_map(Vec3::to_array).collect() };
    let mut attributes = Map::new();
    for (name, list) in [("POSITION", &mesh.positions), ("NORMAL", &mesh.normals)] {
        if !list.is_empty() {
            let numbers = vectors(list);
            finite(&numbers, || format!("mesh {index}"))?;
            let accessor = buffer.floats(&numbers, "VEC3", name == "POSITION");
            attributes.insert(name.into(), json!(accessor));
        }
    }
    let most = mesh
        .influences
        .iter()
        .map(<[Influence]>::len)
        .max()
        .unwrap_or(0);
    for set in 0..most.div_ceil(4) {
        let (mut joints, mut weights) = (Vec::new(), Vec::new());
        for vertex in 0..mesh.positions.len() {
            for slot in 4 * set..4 * set + 4 {
                let influence = mesh.influences.of(vertex).get(slot);
                joints.push(influence.map_or(0, |influence| influence.slot.0));
                weights.push(influence.map_or(0.0, |influence| influence.weight));
            }
        }
        finite(&weights, || format!("a weight of mesh {index}"))?;
        let joints = buffer.shorts(&joints);
        attributes.insert(format!("JOINTS_{set}"), json!(joints));
        let weights = buffer.floats(&weights, "VEC4", false);
        attributes.insert(format!("WEIGHTS_{set}"), json!(weights));
    }
    let mut primitive = json!({ "attributes": attributes });
    let mut targets = Vec::new();
    for target in &mesh.morph_targets {
        let mut offsets = Map::new();
        for (name, list) in [("POSITION", &target.positions), ("NORMAL", &target.normals)] {
            // Every target has positions, of all vertices.
            if name == "POSITION" || !list.is_empty() {
                let at = |vertex: usize| list.get(vertex).copied().unwrap_or_default();
                let offsets_of: Vec<Vec3> = (0..mesh.positions.len()).map(at).collect();
                let numbers = vectors(&offsets_of);
                finite(&numbers, || format!("a morph target of mesh {index}"))?;
                offsets.insert(
                    name.into(),
                    json!(buffer.floats(&numbers, "VEC3", name == "POSITION")),
                );
            }
        }
        targets.push(Value::Object(offsets));
    }
    if !targets.is_empty() {
        primitive["targets"] = json!(targets);
    }
    if mesh.triangles.is_empty() {
        // Points: only the vertices.
        primitive["mode"] = json!(0);
    } else {
        let corners: Vec<u32> = mesh.triangles.iter().flatten().copied().collect();
        primitive["indices"] = json!(buffer.indices(&corners));
    }
    let mut document = json!({ "name": mesh.name, "primitives": [primitive] });
    if !mesh.morph_targets.is_empty() {
        let names: Vec<&str> = mesh
            .morph_targets
            .iter()
            .map(|target| target.name.as_str())
            .collect();
        document["extras"] = json!({ "targetNames": names });
    }
    Ok(document)
}

fn animation(index: usize, clip: &Clip, buffer: &mut Buffer) -> Result<Value, ExportError> {
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    let mut add = |node: NodeId, path: &str, sampler: Value| {
        channels.push(json!({
            "sampler": samplers.len(),
            "target": { "node": node.index(), "path": path },
        }));
        samplers.push(sampler);
    };
    for channel in &clip.channels {
        if channel.matrix.is_some() {
            return Err(ExportError::MatrixTrack(index));
        }
        for (path, track) in [
            ("translation", &channel.translation),
            ("scale", &channel.scale),
        ] {
            if let Some(track) = track {
                let numbers = |v: &Vec3| v.to_array().to_vec();
                add(
                    channel.node,
                    path,
                    sampler(index, track, "VEC3", numbers, buffer)?,
                );
            }
        }
        if let Some(track) = &channel.rotation {
            let numbers = |q: &Quat| q.to_array().to_vec();
            add(
                channel.node,
                "rotation",
                sampler(index, track, "VEC4", numbers, buffer)?,
            );
        }
    }
    Ok(json!({ "name": clip.name, "samplers": samplers, "channels": channels }))
}

/// Adds the channels of morph weights to an animation.
fn morph_animation(
    asset: &Asset,
    index: usize,
    clip: &Clip,
    buffer: &mut Buffer,
    animation: &mut Value,
) -> Result<(), ExportError> {
    for channel in &clip.morph_channels {
        let instances = asset.instances.iter();
        if instances
            .filter(|instance| instance.node == channel.node)
            .count()
            != 1
        {
            return Err(ExportError::MorphNode(index));
        }
        let sampler = sampler(index, &channel.weights, "SCALAR", Vec::clone, buffer)?;
        let number = animation["samplers"].as_array().map_or(0, Vec::len);
        let target = json!({ "node": channel.node.index(), "path": "weights" });
        let mut push = |name: &str, value: Value| {
            animation[name]
                .as_array_mut()
                .expect("it is a list")
                .push(value);
        };
        push("samplers", sampler);
        push("channels", json!({ "sampler": number, "target": target }));
    }
    Ok(())
}

#[expect(clippy::cast_possible_truncation, reason = "glTF stores times as f32")]
fn sampler<T>(
    clip: usize,
    track: &Track<T>,
    kind: &'static str,
    numbers: impl Fn(&T) -> Vec<f32>,
    buffer: &mut Buffer,
) -> Result<Value, ExportError> {
    let keys = &track.keys;
    let spans = &keys[..keys.len().saturating_sub(1).max(1)];
    let name = |span: &Span<T>| match span {
        Span::Step => "STEP",
        Span::Linear => "LINEAR",
        Span::Cubic { .. } => "CUBICSPLINE",
    };
    let interpolation = name(&spans[0].span);
    if spans.iter().any(|key| name(&key.span) != interpolation) {
        return Err(ExportError::MixedSpans(clip));
    }
    let times: Vec<f32> = keys.iter().map(|key| key.time.0 as f32).collect();
    let mut values = Vec::new();
    for (index, key) in keys.iter().enumerate() {
        let value = numbers(&key.value);
        let still = vec![0.0; value.len()];
        if interpolation != "CUBICSPLINE" {
            values.extend(value);
            continue;
        }
        let before = index.checked_sub(1).map(|before| &keys[before].span);
        values.extend(match before {
            Some(Span::Cubic { arrive, .. }) => numbers(arrive),
            _ => still.clone(),
        });
        values.extend(value);
        values.extend(match &key.span {
            Span::Cubic { leave, .. } if index + 1 < keys.len() => numbers(leave),
            _ => still,
        });
    }
    finite(&times, || format!("clip {clip}"))?;
    finite(&values, || format!("clip {clip}"))?;
    Ok(json!({
        "input": buffer.floats(&times, "SCALAR", true),
        "output": buffer.floats(&values, kind, false),
        "interpolation": interpolation,
    }))
}

/// Accessors, each with a view of its own, of one buffer.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffer {
    /// * `bounds` – whether the accessor states its smallest and largest numbers.
    fn floats(&mut self, numbers: &[f32], kind: &'static str, bounds: bool) -> usize {
        let bytes: Vec<u8> = numbers
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        let width = width(kind);
        let accessor = self.accessor(&bytes, 5126, kind, numbers.len() / width);
        if bounds {
            let fold = |pick: fn(f32, f32) -> f32| -> Vec<f32> {
                let column = |at: usize| numbers[at..].iter().step_by(width).copied();
                (0..width)
                    .filter_map(|at| column(at).reduce(pick))
                    .collect()
            };
            self.accessors[accessor]["min"] = json!(fold(f32::min));
            self.accessors[accessor]["max"] = json!(fold(f32::max));
        }
        accessor
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "skins have fewer than 65,536 joints"
    )]
    fn shorts(&mut self, numbers: &[u32]) -> usize {
        let bytes: Vec<u8> = numbers
            .iter()
            .flat_map(|number| (*number as u16).to_le_bytes())
            .collect();
        self.accessor(&bytes, 5123, "VEC4", numbers.len() / 4)
    }

    fn indices(&mut self, numbers: &[u32]) -> usize {
        let bytes: Vec<u8> = numbers
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        self.accessor(&bytes, 5125, "SCALAR", numbers.len())
    }

    fn accessor(&mut self, bytes: &[u8], component: u32, kind: &str, count: usize) -> usize {
        self.views.push(json!({
            "buffer": 0,
            "byteOffset": self.bytes.len(),
            "byteLength": bytes.len(),
        }));
        self.bytes.extend(bytes);
        self.accessors.push(json!({
            "bufferView": self.views.len() - 1,
            "componentType": component,
            "count": count,
            "type": kind,
        }));
        self.accessors.len() - 1
    }
}

fn width(kind: &str) -> usize {
    match kind {
        "SCALAR" => 1,
        "VEC3" => 3,
        "MAT4" => 16,
        _ => 4,
    }
}
