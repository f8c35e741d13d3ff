//! Isolated reading of models: in a child process of the real program, or in a thread.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use skincheck::import::{self, Clips, ImportError, Isolation, Limits, Options, WorkerError};
use skincheck::rig::Asset;

use crate::folder::Folder;
use crate::program::{self, reading};

/// With less to spend than usual.
fn limited(limits: Limits) -> Options {
    Options {
        limits,
        ..reading()
    }
}

/// Reads in a thread.
fn walker() -> PathBuf {
    program::fixture("walker.glb")
}

/// Reads in a child process.
fn arm() -> PathBuf {
    program::fixture("arm_binary.fbx")
}

fn load(path: &Path) -> Asset {
    import::load(path, &reading()).expect("the fixture is a model")
}

fn worker(arguments: &[&str]) -> Output {
    let mut command = Command::new(program::path());
    command.arg(import::WORKER_COMMAND).args(arguments);
    command.output().expect("the binary under test starts")
}

#[test]
fn a_child_process_and_a_thread_read_what_this_thread_reads() {
    for path in [walker(), arm()] {
        let apart = load(&path);
        let in_process = Options {
            isolation: Isolation::InProcess,
            ..reading()
        };
        let here = import::load(&path, &in_process).expect("the fixture is a model");
        assert!(!apart.meshes.is_empty() && !apart.clips.is_empty());
        assert_eq!(apart, here);
    }
}

#[test]
fn only_the_names_of_excluded_clips_are_kept() {
    for path in [walker(), arm()] {
        let some = Options {
            clips: Clips::None,
            ..reading()
        };
        let all = load(&path);
        let none = import::load(&path, &some).expect("the fixture is a model");
        let of = |asset: &Asset| -> Vec<String> {
            asset.clips.iter().map(|clip| clip.name.clone()).collect()
        };
        assert_eq!(of(&all), of(&none));
        assert!(all.clips.iter().all(|clip| !clip.channels.is_empty()));
        assert!(none.clips.iter().all(|clip| clip.channels.is_empty()));
        assert_eq!((all.meshes, all.skins), (none.meshes, none.skins));
    }
}

#[test]
fn several_threads_read_at_the_same_time() {
    let path = walker();
    let read = || load(&path);
    let first = read();
    thread::scope(|scope| {
        let readers: Vec<_> = (0..4).map(|_| scope.spawn(read)).collect();
        for reader in readers {
            assert_eq!(reader.join().expect("no thread panics"), first);
        }
    });
}

#[test]
fn a_worker_without_its_arguments_says_nothing_on_stdout() {
    let output = worker(&["gltf"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
}

#[test]
fn an_unknown_importer_is_an_answer_and_no_failure() {
    let version = env!("CARGO_PKG_VERSION");
    let output = worker(&[
        version,
        "nobody",
        "4294967296",
        "60",
        "all",
        "usual",
        "read",
        "model.fbx",
    ]);
    assert_eq!(output.status.code(), Some(0));
    let (length, answer) = output
        .stdout
        .split_first_chunk()
        .expect("it says something");
    assert_eq!(u64::from_le_bytes(*length), answer.len() as u64);
}

#[test]
fn a_worker_of_another_version_refuses() {
    let output = worker(&["0.0.0", "fbx", "4294967296", "60", "all", "model.fbx"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
}

#[test]
fn a_file_that_the_importer_refuses_is_quoted() {
    let folder = Folder::new();
    folder.write("broken.gltf", "{\"asset\": {\"version\": \"2.0\"");
    let error = import::load(&folder.path("broken.gltf"), &reading())
        .expect_err("half a JSON text is no model");
    assert!(
        matches!(
            error,
            ImportError::Refused {
                importer: "gltf",
                ..
            }
        ),
        "{error}"
    );
    assert!(
        error
            .source()
            .is_some_and(|cause| !cause.to_string().is_empty())
    );
}

#[test]
fn a_path_with_spaces_dashes_and_letters_of_any_script_is_read() {
    let folder = Folder::new();
    let name = "-- ходьба walk.glb";
    folder.copy("walker.glb", name);
    load(&folder.path(name));
}

#[cfg(unix)]
#[test]
fn a_path_that_is_not_unicode_is_read_or_refused_with_its_reason() {
    use std::os::unix::ffi::OsStringExt;
    let folder = Folder::new();
    let name = std::ffi::OsString::from_vec(b"caf\xe9.glb".to_vec());
    let path = folder.path(name);
    fs::copy(walker(), &path).expect("the folder is writable");
    if let Err(error) = import::load(&path, &reading()) {
        assert!(matches!(error, ImportError::Refused { .. }), "{error}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn too_little_memory_is_distinguished_from_a_damaged_file() {
    let options = limited(Limits {
        memory_bytes: Some(16 << 20),
        ..Limits::default()
    });
    // Padded at its end, which readers ignore.
    let folder = Folder::new();
    let path = folder.path("padded.fbx");
    let mut bytes = fs::read(arm()).expect("the fixture is there");
    bytes.resize(64 << 20, 0);
    fs::write(&path, bytes).expect("the folder is writable");
    let error = import::load(&path, &options).expect_err("64 MiB do not fit into 16");
    let ImportError::Worker { source, .. } = &error else {
        panic!("{error}");
    };
    assert!(
        matches!(source, WorkerError::OutOfMemory { .. }),
        "{source}"
    );
}

#[test]
fn too_little_time_is_reported() {
    let options = limited(Limits {
        time: Some(Duration::from_micros(1)),
        ..Limits::default()
    });
    let started = Instant::now();
    let error = import::load(&arm(), &options).expect_err("nothing is read in a microsecond");
    let ImportError::Worker { source, .. } = &error else {
        panic!("{error}");
    };
    assert!(matches!(source, WorkerError::TimedOut { .. }), "{source}");
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_limit_without_end_is_none() {
    let options = limited(Limits {
        memory_bytes: Some(u64::MAX),
        time: Some(Duration::MAX),
    });
    import::load(&walker(), &options).expect("the fixture is a model");
}

/// Starts a program that was just written. While a parallel test starts another process, that process may hold the file
/// open for writing.
fn started<T>(mut start: impl FnMut() -> std::io::Result<T>) -> std::io::Result<T> {
    for _ in 0..100 {
        match start() {
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            result => return result,
        }
    }
    start()
}

#[test]
fn the_program_reads_models_under_any_name() {
    let folder = Folder::new();
    let renamed = folder.path("rigs");
    std::fs::copy(crate::program::path(), &renamed).expect("the binary can be copied");
    let model = crate::program::fixture("arm.gltf");
    let output = started(|| {
        let mut command = std::process::Command::new(&renamed);
        command
            .args(["inspect".as_ref(), model.as_os_str()])
            .output()
    });
    let output = output.expect("the copy starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn the_importer_is_chosen_by_name_or_by_itself() {
    let importer = |line: &str| {
        let run = crate::program::skincheck(line).ok();
        let report = run.json();
        report["importer"].as_str().unwrap_or_default().to_owned()
    };
    let by_itself = importer("inspect --json arm.gltf");
    assert!(by_itself.starts_with("gltf "), "{by_itself}");
    assert_eq!(
        importer("inspect --json --importer auto arm.gltf"),
        by_itself
    );
    assert_eq!(
        importer("inspect --json --importer gltf arm.gltf"),
        by_itself
    );
    #[cfg(feature = "assimp")]
    assert!(importer("inspect --json --importer assimp arm.gltf").starts_with("assimp "));
}
