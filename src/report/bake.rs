//! The output of `bake`: a posed mesh as numbers, in JSON (schema `skincheck/bake/1`) or Wavefront OBJ.

use std::collections::BTreeSet;
use std::fmt::Write;

use glam::{Mat4, Vec3};
use serde::Serialize;

use crate::pose::ModelPose;
use crate::rig::{
    Asset, ClipId, DeformedMesh, Influence, Influences, InstanceId, MorphTarget, SkinSlot,
};
use crate::shown::escaped;
use crate::units::{Seconds, Space};

/// A posed and skinned model, all in one space.
#[derive(Debug)]
pub(crate) struct Baked<'a> {
    /// The name of its file.
    pub(crate) model: String,
    pub(crate) asset: &'a Asset,
    /// The sampled clip and its time, if any.
    pub(crate) sampled: Option<(ClipId, Seconds)>,
    /// The pose in words.
    pub(crate) described: String,
    /// `file`, or `y-up-metres`.
    pub(crate) space: &'static str,
    /// Every joint.
    pub(crate) pose: ModelPose,
    /// One per instance.
    pub(crate) meshes: Vec<DeformedMesh>,
    /// The influences that skinning blends, one list per instance; empty without a skin.
    pub(crate) influences: Vec<Influences>,
    /// Notes on the pose; the model has notes of its own.
    pub(crate) notes: Vec<String>,
    /// The engine whose view it is, with its options.
    pub(crate) engine: Option<String>,
}

impl Baked<'_> {
    /// As one line of JSON, schema `skincheck/bake/1`. A number that is not finite becomes `null`.
    pub(crate) fn to_json(&self) -> String {
        let asset = self.asset;
        let joints = asset.skeleton.nodes();
        let meshes = self.meshes.iter().map(|deformed| {
            let instance = &asset[deformed.instance];
            let skin = asset.skin_of(instance);
            let slots = skin.iter().flat_map(|skin| &skin.joints);
            Mesh {
                name: &asset.mesh_of(instance).name,
                node: &joints[instance.node.index()].name,
                visible: self.pose.visibility.shows(deformed.instance),
                positions: triples(&deformed.positions),
                normals: triples(&deformed.normals),
                joints: slots.map(|id| joints[id.index()].name.as_str()).collect(),
                influences: influences(self, deformed.instance),
                morphs: morphs(self, deformed.instance),
            }
        });
        let sampled = self.sampled;
        let document = Document {
            schema: SCHEMA,
            model: &self.model,
            importer: asset.reader.to_string(),
            clip: sampled.map(|(clip, _)| asset[clip].name.as_str()),
            time: sampled.map(|(_, time)| time.get()),
            space: self.space,
            engine: self.engine.as_deref(),
            nodes: nodes(self),
            meshes: meshes.collect(),
            notes: notes(self),
        };
        let text = serde_json::to_string(&document);
        text.expect("no key of the document is anything but a string") + "\n"
    }

    /// The meshes as Wavefront OBJ, which cannot represent numbers that are not finite: one `o` per instance. Indices continue
    /// through the whole file, from 1.
    pub(crate) fn to_obj(&self) -> String {
        let mut text = format!(
            "# skincheck {}: {}, {}\n",
            env!("CARGO_PKG_VERSION"),
            one_line(&self.model),
            one_line(&self.described)
        );
        let mut base = 1;
        for deformed in &self.meshes {
            let instance = &self.asset[deformed.instance];
            let mesh = self.asset.mesh_of(instance);
            line(&mut text, format_args!("o {}", one_line(&mesh.name)));
            for p in &deformed.positions {
                line(&mut text, format_args!("v {} {} {}", p.x, p.y, p.z));
            }
            for n in &deformed.normals {
                line(&mut text, format_args!("vn {} {} {}", n.x, n.y, n.z));
            }
            let has_normals = !deformed.normals.is_empty();
            let is_mirrored = is_mirrored(self, deformed);
            for &[a, b, c] in &mesh.triangles {
                let corners = if is_mirrored { [c, b, a] } else { [a, b, c] };
                let corner = corners.map(|corner| u64::from(corner) + base);
                line(&mut text, format_args!("f {}", face(corner, has_normals)));
            }
            base += deformed.positions.len() as u64;
        }
        text
    }

    /// One sentence for each list with values that are not finite. Finite numbers in a file may overflow in a product.
    pub(crate) fn overflows(&self) -> Vec<String> {
        let nodes = lost_nodes(&self.model, self.asset, &self.pose);
        let mut sentences: Vec<String> = nodes.into_iter().collect();
        for mesh in &self.meshes {
            let instance = &self.asset[mesh.instance];
            let name = escaped(&self.asset.mesh_of(instance).name);
            for (points, what) in [(&mesh.positions, "position"), (&mesh.normals, "normal")] {
                let wrong: Vec<usize> = points
                    .iter()
                    .enumerate()
                    .filter(|(_, p)| !p.is_finite())
                    .map(|(vertex, _)| vertex)
                    .collect();
                let Some((first, more)) = wrong.split_first() else {
                    continue;
                };
                let more = others(more.len());
                sentences.push(format!(
                    "{}: mesh \"{name}\": not finite (NaN or infinite) in this pose: the {what} of vertex {first}{more}",
                    self.model,
                ));
            }
        }
        sentences
    }

    /// Whether every position and normal is finite.
    pub(crate) fn is_finite(&self) -> bool {
        let mut lists = self
            .meshes
            .iter()
            .flat_map(|mesh| [&mesh.positions, &mesh.normals]);
        lists.all(|points| points.iter().all(|point| point.is_finite()))
    }

    /// Transforms points to +Y up, +Z front and metres; unit vectors are only rotated.
    pub(crate) fn convert_to_y_up_metres(&mut self) {
        let space = &self.asset.space;
        let convert = space.y_up_metres_from_self().as_mat4();
        let axes = Space {
            metres_per_unit: None,
            ..*space
        };
        let rotation = axes.y_up_metres_from_self().as_mat4();
        for world in &mut self.pose.nodes {
            *world = convert * *world;
        }
        for mesh in &mut self.meshes {
            transform(&mut mesh.positions, convert);
            transform(&mut mesh.normals, rotation);
            transform(&mut mesh.tangents, rotation);
            transform(&mut mesh.bitangents, rotation);
        }
        self.space = "y-up-metres";
    }
}

