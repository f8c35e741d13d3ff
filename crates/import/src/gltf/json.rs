//! The parts of a document that are read, no more strictly than a rig needs.
//!
//! Unknown members, extensions and extras are skipped, `3.0` is read as `3`, and a value that the standard does not
//! define becomes `Unknown`. Nothing is validated here, neither references nor sizes.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::lenient::{
    List, Text, Whole, any, any_numbers, single, single_list, single_matrix, singles,
};

/// The name of copies of a mesh.
pub(super) const INSTANCING: &str = "EXT_mesh_gpu_instancing";

/// The names of accessors of half floats, and of doubles.
pub(super) const FLOAT_16: &str = "KHR_accessor_float16";
pub(super) const FLOAT_64: &str = "KHR_accessor_float64";

/// Draco's name.
pub(super) const DRACO: &str = "KHR_draco_mesh_compression";

/// meshopt's names.
pub(super) const MESHOPT: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// The name of a constraint of a node.
pub(super) const CONSTRAINT: &str = "VRMC_node_constraint";

/// VRM's names: of version 0.x, of 1.0, and of its animations.
pub(super) const VRM_0: &str = "VRM";
pub(super) const VRM_1: &str = "VRMC_vrm";
pub(super) const VRM_ANIMATION: &str = "VRMC_vrm_animation";

/// A document (§5.17).
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Root<'a> {
    #[serde(borrow)]
    pub(super) asset: Option<&'a RawValue>,
    #[serde(borrow)]
    extensions: Option<RootExtensions<'a>>,
    #[serde(default, borrow)]
    pub(super) extensions_used: List<Text<'a>>,
    #[serde(default, borrow)]
    pub(super) extensions_required: List<Text<'a>>,
    pub(super) scene: Option<Whole>,
    #[serde(default)]
    pub(super) accessors: List<Accessor>,
    /// Each is an [`Animation`], parsed only if it is wanted.
    #[serde(default, borrow)]
    pub(super) animations: List<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) buffers: List<Buffer<'a>>,
    #[serde(default)]
    pub(super) buffer_views: List<View>,
    #[serde(default, borrow)]
    pub(super) images: List<Image<'a>>,
    #[serde(default, borrow)]
    pub(super) materials: List<Material<'a>>,
    #[serde(default, borrow)]
    pub(super) meshes: List<Mesh<'a>>,
    #[serde(default, borrow)]
    pub(super) nodes: List<Node<'a>>,
    #[serde(default)]
    pub(super) samplers: List<Sampler>,
    #[serde(default)]
    pub(super) scenes: List<Scene>,
    #[serde(default, borrow)]
    pub(super) skins: List<Skin<'a>>,
    #[serde(default)]
    pub(super) textures: List<Texture>,
}

#[derive(Debug, Deserialize)]
struct RootExtensions<'a> {
    #[serde(rename = "KHR_materials_variants", borrow)]
    variants: Option<Variants<'a>>,
    #[serde(rename = "VRM", borrow)]
    vrm_0: Option<&'a RawValue>,
    #[serde(rename = "VRMC_vrm", borrow)]
    vrm_1: Option<&'a RawValue>,
    #[serde(rename = "VRMC_vrm_animation", borrow)]
    vrm_animation: Option<&'a RawValue>,
}

/// The sets of materials that a model comes in (`KHR_materials_variants`).
#[derive(Debug, Deserialize)]
struct Variants<'a> {
    #[serde(borrow)]
    variants: List<Variant<'a>>,
}

#[derive(Debug, Deserialize)]
struct Variant<'a> {
    #[serde(borrow)]
    name: Text<'a>,
}

impl<'a> Root<'a> {
    /// The text of the extension of VRM called `name`, if the document has it.
    pub(super) fn extension(&self, name: &str) -> Option<&'a RawValue> {
        let extensions = self.extensions.as_ref()?;
        match name {
            VRM_0 => extensions.vrm_0,
            VRM_1 => extensions.vrm_1,
            VRM_ANIMATION => extensions.vrm_animation,
            _ => None,
        }
    }

    /// The names of the variants of its materials.
    pub(super) fn variants(&self) -> Vec<String> {
        let variants = self
            .extensions
            .as_ref()
            .and_then(|all| all.variants.as_ref());
        let variants = variants.into_iter().flat_map(|all| all.variants.iter());
        variants.map(|variant| (*variant.name).to_owned()).collect()
    }

    /// Gives all primitives their materials in the variant `name`, if there is one.
    pub(super) fn show_variant(&mut self, name: &str) {
        let Some(variant) = self.variants().iter().position(|own| own == name) else {
            return;
        };
        for mesh in self.meshes.iter_mut() {
            for primitive in mesh.primitives.iter_mut() {
                primitive.material = primitive.material_in(variant).or(primitive.material);
            }
        }
    }
}

