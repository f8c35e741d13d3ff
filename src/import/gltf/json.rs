//! The parts of a document that are read, no more strictly than a rig needs.
//!
//! Unknown members, extensions and extras are skipped, `3.0` is read as `3`, and a value that the standard does not
//! define becomes `Unknown`. Nothing is validated here, neither references nor sizes.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::lenient::{List, Text, Whole, any_numbers, single, single_list, single_matrix, singles};

/// Whether an extension is present, whatever its content.
pub(super) type Presence = Option<IgnoredAny>;

/// A document (§5.17).
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Root<'a> {
    #[serde(borrow)]
    pub(super) asset: Option<&'a RawValue>,
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
    pub(super) meshopt: Presence,
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

/// A material (§5.19); only its base colour is drawn.
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
    pub(super) pbr_metallic_roughness: Option<BaseColor>,
    pub(super) extensions: Option<MaterialExtensions>,
}

/// The base colour of either material model.
#[derive(Debug, Deserialize)]
pub(super) struct BaseColor {
    #[serde(rename = "baseColorFactor", alias = "diffuseFactor")]
    #[serde(default, deserialize_with = "singles")]
    pub(super) factor: Option<[f32; 4]>,
    #[serde(rename = "baseColorTexture", alias = "diffuseTexture")]
    pub(super) texture: Option<TextureInfo>,
}

#[derive(Debug, Deserialize)]
pub(super) struct MaterialExtensions {
    /// The older material model.
    #[serde(rename = "KHR_materials_pbrSpecularGlossiness")]
    pub(super) specular_glossiness: Option<BaseColor>,
}

/// A use of a texture.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TextureInfo {
    pub(super) index: Whole,
    pub(super) tex_coord: Option<Whole>,
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
    #[serde(rename = "EXT_texture_webp")]
    pub(super) webp: Option<WebP>,
}

#[derive(Debug, Deserialize)]
pub(super) struct WebP {
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
    pub(super) draco: Presence,
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
    /// An extension may state the target, as `KHR_animation_pointer` does.
    pub(super) extensions: Presence,
}

/// The property that a channel drives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Property {
    Translation,
    Rotation,
    Scale,
    Weights,
    /// The value that `KHR_animation_pointer` requires.
    Pointer,
    #[default]
    #[serde(other)]
    Unknown,
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