/// Whether `bytes` start like a file that `bake` writes.
pub(crate) fn is_ours(bytes: &[u8]) -> bool {
    bytes.starts_with(START.as_bytes()) || bytes.starts_with(b"# skincheck ")
}

fn transform(points: &mut [Vec3], matrix: Mat4) {
    for point in points {
        *point = matrix.transform_point3(*point);
    }
}

const SCHEMA: &str = "skincheck/bake/1";

/// The start of the document.
const START: &str = "{\"schema\":\"skincheck/bake/1\"";

/// A model in one pose.
#[derive(Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub(in crate::report) struct Document<'a> {
    #[cfg_attr(feature = "testing", schemars(extend("const" = SCHEMA)))]
    schema: &'static str,
    /// The model's file name, without folders.
    model: &'a str,
    /// With its version.
    importer: String,
    /// Its name; `None` for a pose without one.
    clip: Option<&'a str>,
    /// The sample time in seconds; `None` without a clip.
    time: Option<f64>,
    /// `file`: the axes and unit of the file; `y-up-metres`: +Y up, +Z front, metres.
    space: &'static str,
    /// The engine that skins the model, as `--engine` reads it; `None` without it.
    engine: Option<&'a str>,
    nodes: Vec<Node<'a>>,
    meshes: Vec<Mesh<'a>>,
    notes: Vec<NoteOf<'a>>,
}

/// A posed node.
#[derive(Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
struct Node<'a> {
    name: &'a str,
    /// Column-major.
    world: [f32; 16],
}

/// A skinned mesh. A mesh that is used twice is here twice.
#[derive(Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
struct Mesh<'a> {
    name: &'a str,
    /// The name of its node.
    node: &'a str,
    /// Whether the pose shows it.
    visible: bool,
    /// One per vertex, skinned, in the model's space.
    positions: Vec<[f32; 3]>,
    /// One per vertex, of length 1 or 0; empty without normals.
    normals: Vec<[f32; 3]>,
    /// The names of the skin's joints.
    joints: Vec<&'a str>,
    /// One list per vertex, of indices in `joints` with the weights that are blended.
    influences: Vec<Vec<(SkinSlot, f32)>>,
    morphs: Vec<Morph<'a>>,
}

/// A morph target.
#[derive(Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
struct Morph<'a> {
    name: &'a str,
    /// In this pose.
    weight: f32,
}

/// A remark on the model or the pose.
#[derive(Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "testing", schemars(rename = "Note"))]
struct NoteOf<'a> {
    /// The location in the model, or `pose`.
    place: &'a str,
    /// What the importer repaired, assumed or skipped, or how the pose differs from the request.
    message: String,
}