/// The type of an element of an accessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Kind {
    Scalar,
    Vec2,
    Vec3,
    Vec4,
    Mat2,
    Mat3,
    Mat4,
    #[serde(other)]
    Unknown,
}

/// Numbers in a buffer view (§5.1).
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub(super) buffer_view: Option<Whole>,
    pub(super) byte_offset: Option<Whole>,
    pub(super) component_type: Whole,
    pub(super) count: Whole,
    #[serde(rename = "type")]
    pub(super) kind: Kind,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) sparse: Option<Sparse>,
    /// The minimum of each component; not used for reading.
    #[serde(default, deserialize_with = "any_numbers")]
    pub(super) min: Option<Box<[f64]>>,
    /// The maximum of each component.
    #[serde(default, deserialize_with = "any_numbers")]
    pub(super) max: Option<Box<[f64]>>,
    /// Whether it reads what a codec decoded, which is not what the document states.
    #[serde(skip)]
    pub(super) is_decoded: bool,
}

/// Elements that replace elements of the buffer view (§5.2).
#[derive(Debug, Clone, Copy, Deserialize)]
pub(super) struct Sparse {
    pub(super) count: Whole,
    pub(super) indices: SparseIndices,
    pub(super) values: SparseValues,
}

/// The indices of those elements.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub(super) buffer_view: Whole,
    pub(super) byte_offset: Option<Whole>,
    pub(super) component_type: Whole,
}

/// Their values.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub(super) buffer_view: Whole,
    pub(super) byte_offset: Option<Whole>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer<'a> {
    #[serde(borrow)]
    pub(super) uri: Option<Text<'a>>,
    pub(super) byte_length: Whole,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct View {
    pub(super) buffer: Whole,
    pub(super) byte_offset: Option<Whole>,
    pub(super) byte_length: Whole,
    pub(super) byte_stride: Option<Whole>,
    #[serde(default)]
    pub(super) extensions: Option<ViewExtensions>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ViewExtensions {
    #[serde(rename = "EXT_meshopt_compression")]
    meshopt: Option<Meshopt>,
    #[serde(rename = "KHR_meshopt_compression")]
    khronos_meshopt: Option<Meshopt>,
}

impl View {
    /// The bytes of a buffer from an offset on.
    pub(super) fn new(buffer: Whole, byte_offset: Option<Whole>, byte_length: Whole) -> Self {
        Self {
            buffer,
            byte_offset,
            byte_length,
            byte_stride: None,
            extensions: None,
        }
    }

    /// The stream that replaces its bytes, with the name of the extension.
    pub(super) fn meshopt(&self) -> Option<(&'static str, &Meshopt)> {
        let extensions = self.extensions.as_ref()?;
        let streams = [&extensions.meshopt, &extensions.khronos_meshopt];
        let mut named = MESHOPT.into_iter().zip(streams);
        named.find_map(|(name, stream)| Some((name, stream.as_ref()?)))
    }
}

/// The elements of a buffer view, compressed (`EXT_meshopt_compression` and `KHR_meshopt_compression`).
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Meshopt {
    pub(super) buffer: Whole,
    pub(super) byte_offset: Option<Whole>,
    pub(super) byte_length: Whole,
    pub(super) byte_stride: Whole,
    pub(super) count: Whole,
    pub(super) mode: Mode,
    #[serde(default)]
    pub(super) filter: Filter,
}

/// What a stream holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Mode {
    Attributes,
    Triangles,
    Indices,
    #[serde(other)]
    Unknown,
}

/// What turns decoded elements into numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Filter {
    #[default]
    None,
    Octahedral,
    Quaternion,
    Exponential,
    Color,
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Image<'a> {
    #[serde(default, borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) uri: Option<Text<'a>>,
    pub(super) buffer_view: Option<Whole>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Alpha {
    Mask,
    Blend,
    #[default]
    #[serde(other)]
    Opaque,
}

