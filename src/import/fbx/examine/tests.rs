//! Files with one fault each: the import reports that fault, with its location, and nothing else.

use std::path::Path;

use super::super::{asset, load};
use crate::import::ImporterError;
use crate::import::testing::reported;
use crate::rig::{Asset, DefectKind, WeightStorage};

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    std::fs::read(folder.join(name)).unwrap()
}

fn read(file: &[u8]) -> Result<Asset, ImporterError> {
    Ok(asset(&*load::load(file)?))
}

/// The arm as text, with the first `from` behind `after` replaced by `to`.
fn arm(after: &str, from: &str, to: &str) -> Vec<u8> {
    let text = String::from_utf8(fixture("arm.fbx")).unwrap();
    let start = text.find(after).unwrap_or_else(|| panic!("no {after:?}"));
    let (before, rest) = text.split_at(start);
    assert!(rest.contains(from), "no {from:?}");
    (before.to_owned() + &rest.replacen(from, to, 1)).into_bytes()
}

/// The arm with one more connection.
fn connected(connection: &str) -> Vec<u8> {
    let all = "Connections:  {\n";
    arm(all, all, &format!("{all}\tC: {connection}\n"))
}

/// The defects of `file`.
fn defects(file: &[u8]) -> Vec<String> {
    reported(&read(file).expect("the file is read").evidence)
}

/// The first curve, which rotates the elbow in the clip "Bend".
const CURVE: &str = "AnimationCurve: 1200";
/// Its key times.
const TIMES: &str = "0,46186158000";
/// The cluster of the elbow.
const CLUSTER: &str = "SubDeformer::elbow";

/// The one defect of that curve.
fn curve(kind: &str, time: &str, message: &str) -> [String; 1] {
    let location = "joint \"elbow\", clip \"Bend\"";
    [format!(
        "{kind} {location}{time}, Lcl Rotation: {message} (x1)"
    )]
}

#[test]
fn clean_files_of_all_forms_have_no_defect_and_every_kind_is_looked_for() {
    let names = [
        "arm.fbx",
        "arm_binary.fbx",
        "arm_mesh_only.fbx",
        "arm_anim_only.fbx",
    ];
    for name in names {
        let evidence = read(&fixture(name)).unwrap().evidence;
        assert_eq!(reported(&evidence), [""; 0], "{name}");
        assert_eq!(
            evidence.examined.first(),
            Some(&DefectKind::NonfiniteWeight)
        );
        assert_eq!(
            evidence.examined.len(),
            DefectKind::NonunitNormal as usize + 1,
            "{name}"
        );
    }
}

#[test]
fn a_face_of_nothing_is_refused_and_a_normal_names_its_mesh() {
    let face = arm("PolygonVertexIndex", "0,1,-3,", "0,99,-3,");
    let message = read(&face).expect_err("ufbx refuses it").to_string();
    assert!(message.contains("a face to a vertex"), "{message}");
    let normal = arm("Normals:", "0.7071067690849304,0,", "2,0,");
    let expected =
        ["NonunitNormal mesh \"tube\" vertex 0: the normal has length 2.1213, not 1 (x1)"];
    assert_eq!(defects(&normal), expected);
}

#[test]
fn weights_of_missing_vertices_name_their_mesh_and_joint() {
    let vertex = arm("SubDeformer::shoulder", "a: 0,1,2,", "a: 99,1,2,");
    let expected = [
        "VertexIndexOutOfRange mesh \"tube\", joint \"shoulder\": the joint weights vertex 99, but there are 24 (x1)",
    ];
    assert_eq!(defects(&vertex), expected);
    let joint = arm("Connections:", "\tC: \"OO\", 302, 602\n", "");
    let expected = [
        "JointWithoutNode mesh \"tube\", cluster wrist: is not bound to a node, with 12 weights (x1)",
    ];
    assert_eq!(defects(&joint), expected);
}

