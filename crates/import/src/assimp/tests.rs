//! The faults of assimp's safe binding, each shown to be absent here, and scenes that assimp would hardly produce.

use std::fs;
use std::mem::MaybeUninit;

use glam::{Mat4, Vec3};
use russimp::sys::{aiNode, aiScene, aiTexture};

use super::nodes::Nodes;
use super::raw::{Raw, name_of};
use super::scene::Scene;
use super::{Assimp, *};
use crate::importer::{Importer, ImporterError};
use crate::rig::{Asset, DefectKind, ImageData, LocalTransform, Misread};
use crate::testing::{bytes, changed, reported, text};
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
fn a_clip_without_a_tick_rate_has_that_of_its_format_with_a_note() {
    let asset = import_x(b"arm");
    let clip = &asset.clips[0];
    assert_eq!((clip.rate.stated, clip.rate.used), (Some(0.0), 4800.0));
    assert_eq!(clip.end, Seconds(50.0 / 4800.0));
    assert_noted(
        &asset,
        "states no AnimTicksPerSecond; 4800 ticks per second are assumed",
    );
    let frames = changed(&X_FILE.replace("NAME", "arm"), " 50;3;5.0", " 10;3;5.0").into_bytes();
    let asset = import(&[("frames.x", frames)]).unwrap();
    let rate = asset.clips[0].rate;
    assert_eq!((rate.stated, rate.used), (Some(0.0), 25.0));
    assert_noted(
        &asset,
        "states 0 ticks per second; 25 ticks per second are assumed",
    );
    let game = import(&[("arm.smd", text("arm.smd").into_bytes())]).unwrap();
    assert_eq!(
        (game.clips[0].rate.stated, game.clips[0].rate.used),
        (None, 30.0)
    );
    assert_noted(
        &game,
        "the format states no rate; 30 frames per second are assumed",
    );
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
        let geometry = joints
            .find(|joint| joint.name.contains("Geometric"))
            .unwrap();
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

/// The fixture `name` with the first `from` replaced by `to`.
fn with(name: &str, from: &str, to: &str) -> Vec<u8> {
    changed(&text(name), from, to).into_bytes()
}

/// Imports the first of `files`, which lie in one folder.
fn import(files: &[(&str, Vec<u8>)]) -> Result<Asset, ImporterError> {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let asset = Assimp.import(&folder.path().join(files[0].0))?;
    asset.validate().expect("what is imported is valid");
    Ok(asset)
}

/// What is reported about the fixture `name` with one of `changes`: one line each.
fn defects(name: &str, changes: &[(&str, &str)]) -> String {
    let lines = changes.iter().map(|(from, to)| {
        let evidence = import(&[(name, with(name, from, to))]).unwrap().evidence;
        reported(&evidence).join(" AND ")
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn clean_files_have_no_defect() {
    for name in ["arm.x", "arm.smd", "arm.ms3d", "arm.fbx", "arm.b3d"] {
        let evidence = import(&[(name, bytes(name))]).unwrap().evidence;
        assert_eq!(reported(&evidence), [""; 0], "{name}");
    }
}

#[test]
fn direct_x_reports_bones_and_keys() {
    let matrix = "1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,-1.0";
    let sheared = "1.0,0.0,0.0,0.5,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,-1.0";
    let changes = [
        (matrix, sheared),
        ("\"wrist\";", "\"hand\";"),
        ("0;16;", "7;16;"),
        ("1;16;", "0;16;"),
        ("{ elbow }", "{ hand }"),
        ("{ elbow }", ""),
    ];
    insta::assert_snapshot!(defects("arm.x", &changes), @r#"
    NonaffineInverseBind mesh "tube", joint "elbow": the last row of its inverse bind matrix is 0.5 0 -0 1 (x1)
    JointWithoutNode mesh "tube", joint "hand": the joint of 12 weights does not refer to a node (x1)
    UnorderedKeys joint "elbow", clip "Bend" at 0.042 s, translation: key 1 at 0.0417 s comes after one at 0.2917 s (x3)
    ConflictingKeys joint "elbow", clip "Bend" at 0 s, rotation: keys 0 and 1 are both at 0 s and differ (x1)
    TargetMissing clip "Bend": a channel drives "hand", which is not a node (x1)
    TargetMissing clip "Bend": a channel drives "", which is not a node (x1)
    "#);
}

#[test]
fn smd_reports_joints_normals_and_keys() {
    let normal = "0 0.25 0.25 0 0.70710677 0.70710677 0";
    let changes = [
        ("1 0 0 1 0.05235988 0 0", "1 0 0 nan 0.05235988 0 0"),
        ("time 1\n", "time 90\n"),
        ("time 1\n", "time 0\n"),
        (normal, "0 0.25 0.25 0 2 0 0"),
        ("2 \"wrist\" 1", "2 \"wrist\" 9"),
    ];
    insta::assert_snapshot!(defects("arm.smd", &changes), @r#"
    NonfiniteKey joint "elbow", clip "animation_0" at 0.033 s, translation: key 1 is NaN or infinite (x1)
    UnorderedKeys joint "shoulder", clip "animation_0" at 0.067 s, translation: key 2 at 0.0667 s comes after one at 3 s (x6)
    ConflictingKeys joint "elbow", clip "animation_0" at 0 s, rotation: keys 0 and 1 are both at 0 s and differ (x2)
    NonunitNormal mesh "<SMD_root>" vertex 0: the normal has length 2, not 1 (x1)
    JointWithoutNode mesh "<SMD_root>", joint "wrist": the joint of 12 weights does not refer to a node (x1)
    "#);
}

#[test]
fn blitz_and_ogre_pass_on_nan_and_infinity() {
    let key = |file: Vec<u8>, name: &str| {
        let files = [
            (name, file),
            ("arm.skeleton.xml", bytes("arm.skeleton.xml")),
        ];
        let asset = import(&files).unwrap();
        let all = asset.meshes[0].influences.all().iter();
        let weights = all.filter(|own| !own.weight.is_finite()).count();
        let defects = asset.evidence.of(DefectKind::NonfiniteKey).count();
        for kind in [DefectKind::NonfiniteKey, DefectKind::NonfiniteWeight] {
            assert!(asset.evidence.examines(kind), "{name}");
        }
        (weights, defects)
    };
    // The first weight of the first chunk of weights, behind the number of its vertex; and the first number of the first
    // key, behind its frame.
    let blitz = |tag: &[u8], behind: usize, number: f32| {
        let mut file = bytes("arm.b3d");
        let chunk = file.windows(4).position(|window| window == tag).unwrap();
        let at = chunk + 8 + behind;
        file[at..at + 4].copy_from_slice(&number.to_le_bytes());
        key(file, "arm.b3d")
    };
    for number in [f32::NAN, f32::INFINITY] {
        assert!(blitz(b"BONE", 4, number).0 > 0, "{number}");
        assert!(blitz(b"KEYS", 8, number).1 > 0, "{number}");
    }
    for number in ["nan", "inf"] {
        let (from, to) = ("weight=\"1\"", format!("weight=\"{number}\""));
        let mesh = with("arm.mesh.xml", from, &to);
        assert!(key(mesh, "arm.mesh.xml").0 > 0, "{number}");
        let to = format!("<keyframe time=\"0\"><translate x=\"{number}\"");
        let from = "<keyframe time=\"0\"><translate x=\"0\"";
        let skeleton = with("arm.skeleton.xml", from, &to);
        let mesh = ("arm.mesh.xml", bytes("arm.mesh.xml"));
        let asset = import(&[mesh, ("arm.skeleton.xml", skeleton)]).unwrap();
        let defects = asset.evidence.of(DefectKind::NonfiniteKey);
        assert!(defects.count() > 0, "{number}");
    }
}

#[test]
fn a_second_layer_of_colour_is_noted() {
    let layers = |names: &[&str]| {
        let unit = |name: &&str| format!("texture_unit\n{{\ntexture {name}\n}}\n");
        let units: String = names.iter().map(unit).collect();
        // assimp reads on forever where a brace is not on a line of its own.
        let pass = format!("pass\n{{\n{units}}}\n");
        let material = format!("material skin\n{{\ntechnique\n{{\n{pass}}}\n}}\n");
        let mesh = text("arm.mesh.xml").replace("material=\"\"", "material=\"skin\"");
        let files = [
            ("arm.mesh.xml", mesh.into_bytes()),
            ("arm.skeleton.xml", bytes("arm.skeleton.xml")),
            ("arm.material", material.into_bytes()),
        ];
        let asset = import(&files).unwrap();
        let mut notes = asset.notes.iter();
        notes.any(|note| note.message.contains("has 2 layers of colour"))
    };
    assert!(layers(&["overlay.png", "skin.png"]) && !layers(&["skin.png"]));
}

#[test]
fn milkshape_reports_joints_without_their_parent() {
    let mut file = bytes("arm.ms3d");
    let wrist = file.windows(6).position(|window| window == b"wrist\0");
    let parent = wrist.unwrap() + 32;
    assert!(file[parent..].starts_with(b"elbow\0"));
    file[parent] = b'E';
    let expected = [
        "TargetMissing clip \"<MS3DMasterAnim>\": a channel drives \"wrist\", which is not a node (x1)",
        "JointWithoutNode mesh \"<MS3DRoot>\", joint \"wrist\": the joint of 4 weights does not refer to a node (x1)",
    ];
    let asset = import(&[("arm.ms3d", file)]).unwrap();
    assert_eq!(reported(&asset.evidence), expected);
}

/// The smallest weight, and the smallest sum of a vertex's weights.
fn least(asset: &Asset) -> (f32, f32) {
    let lists = || asset.meshes.iter().flat_map(|mesh| mesh.influences.iter());
    let weights = lists().flatten().map(|influence| influence.weight);
    let sums = lists().map(|list| list.iter().map(|influence| influence.weight).sum::<f32>());
    (
        weights.fold(f32::MAX, f32::min),
        sums.fold(f32::MAX, f32::min),
    )
}

#[test]
fn weights_that_assimp_mends_or_drops_are_not_vouched_for() {
    let negative = DefectKind::NegativeWeight;
    let sum = DefectKind::WeightsNotNormalized;
    let weights = "1.0,1.0,1.0,1.0,0.75";
    for (name, from, to, kind) in [
        ("arm.x", weights, "-1.0,1.0,1.0,1.0,0.75", negative),
        ("figure.md5mesh", "weight 0 0 1 ", "weight 0 0 0.5 ", sum),
    ] {
        let asset = import(&[(name, with(name, from, to))]).unwrap();
        let (weight, of_vertex) = least(&asset);
        let is_silent = match kind {
            DefectKind::NegativeWeight => weight >= 0.0,
            _ => (of_vertex - 1.0).abs() < 1e-6,
        };
        assert!(is_silent, "{name}: {weight} {of_vertex}");
        assert!(!asset.evidence.examines(kind), "{name}");
    }
}

#[test]
fn weights_that_assimp_keeps_are_vouched_for() {
    let file = with("arm.x", "1.0,1.0,1.0,1.0,0.75", "0.5,1.0,1.0,1.0,0.75");
    let asset = import(&[("arm.x", file)]).unwrap();
    let (_, sum) = least(&asset);
    assert!((sum - 0.5).abs() < 1e-6, "{sum}");
    assert!(asset.evidence.examines(DefectKind::WeightsNotNormalized));
}

#[test]
fn channels_that_assimp_completes_are_not_vouched_for() {
    for name in ["arm.smd", "arm.ms3d", "arm.b3d", "arm.bvh"] {
        let asset = import(&[(name, bytes(name))]).unwrap();
        let mut channels = asset.clips.iter().flat_map(|clip| &clip.channels);
        let completed = channels.any(|channel| {
            let scale = channel.scale.as_ref();
            scale.is_some_and(|track| track.keys.len() == 1)
        });
        assert!(completed, "{name}");
        let is_reported = asset.evidence.examines(DefectKind::EmptyChannel);
        assert!(!is_reported, "{name}");
    }
}

/// A rotated joint, and a triangle.
const ROTATED_SMD: &str = "version 1\nnodes\n0 \"j0\" -1\nend\nskeleton\ntime 0\n0 1 2 3 0.1 0.2 0.3\nend\ntriangles\nm\n\
    0 0 0 0 0 0 1 0 0 1 0 1\n0 1 0 0 0 0 1 1 0 1 0 1\n0 0 1 0 0 0 1 0 1 1 0 1\nend\n";

#[test]
fn assimps_own_artefacts_are_not_faults_of_the_file() {
    let smd = import(&[("rotated.smd", ROTATED_SMD.into())]).unwrap();
    let [x, y, z, w] = smd.skins[0].inverse_bind_matrices[0]
        .transpose()
        .to_cols_array_2d()[3];
    assert!((x, y, z) == (0.0, 0.0, 0.0) && (w - 1.0).abs() < 1e-6);
    assert_eq!(reported(&smd.evidence), [""; 0]);
}

/// A node of Blitz3D with two copies of the arm.
fn two_arms() -> Vec<u8> {
    let file = bytes("arm.b3d");
    let start = file.windows(4).position(|tag| tag == b"NODE");
    let (head, node) = file.split_at(start.expect("it has a node"));
    let transform = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0_f32];
    let transform: Vec<u8> = transform.iter().flat_map(|own| own.to_le_bytes()).collect();
    let content = [b"both\0", transform.as_slice(), node, node].concat();
    let length = |bytes: usize| u32::try_from(bytes).unwrap().to_le_bytes();
    let root = [b"NODE", length(content.len()).as_slice(), &content].concat();
    let all = [&head[8..], &root].concat();
    [b"BB3D", length(all.len()).as_slice(), &all].concat()
}

#[test]
fn weights_of_several_blitz_meshes_are_misread() {
    let asset = import(&[("arms.b3d", two_arms())]).unwrap();
    let expected = [Misread::Weights, Misread::Motion];
    assert_eq!(
        (&asset.evidence.misread[..], asset.clips.len()),
        (&expected[..], 0)
    );
    assert_noted(
        &asset,
        "assimp gives the weights of all 2 meshes to the vertices of the first",
    );
    assert_eq!(
        import(&[("arm.b3d", bytes("arm.b3d"))])
            .unwrap()
            .evidence
            .misread,
        []
    );
}
