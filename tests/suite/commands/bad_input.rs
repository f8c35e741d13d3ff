//! Bad input gives exit code 2, a message that names the file, and no partial output.

use std::fs;

use crate::folder::Folder;
use crate::program::{Run, command_in, fixture, path, skincheck};
use crate::support::in_group;

/// Names of snapshots, with command lines that are refused.
const REFUSED: &[(&str, &str)] = &[
    ("missing_file", "inspect nowhere.fbx"),
    ("folder", "inspect broken"),
    ("empty_file", "inspect broken/empty.fbx"),
    ("text_named_fbx", "inspect broken/text.fbx"),
    ("truncated_glb", "inspect broken/truncated.glb"),
    ("truncated_fbx", "inspect broken/truncated.fbx"),
    ("other_importer", "inspect walker.glb --importer fbx"),
    ("stray_pair", "crosscheck --importers gltf,fbx arm.gltf"),
    ("too_many_moments", "crosscheck --times 1000000 arm.gltf"),
    ("unknown_clip", "render walker.glb --clip Wlak -o -"),
    (
        "clip_index_past_the_end",
        "render walker.glb --clip 99 -o -",
    ),
    (
        "unknown_joint",
        "render walker.glb --show weights:Hpis -o -",
    ),
    ("time_nan", "render walker.glb --time NaN -o -"),
    ("time_negative", "render walker.glb --time -1 -o -"),
    ("time_infinite", "render walker.glb --time inf -o -"),
    (
        "time_past_100_percent",
        "render walker.glb --time 150% -o -",
    ),
    ("frame_negative", "render walker.glb --frame -1 -o -"),
    ("rate_zero", "render walker.glb --frame 3 --fps 0 -o -"),
    ("size_zero", "render walker.glb --size 0x64 -o -"),
    (
        "size_absurd",
        "render walker.glb --size 99999999x99999999 -o -",
    ),
    ("size_negative", "render walker.glb --size -5x5 -o -"),
    ("size_nonsense", "render walker.glb --size big -o -"),
    (
        "influences_none",
        "render walker.glb --engine file:influences=0 -o -",
    ),
    ("engine_unknown", "render walker.glb --engine filr -o -"),
    ("samples_negative", "render walker.glb --samples -1 -o -"),
    ("picture_named_jpg", "render walker.glb -o out.jpg"),
    ("baked_named_fbx", "bake walker.glb -o out.fbx"),
    (
        "output_folder_missing",
        "render walker.glb -o nowhere/out.png",
    ),
    ("output_is_a_folder", "render walker.glb -o broken"),
    (
        "output_folder_read_only",
        "render walker.glb --size 16x16 -o /proc/out.png",
    ),
];

#[test]
fn bad_input_is_refused_with_its_reason() {
    for (name, line) in REFUSED {
        refuses(name, line);
    }
}

/// Runs `line` and snapshots its message. It must fail with exit code 2 and print nothing else.
#[track_caller]
fn refuses(name: &str, line: &str) {
    let run = skincheck(line);
    run.exits(2);
    assert!(run.stdout.is_empty(), "{line}");
    in_group("errors", || {
        insta::assert_snapshot!(name, format!("$ skincheck {line}\n{}", run.stderr));
    });
}

#[test]
#[cfg_attr(not(feature = "assimp"), ignore = "needs the formats of assimp")]
fn an_unknown_extension_is_refused() {
    refuses("unknown_extension", "inspect README.md");
}

#[test]
fn a_name_that_promises_no_format_is_taken() {
    let folder = Folder::new();
    let writes = |command: &str, name: &str| {
        let path = folder.path(name);
        let target = path.to_str().expect("the path is UTF-8");
        skincheck(&format!("{command} -o {target}")).ok();
        assert!(path.exists(), "{name}");
    };
    for name in ["out.PNG", "out", "out.0012", "tmp.XkQp3vNw0a"] {
        writes("render arm.gltf --size 16x16", name);
    }
    for name in ["out.Json", "out.OBJ", "out", "tmp.XkQp3vNw0a"] {
        writes("bake arm.gltf", name);
    }
    writes("bake arm.gltf --format json", "out.txt");
}