/// As Blender writes a mesh with two Armature modifiers.
#[test]
fn several_skins_of_a_mesh_are_read_as_one() {
    let whole = String::from_utf8(fixture("arm.fbx")).unwrap();
    let first = whole.find("\tDeformer: 500").expect("there is a skin");
    let end = whole.find("\tDeformer: 600").expect("there is a cluster");
    let second = whole[first..end].replace("500", "501");
    let elbow = "C: \"OO\", 601, 500";
    let split = whole
        .replacen(elbow, "C: \"OO\", 501, 100\n\tC: \"OO\", 601, 501", 1)
        .replacen("\tDeformer: 600", &(second + "\tDeformer: 600"), 1);
    let [whole, split] = [whole, split].map(|text| read(text.as_bytes()).expect("it is read"));
    let note = "has 2 skins, which are read as one";
    assert!(split.notes.iter().any(|own| own.message.contains(note)));
    let sorted = |asset: &Asset| -> Vec<Vec<String>> {
        let lists = movers(asset).into_iter();
        let lists = lists.map(|mut list| {
            list.sort_unstable();
            list.into_iter().map(str::to_owned).collect()
        });
        lists.collect()
    };
    assert_eq!(sorted(&split), sorted(&whole));
}

/// The names of the joints that move the vertices: one list per vertex.
fn movers(asset: &Asset) -> Vec<Vec<&str>> {
    let (mesh, skin) = (&asset.meshes[0], &asset.skins[0]);
    let name = |slot: u32| {
        let joint = asset.skeleton.get(skin.joints[slot as usize]);
        joint.map_or("", |joint| joint.name.as_str())
    };
    let of_vertex = |list: &[crate::rig::Influence]| list.iter().map(|i| name(i.joint.0)).collect();
    mesh.influences.iter().map(of_vertex).collect()
}

#[test]
fn weights_on_the_root_of_the_scene_become_no_other_joints() {
    let file = arm(
        "Connections:",
        "\tC: \"OO\", 301, 601\n",
        "\tC: \"OO\", 0, 601\n",
    );
    let (clean, rooted) = (
        read(&fixture("arm.fbx")).unwrap(),
        read(&file).expect("the file is read"),
    );
    let mut expected = movers(&clean);
    for list in &mut expected {
        list.retain(|name| *name != "elbow");
    }
    assert_eq!(movers(&rooted), expected);
}

#[test]
fn a_skin_without_any_weight_is_reported() {
    let text = String::from_utf8(fixture("arm.fbx")).unwrap();
    let text = text
        .replace("\t\tIndexes:", "\t\tNothing:")
        .replace("\t\tWeights:", "\t\tNone:");
    let expected =
        ["SkinWithoutWeights mesh \"tube\": has a skin, but no vertex has a weight (x1)"];
    assert_eq!(defects(text.as_bytes()), expected);
}

#[test]
fn vertices_without_weights_and_weights_without_vertices_are_reported() {
    let weights = arm(CLUSTER, "Weights:", "Nothing:");
    let expected = [
        "WeightSetMismatch mesh \"tube\", joint \"elbow\": its cluster has vertices but no weights (x1)",
    ];
    assert_eq!(defects(&weights), expected);
    let vertices = arm(CLUSTER, "Indexes:", "Nothing:");
    let expected = [
        "WeightSetMismatch mesh \"tube\", joint \"elbow\": its cluster has weights but no vertices (x1)",
    ];
    assert_eq!(defects(&vertices), expected);
    let fewer = arm(
        CLUSTER,
        "Weights: *16 {\n\t\t\ta: 0.25,",
        "Weights: *15 {\n\t\t\ta: ",
    );
    assert!(matches!(read(&fewer), Err(ImporterError::Parse { .. })));
}

