//! Damaged files, and sound files that look damaged.

use super::*;

#[test]
fn a_file_cut_at_any_byte_is_refused_or_read_whole() {
    let (mesh, clip) = (mesh_text(), clip_text());
    for len in 0..mesh.len() {
        assert!(read_mesh(&mesh[..len]).is_err() || len + 2 > mesh.len());
    }
    for len in 0..clip.len() {
        assert!(read_clip(&clip[..len]).is_err() || len + 2 > clip.len());
    }
}

#[test]
fn any_word_of_a_file_may_be_anything() {
    let others = ["", "{", "(", "\"", "-1", "7", "1e400", "nan", "mesh"];
    let twice = |text: &str, read: fn(&str) -> Result<Asset, ImporterError>| {
        let words: Vec<&str> = text.split(' ').collect();
        for at in 0..words.len().min(200) {
            for other in others {
                let mut damaged = words.clone();
                damaged[at] = other;
                let _ = read(&damaged.join(" "));
            }
        }
    };
    twice(&mesh_text(), read_mesh);
    twice(&clip_text(), read_clip);
}

/// Each refusal of `text` with one of `changes`, behind the change.
fn refusals(
    read: fn(&str) -> Result<Asset, ImporterError>,
    text: &str,
    changes: &[(&str, &str)],
) -> String {
    let refusals = changes.iter().map(|(from, to)| {
        let error = read(&changed(text, from, to)).expect_err(to);
        format!("{} -> {}: {error}", from.trim(), to.trim())
    });
    refusals.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_refusal_says_which_line_and_what_was_expected() {
    let changes = [
        ("Version 10", "Version 11"),
        ("MD5Version", "Version"),
        ("numJoints 3", "numJoints 4"),
        ("numJoints 3", "numJoints 2"),
        ("numJoints 3\n", ""),
        ("numMeshes 1", "numMeshes 2"),
        ("numMeshes 1", "numJoints 3"),
        ("\"wrist\" 1", "\"wrist\" 3"),
        ("\"shoulder\" -1", "\"shoulder\" 2"),
        ("numverts 24", "numverts 18446744073709551615"),
        ("numverts 24", "numverts many"),
        ("vert 3 (", "vert 4 ("),
        ("vert 0 ( 0 1 ) 0 1", "vert 0 ( 0 1 ) 40 1"),
        ("tri 0 0 2 1", "tri 0 0 24 1"),
        ("weight 0 0 1", "weight 0 3 1"),
        ("\"tube\"", "\"tube"),
    ];
    insta::assert_snapshot!(refusals(read_mesh, &mesh_text(), &changes), @r#"
    Version 10 -> Version 11: it has version 11; only version 10 is supported
    MD5Version -> Version: it does not begin with MD5Version
    numJoints 3 -> numJoints 4: line 11: expected the name of a joint, found "}"
    numJoints 3 -> numJoints 2: line 10: expected }, found "wrist"
    numJoints 3 -> : line 6: joints needs numJoints before it
    numMeshes 1 -> numMeshes 2: numMeshes is 2, but there is 1
    numMeshes 1 -> numJoints 3: line 5: a second numJoints
    "wrist" 1 -> "wrist" 3: joint 2 names parent 3, but there are 3
    "shoulder" -1 -> "shoulder" 2: joint 0 is its own ancestor
    numverts 24 -> numverts 18446744073709551615: line 42: expected vert, found "numtris"
    numverts 24 -> numverts many: line 16: expected the number after numverts, found "many"
    vert 3 ( -> vert 4 (: line 20: expected vert 3, found "vert 4"
    vert 0 ( 0 1 ) 0 1 -> vert 0 ( 0 1 ) 40 1: line 17: vertex 0 of mesh 0 uses weights 40 to 41, but there are 40
    tri 0 0 2 1 -> tri 0 0 24 1: line 43: triangle 0 uses vertices 24 to 25, but there are 24
    weight 0 0 1 -> weight 0 3 1: line 89: weight 0 uses joints 3 to 4, but there are 3
    "tube" -> "tube: line 14: the string that begins here is not closed
    "#);
}

#[test]
fn a_refusal_names_the_animation_too() {
    let changes = [
        ("numFrames 25", "numFrames 24"),
        ("numFrames 25\n", ""),
        ("numAnimatedComponents 9", "numAnimatedComponents 8"),
        ("numAnimatedComponents 9", "numAnimatedComponents 10"),
        ("frame 1 {", "frame 2 {"),
        ("baseframe", "basepose"),
        ("\t0 0 0\n", "\t0 x 0\n"),
    ];
    insta::assert_snapshot!(refusals(read_clip, &clip_text(), &changes), @r#"
    numFrames 25 -> numFrames 24: numFrames is 24, but there are 25
    numFrames 25 -> : it has no numFrames
    numAnimatedComponents 9 -> numAnimatedComponents 8: line 12: joint 2 uses components 6 to 9, but there are 8
    numAnimatedComponents 9 -> numAnimatedComponents 10: line 53: expected a component, found "}"
    frame 1 { -> frame 2 {: line 55: expected 1, found "2"
    baseframe -> basepose: line 43: expected a section, a count or frameRate, found "basepose"
    0 0 0 -> 0 x 0: line 50: expected a component, found "x"
    "#);
}

#[test]
fn sharing_without_measure_is_refused() {
    // Every vertex uses all weights.
    let text = mesh_text();
    let lines = text.lines().map(|line| {
        if line.trim_start().starts_with("vert ") {
            format!("{} 0 40", line.rsplitn(3, ' ').nth(2).unwrap())
        } else {
            line.to_owned()
        }
    });
    let all = lines.collect::<Vec<_>>().join("\n");
    assert_eq!(
        read_mesh(&all).unwrap_err().to_string(),
        "the weights of vertices overlap so much that they total 960"
    );
    let joints = 6000;
    let lines = |line: &str| format!("{line}\n").repeat(joints);
    let frames: Vec<String> = (0..3000).map(|i| format!("frame {i} {{ 0 }}")).collect();
    let frames = frames.join("\n");
    let clip = format!(
        "MD5Version 10 numFrames 3000 numJoints {joints} numAnimatedComponents 1\nhierarchy {{\n{}}}\n\
         baseframe {{\n{}}}\n{frames}",
        lines("\"j\" -1 8 0"),
        lines("( 0 0 0 ) ( 0 0 0 )"),
    );
    assert_eq!(
        read_clip(&clip).unwrap_err().to_string(),
        "the components of joints overlap so much that they total 18006000"
    );
}

#[test]
fn neither_blank_lines_nor_lines_matter() {
    let mesh = read_mesh(&mesh_text()).unwrap();
    let clip = read_clip(&clip_text()).unwrap();
    let dense = |text: String| text.replace("\n\n", "\n");
    let braces = |text: String| text.replace(" {", "\n{");
    let crlf = |text: String| text.replace('\n', "\r\n");
    let one_line = |text: String| text.replace('\n', " ");
    for form in [dense, braces, crlf, one_line] as [fn(String) -> String; 4] {
        assert_eq!(read_mesh(&form(mesh_text())).unwrap(), mesh);
        assert_eq!(read_clip(&form(clip_text())).unwrap(), clip);
    }
}

#[test]
fn a_command_line_may_hold_quotation_marks() {
    let text = changed(
        &mesh_text(),
        "commandline \"\"",
        "commandline \"export \"C:\\my models\\a.mb\" -x\"",
    );
    assert_eq!(read_mesh(&text), read_mesh(&mesh_text()));
}

#[test]
fn invalid_rotations_and_nan_are_reported() {
    let reported = |asset: &Asset| crate::import::testing::reported(&asset.evidence);
    assert_eq!(reported(&read_both(&mesh_text(), &clip_text())), [""; 0]);
    let mesh = changed(
        &mesh_text(),
        "\"elbow\" 0 ( 0 0 1 ) ( 0 0 0 )",
        "\"elbow\" 0 ( 0 0 1 ) ( 0 0 1.5 )",
    );
    let clip = changed(&clip_text(), "frame 2 {\n\t0 0 0", "frame 2 {\n\t0 nan 0");
    let clip = changed(&clip, "frame 3 {\n\t0 0 0", "frame 3 {\n\t0 0 2");
    assert_eq!(
        reported(&read_both(&mesh, &clip)),
        [
            "NonunitRotation joint \"elbow\": the rotation has length 1.5, not 1 (x1)",
            "NonfiniteKey joint \"shoulder\", clip \"animation_0\" at 0.083 s, rotation: key 2 is NaN or infinite (x1)",
            "NonunitKey joint \"shoulder\", clip \"animation_0\" at 0.125 s, rotation: rotation key 3 has length 2, \
            not 1 (x1)",
        ]
    );
}
