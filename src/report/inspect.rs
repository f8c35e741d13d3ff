//! The report of `inspect`; its JSON is schema `skincheck/inspect/1`.

mod text;

use std::collections::BTreeMap;

use glam::DVec3;

use super::format::View;
use crate::diff::helpers;
use crate::facing;
use crate::pose::{known_frame_rate, model_pose, rest};
use crate::rig::{
    AlphaMode, Asset, Clip, ConstraintKind, Format, ImageData, Material, MaterialId, Mesh, NodeId,
    Note, PrimitiveId, SkinId, SkinningOptions, Span, VrmVersion,
};
use crate::skinning::deform_positions;
use crate::units::Space;
use serde::Serialize;

const SCHEMA: &str = "skincheck/inspect/1";

/// A summary of a model.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Summary {
    #[cfg_attr(feature = "testing", schemars(extend("const" = SCHEMA)))]
    schema: &'static str,
    /// The model's file name, without folders.
    pub(super) model: String,
    /// With its version.
    pub(super) importer: String,
    /// Other importers of this build that read the format.
    pub(super) other_importers: Vec<&'static str>,
    /// What it fills at rest; `None` without a vertex.
    pub(super) size: Option<Extent>,
    pub(super) axes: Axes,
    /// The direction in which the figure faces.
    pub(super) facing: FacingSummary,
    /// What the file states, if the importer converted it.
    pub(super) stated_axes: Option<Axes>,
    /// The conversions of an importer for a format with fixed axes.
    pub(super) converted: Option<&'static str>,
    pub(super) nodes: Vec<Node>,
    pub(super) meshes: Vec<MeshSummary>,
    pub(super) instances: Vec<Instance>,
    pub(super) skins: Vec<SkinSummary>,
    pub(super) clips: Vec<ClipSummary>,
    pub(super) materials: Vec<MaterialSummary>,
    /// The bones of the humanoid, if the file states them.
    pub(super) humanoid: Option<HumanoidSummary>,
    /// Facial expressions (VRM); `--expression` shows one.
    pub(super) expressions: Vec<String>,
    /// Nodes that follow others (VRM), in the order of evaluation.
    pub(super) constraints: Vec<ConstraintSummary>,
    /// The names of the sets of materials; `--variant` selects one.
    pub(super) variants: Vec<String>,
    pub(super) images: Vec<ImageSummary>,
    pub(super) notes: Vec<Note>,
}

/// A box along the axes of the file, in its unit.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub(super) struct Extent {
    low: [f64; 3],
    high: [f64; 3],
    /// Along the axis that is up.
    pub(super) height: f64,
}

impl Extent {
    fn of(asset: &Asset) -> Option<Self> {
        let pose = model_pose(asset, &rest(asset));
        let meshes = deform_positions(asset, &pose, &SkinningOptions::default()).ok()?;
        let all = meshes.iter().flat_map(|mesh| &mesh.positions);
        let all = all.map(|position| position.as_dvec3());
        let all = all.filter(|position| position.is_finite());
        let [low, high] = all.fold(None, |ends: Option<[DVec3; 2]>, position| {
            let [low, high] = ends.unwrap_or([position; 2]);
            Some([low.min(position), high.max(position)])
        })?;
        let height = asset.space.up.unit().dot(high - low).abs();
        Some(Self {
            low: low.to_array(),
            high: high.to_array(),
            height,
        })
    }

    /// Its edges along x, y and z.
    pub(super) fn edges(&self) -> [f64; 3] {
        [0, 1, 2].map(|axis: usize| self.high[axis] - self.low[axis])
    }
}

/// The axes and unit of a space.
#[derive(Debug, Serialize, PartialEq)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub(super) struct Axes {
    /// `+X`, `-X`, `+Y`, `-Y`, `+Z` or `-Z`.
    pub(super) up: String,
    /// The direction characters face.
    pub(super) front: String,
    /// `None` if neither file nor format states it.
    pub(super) metres_per_unit: Option<f64>,
}

