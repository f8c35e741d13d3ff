//! The data that assimp 6.0.2 would lose from a model that a native importer has read.
//!
//! Only losses that the asset itself shows. Comparing both importers on the file shows more.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::read_large;
use crate::import::importer::{Loss, LossKind};
use crate::import::log::Notes;
use crate::import::text::decode;
use crate::rig::{
    Asset, Channel, Format, MeshId, MeshInstance, NodeId, Span, Track, WeightStorage,
};

/// The first version of FBX that assimp reads (`FBXDocument.cpp`, `ReadHeader`).
const FIRST_FBX: (u32, u32) = (7, 1);

/// The suffix that the native importer gives the part of a joint to which children without its scale are attached.
const UNSCALED: &str = " (unscaled)";

/// The losses of a model at `path`, in the order of [`LossKind`].
pub(super) fn of(path: &Path, asset: &Asset) -> Vec<Loss> {
    let extension = path.extension().unwrap_or_default();
    let is = |wanted: &str| extension.eq_ignore_ascii_case(wanted);
    let all = if is("fbx") {
        fbx(asset)
    } else if is("gltf") || is("glb") {
        gltf(asset)
    } else if is("dae") {
        vec![
            (LossKind::Interpolation, tracks_that_bend(asset, |_| true)),
            (LossKind::RestMorphWeights, meshes_at_part_weight(asset)),
        ]
    } else if is("iqm") {
        vec![(LossKind::Rig, usize::from(!asset.skeleton.is_empty()))]
    } else if is("md5mesh") {
        md5(asset)
    } else {
        Vec::new()
    };
    let some = all.into_iter().filter(|(_, count)| *count > 0);
    some.map(|(kind, count)| Loss { kind, count }).collect()
}

/// `FBXConverter.cpp`: `InterpolateKeys` samples at key times only, `ConvertAnimationStack` shifts a take to 0,
/// `InheritType` is never read, and `ConvertMeshSingleMaterial` sets the weight of a shape to 1.
fn fbx(asset: &Asset) -> Vec<(LossKind, usize)> {
    let version = match asset.format {
        Format::Fbx { version } => version,
        _ => None,
    };
    if version.is_some_and(|version| version < FIRST_FBX) {
        return vec![(LossKind::File, 1)];
    }
    vec![
        (
            LossKind::Interpolation,
            tracks_that_bend(asset, moves_by_itself),
        ),
        (LossKind::ClipStart, late_clips(asset)),
        (LossKind::InheritedScale, joints_apart_from_scale(asset)),
        (LossKind::RestMorphWeights, meshes_at_part_weight(asset)),
    ]
}

/// `glTF2Importer.cpp`: `CreateNodeAnim` ignores the interpolation; `ImportMeshes` and `BuildVertexWeightMapping` read
/// positions and weights as floats; bones belong to a mesh, not to its instances; channels find their nodes by name.
fn gltf(asset: &Asset) -> Vec<(LossKind, usize)> {
    vec![
        (LossKind::Interpolation, tracks_that_bend(asset, |_| true)),
        (LossKind::Integers, meshes_of_integers(asset)),
        (LossKind::Bindings, meshes_bound_twice(asset)),
        (LossKind::SharedNames, driven_namesakes(asset)),
    ]
}

/// `MD5Loader.cpp`, `LoadMD5MeshFile`: a vertex gets one position, the weighted sum of its weights' positions.
fn md5(asset: &Asset) -> Vec<(LossKind, usize)> {
    let several = |instance: &&MeshInstance| {
        let mesh = asset.mesh_of(instance);
        asset.skin_of(instance).is_some_and(|skin| {
            let mut first = BTreeMap::new();
            let influences = mesh.influences.all().iter();
            let mut slots = influences.filter_map(|influence| {
                Some((skin.joints.get(influence.slot.index())?, influence.slot))
            });
            slots.any(|(joint, slot)| *first.entry(*joint).or_insert(slot) != slot)
        })
    };
    vec![(
        LossKind::Bindings,
        asset.instances.iter().filter(several).count(),
    )]
}

/// Whether a curved path is the file's own. If the joint also rotates or scales linearly between keys, the curve may come
/// from its pivot, which assimp keeps as a separate node.
fn moves_by_itself(channel: &Channel) -> bool {
    let goes_straight = |bends: Option<bool>| bends == Some(false);
    let rotation = channel.rotation.as_ref().map(bends);
    let scale = channel.scale.as_ref().map(bends);
    !goes_straight(rotation) && !goes_straight(scale)
}

/// * `moves` – whether the translation of a channel is counted.
fn tracks_that_bend(asset: &Asset, moves: fn(&Channel) -> bool) -> usize {
    let channels = asset.clips.iter().flat_map(|clip| &clip.channels);
    let of_joints = channels.map(|channel: &Channel| {
        usize::from(moves(channel) && channel.translation.as_ref().is_some_and(bends))
            + usize::from(channel.rotation.as_ref().is_some_and(bends))
            + usize::from(channel.scale.as_ref().is_some_and(bends))
    });
    let morphs = asset.clips.iter().flat_map(|clip| &clip.morph_channels);
    of_joints.sum::<usize>() + morphs.filter(|channel| bends(&channel.weights)).count()
}

/// Whether the track leaves the straight line between two neighbouring keys.
fn bends<T: PartialEq>(track: &Track<T>) -> bool {
    let mut pairs = track.keys.windows(2);
    pairs.any(|pair| match pair[0].span {
        Span::Linear => false,
        Span::Step => pair[0].value != pair[1].value,
        Span::Cubic { .. } => true,
    })
}