/// Nobody can create files in `/proc`, not even the superuser.
#[cfg(target_os = "linux")]
#[test]
fn a_target_that_fills_the_disk_leaves_nothing_behind() {
    // Writing to /dev/full fails as on a full disk. As standard output, it is the only full device available without
    // root.
    let full = fs::File::options().write(true).open("/dev/full");
    let mut command = command_in(&fixture(""));
    command.args(["render", "walker.glb", "-o", "-"]);
    Run::of(command.stdout(full.expect("Linux has /dev/full"))).refuses("No space left on device");
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_cannot_be_written_stops_no_other() {
    let folder = Folder::of(&["arm.gltf"]);
    folder.write("skincheck.toml", "[[test]]\nmodel = \"arm.gltf\"\n");
    for name in ["old", "new"] {
        folder.copy("arm.gltf", &format!("{name}/arm.gltf"));
    }
    for line in [
        "check arm.gltf",
        "test",
        "diff arm.gltf arm.gltf",
        "diff old new",
    ] {
        let reports = "--report junit=/dev/full --report json=ok.json";
        let run = folder.run(&format!("{line} {reports}"));
        run.refuses("No space left on device");
        assert!(!run.text().is_empty(), "{line}: no report");
        fs::remove_file(folder.path("ok.json")).expect("it was written");
        let run = folder.run(&format!(
            "{line} --report junit=a.xml --report json=./a.xml"
        ));
        run.refuses("cannot write two outputs to ./a.xml");
    }
}

#[cfg(unix)]
#[test]
fn a_image_that_does_not_fit_leaves_the_old_one_alone() {
    let folder = Folder::new();
    let image = folder.path("out.png");
    fs::write(&image, b"yesterday's").expect("the folder is writable");
    // A limit on the size of files acts like a disk that is full after 1 KiB. By default it kills the process that
    // exceeds it.
    for signal in ["trap '' XFSZ", "trap - XFSZ"] {
        let render = r#"ulimit -f 1; exec "$0" render walker.glb --size 256x256 -o "$1""#;
        let mut shell = std::process::Command::new("sh");
        shell
            .args(["-c", &format!("{signal}; {render}")])
            .args([path(), &image])
            .current_dir(fixture(""));
        Run::of(&mut shell).refuses("File too large");
    }
    assert_eq!(fs::read(&image).expect("it is still there"), b"yesterday's");
    let left: Vec<_> = fs::read_dir(folder.root())
        .expect("the folder is readable")
        .collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn an_input_is_never_written_over() {
    let folder = Folder::of(&["arm.gltf"]);
    let before = folder.bytes("arm.gltf");
    for command in ["render", "bake"] {
        folder
            .run(&format!("{command} arm.gltf -o arm.gltf"))
            .refuses("it is the input");
    }
    assert_eq!(folder.bytes("arm.gltf"), before);
}

#[test]
fn values_that_are_no_numbers_and_textures_that_are_missing_are_warned_of() {
    skincheck("bake broken/nan.gltf -o -")
        .ok()
        .says("not finite");
    skincheck("render missing_texture.gltf --size 16x16 -o -")
        .ok()
        .says("drawn as marked clay");
}

#[test]
fn only_the_first_of_many_notes_are_printed() {
    let folder = Folder::new();
    let node = serde_json::json!({"rotation": [0.0, 0.0, 0.0, 2.0]});
    let nodes = vec![node; 100];
    let json = serde_json::json!({"asset": {"version": "2.0"}, "nodes": nodes});
    folder.write("many.gltf", json.to_string());
    let run = folder.run("bake many.gltf -o -").ok();
    let reported: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(reported.len(), 21, "{}", run.stderr);
    assert!(
        reported[20].ends_with("80 more notes; skincheck inspect lists all"),
        "{}",
        reported[20]
    );
}

#[test]
#[cfg_attr(not(feature = "assimp"), ignore = "needs the formats of assimp")]
fn malformed_xml_is_refused_with_its_line_and_column() {
    let said = |file: &str, healthy: &str, broken: &str| {
        let folder = Folder::of(&["arm.mesh.xml", "arm.skeleton.xml"]);
        let text = folder.read(file);
        assert!(text.contains(healthy));
        folder.write(file, text.replacen(healthy, broken, 1));
        let run = folder.run("inspect arm.mesh.xml");
        run.exits(2);
        run.stderr
    };
    let model = said("arm.mesh.xml", "</faces>", "</face>");
    assert!(model.contains(": malformed XML in line "), "{model}");
    assert!(
        model.contains("expected 'faces' tag, not 'face'"),
        "{model}"
    );
    let skeleton = said("arm.skeleton.xml", "</bones>", "</bone>");
    assert!(skeleton.contains(": malformed XML in line "), "{skeleton}");
    assert!(skeleton.contains(" of arm.skeleton.xml"), "{skeleton}");
}
