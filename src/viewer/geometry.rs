//! Meshes, their bindings to bones, and their uses.

use std::collections::BTreeMap;

use glam::{Mat4, Vec2, Vec3, Vec4};
use serde::Serialize;
use serde_json::{Value, json};

use super::block::{Block, Words};
use crate::pose::ModelPose;
use crate::rig::{
    AlphaMode, Asset, InstanceId, Mesh, MeshId, MeshInstance, MorphTarget, NodeId, Skin, SkinId,
    SkinningOptions, TextureWrap,
};
use crate::shown::printable;
use crate::skinning;
use crate::skinning::weights::of_vertex;
use crate::view::{Appearance, Show};

/// The influences of a mesh's vertices on bones.
#[derive(Debug, Serialize)]
struct Binding {
    /// First influence and number of influences of each vertex.
    ranges: Words,
    /// Bone and weight (as bits).
    influences: Words,
    /// Share of dual quaternions of each vertex; `None` if all are 0.
    shares: Option<Words>,
}

/// Writes the meshes of `asset` and their uses.
pub(super) fn write(
    asset: &Asset,
    options: SkinningOptions,
    bones: &mut Bones,
    block: &mut Block,
) -> Value {
    let mut bindings: Vec<Binding> = Vec::new();
    let mut known: BTreeMap<(MeshId, SkinId), usize> = BTreeMap::new();
    let mut instances = Vec::new();
    for (index, instance) in asset.instances.iter().enumerate() {
        let binding = instance.skin.map(|skin| {
            *known.entry((instance.mesh, skin)).or_insert_with(|| {
                let binding = bind(asset, instance, skin, options, bones, block);
                bindings.push(binding);
                bindings.len() - 1
            })
        });
        let bone = bones.of_node(instance.node);
        instances.push(of_instance(
            asset,
            InstanceId::from_index(index),
            binding,
            bone,
        ));
    }
    let uses = used_uv_sets(asset);
    let meshes: Vec<Value> = asset
        .meshes
        .iter()
        .enumerate()
        .map(|(index, mesh)| match uses.get(&index) {
            Some(sets) => of_mesh(mesh, sets, block),
            None => Value::Null,
        })
        .collect();
    json!({ "meshes": meshes, "bindings": bindings, "instances": instances })
}

fn bind(
    asset: &Asset,
    instance: &MeshInstance,
    skin: SkinId,
    options: SkinningOptions,
    bones: &mut Bones,
    block: &mut Block,
) -> Binding {
    let (mesh, skin) = (asset.mesh_of(instance), &asset[skin]);
    let (mut ranges, mut influences) = (Vec::new(), Vec::new());
    for vertex in 0..mesh.positions.len() {
        let first = influences.len() / 2;
        for influence in of_vertex(mesh.influences.of(vertex), options) {
            let bone = bones.of_slot(skin, influence.slot.index());
            influences.extend([bone, influence.weight.to_bits()]);
        }
        ranges.extend([first, influences.len() / 2 - first].map(number));
    }
    let shares = mesh.has_dual_quaternions(options.method).then(|| {
        bones.dual_quaternions = true;
        let share = |vertex| mesh.dual_quaternion_share(vertex, options.method);
        let shares: Vec<f32> = (0..mesh.positions.len()).map(share).collect();
        block.floats(&shares, 1)
    });
    Binding {
        ranges: block.words(&ranges, 2),
        influences: block.words(&influences, 2),
        shares,
    }
}

fn of_instance(asset: &Asset, id: InstanceId, binding: Option<usize>, bone: u32) -> Value {
    let instance = &asset[id];
    let mesh = asset.mesh_of(instance);
    let appearance = Appearance::of(asset, instance, &Show::LIT);
    // A model that is compared with an approval comes without its images.
    let texture = appearance
        .texture
        .filter(|texture| texture.image.index() < asset.images.len());
    let texture = texture.map(|texture| {
        json!({
            "image": texture.image.index(),
            "uvs": texture.uv_set,
            "wrap": [wrap(texture.wrap_u), wrap(texture.wrap_v)],
        })
    });
    let node = &asset.skeleton[instance.node];
    let name = if mesh.name.is_empty() {
        &node.name
    } else {
        &mesh.name
    };
    json!({
        "name": printable(name),
        "mesh": instance.mesh.index(),
        "binding": binding,
        "bone": bone,
        "node": instance.node.0,
        "material": mesh.material.map(crate::rig::MaterialId::index),
        "alpha": match appearance.alpha {
            AlphaMode::Opaque => "opaque",
            AlphaMode::Mask(_) => "mask",
            AlphaMode::Blend => "blend",
        },
        "oneSided": appearance.one_sided,
        "texture": texture,
    })
}

/// As the page names the modes of WebGL.
fn wrap(wrap: TextureWrap) -> &'static str {
    match wrap {
        TextureWrap::Repeat => "REPEAT",
        TextureWrap::Mirror => "MIRRORED_REPEAT",
        TextureWrap::Clamp => "CLAMP_TO_EDGE",
    }
}

