//! The faults of assimp's safe binding, each shown to be absent here, and scenes that assimp would hardly produce.

mod evidence;

use std::mem::MaybeUninit;

use glam::{Mat4, Vec3};
use russimp::sys::{aiNode, aiScene, aiTexture};

use super::names::name_of;
use super::nodes::Nodes;
use super::raw::Raw;
use super::scene::Scene;
use super::*;
use crate::rig::{ImageData, LocalTransform};
use crate::units::Seconds;

/// A frame with a triangle and a frame within it of the same name, and an animation that moves the first, in DirectX's
/// text format. `NAME` is replaced.
const X_FILE: &str = "xof 0303txt 0032
Frame NAME {
  FrameTransformMatrix { 1.0,0.0,0.0,0.0, 0.0,1.0,0.0,0.0, 0.0,0.0,1.0,0.0, 0.0,0.0,0.0,1.0;; }
  Mesh { 3; 0.0;0.0;0.0;, 1.0;0.0;0.0;, 0.0;1.0;0.0;; 1; 3; 0,1,2;; }
  Frame NAME {
    FrameTransformMatrix { 1.0,0.0,0.0,0.0, 0.0,1.0,0.0,0.0, 0.0,0.0,1.0,0.0, 2.0,0.0,0.0,1.0;; }
  }
}
AnimationSet walk {
  Animation { {NAME} AnimationKey { 2; 2; 0;3;0.0,0.0,0.0;;, 50;3;5.0,0.0,0.0;;; } }
}
AnimationSet walk {
  Animation { {NAME} AnimationKey { 2; 1; 0;3;0.0,0.0,0.0;;; } }
}
";

fn asset(scene: Raw<'_, aiScene>) -> Asset {
    resolve(convert(scene).unwrap()).unwrap()
}

fn assert_noted(asset: &Asset, what: &str) {
    let mut notes = asset.notes.iter();
    let is_noted = notes.any(|note| note.message.contains(what));
    assert!(is_noted, "{:?}", asset.notes);
}

fn import_x(name: &[u8]) -> Asset {
    let parts: Vec<&[u8]> = X_FILE.split("NAME").map(str::as_bytes).collect();
    let file = parts.join(name);
    let scene = Scene::read_bytes(&file, c"x").unwrap();
    let asset = asset(scene.raw());
    asset.validate().unwrap();
    asset
}

#[test]
fn a_clip_without_a_tick_rate_runs_at_25_with_a_note() {
    let asset = import_x(b"arm");
    let clip = &asset.clips[0];
    assert_eq!((clip.rate.stated, clip.rate.used), (Some(0.0), 25.0));
    assert_eq!(clip.end, Seconds(2.0));
    assert_noted(&asset, "25");
}

#[test]
fn clips_of_the_same_name_are_both_kept() {
    let clips = import_x(b"arm").clips;
    let names: Vec<&str> = clips.iter().map(|clip| clip.name.as_str()).collect();
    assert_eq!(names, ["walk", "walk"]);
}

#[test]
fn of_nodes_with_the_same_name_the_first_is_animated_with_a_note() {
    let asset = import_x(b"arm");
    let first = asset.skeleton.find("arm");
    assert_eq!(Some(asset.clips[0].channels[0].node), first);
    assert_noted(&asset, "2 nodes are named");
}

#[test]
fn a_name_that_is_not_utf_8_comes_through() {
    let asset = import_x(b"K\xF6rper");
    assert!(asset.skeleton.find("Körper").is_some());
}

