use std::error::Error;
use std::fs;

use tempfile::TempDir;

use super::testing::{empty_asset, encoded};
use super::*;
use crate::rig::{ImageData, LocalTransform, Node, NodeId, Skin, Trs};

/// Reads nothing: what it returns is in the file's name.
struct Fake;

impl crate::importer::sealed::Sealed for Fake {}

impl Importer for Fake {
    fn name(&self) -> &'static str {
        "fake"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["fbx", "glb", "mesh.xml", "sh"]
    }

    fn import_some(&self, path: &Path, _: &Wanted) -> Result<Asset, ImporterError> {
        let mut asset = empty_asset();
        match path.file_stem().and_then(|stem| stem.to_str()) {
            Some("refused") => return Err(ImporterError::NoScene),
            Some("invalid") => asset.skins.push(Skin {
                name: String::new(),
                joints: vec![NodeId(7)],
                inverse_bind_matrices: vec![glam::Mat4::IDENTITY],
            }),
            Some("pictured") => asset.images.push(crate::rig::Image {
                name: "skin".into(),
                data: ImageData::File("skin.png".into()),
            }),
            _ => {}
        }
        Ok(asset)
    }
}

static FAKES: &[&dyn Importer] = &[&Fake];

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The messages of an error and its causes, without the folder's path.
    fn message(&self, error: &ImportError) -> String {
        let causes = std::iter::successors(error.source(), |&cause| cause.source());
        let whole = causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"));
        let folder = format!("{}{}", self.0.path().display(), std::path::MAIN_SEPARATOR);
        whole.replace(&folder, "")
    }

    fn failure(&self, path: &Path) -> String {
        self.failure_with(path, &in_process())
    }

    fn failure_with(&self, path: &Path, options: &Options) -> String {
        self.message(&load_with(FAKES, path, options).unwrap_err())
    }
}

fn in_process() -> Options {
    Options {
        isolation: Isolation::InProcess,
        ..Options::default()
    }
}

/// The header of a binary glTF file of `length` bytes.
fn glb(length: u8) -> [u8; 12] {
    [b'g', b'l', b'T', b'F', 2, 0, 0, 0, length, 0, 0, 0]
}

#[test]
fn a_readable_file_is_loaded() {
    let folder = Folder::new();
    let path = folder.file("walk.fbx", b"Kaydara FBX Binary  \0");
    let asset = load_with(FAKES, &path, &in_process());
    assert_eq!(asset.unwrap(), empty_asset());
}

#[test]
fn an_extension_is_known_in_any_case_and_with_a_dot_inside() {
    let folder = Folder::new();
    for name in ["WALK.FBX", "orc.Mesh.XML"] {
        let path = folder.file(name, b"\0\0binary");
        assert!(load_with(FAKES, &path, &in_process()).is_ok(), "{name}");
    }
}