/// A material (§5.19).
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Material<'a> {
    #[serde(default, borrow)]
    pub(super) name: Text<'a>,
    #[serde(default)]
    pub(super) alpha_mode: Alpha,
    #[serde(default, deserialize_with = "single")]
    pub(super) alpha_cutoff: Option<f32>,
    #[serde(default)]
    pub(super) double_sided: bool,
    pub(super) pbr_metallic_roughness: Option<Shading>,
    #[serde(default, deserialize_with = "any")]
    pub(super) normal_texture: Option<TextureInfo>,
    pub(super) extensions: Option<MaterialExtensions>,
}

/// The base colour of either material model, and the reflection of the newer one.
#[derive(Debug, Deserialize)]
pub(super) struct Shading {
    #[serde(rename = "baseColorFactor", alias = "diffuseFactor")]
    #[serde(default, deserialize_with = "singles")]
    pub(super) factor: Option<[f32; 4]>,
    #[serde(rename = "baseColorTexture", alias = "diffuseTexture")]
    pub(super) texture: Option<TextureInfo>,
    #[serde(default, rename = "metallicFactor", deserialize_with = "any")]
    pub(super) metallic: Option<f64>,
    #[serde(default, rename = "roughnessFactor", deserialize_with = "any")]
    pub(super) roughness: Option<f64>,
    #[serde(default, rename = "metallicRoughnessTexture", deserialize_with = "any")]
    pub(super) reflection_texture: Option<TextureInfo>,
}

#[derive(Debug, Deserialize)]
pub(super) struct MaterialExtensions {
    /// The older material model.
    #[serde(rename = "KHR_materials_pbrSpecularGlossiness")]
    pub(super) specular_glossiness: Option<Shading>,
}

/// A use of a texture.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TextureInfo {
    pub(super) index: Whole,
    pub(super) tex_coord: Option<Whole>,
    /// Of a normal texture.
    #[serde(default, deserialize_with = "any")]
    pub(super) scale: Option<f64>,
    pub(super) extensions: Option<TextureInfoExtensions>,
}