#[test]
fn a_bind_matrix_that_is_missing_or_not_affine_is_reported() {
    let missing = arm(CLUSTER, "TransformLink:", "Nothing:");
    let expected = [
        "InverseBindCount mesh \"tube\", joint \"elbow\", TransformLink: its cluster has no such matrix; the rest pose is used (x1)",
    ];
    assert_eq!(defects(&missing), expected);
    let row = arm(
        CLUSTER,
        "Transform: *16 {\n\t\t\ta: 1,0,0,0,",
        "Transform: *16 {\n\t\t\ta: 1,0,0,0.5,",
    );
    let expected = [
        "NonaffineInverseBind mesh \"tube\", joint \"elbow\", Transform: the last row is 0.5 0 0 1 (x1)",
    ];
    assert_eq!(defects(&row), expected);
    let nan = arm(
        CLUSTER,
        "TransformLink: *16 {\n\t\t\ta: 1,",
        "TransformLink: *16 {\n\t\t\ta: nan,",
    );
    let expected = [
        "NonaffineInverseBind mesh \"tube\", joint \"elbow\", TransformLink: it contains NaN or infinity (x1)",
    ];
    assert_eq!(defects(&nan), expected);
    let rounded = arm(CLUSTER, "0,-1,0,1\n", "0,-1,0,0.9999999\n");
    assert_eq!(defects(&rounded), [""; 0]);
}

#[test]
fn a_second_parent_is_reported_and_a_node_above_itself_refused() {
    let second = connected("\"OO\", 302, 300");
    assert_eq!(
        defects(&second),
        ["HierarchyCycle joint \"wrist\": has 2 parents (x1)"]
    );
    let circle = arm("Connections:", "\"OO\", 300, 0\n", "\"OO\", 300, 302\n");
    let refusal = read(&circle).expect_err("ufbx refuses it");
    assert!(matches!(refusal, ImporterError::Parse { .. }));
    let message = refusal.to_string();
    assert!(message.contains("its own ancestor"), "{message}");
    assert!(!message.contains("a face to a vertex"), "{message}");
}

#[test]
fn the_order_of_keys_is_reported_as_the_file_has_it() {
    let late = arm(CURVE, TIMES, "46186158000,0");
    let expected = curve(
        "UnorderedKeys",
        " at 0 s",
        "key 1 at 0 s comes after one at 1 s",
    );
    assert_eq!(defects(&late), expected);
    let together = arm(CURVE, TIMES, "0,0");
    let expected = curve(
        "ConflictingKeys",
        " at 0 s",
        "keys 0 and 1 are both at 0 s and differ",
    );
    assert_eq!(defects(&together), expected);
}

#[test]
fn keys_outside_of_the_clip_are_reported() {
    let early = arm(CURVE, TIMES, "-46186158000,46186158000");
    assert_eq!(
        defects(&early),
        curve("NegativeTime", " at -1 s", "key 0 is at -1 s")
    );
    let late = arm(CURVE, TIMES, "0,92372316000");
    assert_eq!(
        defects(&late),
        curve("KeyPastEnd", " at 2 s", "key 1 is at 2 s, the end at 1 s")
    );
}

#[test]
fn a_curve_without_keys_is_reported() {
    let text = String::from_utf8(fixture("arm.fbx")).unwrap();
    let start = text.find(CURVE).unwrap();
    let end = start + text[start..].find("\tAnimationCurveNode: 1101").unwrap();
    let list = |name: &str| format!("\t\t{name}: *0 {{\n\t\t\ta: \n\t\t}}\n");
    let names = [
        "KeyTime",
        "KeyValueFloat",
        "KeyAttrFlags",
        "KeyAttrDataFloat",
        "KeyAttrRefCount",
    ];
    let empty = format!(
        "{CURVE}, \"AnimCurve::\", \"\" {{\n{}\t}}\n",
        names.map(list).concat()
    );
    let file = [&text[..start], &empty, &text[end..]].concat();
    assert_eq!(
        defects(file.as_bytes()),
        curve("EmptyChannel", "", "the curve has no key")
    );
}