/// The direction in which a figure faces.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub(super) struct FacingSummary {
    pub(super) front: String,
    /// What shows it; `None` if `front` is the format's convention.
    clue: Option<String>,
    #[serde(skip)]
    pub(super) line: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub(super) struct Node {
    pub(super) name: String,
    /// The index of its parent, which comes earlier; `None` for a root.
    pub(super) parent: Option<usize>,
    /// Whether a skin binds it.
    pub(super) joint: bool,
    /// The node of the file for which the importer added it, because a plain hierarchy cannot express the file's transforms.
    /// `None` for a node of the file.
    pub(super) added_for: Option<usize>,
    /// Its parent in the file.
    #[serde(skip)]
    pub(super) parent_in_file: Option<usize>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub(super) struct MeshSummary {
    pub(super) name: String,
    /// How many.
    pub(super) vertices: usize,
    /// How many.
    pub(super) triangles: usize,
    /// Whether it has any.
    pub(super) normals: bool,
    /// Whether it has any.
    pub(super) tangents: bool,
    /// How many.
    pub(super) uv_sets: usize,
    /// How many.
    pub(super) color_sets: usize,
    /// Number of influences to number of vertices; empty for a mesh without weights.
    pub(super) influences: BTreeMap<usize, usize>,
    /// Their names.
    pub(super) morph_targets: Vec<String>,
    /// The primitive of the file that it is from.
    pub(super) primitive: Option<PrimitiveId>,
    /// The index of its material.
    pub(super) material: Option<usize>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub(super) struct Instance {
    /// The index of the mesh's node.
    pub(super) node: usize,
    /// The index of the mesh.
    pub(super) mesh: usize,
    /// The index of its skin, if it has one.
    pub(super) skin: Option<usize>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub(super) struct SkinSummary {
    pub(super) name: String,
    /// Indices of nodes, one per palette slot.
    pub(super) joints: Vec<usize>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub(super) struct ClipSummary {
    pub(super) name: String,
    /// In seconds.
    pub(super) start: f64,
    /// In seconds.
    pub(super) end: f64,
    /// Frames per second, as the file states them or its keys show them, if either does.
    pub(super) frame_rate: Option<f64>,
    /// Ticks per second, as stated in the file.
    pub(super) stated_rate: Option<f64>,
    /// The divisor of the stored key times.
    pub(super) rate: f64,
    /// The number of animated nodes.
    pub(super) channels: usize,
    /// The number of meshes with animated morph targets.
    pub(super) morph_channels: usize,
    /// The number of nodes that it shows and hides.
    pub(super) visibility_channels: usize,
    /// The total number.
    pub(super) keys: usize,
    /// The number of spans between keys by interpolation.
    pub(super) interpolation: BTreeMap<&'static str, usize>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub(super) struct HumanoidSummary {
    /// Of VRM.
    pub(super) version: VrmVersion,
    /// From the hips outwards.
    pub(super) bones: Vec<BoneSummary>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub(super) struct BoneSummary {
    /// In the words of VRM 1.0, such as `leftHand`.
    pub(super) bone: &'static str,
    /// Its index.
    pub(super) node: usize,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub(super) struct ConstraintSummary {
    /// The index of the node that follows.
    pub(super) node: usize,
    /// The index of the node that it follows.
    pub(super) source: usize,
    /// `roll`, `aim` or `rotation`.
    pub(super) kind: &'static str,
    /// From 0 to 1.
    pub(super) weight: f32,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub(super) struct MaterialSummary {
    pub(super) name: String,
    /// Linear RGBA.
    pub(super) base_color: [f32; 4],
    /// The index of the image, if it has one.
    pub(super) base_color_image: Option<usize>,
    /// `opaque`, `blend`, or `mask` with its limit.
    pub(super) alpha: String,
    pub(super) two_sided: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub(super) struct ImageSummary {
    pub(super) name: String,
    /// Width and height in pixels; `None` if it is not available.
    pub(super) size: Option<[u32; 2]>,
    /// Why it is missing.
    pub(super) missing: Option<String>,
}

impl Summary {
    /// Summarizes the `asset` that was read from the file named `model`.
    #[must_use]
    pub fn of(model: &str, asset: &Asset, other_importers: Vec<&'static str>) -> Self {
        let bound = asset.bound_joints();
        // Of other formats, the file itself has nodes of such names.
        let owners = match asset.format {
            Format::Fbx { .. } => helpers::owners(asset),
            _ => vec![None; asset.skeleton.len()],
        };
        let nodes = asset.skeleton.iter().map(|(id, joint)| Node {
            name: joint.name.clone(),
            parent: joint.parent.map(NodeId::index),
            joint: bound[id.index()],
            added_for: owners[id.index()].map(NodeId::index),
            parent_in_file: helpers::parent_past(asset, &owners, id).map(NodeId::index),
        });
        let meshes = asset.meshes.iter().enumerate().map(|(index, mesh)| {
            let primitive = asset.origins.primitives.get(index).copied();
            MeshSummary::of(mesh, primitive)
        });
        let instances = asset.instances.iter().map(|instance| Instance {
            node: instance.node.index(),
            mesh: instance.mesh.index(),
            skin: instance.skin.map(SkinId::index),
        });
        let skins = asset.skins.iter().map(|skin| SkinSummary {
            name: skin.name.clone(),
            joints: skin.joints.iter().map(|joint| joint.index()).collect(),
        });
        let humanoid = asset.humanoid.as_ref().map(|humanoid| {
            let bones = humanoid.bones.iter().map(|(bone, node)| BoneSummary {
                bone: bone.name(),
                node: node.index(),
            });
            HumanoidSummary {
                version: humanoid.version,
                bones: bones.collect(),
            }
        });
        let constraints = asset.constraints.iter().map(|own| ConstraintSummary {
            node: own.node.index(),
            source: own.source.index(),
            kind: match own.kind {
                ConstraintKind::Roll(_) => "roll",
                ConstraintKind::Aim(_) => "aim",
                ConstraintKind::Rotation => "rotation",
            },
            weight: own.weight,
        });
        let facing = facing::of(asset);
        Self {
            schema: SCHEMA,
            model: model.to_owned(),
            importer: asset.reader.to_string(),
            other_importers,
            size: Extent::of(asset),
            axes: Axes::of(&asset.space),
            facing: FacingSummary {
                front: facing.front.to_string(),
                clue: facing.clue.map(|clue| clue.to_string()),
                line: facing.to_string(),
            },
            stated_axes: asset.stated_space.as_ref().map(Axes::of),
            converted: converted(asset),
            nodes: nodes.collect(),
            meshes: meshes.collect(),
            instances: instances.collect(),
            skins: skins.collect(),
            clips: asset.clips.iter().map(ClipSummary::of).collect(),
            materials: asset.materials.iter().map(MaterialSummary::of).collect(),
            humanoid,
            expressions: asset
                .expressions
                .iter()
                .map(|own| own.name.clone())
                .collect(),
            constraints: constraints.collect(),
            variants: asset.variants.clone(),
            images: asset.images.iter().map(ImageSummary::of).collect(),
            notes: asset.notes.clone(),
        }
    }

    /// Renders the summary as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        super::json::pretty(self)
    }

    /// Renders the summary for people: one line per item, headed by its kind.
    #[must_use]
    pub fn to_text(&self, view: View) -> String {
        text::write(self, view)
    }

    /// Renders all joints and other nodes of the file as a tree.
    #[must_use]
    pub fn to_tree(&self) -> String {
        text::tree_of(self)
    }
}

/// Conversions that assimp applies to every file of a format without mentioning them (`XFileImporter.cpp`,
/// `ConvertToLHProcess.cpp`; `MDLLoader.cpp`, `InternReadFile`).
///
fn converted(asset: &Asset) -> Option<&'static str> {
    match asset.format {
        Format::DirectX => {
            Some("the format is left-handed; the importer mirrored it in Z. Its unit is unknown")
        }
        Format::Mdl => Some("the format has +Z up; the importer rotated it to +Y up"),
        _ => None,
    }
}

impl Axes {
    fn of(space: &Space) -> Self {
        Self {
            up: space.up.to_string(),
            front: space.front.to_string(),
            metres_per_unit: space.metres_per_unit,
        }
    }
}

impl MeshSummary {
    fn of(mesh: &Mesh, primitive: Option<PrimitiveId>) -> Self {
        let mut influences = BTreeMap::new();
        for vertex in mesh.influences.iter() {
            *influences.entry(vertex.len()).or_default() += 1;
        }
        Self {
            name: mesh.name.clone(),
            vertices: mesh.positions.len(),
            triangles: mesh.triangles.len(),
            normals: !mesh.normals.is_empty(),
            tangents: !mesh.tangents.is_empty(),
            uv_sets: mesh.uv_sets.len(),
            color_sets: mesh.color_sets.len(),
            influences,
            morph_targets: mesh
                .morph_targets
                .iter()
                .map(|target| target.name.clone())
                .collect(),
            primitive,
            material: mesh.material.map(MaterialId::index),
        }
    }
}

impl ClipSummary {
    fn of(clip: &Clip) -> Self {
        let (mut keys, mut interpolation) = (0, BTreeMap::new());
        for track in clip.tracks() {
            keys += track.count();
            for key in 0..track.count().saturating_sub(1) {
                let kind = match track.span(key) {
                    Span::Step => "step",
                    Span::Linear => "linear",
                    Span::Cubic { .. } => "cubic",
                };
                *interpolation.entry(kind).or_default() += 1;
            }
        }
        Self {
            name: clip.name.clone(),
            start: clip.start.get(),
            end: clip.end.get(),
            frame_rate: known_frame_rate(clip),
            stated_rate: clip.rate.stated,
            rate: clip.rate.used,
            channels: clip.channels.len(),
            morph_channels: clip.morph_channels.len(),
            visibility_channels: clip.visibility_channels.len(),
            keys,
            interpolation,
        }
    }
}

impl MaterialSummary {
    fn of(material: &Material) -> Self {
        Self {
            name: material.name.clone(),
            base_color: material.base_color.to_array(),
            base_color_image: material
                .base_color_texture
                .map(|texture| texture.image.index()),
            alpha: match material.alpha {
                AlphaMode::Opaque => "opaque".to_owned(),
                AlphaMode::Mask(cutoff) => format!("mask {cutoff}"),
                AlphaMode::Blend => "blend".to_owned(),
            },
            two_sided: material.two_sided,
        }
    }
}

impl ImageSummary {
    fn of(image: &crate::rig::Image) -> Self {
        let (size, missing) = match &image.data {
            ImageData::Bitmap(bitmap) => (Some([bitmap.width, bitmap.height]), None),
            ImageData::Missing(reason) | ImageData::NotFound(reason) => {
                (None, Some(reason.clone()))
            }
            ImageData::File(_) | ImageData::Encoded(_) => (None, None),
        };
        Self {
            name: image.name.clone(),
            size,
            missing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{AssetBuilder, Skeleton, Trs};

    const FBX: Format = Format::Fbx { version: None };

    #[test]
    fn conversions_of_a_format_are_reported() {
        let of = |format| {
            converted(&Asset {
                format,
                ..Asset::of(Skeleton::default())
            })
        };
        let x = of(Format::DirectX);
        assert!(x.is_some_and(|reported| reported.contains("mirrored it in Z")));
        assert_eq!(of(Format::Smd), None);
        assert_eq!(of(Format::Gltf), None);
    }

    #[test]
    fn what_the_importer_of_fbx_added_is_left_out_of_the_tree() {
        let mut rig = AssetBuilder::new();
        let hips = rig.node("hips", None, Trs::IDENTITY);
        let unscaled = rig.node("spine (unscaled)", Some(hips), Trs::IDENTITY);
        rig.node("spine", Some(unscaled), Trs::IDENTITY);
        rig.node("tail", Some(unscaled), Trs::IDENTITY);
        let mut asset = rig.build().expect("the rig is whole");
        let mut tree = |format: Format| {
            asset.format = format;
            let summary = Summary::of("model", &asset, Vec::new());
            assert_eq!(summary.nodes.len(), 4);
            summary.to_tree()
        };
        let left_out = "3 nodes, 0 of them bound by a skin (*); the importer added 1 more\n\
            #0   \"hips\"\n\
            #2     \"spine\"\n\
            #3       \"tail\"\n";
        assert_eq!(tree(FBX), left_out);
        assert_eq!(tree(Format::Gltf).lines().count(), 5);
    }

    #[test]
    fn nodes_below_helpers_of_helpers_are_not_lost() {
        let mut rig = AssetBuilder::new();
        let outer = rig.node("x (unscaled) (unscaled)", None, Trs::IDENTITY);
        let inner = rig.node("x (unscaled)", Some(outer), Trs::IDENTITY);
        rig.node("x", Some(inner), Trs::IDENTITY);
        let below = rig.node("y", Some(outer), Trs::IDENTITY);
        rig.node("z", Some(below), Trs::IDENTITY);
        let mut asset = rig.build().expect("the rig is whole");
        asset.format = FBX;
        let tree = Summary::of("model", &asset, Vec::new()).to_tree();
        for name in ["\"x\"", "\"y\"", "\"z\""] {
            assert!(tree.contains(name), "{tree}");
        }
    }
}
