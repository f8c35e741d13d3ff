//! What drives the joints, and which joints those are.

use super::*;
use crate::rig::NodeId;

#[test]
fn a_clip_without_any_animated_component_is_the_base_frame() {
    let mesh = triangle([
        ORIGIN,
        &[(1, 1.0, [1.0, 0.0, 0.0])],
        &[(1, 1.0, [0.0, 1.0, 0.0])],
    ]);
    let clip = "MD5Version 10 numFrames 3 numJoints 2 frameRate 10 numAnimatedComponents 0 \
                hierarchy { \"low\" -1 0 0 \"high\" 0 0 0 } \
                baseframe { ( 5 0 0 ) ( 0 0 0 ) ( 0 0 3 ) ( 0 0 0 ) } frame 0 {} frame 1 {} frame 2 {}";
    let asset = read_both(&mesh, clip);
    assert_eq!(asset.clips[0].end, Seconds(0.2));
    for frame in 0..3 {
        let points = skinned(&asset, Some(frame));
        let expected = [[5.0, 0.0, 0.0], [6.0, 0.0, 3.0], [5.0, 1.0, 3.0]].map(Vec3::from);
        for (point, expected) in points.iter().zip(expected) {
            assert!(point.abs_diff_eq(expected, 1e-6), "{frame}: {points:?}");
        }
    }
}

#[test]
fn a_component_that_is_not_flagged_keeps_the_base_frame() {
    let clip = "MD5Version 10 numFrames 2 numJoints 1 frameRate 10 numAnimatedComponents 2 \
                hierarchy { \"low\" -1 18 0 } baseframe { ( 1 2 3 ) ( 0.1 0.2 0.3 ) } \
                frame 0 { 7 0.4 } frame 1 { 8 0.5 }";
    let asset = read_clip(clip).unwrap();
    let channel = &asset.clips[0].channels[0];
    let translation = &channel.translation.as_ref().unwrap().keys;
    let values = [translation[0].value, translation[1].value];
    assert_eq!(values, [Vec3::new(1.0, 7.0, 3.0), Vec3::new(1.0, 8.0, 3.0)]);
    let rotation = channel.rotation.as_ref().unwrap().keys[1].value;
    let expected = Quat::from_xyzw(0.1, 0.5, 0.3, -(1.0 - 0.35_f32).sqrt());
    assert!(rotation.abs_diff_eq(expected, 1e-6), "{rotation}");
}

#[test]
fn a_clip_runs_at_its_own_rate() {
    for (line, stated, end) in [
        ("frameRate 24\n", 24.0, 1.0),
        ("frameRate 12.5 // as in the game\n", 12.5, 1.92),
        ("frameRate 0\n", 0.0, 24.0 / 25.0),
        ("", 0.0, 24.0 / 25.0),
    ] {
        let text = changed(&clip_text(), "frameRate 24\n", line);
        let asset = read_clip(&text).unwrap();
        let clip = &asset.clips[0];
        assert_eq!(clip.rate.stated, Some(stated), "{line:?}");
        assert!((clip.end.0 - end).abs() < 1e-12, "{line:?}: {}", clip.end);
        let noted = notes(&asset);
        assert_eq!(noted.is_empty(), stated > 0.0, "{noted:?}");
    }
}

#[test]
fn the_animation_beside_a_model_is_its_clip() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = folder.path().join("arm.md5mesh");
    fs::write(&mesh, mesh_text()).unwrap();
    assert_eq!(Md5.import(&mesh).unwrap().clips, []);
    let clip = folder.path().join("arm.md5anim");
    fs::write(&clip, clip_text()).unwrap();
    let [both, alone] = [&mesh, &clip].map(|path| Md5.import(path).unwrap());
    assert_eq!(both.clips.len(), 1);
    assert_eq!(both.clips, alone.clips);
    fs::write(&clip, "MD5Version 10\nnumFrames 2").unwrap();
    assert_eq!(
        Md5.import(&mesh).unwrap_err().to_string(),
        "arm.md5anim, beside it: numFrames is 2, but there are 0"
    );
}

#[test]
fn joints_of_an_animation_are_those_of_the_model_by_name() {
    let clip = "MD5Version 10 numFrames 1 numJoints 2 frameRate 10 numAnimatedComponents 0 \
                hierarchy { \"high\" -1 0 0 \"tail\" 0 0 0 } \
                baseframe { ( 0 0 7 ) ( 0 0 0 ) ( 0 0 1 ) ( 0 0 0 ) } frame 0 {}";
    let asset = read_both(&triangle([ORIGIN; 3]), clip);
    let driven: Vec<NodeId> = asset.clips[0].channels.iter().map(|c| c.node).collect();
    assert_eq!(driven, [NodeId(1)]);
    assert!(
        notes(&asset).iter().any(|note| note.contains("tail")),
        "{:?}",
        asset.notes
    );
    let strange = read_both(&triangle([ORIGIN; 3]), &clip.replace("high", "head"));
    assert_eq!(strange.clips, []);
    let [note] = &notes(&strange)[..] else {
        panic!("{:?}", strange.notes)
    };
    assert!(
        note.starts_with(
            "file: the animation walk.md5anim beside it is skipped: no joint of the animation is"
        ),
        "{note}"
    );
}

#[test]
fn joints_of_one_name_are_distinguished_where_both_files_list_the_same() {
    let mesh = triangle([ORIGIN; 3]).replace("\"high\"", "\"low\"");
    let clip = "MD5Version 10 numFrames 1 numJoints 2 frameRate 10 numAnimatedComponents 0 \
                hierarchy { \"low\" -1 0 0 \"low\" 0 0 0 } \
                baseframe { ( 0 0 7 ) ( 0 0 0 ) ( 0 0 1 ) ( 0 0 0 ) } frame 0 {}";
    let asset = read_both(&mesh, clip);
    let driven: Vec<NodeId> = asset.clips[0].channels.iter().map(|c| c.node).collect();
    assert_eq!(driven, [NodeId(0), NodeId(1)]);
    assert_eq!(notes(&asset), [""; 0]);
}
