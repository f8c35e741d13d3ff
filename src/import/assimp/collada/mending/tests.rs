//! Documents that assimp would misread.

use super::*;
use crate::import::assimp::Assimp;
use crate::import::importer::Importer;

fn arm() -> String {
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    std::fs::read_to_string(fixtures.join("arm.dae")).unwrap()
}

fn changed(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(arm(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

fn import(text: &str) -> Asset {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arm.dae");
    std::fs::write(&path, text).unwrap();
    Assimp.import(&path).unwrap()
}

fn names(asset: &Asset) -> Vec<&str> {
    let joints = asset.skeleton.joints().iter();
    joints.map(|joint| joint.name.as_str()).collect()
}

/// Moves the arm as the fixture does, whatever its joints are called.
#[track_caller]
fn is_the_arm(asset: &Asset) {
    let arm = import(&arm());
    assert_eq!(asset.skins[0].joints, arm.skins[0].joints);
    assert_eq!(asset.meshes, arm.meshes);
    assert_eq!(asset.clips, arm.clips);
}

#[test]
fn what_is_read_as_it_means_is_left_alone() {
    assert!(mended(&arm()).is_none());
    assert!(mended("<COLLADA>").is_none());
}

#[test]
fn joints_without_names_are_called_by_their_ids() {
    let bare = changed(&[
        (r#"sid="elbow" name="elbow""#, r#"sid="elbow""#),
        (r#"sid="wrist" name="wrist""#, r#"sid="wrist" name="""#),
    ]);
    let asset = import(&bare);
    is_the_arm(&asset);
    assert_eq!(names(&asset)[1..], ["shoulder", "elbow", "wrist", "tube"]);
}

#[test]
fn joints_of_one_name_are_told_apart() {
    let asset = import(&changed(&[
        (r#"name="elbow""#, r#"name="a &amp; &quot;b""#),
        (r#"name="wrist""#, r#"name="a &amp; &quot;b""#),
    ]));
    is_the_arm(&asset);
    let same = "a & \"b";
    assert_eq!(names(&asset)[1..], ["shoulder", same, same, "tube"]);
    assert!(asset.notes.is_empty(), "{:?}", asset.notes);
}

#[test]
fn a_sid_is_looked_for_below_the_skeleton() {
    let other = r#"<visual_scene id="scene" name="scene">
        <node id="left" name="left"><node id="left-elbow" sid="elbow" name="left elbow"/></node>"#;
    let asset = import(&changed(&[
        (r#"<visual_scene id="scene" name="scene">"#, other),
        (
            r#"id="elbow" sid="elbow" name="elbow""#,
            r#"id="right-elbow" sid="elbow" name="right elbow""#,
        ),
        (r#"target="elbow/"#, r#"target="right-elbow/"#),
    ]));
    let bound = asset.skins[0].joints.iter();
    let bound: Vec<&str> = bound.map(|joint| names(&asset)[joint.index()]).collect();
    assert_eq!(bound, ["shoulder", "right elbow", "wrist"]);
    assert_eq!(
        asset.clips[0].channels.len(),
        import(&arm()).clips[0].channels.len()
    );
}

#[test]
fn joints_may_be_instanced_from_a_library() {
    let text = arm();
    let start = text.find("<node id=\"shoulder\"").unwrap();
    let end = text.find("<node id=\"tube-node\"").unwrap();
    let library = format!("<library_nodes>{}</library_nodes>", &text[start..end]);
    let text = text.replace(
        &text[start..end],
        r##"<node id="h" name="h"><instance_node url="#shoulder"/></node>"##,
    );
    let asset = import(&text.replace(
        "<library_visual_scenes>",
        &format!("{library}<library_visual_scenes>"),
    ));
    let bound = asset.skins[0].joints.iter();
    let bound: Vec<&str> = bound.map(|joint| names(&asset)[joint.index()]).collect();
    assert_eq!(bound, ["shoulder", "elbow", "wrist"]);
    assert!(asset.notes.is_empty(), "{:?}", asset.notes);
}

#[test]
fn what_cannot_be_mended_is_told() {
    let second = r##"<node id="b" name="b"><node id="b-elbow" sid="elbow" name="b elbow"/></node><node id="c" name="c">
        <instance_controller url="#tube-skin"><skeleton>#b</skeleton></instance_controller></node></visual_scene>"##;
    let asset = import(&changed(&[
        ("</visual_scene>", second),
        ("<v>0 0 0 1", "<v>-1 0 0 1"),
    ]));
    let told: Vec<_> = asset
        .notes
        .iter()
        .map(|note| (&*note.place, &*note.message))
        .collect();
    let place = "controller \"tube-skin\"";
    assert!(
        told.iter()
            .any(|(at, words)| *at == place && words.contains("several skeletons")),
        "{told:?}"
    );
    assert!(
        told.iter()
            .any(|(at, words)| *at == place && words.contains("bind shape")),
        "{told:?}"
    );
}

#[test]
fn one_looks_with_up_towards_up() {
    let asset = import(&changed(&[(
        r#"<translate sid="translate">0 1 0</translate>"#,
        r#"<lookat sid="l">0 3 4 0 0 0 0 1 0</lookat>"#,
    )]));
    let elbow = asset.skeleton.find("elbow").unwrap();
    let rest = asset.skeleton.joints()[elbow.index()].rest.to_matrix();
    let expected = glam::Vec3::new(0.0, 0.8, -0.6);
    assert!(rest.y_axis.truncate().distance(expected) < 1e-6, "{rest}");
}

#[test]
fn a_skew_is_not_ignored_at_rest() {
    let asset = import(&changed(&[(
        r#"<translate sid="translate">0 1 0</translate>"#,
        "<skew>45 1 0 0 0 1 0</skew>",
    )]));
    let elbow = asset.skeleton.find("elbow").unwrap();
    let rest = asset.skeleton.joints()[elbow.index()].rest.to_matrix();
    let expected = glam::Vec3::new(1.0, 1.0, 0.0);
    assert!(rest.x_axis.truncate().distance(expected) < 1e-6, "{rest}");
}

/// Joints without names, which are to be mended, in the arm.
const NAMELESS: (&str, &str) = (r#"sid="elbow" name="elbow""#, r#"sid="elbow""#);

#[test]
fn two_skins_may_share_a_list_of_joints() {
    let text = changed(&[NAMELESS]);
    let start = text.find("<controller").unwrap();
    let end = text.find("</controller>").unwrap() + "</controller>".len();
    let second = text[start..end].replace("id=\"tube-skin\"", "id=\"second\"");
    let asset = import(&text.replace("</controller>", &format!("</controller>{second}")));
    is_the_arm(&asset);
}

#[test]
fn edits_that_overlap_are_none() {
    let nested = changed(&[
        NAMELESS,
        ("shoulder elbow wrist", "shoulder elbow wrist<node/>"),
    ]);
    assert!(mended(&nested).is_none());
    let inner = "<lookat>0 0 5 9 0 5 0 1 0<lookat>0 0 5 9 0 5 0 1 0</lookat></lookat>";
    assert!(mended(&format!("<COLLADA>{inner}</COLLADA>")).is_none());
}

#[test]
fn what_is_written_is_xml() {
    let text = changed(&[
        NAMELESS,
        ("shoulder elbow wrist", "shoulder elbow a&lt;&amp;b"),
        (
            r#"<translate sid="translate">0 1 0</translate>"#,
            r#"<lookat sid="&quot;&amp;">0 3 4 0 0 0 0 1 0</lookat>"#,
        ),
    ]);
    let mended = mended(&text).unwrap();
    assert!(parse(&mended.text).is_ok(), "{}", mended.text);
}

#[test]
fn other_encodings_and_types_of_documents_are_mended_too() {
    let text = changed(&[
        NAMELESS,
        ("name=\"tube\" type=\"NODE\"", "name=\"ö\" type=\"NODE\""),
    ]);
    let typed = text.replace("<COLLADA", "<!DOCTYPE COLLADA>\n<COLLADA");
    is_the_arm(&import(&typed));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arm.dae");
    let mut wide = vec![0xff, 0xfe];
    wide.extend(
        text.replace("utf-8", "utf-16")
            .encode_utf16()
            .flat_map(u16::to_le_bytes),
    );
    let latin = text.replace("utf-8", "iso-8859-1");
    let latin = latin
        .chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap())
        .collect();
    for bytes in [wide, latin] {
        std::fs::write(&path, bytes).unwrap();
        let asset = Assimp.import(&path).unwrap();
        is_the_arm(&asset);
        assert_eq!(names(&asset)[4], "ö");
    }
}

#[test]
fn a_document_that_cannot_be_mended_says_so() {
    let token = format!("name=\"{TOKEN}\" type=\"NODE\"");
    let asset = import(&changed(&[
        NAMELESS,
        ("name=\"tube\" type=\"NODE\"", &token),
    ]));
    let told = asset
        .notes
        .iter()
        .any(|note| note.message.contains("other nodes"));
    assert!(told, "{:?}", asset.notes);
}

#[test]
fn many_instances_take_no_longer_than_one() {
    let joints: Vec<String> = (0..3000)
        .map(|i| format!("<node id=\"n{i}\" sid=\"s{i}\"/>"))
        .collect();
    let joints = joints.concat();
    let names: Vec<String> = (0..3000).map(|i| format!("s{i}")).collect();
    let instance = "<node><instance_controller url=\"#tube-skin\"><skeleton>#shoulder</skeleton></instance_controller></node>";
    let text = changed(&[
        ("shoulder elbow wrist", &names.join(" ")),
        (
            "<node id=\"tube-node\"",
            &format!("{}<node id=\"tube-node\"", instance.repeat(500)),
        ),
        ("<node id=\"elbow\"", &format!("{joints}<node id=\"elbow\"")),
    ]);
    let xml = parse(&text).unwrap();
    let document = Document::new(&xml);
    let (mut trees, skin) = (Trees::new(), document.by_id("tube-skin").unwrap());
    let list = joint_list(&document, children(skin, "skin").next().unwrap()).unwrap();
    let instances: Vec<_> = xml
        .descendants()
        .filter(|node| is(*node, "instance_controller"))
        .collect();
    assert_eq!(instances.len(), 501);
    assert_eq!(
        meant_by(&document, &mut trees, list, &instances)
            .unwrap()
            .len(),
        1
    );
    assert!(MOST_WORK - trees.work_left < 10_000);
}