#[test]
fn a_property_driven_twice_is_reported() {
    let sets = connected("\"OP\", 1101, 301, \"Lcl Rotation\"");
    let expected = curve(
        "DuplicateChannel",
        "",
        "two sets of curves drive it in the same layer",
    );
    assert_eq!(defects(&sets), expected);
    let curves = connected("\"OP\", 1201, 1100, \"d|Z\"");
    let expected = curve("DuplicateChannel", "", "two curves drive the same axis");
    assert_eq!(defects(&curves), expected);
}

#[test]
fn curves_that_drive_nothing_are_reported() {
    let adrift = arm("Connections:", "1100, 301, \"Lcl", "1100, 999, \"Lcl");
    let expected = [
        "TargetMissing clip \"Bend\", curves R: they drive nothing: their target does not exist (x1)",
    ];
    assert_eq!(defects(&adrift), expected);
    let layer = "\tC: \"OO\", 1100, ";
    let text = String::from_utf8(fixture("arm.fbx")).unwrap();
    let layer = text.lines().find_map(|line| line.strip_prefix(layer));
    let weight = format!("1100, {}, \"Weight", layer.unwrap());
    let weight = arm("Connections:", "1100, 301, \"Lcl Rotation", &weight);
    assert_eq!(defects(&weight), [""; 0]);
}

#[test]
fn a_joint_without_its_parents_scale_is_reported() {
    let start =
        "Model: 301, \"Model::elbow\", \"LimbNode\" {\n\t\tVersion: 232\n\t\tProperties70:  {\n";
    let property = "\t\t\tP: \"InheritType\", \"enum\", \"\", \"\", 2\n";
    let file = arm(start, start, &format!("{start}{property}"));
    let expected = [
        "SegmentScaleCompensate joint \"elbow\": is scaled without the scale of its parent (Rrs) (x1)",
    ];
    assert_eq!(defects(&file), expected);
}

/// With the link mode and the first two weights of the elbow's cluster: how weights are meant, and what is noted.
fn linked(mode: &str, weights: &str) -> (WeightStorage, Vec<String>) {
    let (version, of_file) = ("Version: 100\n", "a: 0.25,0.25,");
    let text = String::from_utf8(arm(CLUSTER, version, &format!("{version}{mode}"))).unwrap();
    let (before, cluster) = text.split_at(text.find(CLUSTER).unwrap());
    let cluster = cluster.replacen(of_file, weights, 1);
    let asset = read((before.to_owned() + &cluster).as_bytes()).expect("the file is read");
    let notes = asset.notes.iter().map(|note| note.message.clone());
    (asset.meshes[0].weight_storage, notes.collect())
}

#[test]
fn weights_are_parts_of_their_sum_unless_a_link_mode_asks_for_a_sum() {
    let (whole, partial) = ("a: 0.25,0.25,", "a: 0.25,0.2,");
    for mode in ["", "\t\tMode: \"Normalize\"\n"] {
        assert_eq!(linked(mode, partial), (WeightStorage::Relative, vec![]));
    }
    let total = "\t\tMode: \"Total1\"\n";
    assert_eq!(linked(total, whole), (WeightStorage::Unstated, vec![]));
    let (storage, notes) = linked(total, partial);
    assert_eq!(storage, WeightStorage::Unstated);
    assert!(
        notes[0].contains("Total1") && notes[0].contains("as Normalize"),
        "{notes:?}"
    );
}

#[test]
fn additive_weights_need_no_sum_and_are_noted() {
    let (storage, notes) = linked("\t\tMode: \"Additive\"\n", "a: 0.25,0.25,");
    assert_eq!(storage, WeightStorage::Relative);
    assert!(
        notes[0].contains("Additive") && notes[0].contains("as Normalize"),
        "{notes:?}"
    );
}