/// Of each mesh that is used, the sets of texture coordinates that a mode shows.
fn used_uv_sets(asset: &Asset) -> BTreeMap<usize, Vec<usize>> {
    let mut uses: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for instance in &asset.instances {
        let appearance = Appearance::of(asset, instance, &Show::LIT);
        let sets = uses.entry(instance.mesh.index()).or_insert_with(|| vec![0]);
        sets.extend(appearance.texture.map(|texture| texture.uv_set as usize));
    }
    uses
}

fn of_mesh(mesh: &Mesh, sets: &[usize], block: &mut Block) -> Value {
    let uvs: Vec<Option<Words>> = mesh
        .uv_sets
        .iter()
        .enumerate()
        .map(|(set, uvs)| {
            sets.contains(&set).then(|| {
                let numbers: Vec<f32> = uvs.iter().flat_map(Vec2::to_array).collect();
                block.floats(&numbers, 2)
            })
        })
        .collect();
    let colors = mesh.color_sets.first().map(|colors| {
        let numbers: Vec<f32> = colors.iter().flat_map(Vec4::to_array).collect();
        block.floats(&numbers, 4)
    });
    let (targets, offsets) = morphs(mesh);
    json!({
        "vertices": mesh.positions.len(),
        "positions": vectors(&mesh.positions, block),
        "normals": (!mesh.normals.is_empty()).then(|| vectors(&mesh.normals, block)),
        "triangles": block.words(mesh.triangles.as_flattened(), 3),
        "uvs": uvs,
        "colors": colors,
        "targets": targets,
        "names": names_of_targets(mesh),
        "offsets": vectors(&offsets, block),
    })
}

/// The start of each target's position and normal offsets, plus one; 0 for attributes that it does not move.
fn morphs(mesh: &Mesh) -> (Vec<[usize; 2]>, Vec<Vec3>) {
    let mut offsets: Vec<Vec3> = Vec::new();
    let targets = mesh.morph_targets.iter().map(|target| {
        let mut section = |base: &[Vec3], moved: &[Vec3]| {
            if base.is_empty() || moved.len() != base.len() {
                return 0;
            }
            offsets.extend(moved);
            offsets.len() - moved.len() + 1
        };
        [
            section(&mesh.positions, &target.positions),
            section(&mesh.normals, &target.normals),
        ]
    });
    (targets.collect(), offsets)
}

/// By their numbers where the file has no names.
fn names_of_targets(mesh: &Mesh) -> Vec<String> {
    let targets = mesh.morph_targets.iter().enumerate();
    let name = |(index, target): (usize, &MorphTarget)| match target.name.as_str() {
        "" => format!("#{index}"),
        name => printable(name),
    };
    targets.map(name).collect()
}

fn vectors(list: &[Vec3], block: &mut Block) -> Words {
    let numbers: Vec<f32> = list.iter().flat_map(Vec3::to_array).collect();
    block.floats(&numbers, 3)
}

/// Influences of an asset are fewer than 2^32.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Numbers of a bone in a frame: the rows of its matrix, and a rotation where there are dual quaternions.
const MATRIX: usize = 12;
const ROTATION: usize = 4;

/// The bones of a page, in the order in which they were first used.
#[derive(Debug, Default)]
pub(super) struct Bones {
    /// `None` for a mesh that follows its node.
    all: Vec<(NodeId, Option<Mat4>)>,
    known: BTreeMap<(NodeId, Option<[u32; 16]>), u32>,
    /// Whether any vertex is skinned by dual quaternions.
    pub(super) dual_quaternions: bool,
}

impl Bones {
    /// The bone of a slot of `skin`.
    pub(super) fn of_slot(&mut self, skin: &Skin, slot: usize) -> u32 {
        self.add(skin.joints[slot], Some(skin.inverse_bind_matrices[slot]))
    }

    /// The bone of whatever follows `node`.
    pub(super) fn of_node(&mut self, node: NodeId) -> u32 {
        self.add(node, None)
    }

    fn add(&mut self, node: NodeId, inverse_bind: Option<Mat4>) -> u32 {
        let bits = inverse_bind.map(|matrix| matrix.to_cols_array().map(f32::to_bits));
        let next = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        *self.known.entry((node, bits)).or_insert_with(|| {
            self.all.push((node, inverse_bind));
            next
        })
    }

    /// The node of each bone.
    pub(super) fn nodes(&self) -> Vec<u32> {
        self.all.iter().map(|(node, _)| node.0).collect()
    }

    /// Numbers of a frame.
    pub(super) fn frame_len(&self) -> usize {
        let rotation = if self.dual_quaternions { ROTATION } else { 0 };
        self.all.len() * (MATRIX + rotation)
    }

    /// The matrices in `pose`.
    pub(super) fn matrices(&self, pose: &ModelPose) -> Vec<Mat4> {
        let matrix = |(node, inverse_bind): &(NodeId, Option<Mat4>)| match inverse_bind {
            Some(inverse_bind) => pose[*node] * *inverse_bind,
            None => pose[*node],
        };
        self.all.iter().map(matrix).collect()
    }

    /// Appends `matrices` as the page reads them: three rows each, since the last row of each is 0 0 0 1.
    pub(super) fn append(&self, matrices: &[Mat4], frame: &mut Vec<f32>) {
        for matrix in matrices {
            for row in 0..3 {
                frame.extend(matrix.row(row).to_array());
            }
            if self.dual_quaternions {
                frame.extend(skinning::rotation_of_slot(matrix));
            }
        }
    }
}
