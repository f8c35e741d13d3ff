//! Files with one fault each: the import reports that fault, with its location, and nothing else.

use super::super::{asset, load};
use crate::ImporterError;
use crate::rig::{Asset, DefectKind, WeightStorage};
use crate::testing::{bytes, changed, reported, text};

fn read(file: &[u8]) -> Result<Asset, ImporterError> {
    Ok(asset(&*load::load(file)?))
}

/// The arm as text, with the first `from` behind `after` replaced by `to`.
fn arm(after: &str, from: &str, to: &str) -> Vec<u8> {
    let text = text("arm.fbx");
    let start = text.find(after).unwrap_or_else(|| panic!("no {after:?}"));
    let (before, rest) = text.split_at(start);
    (before.to_owned() + &changed(rest, from, to)).into_bytes()
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

#[test]
fn clean_files_of_all_forms_have_no_defect_and_every_kind_is_looked_for() {
    for name in ["arm", "arm_binary", "arm_mesh_only", "arm_anim_only"] {
        let name = format!("{name}.fbx");
        let evidence = read(&bytes(&name)).unwrap().evidence;
        assert_eq!(reported(&evidence), [""; 0], "{name}");
        let examined = &evidence.examined;
        assert_eq!(examined.first(), Some(&DefectKind::NonfiniteWeight));
        assert_eq!(examined.len(), DefectKind::NonunitNormal as usize + 1);
    }
}

#[test]
fn a_face_of_nothing_is_refused() {
    let face = arm("PolygonVertexIndex", "0,1,-3,", "0,99,-3,");
    let message = read(&face).expect_err("ufbx refuses it").to_string();
    assert!(message.contains("a face to a vertex"), "{message}");
}

#[test]
fn each_fault_is_reported_with_its_place() {
    let unweighted = text("arm.fbx")
        .replace("\t\tIndexes:", "\t\tNothing:")
        .replace("\t\tWeights:", "\t\tNone:");
    let elbow =
        "Model: 301, \"Model::elbow\", \"LimbNode\" {\n\t\tVersion: 232\n\t\tProperties70:  {\n";
    let inherits = format!("{elbow}\t\t\tP: \"InheritType\", \"enum\", \"\", \"\", 2\n");
    let (transform, link) = (
        "Transform: *16 {\n\t\t\ta: ",
        "TransformLink: *16 {\n\t\t\ta: ",
    );
    let files = [
        arm("Normals:", "0.7071067690849304,0,", "2,0,"),
        arm("SubDeformer::shoulder", "a: 0,1,2,", "a: 99,1,2,"),
        arm("Connections:", "\tC: \"OO\", 302, 602\n", ""),
        unweighted.into_bytes(),
        arm(CLUSTER, "Weights:", "Nothing:"),
        arm(CLUSTER, "Indexes:", "Nothing:"),
        arm(CLUSTER, "TransformLink:", "Nothing:"),
        arm(
            CLUSTER,
            &format!("{transform}1,0,0,0,"),
            &format!("{transform}1,0,0,0.5,"),
        ),
        arm(CLUSTER, &format!("{link}1,"), &format!("{link}nan,")),
        connected("\"OO\", 302, 300"),
        arm(CURVE, TIMES, "46186158000,0"),
        arm(CURVE, TIMES, "0,0"),
        arm(CURVE, TIMES, "-46186158000,46186158000"),
        arm(CURVE, TIMES, "0,92372316000"),
        without_keys(),
        connected("\"OP\", 1101, 301, \"Lcl Rotation\""),
        connected("\"OP\", 1201, 1100, \"d|Z\""),
        arm("Connections:", "1100, 301, \"Lcl", "1100, 999, \"Lcl"),
        arm(elbow, elbow, &inherits),
    ];
    let lines = files.map(|file| defects(&file).join(" AND "));
    insta::assert_snapshot!(lines.join("\n"), @r#"
    NonunitNormal mesh "tube" vertex 0: the normal has length 2.1213, not 1 (x1)
    VertexIndexOutOfRange mesh "tube", joint "shoulder": the joint weights vertex 99, but there are 24 (x1)
    JointWithoutNode mesh "tube", cluster wrist: is not bound to a node, with 12 weights (x1)
    SkinWithoutWeights mesh "tube": has a skin, but no vertex has a weight (x1)
    WeightSetMismatch mesh "tube", joint "elbow": its cluster has vertices but no weights (x1)
    WeightSetMismatch mesh "tube", joint "elbow": its cluster has weights but no vertices (x1)
    InverseBindCount mesh "tube", joint "elbow", TransformLink: its cluster has no such matrix; the rest pose is used (x1)
    NonaffineInverseBind mesh "tube", joint "elbow", Transform: the last row is 0.5 0 0 1 (x1)
    NonaffineInverseBind mesh "tube", joint "elbow", TransformLink: it contains NaN or infinity (x1)
    HierarchyCycle joint "wrist": has 2 parents (x1)
    UnorderedKeys joint "elbow", clip "Bend" at 0 s, Lcl Rotation: key 1 at 0 s comes after one at 1 s (x1)
    ConflictingKeys joint "elbow", clip "Bend" at 0 s, Lcl Rotation: keys 0 and 1 are both at 0 s and differ (x1)
    NegativeTime joint "elbow", clip "Bend" at -1 s, Lcl Rotation: key 0 is at -1 s (x1)
    KeyPastEnd joint "elbow", clip "Bend" at 2 s, Lcl Rotation: key 1 is at 2 s, the end at 1 s (x1)
    EmptyChannel joint "elbow", clip "Bend", Lcl Rotation: the curve has no key (x1)
    DuplicateChannel joint "elbow", clip "Bend", Lcl Rotation: two sets of curves drive it in the same layer (x1)
    DuplicateChannel joint "elbow", clip "Bend", Lcl Rotation: two curves drive the same axis (x1)
    TargetMissing clip "Bend", curves R: they drive nothing: their target does not exist (x1)
    SegmentScaleCompensate joint "elbow": does not inherit its parent's scale (InheritType Rrs, segment scale compensate) (x1)
    "#);
}

/// The arm with a curve whose lists of keys are empty.
fn without_keys() -> Vec<u8> {
    let text = text("arm.fbx");
    let start = text.find(CURVE).unwrap();
    let end = start + text[start..].find("\tAnimationCurveNode: 1101").unwrap();
    let list = |name: &str| format!("\t\t{name}: *0 {{\n\t\t\ta: \n\t\t}}\n");
    let names = "KeyTime KeyValueFloat KeyAttrFlags KeyAttrDataFloat KeyAttrRefCount";
    let lists: String = names.split(' ').map(list).collect();
    let empty = format!("{CURVE}, \"AnimCurve::\", \"\" {{\n{lists}\t}}\n");
    [&text[..start], &empty, &text[end..]].concat().into_bytes()
}

#[test]
fn sound_variants_have_no_defect_and_lists_of_two_lengths_are_refused() {
    let rounded = arm(CLUSTER, "0,-1,0,1\n", "0,-1,0,0.9999999\n");
    assert_eq!(defects(&rounded), [""; 0]);
    let text = text("arm.fbx");
    let mut lines = text.lines();
    let layer = lines.find_map(|line| line.strip_prefix("\tC: \"OO\", 1100, "));
    let weight = format!("1100, {}, \"Weight", layer.unwrap());
    let weight = arm("Connections:", "1100, 301, \"Lcl Rotation", &weight);
    assert_eq!(defects(&weight), [""; 0]);
    let (list, fewer) = (
        "Weights: *16 {\n\t\t\ta: 0.25,",
        "Weights: *15 {\n\t\t\ta: ",
    );
    let fewer = arm(CLUSTER, list, fewer);
    assert!(matches!(read(&fewer), Err(ImporterError::Parse { .. })));
}

/// As Blender writes a mesh with two Armature modifiers.
#[test]
fn several_skins_of_a_mesh_are_read_as_one() {
    let whole = text("arm.fbx");
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
        let lists = movers(asset).into_iter().map(|mut list| {
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
    let of_vertex = |list: &[crate::rig::Influence]| list.iter().map(|i| name(i.slot.0)).collect();
    mesh.influences.iter().map(of_vertex).collect()
}

#[test]
fn weights_on_the_root_of_the_scene_become_no_other_joints() {
    let (elbow, root) = ("\tC: \"OO\", 301, 601\n", "\tC: \"OO\", 0, 601\n");
    let files = [bytes("arm.fbx"), arm("Connections:", elbow, root)];
    let [clean, rooted] = files.map(|file| read(&file).expect("the file is read"));
    let mut expected = movers(&clean);
    for list in &mut expected {
        list.retain(|name| *name != "elbow");
    }
    assert_eq!(movers(&rooted), expected);
}

#[test]
fn a_node_above_itself_is_refused() {
    let circle = arm("Connections:", "\"OO\", 300, 0\n", "\"OO\", 300, 302\n");
    let refusal = read(&circle).expect_err("ufbx refuses it");
    assert!(matches!(refusal, ImporterError::Parse { .. }));
    let message = refusal.to_string();
    assert!(message.contains("its own ancestor"), "{message}");
    assert!(!message.contains("a face to a vertex"), "{message}");
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
fn weights_are_parts_of_their_sum_unless_a_link_mode_asks_otherwise_which_is_noted() {
    let (whole, partial) = ("a: 0.25,0.25,", "a: 0.25,0.2,");
    for mode in ["", "\t\tMode: \"Normalize\"\n"] {
        assert_eq!(linked(mode, partial), (WeightStorage::Relative, vec![]));
    }
    let total = "\t\tMode: \"Total1\"\n";
    let additive = "\t\tMode: \"Additive\"\n";
    assert_eq!(linked(total, whole), (WeightStorage::Unstated, vec![]));
    for (mode, weights, expected, noted) in [
        (total, partial, WeightStorage::Unstated, "Total1"),
        (additive, whole, WeightStorage::Relative, "Additive"),
    ] {
        let (storage, notes) = linked(mode, weights);
        assert_eq!(storage, expected);
        let is_noted = notes[0].contains(noted) && notes[0].contains("as Normalize");
        assert!(is_noted, "{notes:?}");
    }
}