fn late_clips(asset: &Asset) -> usize {
    let clips = asset.clips.iter();
    clips.filter(|clip| clip.start.0.abs() > 0.0).count()
}

fn joints_apart_from_scale(asset: &Asset) -> usize {
    let joints = asset.skeleton.nodes();
    let is_apart = |name: &str, parent: Option<NodeId>| {
        let above = parent.and_then(|parent| joints.get(parent.index()));
        let owner = above.and_then(|above| above.name.strip_suffix(UNSCALED));
        owner.is_some_and(|owner| owner != name)
    };
    let apart = joints.iter();
    apart
        .filter(|joint| is_apart(&joint.name, joint.parent))
        .count()
}

fn meshes_of_integers(asset: &Asset) -> usize {
    let are_integers = |storage| matches!(storage, WeightStorage::Unorm8 | WeightStorage::Unorm16);
    let meshes = asset.meshes.iter();
    meshes
        .filter(|mesh| mesh.quantized || are_integers(mesh.weight_storage))
        .count()
}

fn meshes_at_part_weight(asset: &Asset) -> usize {
    let is_part = |weights: &[f32]| weights.iter().any(|weight| (weight - 1.0).abs() > 0.0);
    let instances = asset.instances.iter();
    let meshes = instances.filter(|instance| is_part(&instance.morph_weights));
    meshes
        .map(|instance| instance.mesh)
        .collect::<BTreeSet<_>>()
        .len()
}

fn meshes_bound_twice(asset: &Asset) -> usize {
    let mut skins: BTreeMap<MeshId, BTreeSet<_>> = BTreeMap::new();
    for instance in &asset.instances {
        skins
            .entry(instance.mesh)
            .or_default()
            .insert(instance.skin);
    }
    skins.values().filter(|skins| skins.len() > 1).count()
}

/// The number of joints that a skin binds or a clip drives and that share their name with another joint.
fn driven_namesakes(asset: &Asset) -> usize {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for joint in asset.skeleton.nodes() {
        *count.entry(&joint.name).or_default() += 1;
    }
    let mut meant = asset.bound_joints();
    for channel in asset.clips.iter().flat_map(|clip| &clip.channels) {
        meant[channel.node.index()] = true;
    }
    let joints = asset.skeleton.nodes().iter().zip(meant);
    let is_shared = |name: &str| !name.is_empty() && count.get(name).is_some_and(|many| *many > 1);
    joints
        .filter(|(joint, meant)| *meant && is_shared(&joint.name))
        .count()
}

/// The number of channels of a joint whose positions assimp reads.
const FULL: usize = 6;

/// The bytes of the file at `path`; `None` if it is not Biovision or not readable.
pub(super) fn read_bvh(path: &Path) -> Option<Vec<u8>> {
    let extension = path.extension()?;
    let is_motion = extension.eq_ignore_ascii_case("bvh");
    is_motion.then(|| read_large(path).ok()).flatten()
}

/// Notes each joint of the Biovision file `bytes` that loses its positions.
pub(super) fn note_bvh(bytes: &[u8], notes: &mut Notes) {
    for joint in motionless(&decode(bytes)) {
        notes.add(
            format!("joint {joint:?}"),
            format!(
                "stays at its offset: assimp reads positions only for joints with {FULL} channels"
            ),
        );
    }
}

/// The joints that have position channels but not six channels in all.
fn motionless(text: &str) -> Vec<&str> {
    let hierarchy = text.split("MOTION").next().unwrap_or_default();
    let mut words = hierarchy.split_ascii_whitespace();
    let (mut joint, mut found) = ("", Vec::new());
    while let Some(word) = words.next() {
        match word {
            "ROOT" | "JOINT" => joint = words.next().unwrap_or_default(),
            "CHANNELS" => {
                let count = words.next().and_then(|count| count.parse().ok());
                let channels = words.by_ref().take(count.unwrap_or(0).min(FULL + 1));
                let moves = channels
                    .filter(|channel| channel.ends_with("position"))
                    .count()
                    > 0;
                if moves && count != Some(FULL) {
                    found.push(joint);
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::importer::Importer;
    use crate::import::md5::Md5;
    use crate::import::testing::{changed, text};

    #[test]
    fn a_mesh_of_md5_whose_weights_disagree_is_bound_at_one_position() {
        let text = text("figure.md5mesh");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("figure.md5mesh");
        let losses = |text: &str| {
            std::fs::write(&path, text).unwrap();
            of(&path, &Md5.import(&path).unwrap())
        };
        assert_eq!(losses(&text), []);
        let point = "( 0.25 0.25 -0.5 )";
        let (kind, count) = (LossKind::Bindings, 1);
        let bindings = Loss { kind, count };
        let apart = changed(&text, point, "( 0.25 0.25 -0.4 )");
        assert_eq!(losses(&apart), [bindings]);
    }

    #[test]
    fn joints_that_lose_their_positions_are_found() {
        let joint = |kind: &str, name: &str, channels: &str| {
            format!("{kind} {name}\n{{\nOFFSET 0 1 0\nCHANNELS {channels}\n")
        };
        let file = [
            joint(
                "ROOT",
                "hips",
                "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation",
            ),
            joint("JOINT", "spine", "3 Zrotation Xrotation Yrotation"),
            joint("JOINT", "prop", "3 Xposition Yposition Zposition"),
            joint(
                "JOINT",
                "eye",
                "5 Xposition Yposition Zposition Zrotation Xrotation",
            ),
            "MOTION\nFrames: 1\nCHANNELS 1 Xposition".to_owned(),
        ];
        assert_eq!(motionless(&file.concat()), ["prop", "eye"]);
        assert!(motionless("CHANNELS 99999999999999999999 Xposition ROOT").is_empty());
    }
}
