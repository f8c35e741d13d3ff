//! With little memory, small stacks, few threads or little time, the program reports a reason and its own exit code.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::folder::Folder;
use crate::program::{self, Run, arguments};

/// Runs `skincheck LINE` in `folder` after the shell has run `limits`.
#[cfg(unix)]
pub(crate) fn limited(folder: &Folder, limits: &str, line: &str) -> Run {
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &format!("{limits}; exec \"$0\" \"$@\"")])
        .arg(program::path())
        .args(arguments(line))
        .env("RAYON_NUM_THREADS", "2")
        .current_dir(folder.root());
    Run::of(&mut shell)
}

#[cfg(target_os = "linux")]
#[test]
fn few_resources_end_in_a_result_or_a_reason() {
    let folder = Folder::of(&["walker.glb"]);
    for limits in [
        "ulimit -u 1",
        "ulimit -u 3",
        "ulimit -u 6",
        "ulimit -v 75000",
        "ulimit -v 150000",
        "ulimit -s 64",
    ] {
        for line in ["check walker.glb", "bake walker.glb -o out.json"] {
            let run = limited(&folder, limits, line);
            assert!(
                matches!(run.code, Some(0 | 2)),
                "{limits}: {line}: {:?}: {}",
                run.code,
                run.stderr
            );
            assert!(
                !run.stderr.contains("panicked"),
                "{limits}: {line}: {}",
                run.stderr
            );
            assert!(
                run.code == Some(0) || run.stderr.contains("error"),
                "{limits}: {line}"
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn a_small_stack_is_enough() {
    let folder = Folder::of(&["walker.glb"]);
    limited(&folder, "ulimit -s 64", "inspect walker.glb").ok();
}

#[cfg(unix)]
#[test]
fn a_limit_on_the_size_of_files_holds_for_standard_output() {
    let folder = Folder::of(&["walker.glb"]);
    let script = "ulimit -f 1; exec \"$0\" bake walker.glb -o - > out.json";
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).arg(program::path());
    Run::of(shell.current_dir(folder.root())).refuses("cannot write to standard output");
}

#[cfg(unix)]
#[test]
fn an_approval_that_cannot_be_written_leaves_no_folder() {
    let folder = Folder::of(&["walker.glb"]);
    let test = "[[test]]\nmodel = \"walker.glb\"\ntimes = 1\nsize = \"64x64\"\n";
    folder.write("skincheck.toml", test);
    limited(&folder, "ulimit -f 1", "accept").refuses("cannot write walker.glb.approved");
    assert!(!folder.path("walker.glb.approved").exists());
    folder.run("accept").ok();
    assert!(folder.path("walker.glb.approved").exists());
}

/// The unpacked profiles take 400 MiB each, and are not needed.
#[cfg(target_os = "linux")]
#[test]
fn color_profiles_of_images_take_no_memory() {
    let folder = Folder::new();
    let text = serde_json::json!({
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "textures": [{"source": 0}],
        "images": [{"uri": "profile.png"}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"byteLength": 36, "uri": "data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}],
    });
    folder.write("model.gltf", text.to_string());
    let mut image = Vec::new();
    let mut encoder = png::Encoder::new(&mut image, 1, 1);
    encoder.set_color(png::ColorType::Rgba);
    let mut writer = encoder.write_header().expect("the header is right");
    let profile = [
        b"profile\0\0".to_vec(),
        fdeflate::compress_to_vec(&vec![0; 400 << 20]),
    ]
    .concat();
    writer
        .write_chunk(png::chunk::iCCP, &profile)
        .expect("there is memory");
    writer
        .write_image_data(&[255, 0, 0, 255])
        .expect("it is one pixel");
    writer.finish().expect("it is complete");
    folder.write("profile.png", image);
    let limits = "export MALLOC_ARENA_MAX=1; ulimit -v 500000";
    let run = limited(&folder, limits, "render model.gltf --size 16x16 -o out.png").ok();
    assert!(!run.stderr.contains("skipped"), "{}", run.stderr);
}

#[test]
fn a_model_that_takes_too_long_is_an_error_and_the_others_are_checked() {
    let folder = Folder::of(&["walker.glb", "arm.gltf"]);
    folder.write("broken.glb", "");
    let run = folder.run("check walker.glb broken.glb arm.gltf --timeout 1e-9");
    run.exits(2);
    let late = run
        .text()
        .matches("did not finish within 0.000000001 s; raise --timeout");
    assert_eq!(late.count(), 2, "{}", run.text());
    run.prints("0 files checked: 3 unreadable files");
}

#[test]
fn a_image_that_takes_too_long_is_not_written() {
    let folder = Folder::of(&["walker.glb"]);
    let started = Instant::now();
    let film = "film walker.glb --fps 500 --size 1500x1500 -o out.gif --timeout 1";
    let late = "walker.glb: drawing did not finish within 1 s; raise --timeout";
    for (line, words) in [
        (film, late),
        ("render walker.glb -o out.png --timeout 1e-9", "--timeout"),
        (
            "bake walker.glb -o out.png --format json --timeout 0",
            "--timeout",
        ),
    ] {
        folder.run(line).refuses(words);
        let written = ["out.png", "out.gif"].map(|name| folder.path(name).exists());
        assert_eq!(written, [false; 2], "{line}");
    }
    assert!(started.elapsed() < Duration::from_secs(120));
}