#[test]
fn files_that_cannot_be_a_model_are_reported_in_words() {
    let folder = Folder::new();
    folder.file("character.fbx", b"x");
    fs::create_dir(folder.path("models.fbx")).unwrap();
    let missing = [
        "charakter.fbx",
        "walk.fbx",
        "nowhere/walk.fbx",
        "models.fbx",
    ]
    .map(|name| folder.failure(&folder.path(name)));
    let files: [(&str, &[u8]); 9] = [
        ("empty.fbx", b""),
        ("a.blend", b"BLENDER-v300"),
        ("nameless", b"\0\x01\x02"),
        ("diary.fbx", b"Dear diary,\n"),
        ("walk.fbx", &glb(12)),
        ("walk.glb", &glb(99)),
        ("head.glb", b"glTF\x02"),
        ("refused.fbx", b"\0\0"),
        ("invalid.fbx", b"\0\0"),
    ];
    let files = files.map(|(name, content)| folder.failure(&folder.file(name, content)));
    insta::assert_snapshot!([&missing[..], &files].concat().join("\n"), @r#"
    charakter.fbx: no such file; did you mean character.fbx?
    walk.fbx: no such file
    nowhere/walk.fbx: no such file
    models.fbx: this is a folder; name a model file in it
    empty.fbx: the file is empty; export it again
    a.blend: the extension .blend is unknown (the file is a Blender file; export it first); supported: fbx, glb, mesh.xml, sh
    nameless: the name has no extension; supported: fbx, glb, mesh.xml, sh
    diary.fbx: named .fbx, but it is plain text; name a model file, or export it again
    walk.fbx: named .fbx, but it is a binary glTF file (GLB); rename it to .glb
    walk.glb: the file ends after 12 of 99 bytes; copy or export it again
    head.glb: the file ends after 5 of 12 bytes; copy or export it again
    refused.fbx: the importer `fake` cannot read the file: the file has no scene
    invalid.fbx: the importer `fake` returned an invalid model: skin 0: it names a joint with index 7, but there are 0
    "#);
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_or_a_pipe_is_not_opened() {
    let folder = Folder::new();
    std::os::unix::fs::symlink("/dev/zero", folder.path("zero.glb")).unwrap();
    let mut pipe = std::process::Command::new("mkfifo");
    let made = pipe.arg(folder.path("pipe.fbx")).status().unwrap();
    assert!(made.success());
    for path in [
        "/dev/null".into(),
        folder.path("zero.glb"),
        folder.path("pipe.fbx"),
    ] {
        let message = "this is not a regular file; save the model to a file first";
        assert!(folder.failure(&path).ends_with(message), "{path:?}");
    }
}

#[test]
fn an_importer_that_quotes_the_whole_file_is_cut_short() {
    let message = format!(" \x1b[2Jnot a number: {}", "9 ".repeat(999));
    let error = ImporterError::parse(message).quotable().to_string();
    assert!(
        error.starts_with("\u{fffd}[2Jnot a number: 9 9 "),
        "{error}"
    );
    assert_eq!(error.chars().count(), 301);
}

#[test]
fn an_unknown_importer_lists_the_known_ones() {
    let folder = Folder::new();
    let options = Options {
        importer: Some("ufbx".into()),
        ..in_process()
    };
    let path = folder.file("walk.fbx", b"\0\0");
    insta::assert_snapshot!(folder.failure_with(&path, &options), @r#"walk.fbx: no importer is named "ufbx"; expected one of fake"#);
}

#[test]
fn a_build_without_importers_says_so() {
    let folder = Folder::new();
    let path = folder.file("walk.fbx", b"\0\0");
    let error = load_with(&[], &path, &in_process()).unwrap_err();
    insta::assert_snapshot!(folder.message(&error), @r#"walk.fbx: this build has no importers; build it with the feature "assimp""#);
}

#[test]
fn an_animation_file_that_is_missing_or_has_no_animation_is_named() {
    let folder = Folder::new();
    let path = folder.file("man.fbx", b"\0\0");
    folder.file("walk.glb", &glb(12));
    let failures = ["gone.glb", "walk.glb"].map(|name| {
        let options = Options {
            animation: Some(folder.path(name)),
            ..in_process()
        };
        folder.failure_with(&path, &options)
    });
    insta::assert_snapshot!(failures.join("\n"), @r"
    gone.glb: no such file
    man.fbx: cannot use the animation of walk.glb: it has no animation
    ");
}

#[test]
fn gltf_needs_no_program() {
    let options = Options {
        isolation: Isolation::Process {
            program: "/nowhere/skincheck".into(),
        },
        ..Options::default()
    };
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let asset = load(&fixtures.join("arm.gltf"), &options);
    assert!(!asset.unwrap().meshes.is_empty());
    let error = load(&fixtures.join("arm.fbx"), &options).unwrap_err();
    let first_line = error.to_string();
    assert!(first_line.ends_with(
        "failed; install skincheck, set SKINCHECK_BINARY to its binary, or, from Rust, set `import::Options::isolation` to \
         `Isolation::InProcess`"
    ), "{first_line}");
}

#[test]
fn images_are_searched_only_on_request() {
    let folder = Folder::new();
    let path = folder.file("pictured.fbx", b"\0\0");
    folder.file("skin.png", b"no picture");
    let data = |images| {
        let options = Options {
            images,
            ..in_process()
        };
        load_with(FAKES, &path, &options).unwrap().images[0]
            .data
            .clone()
    };
    assert!(matches!(data(true), ImageData::Missing(_)));
    assert!(matches!(data(false), ImageData::File(_)));
}

#[cfg(unix)]
mod in_a_process {
    use super::*;
    use crate::isolation::puppet;

    fn options() -> Options {
        let program = puppet().to_owned();
        Options {
            isolation: Isolation::Process { program },
            ..Options::default()
        }
    }

    #[test]
    fn a_crash_names_the_file_and_the_importer() {
        let folder = Folder::new();
        let path = folder.file("walk.sh", b"\nkill -SEGV $$");
        insta::assert_snapshot!(folder.failure_with(&path, &options()), @"walk.sh: the process that reads the file with fake failed: it crashed with SIGSEGV, an invalid memory access; the file is damaged, or the importer has a bug");
    }

    #[test]
    fn data_from_the_child_process_is_validated() {
        let folder = Folder::new();
        let joint = Node {
            name: String::new(),
            parent: None,
            rest: LocalTransform::Trs(Trs::IDENTITY),
        };
        let mut asset = empty_asset();
        asset.skeleton = crate::rig::Skeleton::new(vec![joint]).unwrap();
        asset.skins.push(Skin {
            name: String::new(),
            joints: vec![NodeId(1)],
            inverse_bind_matrices: vec![glam::Mat4::IDENTITY],
        });
        let stream = folder.file("stream", &encoded(&Ok(asset)));
        let script = format!("cat '{}'", stream.display());
        let path = folder.file("walk.sh", script.as_bytes());
        insta::assert_snapshot!(folder.failure_with(&path, &options()), @"walk.sh: the importer `fake` returned an invalid model: skin 0: it names a joint with index 1, but there are 1");
    }
}
