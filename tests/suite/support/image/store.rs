//! Reference images on disk, and the images of failures in the build folder.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use skincheck::frame::Frame;
use skincheck::frame::png::{self, DecodedImage};

use super::compare::{Difference, difference, image_of_difference};
use super::modified;
use crate::support::snapshots;

/// References in one folder; failures and marks of use in another.
#[derive(Debug)]
pub(super) struct Store {
    pub(super) references: PathBuf,
    pub(super) scratch: PathBuf,
    /// Whether references are written instead of compared.
    pub(super) update: bool,
}

/// Why an image differs from its reference. The message says what to look at and what to do.
#[derive(Debug)]
pub(super) enum Mismatch {
    Missing {
        reference: PathBuf,
        actual: PathBuf,
    },
    Damaged {
        reference: PathBuf,
        why: String,
    },
    Size {
        files: Files,
        expected: [u32; 2],
        drawn: [u32; 2],
    },
    Pixels {
        files: Files,
        difference: Difference,
    },
}

/// The paths of one comparison.
#[derive(Debug, Clone)]
pub(super) struct Files {
    pub(super) reference: PathBuf,
    pub(super) actual: PathBuf,
    pub(super) difference: PathBuf,
}

const HOW_TO_ACCEPT: &str =
    "if the new image is right, accept it with SKINCHECK_UPDATE_SNAPSHOTS=1";

impl Store {
    pub(super) fn of_the_project() -> Self {
        let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|set| set == value);
        Self {
            references: snapshots(),
            scratch: Path::new(env!("CARGO_TARGET_TMPDIR")).join("images"),
            update: is("SKINCHECK_UPDATE_SNAPSHOTS", "1") || is("INSTA_UPDATE", "always"),
        }
    }

    pub(super) fn check(
        &self,
        group: &str,
        name: &str,
        frame: &Frame,
    ) -> Result<(), Box<Mismatch>> {
        let files = self.files(group, name);
        save_bytes(&self.mark(&files.reference), &[]);
        let result = compare(&files, frame);
        if self.update && result.is_err() {
            save(&files.reference, frame);
            return Ok(());
        }
        result
    }

    /// References whose mark is older than `time`, or missing.
    pub(super) fn unused_since(&self, time: SystemTime) -> Vec<PathBuf> {
        let mut references = Vec::new();
        collect_pngs(&self.references, &mut references);
        references
            .retain(|reference| modified(&self.mark(reference)).is_none_or(|used| used < time));
        references.sort();
        references
    }

    fn files(&self, group: &str, name: &str) -> Files {
        let scratch = self.scratch.join(group);
        Files {
            reference: self.references.join(group).join(format!("{name}.png")),
            actual: scratch.join(format!("{name}.actual.png")),
            difference: scratch.join(format!("{name}.difference.png")),
        }
    }

    /// A file that is written whenever a test uses `reference`.
    fn mark(&self, reference: &Path) -> PathBuf {
        let inside = reference.strip_prefix(&self.references);
        let inside = inside.expect("a reference is in the folder of references");
        self.scratch.join("used").join(inside)
    }
}

fn compare(files: &Files, frame: &Frame) -> Result<(), Box<Mismatch>> {
    for old in [&files.actual, &files.difference] {
        // It does not exist if the last run passed.
        let _ = fs::remove_file(old);
    }
    let mismatch = match read(&files.reference) {
        None => Mismatch::Missing {
            reference: files.reference.clone(),
            actual: files.actual.clone(),
        },
        Some(Err(why)) => Mismatch::Damaged {
            reference: files.reference.clone(),
            why,
        },
        Some(Ok(expected)) => match mismatch(files, &expected, frame) {
            None => return Ok(()),
            Some(mismatch) => mismatch,
        },
    };
    save(&files.actual, frame);
    Err(Box::new(mismatch))
}

fn mismatch(files: &Files, expected: &DecodedImage, frame: &Frame) -> Option<Mismatch> {
    let (expected_size, drawn) = (
        [expected.width, expected.height],
        [frame.width, frame.height],
    );
    if expected_size != drawn {
        return Some(Mismatch::Size {
            files: files.clone(),
            expected: expected_size,
            drawn,
        });
    }
    let difference = difference(expected, frame)?;
    save(&files.difference, &image_of_difference(expected, frame));
    Some(Mismatch::Pixels {
        files: files.clone(),
        difference,
    })
}

/// `None` if the file does not exist.
fn read(path: &Path) -> Option<Result<DecodedImage, String>> {
    let bytes = fs::read(path).ok()?;
    Some(png::decode(&bytes).map_err(|error| error.to_string()))
}

fn save(path: &Path, frame: &Frame) {
    let bytes = png::encode(frame, &[]).expect("a frame that was drawn can be encoded");
    save_bytes(path, &bytes);
}

fn save_bytes(path: &Path, bytes: &[u8]) {
    let folder = path.parent().expect("an image is in a folder");
    fs::create_dir_all(folder).expect("the folder of images can be made");
    fs::write(path, bytes).expect("an image can be written");
}

fn collect_pngs(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect_pngs(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "png") {
            found.push(path);
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { reference, actual } => writeln!(
                f,
                "there is no reference image\nexpected:   {}\nactual:     {}",
                reference.display(),
                actual.display()
            )?,
            Self::Damaged { reference, why } => {
                writeln!(f, "{why}\nexpected:   {}", reference.display())?;
            }
            Self::Size {
                files,
                expected: [width, height],
                drawn: [columns, rows],
            } => writeln!(
                f,
                "{width}x{height} pixels were expected and {columns}x{rows} were drawn\nexpected:   {}\nactual:     {}",
                files.reference.display(),
                files.actual.display()
            )?,
            Self::Pixels { files, difference } => writeln!(
                f,
                "{difference}\nexpected:   {}\nactual:     {}\ndifference: {}",
                files.reference.display(),
                files.actual.display(),
                files.difference.display()
            )?,
        }
        f.write_str(HOW_TO_ACCEPT)
    }
}