/// assimp's structures are numbers, arrays and pointers; all zeros are empty values of each.
fn empty<T>() -> T {
    // SAFETY: used below only for structures made of numbers, arrays of them and pointers.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

#[test]
fn a_gap_in_the_embedded_textures_is_a_missing_image() {
    let mut bytes = *b"PNG?";
    let mut texture = aiTexture {
        mWidth: 4,
        pcData: bytes.as_mut_ptr().cast(),
        mFilename: name_of(b"skin.png"),
        ..empty()
    };
    let mut textures = [std::ptr::null_mut(), &raw mut texture];
    let mut root: aiNode = empty();
    let scene = aiScene {
        mRootNode: &raw mut root,
        mNumTextures: 2,
        mTextures: textures.as_mut_ptr(),
        ..empty()
    };
    // SAFETY: its pointers are null or to the locals above.
    let asset = asset(unsafe { Raw::new(&scene) });
    assert!(matches!(asset.images[0].data, ImageData::Missing(_)));
    assert_eq!(asset.images[1].data, ImageData::Encoded(b"PNG?".to_vec()));
}

#[test]
fn a_scene_without_a_root_is_an_error() {
    let scene: aiScene = empty();
    // SAFETY: all its pointers are null.
    let error = convert(unsafe { Raw::new(&scene) }).unwrap_err();
    assert_eq!(error, ImporterError::NoScene);
}

/// A chain of nodes of these names, each 1 along x from the one before.
fn with_chain(names: &[&str], check: impl FnOnce(&Nodes<'_>)) {
    let mut nodes: Vec<aiNode> = names.iter().map(|name| node(name)).collect();
    let first = nodes.as_mut_ptr();
    let next = (1..names.len()).map(|index| [first.wrapping_add(index)]);
    let mut children: Vec<[*mut aiNode; 1]> = next.collect();
    for (index, child) in children.iter_mut().enumerate() {
        // SAFETY: there is one child fewer than nodes.
        let node = unsafe { &mut *first.add(index) };
        node.mNumChildren = 1;
        node.mChildren = child.as_mut_ptr();
    }
    let scene = aiScene {
        mRootNode: first,
        ..empty()
    };
    // SAFETY: its pointers are null or to the locals above.
    check(&Nodes::read(unsafe { Raw::new(&scene) }).unwrap());
}

fn node(name: &str) -> aiNode {
    let mut node = aiNode {
        mName: name_of(name.as_bytes()),
        ..empty()
    };
    let matrix = &mut node.mTransformation;
    (matrix.a1, matrix.b2, matrix.c3, matrix.d4, matrix.a4) = (1.0, 1.0, 1.0, 1.0, 1.0);
    node
}

#[test]
fn a_geometric_transform_moves_neither_its_node_nor_the_children() {
    let chain = [
        "root",
        "box_$AssimpFbx$_GeometricTranslation",
        "box_$AssimpFbx$_GeometricRotation",
        "box",
        "box_$AssimpFbx$_GeometricRotationInverse",
        "child",
    ];
    with_chain(&chain, |nodes| {
        let [.., model] = nodes.named(b"box") else {
            panic!()
        };
        let [.., child] = nodes.named(b"child") else {
            panic!()
        };
        let joint = |id: crate::rig::NodeId| &nodes.joints[id.index()];
        assert_eq!(joint(*model).rest, LocalTransform::Matrix(Mat4::IDENTITY));
        assert_eq!(joint(*child).parent, Some(*model));
        let mut joints = nodes.joints.iter();
        let geometry = joints.find(|joint| joint.name.contains("Geometric"));
        let geometry = geometry.unwrap();
        assert_eq!(geometry.parent, Some(*model));
        let moved = Mat4::from_translation(Vec3::new(3.0, 0.0, 0.0));
        assert_eq!(geometry.rest, LocalTransform::Matrix(moved));
    });
}

#[test]
fn a_hierarchy_of_any_depth_is_read() {
    let names = vec!["deeper"; 20_000];
    with_chain(&names, |nodes| assert_eq!(nodes.joints.len(), names.len()));
}

/// A triangle in Inter-Quake Model's format: header, text, mesh, one array of positions, triangle.
fn iqm() -> Vec<u8> {
    let (text, mesh, array, positions, triangle) = (124_u32, 128_u32, 152_u32, 172_u32, 208_u32);
    let size = triangle + 12;
    let mut header = [0_u32; 27];
    header[..7].copy_from_slice(&[2, size, 0, 4, text, 1, mesh]);
    header[7..13].copy_from_slice(&[1, 3, array, 1, triangle, 0]);
    let mut words: Vec<u32> = header.to_vec();
    words.push(0);
    words.extend([0, 0, 0, 3, 0, 1]);
    words.extend([0, 0, 7, 3, positions]);
    words.extend([0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].map(f32::to_bits));
    words.extend([0, 1, 2]);
    let mut file = b"INTERQUAKEMODEL\0".to_vec();
    file.extend(words.into_iter().flat_map(u32::to_le_bytes));
    file
}

#[test]
fn an_iqm_file_says_that_its_rig_is_lost() {
    let scene = Scene::read_bytes(&iqm(), c"iqm").unwrap();
    let asset = asset(scene.raw());
    assert_eq!(asset.meshes[0].triangles.len(), 1);
    assert_noted(&asset, "IQM");
}
