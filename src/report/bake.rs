//! The output of `bake`: a posed mesh as numbers.

pub(super) mod json;
mod obj;

use glam::{Mat4, Vec3};

use super::overflow;
use crate::pose::ModelPose;
use crate::rig::{Asset, ClipId, DeformedMesh, Influences};
use crate::shown::escaped;
use crate::units::{Seconds, Space};

/// A posed and skinned model, all in one space.
#[derive(Debug)]
pub struct Baked<'a> {
    model: String,
    asset: &'a Asset,
    /// The sampled clip and its time, if any.
    sampled: Option<(ClipId, Seconds)>,
    described: String,
    space: &'static str,
    pose: ModelPose,
    meshes: Vec<DeformedMesh>,
    /// The influences that skinning blends, one list per instance.
    influences: Vec<Influences>,
    /// Notes on the pose; the model has notes of its own.
    notes: Vec<String>,
    /// The engine whose view it is, with its options.
    engine: Option<String>,
}

impl<'a> Baked<'a> {
    /// * `model` – the name of its file.
    /// * `sampled` – the sampled clip and its time, if any.
    /// * `described` – a description of the pose.
    /// * `pose` – every joint, in the file's space.
    /// * `meshes` – one per instance, in the same space.
    #[must_use]
    pub fn new(
        model: String,
        asset: &'a Asset,
        (sampled, described): (Option<(ClipId, Seconds)>, String),
        pose: ModelPose,
        meshes: Vec<DeformedMesh>,
    ) -> Self {
        Self {
            model,
            asset,
            sampled,
            described,
            space: "file",
            pose,
            meshes,
            influences: Vec::new(),
            notes: Vec::new(),
            engine: None,
        }
    }

    /// Sets the engine whose view it is, as `--as` reads it.
    #[must_use]
    pub fn with_engine(self, engine: Option<String>) -> Self {
        Self { engine, ..self }
    }

    /// As one line of JSON, schema `skincheck/bake/1`. A number that is not finite becomes `null`.
    #[must_use]
    pub fn to_json(&self) -> String {
        json::write(self)
    }

    /// The meshes as Wavefront OBJ, which cannot represent numbers that are not finite.
    #[must_use]
    pub fn to_obj(&self) -> String {
        obj::write(self)
    }

    /// One sentence for each list with values that are not finite. Finite numbers in a file may overflow in a product.
    #[must_use]
    pub fn overflows(&self) -> Vec<String> {
        let nodes = overflow::of_nodes(&self.model, self.asset, &self.pose);
        let mut sentences: Vec<String> = nodes.into_iter().collect();
        for mesh in &self.meshes {
            let instance = &self.asset[mesh.instance];
            let name = escaped(&self.asset.mesh_of(instance).name);
            for (points, what) in [(&mesh.positions, "position"), (&mesh.normals, "normal")] {
                let wrong = points.iter().enumerate().filter(|(_, p)| !p.is_finite());
                let wrong: Vec<usize> = wrong.map(|(vertex, _)| vertex).collect();
                let Some((first, more)) = wrong.split_first() else {
                    continue;
                };
                let more = overflow::others(more.len());
                sentences.push(format!(
                    "{}: mesh \"{name}\": not finite (NaN or infinite) in this pose: the {what} of vertex {first}{more}",
                    self.model,
                ));
            }
        }
        sentences
    }

    /// Adds the influences that are blended.
    ///
    /// * `influences` – one list per instance; empty without a skin.
    #[must_use]
    pub fn with_influences(self, influences: Vec<Influences>) -> Self {
        Self { influences, ..self }
    }

    /// Adds notes on the pose.
    #[must_use]
    pub fn with_notes(self, notes: Vec<String>) -> Self {
        Self { notes, ..self }
    }

    /// Whether every position and normal is finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        let mut lists = self
            .meshes
            .iter()
            .flat_map(|mesh| [&mesh.positions, &mesh.normals]);
        lists.all(|points| points.iter().all(|point| point.is_finite()))
    }

    /// Transforms points to +Y up, +Z front and metres; unit vectors are only rotated.
    pub fn convert_to_y_up_metres(&mut self) {
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
#[must_use]
pub fn is_ours(bytes: &[u8]) -> bool {
    bytes.starts_with(json::START.as_bytes()) || bytes.starts_with(b"# skincheck ")
}

fn transform(points: &mut [Vec3], matrix: Mat4) {
    for point in points {
        *point = matrix.transform_point3(*point);
    }
}