#[derive(Debug, Deserialize)]
pub(super) struct TextureInfoExtensions {
    #[serde(rename = "KHR_texture_transform")]
    pub(super) transform: Option<TextureTransform>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TextureTransform {
    #[serde(default, deserialize_with = "singles")]
    pub(super) offset: Option<[f32; 2]>,
    #[serde(default, deserialize_with = "single")]
    pub(super) rotation: Option<f32>,
    #[serde(default, deserialize_with = "singles")]
    pub(super) scale: Option<[f32; 2]>,
    pub(super) tex_coord: Option<Whole>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Texture {
    pub(super) source: Option<Whole>,
    pub(super) sampler: Option<Whole>,
    pub(super) extensions: Option<TextureExtensions>,
}

#[derive(Debug, Deserialize)]
pub(super) struct TextureExtensions {
    #[serde(rename = "KHR_texture_basisu")]
    pub(super) basisu: Option<OtherSource>,
    #[serde(rename = "EXT_texture_webp")]
    pub(super) webp: Option<OtherSource>,
}

/// An image in a format that needs an extension.
#[derive(Debug, Deserialize)]
pub(super) struct OtherSource {
    pub(super) source: Option<Whole>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Sampler {
    pub(super) wrap_s: Option<Whole>,
    pub(super) wrap_t: Option<Whole>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Mesh<'a> {
    #[serde(default, borrow)]
    pub(super) name: Text<'a>,
    #[serde(default)]
    pub(super) primitives: List<Primitive>,
    #[serde(default, deserialize_with = "single_list")]
    pub(super) weights: Option<List<f32>>,
    #[serde(borrow)]
    pub(super) extras: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Primitive {
    pub(super) attributes: BTreeMap<String, Whole>,
    pub(super) indices: Option<Whole>,
    pub(super) material: Option<Whole>,
    pub(super) mode: Option<Whole>,
    #[serde(default)]
    pub(super) targets: List<Target>,
    pub(super) extensions: Option<PrimitiveExtensions>,
}

#[derive(Debug, Deserialize)]
pub(super) struct PrimitiveExtensions {
    #[serde(rename = "KHR_draco_mesh_compression")]
    draco: Option<Draco>,
    #[serde(rename = "KHR_materials_variants")]
    variants: Option<Mappings>,
}

/// The materials of a primitive in some variants.
#[derive(Debug, Deserialize)]
struct Mappings {
    mappings: List<Mapping>,
}

#[derive(Debug, Deserialize)]
struct Mapping {
    material: Whole,
    variants: List<Whole>,
}

impl Primitive {
    /// Its own material in a variant.
    fn material_in(&self, variant: usize) -> Option<Whole> {
        let mappings = &self.extensions.as_ref()?.variants.as_ref()?.mappings;
        let is_own = |mapping: &&Mapping| mapping.variants.iter().any(|own| own.index() == variant);
        mappings.iter().find(is_own).map(|mapping| mapping.material)
    }

    /// The stream that replaces the data of its accessors.
    pub(super) fn draco(&self) -> Option<&Draco> {
        self.extensions.as_ref()?.draco.as_ref()
    }
}

/// The indices and attributes of a primitive, compressed (`KHR_draco_mesh_compression`).
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Draco {
    pub(super) buffer_view: Whole,
    /// The identifiers of attributes in the stream.
    pub(super) attributes: BTreeMap<String, Whole>,
}

/// A morph target.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) struct Target {
    pub(super) position: Option<Whole>,
    pub(super) normal: Option<Whole>,
    pub(super) tangent: Option<Whole>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Node<'a> {
    #[serde(default, borrow)]
    pub(super) name: Text<'a>,
    #[serde(default)]
    pub(super) children: List<Whole>,
    pub(super) mesh: Option<Whole>,
    pub(super) skin: Option<Whole>,
    #[serde(default, deserialize_with = "single_matrix")]
    pub(super) matrix: Option<Box<[f32; 16]>>,
    #[serde(default, deserialize_with = "singles")]
    pub(super) translation: Option<[f32; 3]>,
    #[serde(default, deserialize_with = "singles")]
    pub(super) rotation: Option<[f32; 4]>,
    #[serde(default, deserialize_with = "singles")]
    pub(super) scale: Option<[f32; 3]>,
    #[serde(default, deserialize_with = "single_list")]
    pub(super) weights: Option<List<f32>>,
    pub(super) extensions: Option<NodeExtensions>,
}

#[derive(Debug, Deserialize)]
pub(super) struct NodeExtensions {
    #[serde(rename = "KHR_node_visibility")]
    visibility: Option<Visibility>,
    #[serde(rename = "EXT_mesh_gpu_instancing")]
    pub(super) instancing: Option<Instancing>,
    #[serde(rename = "VRMC_node_constraint")]
    pub(super) constraint: Option<Box<RawValue>>,
}

/// The places of the copies of a node's mesh, below the node (`EXT_mesh_gpu_instancing`).
#[derive(Debug, Deserialize)]
pub(super) struct Instancing {
    pub(super) attributes: Copies,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) struct Copies {
    pub(super) translation: Option<Whole>,
    pub(super) rotation: Option<Whole>,
    pub(super) scale: Option<Whole>,
}

#[derive(Debug, Deserialize)]
struct Visibility {
    visible: Option<bool>,
}

impl Node<'_> {
    /// Whether the node and all below it are hidden (`KHR_node_visibility`).
    pub(super) fn is_hidden(&self) -> bool {
        let extensions = self.extensions.as_ref();
        let visibility = extensions.and_then(|own| own.visibility.as_ref());
        visibility.is_some_and(|own| own.visible == Some(false))
    }

    /// Whether its visibility is defined (`KHR_animation_pointer`, "Operation").
    pub(super) fn has_visibility(&self) -> bool {
        let extensions = self.extensions.as_ref();
        extensions.is_some_and(|own| own.visibility.is_some())
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Scene {
    #[serde(default)]
    pub(super) nodes: List<Whole>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Skin<'a> {
    #[serde(default, borrow)]
    pub(super) name: Text<'a>,
    #[serde(default)]
    pub(super) joints: List<Whole>,
    pub(super) inverse_bind_matrices: Option<Whole>,
    pub(super) skeleton: Option<Whole>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Animation {
    #[serde(default)]
    pub(super) channels: List<Channel>,
    #[serde(default)]
    pub(super) samplers: List<AnimationSampler>,
}

/// The members of an [`Animation`] that every reader needs.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Named<'a> {
    #[serde(default, borrow)]
    pub(super) name: Text<'a>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Channel {
    pub(super) sampler: Whole,
    pub(super) target: ChannelTarget,
}

#[derive(Debug, Deserialize)]
pub(super) struct ChannelTarget {
    pub(super) node: Option<Whole>,
    #[serde(default)]
    pub(super) path: Property,
    /// An extension may state the target.
    pub(super) extensions: Option<TargetExtensions>,
}

#[derive(Debug, Deserialize)]
pub(super) struct TargetExtensions {
    #[serde(rename = "KHR_animation_pointer")]
    pub(super) pointer: Option<Pointer>,
}

/// A JSON pointer (`KHR_animation_pointer`).
#[derive(Debug, Deserialize)]
pub(super) struct Pointer {
    #[serde(default)]
    pub(super) pointer: String,
}

/// The object whose property a channel drives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Driven {
    Node(usize),
    Mesh(usize),
}

impl ChannelTarget {
    /// What the channel drives; `None` for a property that is not supported.
    pub(super) fn driven(&self) -> Option<(Driven, Property)> {
        let Some(pointer) = self.pointer() else {
            return Some((Driven::Node(self.node?.index()), self.path));
        };
        let mut steps = pointer.strip_prefix('/')?.splitn(3, '/');
        let (list, index, property) = (steps.next()?, steps.next()?, steps.next()?);
        let index = index.parse().ok()?;
        match list {
            "nodes" => Some((Driven::Node(index), Property::of_node(property)?)),
            "meshes" if property == "weights" => Some((Driven::Mesh(index), Property::Weights)),
            _ => None,
        }
    }

    pub(super) fn pointer(&self) -> Option<&str> {
        let pointer = self.extensions.as_ref()?.pointer.as_ref()?;
        Some(&pointer.pointer)
    }
}

/// The property that a channel drives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Property {
    Translation,
    Rotation,
    Scale,
    Weights,
    #[serde(skip)]
    Visibility,
    /// The value that `KHR_animation_pointer` requires.
    Pointer,
    #[default]
    #[serde(other)]
    Unknown,
}

impl Property {
    /// The property of a node, by the rest of its pointer.
    fn of_node(path: &str) -> Option<Self> {
        Some(match path {
            "translation" => Self::Translation,
            "rotation" => Self::Rotation,
            "scale" => Self::Scale,
            "weights" => Self::Weights,
            "extensions/KHR_node_visibility/visible" => Self::Visibility,
            _ => return None,
        })
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Interpolation {
    #[default]
    Linear,
    Step,
    CubicSpline,
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Deserialize)]
pub(super) struct AnimationSampler {
    pub(super) input: Whole,
    pub(super) output: Whole,
    #[serde(default)]
    pub(super) interpolation: Interpolation,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn whole(text: &str) -> Result<u64, String> {
        let number = serde_json::from_str::<Whole>(text);
        number
            .map(|number| number.0)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_whole_number_may_be_written_as_a_decimal() {
        for (text, number) in [("3", 3), ("3.0", 3), ("18446744073709551615", u64::MAX)] {
            assert_eq!(whole(text), Ok(number));
        }
        for text in ["1.5", "-1", "-1.0", "1e300", "\"3\"", "null", "1e19"] {
            assert!(
                whole(text).unwrap_err().contains("a whole number"),
                "{text}"
            );
        }
    }

    #[test]
    fn null_is_an_empty_list_and_an_empty_text() {
        let node = json!({"name": null, "children": null, "weights": [1]}).to_string();
        let node: Node<'_> = serde_json::from_str(&node).unwrap();
        assert_eq!((&*node.name, node.children.len()), ("", 0));
        assert_eq!(&**node.weights.as_ref().unwrap(), [1.0]);
    }

    #[test]
    fn values_outside_the_specification_are_unknown() {
        let channel = json!({"sampler": 0, "target": {"path": "smell", "extensions": {"A": 1}}});
        let channel: Channel = serde_json::from_value(channel).unwrap();
        assert_eq!(channel.target.path, Property::Unknown);
        assert!(channel.target.extensions.is_some());
        let sampler: AnimationSampler =
            serde_json::from_value(json!({"input": 0, "output": 1, "interpolation": "WAVY"}))
                .unwrap();
        assert_eq!(sampler.interpolation, Interpolation::Unknown);
    }
}