/// Nodes that repeat the name of an earlier node come first. A dictionary by name then ends up with the first node of
/// that name, which is the node that the name refers to elsewhere.
fn nodes<'a>(baked: &'a Baked<'_>) -> Vec<Node<'a>> {
    let joints = baked.asset.skeleton.nodes().iter();
    let nodes = joints.zip(&baked.pose.nodes).map(|(joint, world)| Node {
        name: &joint.name,
        world: world.to_cols_array(),
    });
    let mut seen = BTreeSet::new();
    let (first, mut ordered): (Vec<_>, Vec<_>) = nodes.partition(|node| seen.insert(node.name));
    ordered.extend(first);
    ordered
}

fn influences(baked: &Baked<'_>, instance: InstanceId) -> Vec<Vec<(SkinSlot, f32)>> {
    let pair = |influence: &Influence| (influence.slot, influence.weight);
    let blended = baked.influences.get(instance.index());
    let vertices = blended.into_iter().flat_map(Influences::iter);
    vertices.map(|all| all.iter().map(pair).collect()).collect()
}

fn morphs<'a>(baked: &'a Baked<'_>, instance: InstanceId) -> Vec<Morph<'a>> {
    let mesh = baked.asset.mesh_of(&baked.asset[instance]);
    let weights = baked.pose.morph_weights.get(instance.index());
    let targets = mesh.morph_targets.iter().zip(weights.into_iter().flatten());
    let morph = |(target, &weight): (&'a MorphTarget, &f32)| Morph {
        name: &target.name,
        weight,
    };
    targets.map(morph).collect()
}

/// Notes on the model, then on the pose.
fn notes<'a>(baked: &'a Baked<'_>) -> Vec<NoteOf<'a>> {
    let of_model = baked.asset.notes.iter().map(|note| NoteOf {
        place: &note.location,
        message: note.message.clone(),
    });
    let of_pose = baked
        .notes
        .iter()
        .cloned()
        .chain(baked.overflows())
        .map(|message| NoteOf {
            place: "pose",
            message,
        });
    of_model.chain(of_pose).collect()
}

fn triples(points: &[Vec3]) -> Vec<[f32; 3]> {
    points.iter().map(Vec3::to_array).collect()
}

/// Whether the deformation reverses the winding of the mesh's triangles.
fn is_mirrored(baked: &Baked<'_>, deformed: &DeformedMesh) -> bool {
    let instance = &baked.asset[deformed.instance];
    if instance.skin.is_none() {
        let world = baked.pose[instance.node];
        return world.as_dmat4().determinant() < 0.0;
    }
    deformed.is_mirrored(baked.asset.mesh_of(instance))
}

fn face(corners: [u64; 3], has_normals: bool) -> String {
    let corner = |index: u64| {
        if has_normals {
            format!("{index}//{index}")
        } else {
            index.to_string()
        }
    };
    corners.map(corner).join(" ")
}

fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    writeln!(text, "{content}").expect("a String takes all that is written to it");
}

fn one_line(name: &str) -> String {
    name.replace(char::is_control, " ")
}

/// A sentence about the nodes without a finite position, if any.
///
/// * `model` – the name of its file.
pub(crate) fn lost_nodes(model: &str, asset: &Asset, pose: &ModelPose) -> Option<String> {
    let joints = asset.skeleton.nodes().iter().zip(&pose.nodes);
    let mut lost = joints.filter(|(_, world)| !world.is_finite());
    let (first, _) = lost.next()?;
    let others = others(lost.count());
    let name = escaped(&first.name);
    Some(format!(
        "{model}: not finite (NaN or infinite) in this pose: the position of node \"{name}\"{others}"
    ))
}

/// "and of … others", behind the first of several items.
fn others(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => ", and of one other".to_owned(),
        more => format!(", and of {more} others"),
    }
}

#[cfg(test)]
mod tests {
    use glam::Mat4;

    use super::*;
    use crate::pose::rigs::{asset_of, named_joint};
    use crate::rig::LocalTransform;

    #[test]
    fn nodes_past_the_largest_number_are_named() {
        let at = LocalTransform::Matrix(Mat4::IDENTITY);
        let asset = asset_of(vec![
            named_joint("a", None, at),
            named_joint("b", Some(0), at),
        ]);
        let mut pose = crate::pose::bind(&asset);
        assert_eq!(lost_nodes("m.glb", &asset, &pose), None);
        pose.nodes[1].w_axis.x = f32::INFINITY;
        let sentence = lost_nodes("m.glb", &asset, &pose).unwrap_or_default();
        assert!(
            sentence.ends_with("the position of node \"b\""),
            "{sentence}"
        );
    }
}
