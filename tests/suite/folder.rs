//! A folder of files for one test.

use std::fs;
use std::path::{Path, PathBuf};

use skincheck::export::to_gltf;
use skincheck::frame::Frame;
use skincheck::import::{self, Isolation};
use skincheck::rig::Asset;
use tempfile::TempDir;

use crate::program::{self, Run, fixture};
use crate::support::decoded;

/// Removed at the end of the test.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder can be made"))
    }

    /// With copies of fixtures under other names.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let folder = Self::new();
        for (fixture, name) in files {
            folder.copy(fixture, name);
        }
        folder
    }

    /// With copies of fixtures.
    pub(crate) fn of(names: &[&str]) -> Self {
        let folder = Self::new();
        for name in names {
            folder.copy(name, name);
        }
        folder
    }

    /// Runs git in it.
    #[track_caller]
    pub(crate) fn git(&self, line: &str) {
        let mut command = std::process::Command::new("git");
        command.current_dir(self.root());
        command.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]);
        Run::of(command.args(line.split(' '))).exits(0);
    }

    /// Commits everything in it.
    #[track_caller]
    pub(crate) fn commit(&self) {
        self.git("add --all");
        self.git("commit --quiet --message all");
    }

    pub(crate) fn root(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root().join(name)
    }

    /// Copies a fixture.
    pub(crate) fn copy(&self, from: &str, name: &str) {
        let bytes = fs::read(fixture(from)).expect("the fixture is there");
        self.write(name, bytes);
    }

    /// Writes a file, in a new folder if there is none.
    pub(crate) fn write(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        let folder = path.parent().expect("it is in a folder");
        fs::create_dir_all(folder).expect("the folder can be made");
        fs::write(path, bytes).expect("it is writable");
    }

    /// Writes the walker, changed as by an exporter.
    pub(crate) fn put_walker(&self, name: &str, change: impl FnOnce(&mut Asset)) {
        let options = import::Options {
            isolation: Isolation::InProcess,
            ..import::Options::default()
        };
        let mut asset = import::load(&fixture("walker.glb"), &options).expect("it can be read");
        change(&mut asset);
        self.write(name, to_gltf(&asset).expect("glTF can hold it"));
    }

    pub(crate) fn read(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).expect("it is text")
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// A PNG file.
    pub(crate) fn image(&self, name: &str) -> Frame {
        decoded(&self.bytes(name))
    }

    /// Runs `skincheck LINE` in the folder.
    pub(crate) fn run(&self, line: &str) -> Run {
        program::skincheck_in(self.root(), line)
    }

    /// The same with words that may hold spaces.
    pub(crate) fn run_words(&self, words: &[&str]) -> Run {
        Run::of(program::command_in(self.root()).args(words))
    }
}
