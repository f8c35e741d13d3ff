//! Writes the images of disagreements.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::compare::pixels::difference;
use crate::crosscheck::Seen;
use crate::frame::{FrameError, WriteError, png, write_file};
use crate::paths::input_at;
use crate::pose::Take;
use crate::report::words::{free_name, plain_name};
use crate::rig::Asset;
use crate::shown;

/// The most images of a clip: one that disagrees throughout needs no more.
const MOST_OF_A_TAKE: usize = 8;

/// A folder of images.
#[derive(Debug)]
pub struct Artifacts {
    folder: PathBuf,
    /// Files that must not be overwritten by images of any model.
    inputs: Vec<PathBuf>,
    /// Names that earlier models use.
    taken: BTreeSet<String>,
}

/// The images of one model.
#[derive(Debug)]
pub struct ModelImages<'a> {
    folder: PathBuf,
    model: String,
    asset: &'a Asset,
    of_take: (usize, usize),
    /// Files that must not be overwritten.
    inputs: Vec<PathBuf>,
    /// Their paths, without the suffixes `-expected.png` and so on.
    pub written: Vec<String>,
}

/// Why images could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArtifactsError {
    /// A file exists at the folder's path.
    #[error("--artifacts {}: this is a file; name a folder", shown::path(folder))]
    NoFolder {
        /// The file.
        folder: PathBuf,
    },
    /// The folder cannot be created.
    #[error("cannot create {}", shown::path(folder))]
    Closed {
        /// The folder.
        folder: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// An image would overwrite an input.
    #[error(
        "cannot write {}: it is the input; name another folder",
        shown::path(path)
    )]
    Input {
        /// The file.
        path: PathBuf,
    },
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// An image cannot be encoded.
    #[error(transparent)]
    Png(#[from] FrameError),
}

impl Artifacts {
    /// Images in a folder that is created with the first image.
    ///
    /// * `inputs` – the files that must not be overwritten.
    ///
    /// # Errors
    ///
    /// [`ArtifactsError::NoFolder`].
    pub fn new(folder: &Path, inputs: &[PathBuf]) -> Result<Self, ArtifactsError> {
        if folder.exists() && !folder.is_dir() {
            let folder = folder.to_owned();
            return Err(ArtifactsError::NoFolder { folder });
        }
        Ok(Self {
            folder: folder.to_owned(),
            inputs: inputs.to_vec(),
            taken: BTreeSet::new(),
        })
    }

    /// The images of `model`, under a name that no other model uses.
    pub fn of_model<'a>(&mut self, model: &Path, asset: &'a Asset) -> ModelImages<'a> {
        let model = free_name(model, &mut self.taken, plain);
        ModelImages {
            folder: self.folder.clone(),
            model,
            asset,
            of_take: (0, 0),
            inputs: [&*self.inputs, &asset.paths()].concat(),
            written: Vec::new(),
        }
    }
}

impl ModelImages<'_> {
    /// Writes the images of a pose on which the paths disagree.
    ///
    /// # Errors
    ///
    /// [`ArtifactsError`]. If one image would overwrite an input, no image of the pose is written.
    pub fn add(&mut self, take: &Take, seen: &Seen<'_>) -> Result<(), ArtifactsError> {
        let Some(images) = seen.images.filter(|_| !seen.report.agrees()) else {
            return Ok(());
        };
        if self.of_take.0 != seen.take {
            self.of_take = (seen.take, 0);
        }
        if self.of_take.1 == MOST_OF_A_TAKE {
            return Ok(());
        }
        self.of_take.1 += 1;
        let folder = &self.folder;
        fs::create_dir_all(folder).map_err(|source| ArtifactsError::Closed {
            folder: folder.clone(),
            source,
        })?;
        let name = self.name(take, seen);
        let shown = shown::path(&folder.join(&name));
        let difference = difference(images.first, images.second, images.marks);
        let kinds = [
            ("expected", images.first),
            ("actual", images.second),
            ("difference", &difference),
        ]
        .map(|(kind, frame)| {
            let path = folder.join(format!("{name}-{kind}.png"));
            (path, frame)
        });
        for (path, _) in &kinds {
            if input_at(path, &self.inputs).is_some() {
                return Err(ArtifactsError::Input { path: path.clone() });
            }
        }
        for (path, frame) in kinds {
            write_file(&path, &png::encode(frame, &[])?)?;
        }
        self.written.push(shown);
        Ok(())
    }

    fn name(&self, take: &Take, seen: &Seen<'_>) -> String {
        let take = match take {
            Take::Pose(name, _) => plain(&name.to_string()),
            Take::Clip(clip, _) => plain(&self.asset[*clip].name),
        };
        match seen.report.time {
            Some(time) => format!("{}-{}-{take}-{:.3}s", self.model, seen.take, time.get()),
            None => format!("{}-{}-{take}", self.model, seen.take),
        }
    }
}

/// `name` as a part of a file name.
fn plain(name: &str) -> String {
    plain_name(name, 40, &['_'])
}

#[cfg(test)]
mod tests {
    use crate::compare::pixels::Mark;
    use crate::crosscheck::{ImagePair as Both, PoseReport};
    use crate::frame::Frame;
    use crate::pose::ModelPose;
    use crate::rig::PoseName;

    use super::*;
    use crate::report::crosscheck::testing;

    fn frame(code: u8) -> Frame {
        Frame {
            width: 1,
            height: 1,
            rgba: vec![code, code, code, 255],
            depth: vec![1.0],
        }
    }

    /// The names of the files written when `report` is shown so many times; `None` if the folder does not exist.
    fn files(report: &PoseReport, times: u32) -> Option<Vec<String>> {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let asset = testing::asset();
        let take = Take::Pose(PoseName::File("a/b".into()), ModelPose::default());
        let mut artifacts =
            Artifacts::new(&folder.path().join("new"), &[]).expect("it can be made");
        let (first, second) = (frame(128), frame(64));
        for model in ["x/hero.glb", "y/hero.fbx"] {
            let mut images = artifacts.of_model(Path::new(model), &asset);
            for k in 0..times {
                let mut report = report.clone();
                report.time = Some(crate::units::Seconds(f64::from(k)));
                let images_of_both = Both {
                    first: &first,
                    second: &second,
                    marks: &[Mark::Wrong],
                };
                let seen = Seen {
                    take: 0,
                    report: &report,
                    images: Some(images_of_both),
                };
                images.add(&take, &seen).expect("it can be written");
            }
        }
        let Ok(entries) = fs::read_dir(folder.path().join("new")) else {
            return None;
        };
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("readable").file_name())
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        names.sort();
        Some(names)
    }

    #[test]
    fn a_disagreement_is_written_as_three_images_a_model() {
        let expected = [
            "hero-0-a-b-0.000s-actual.png",
            "hero-0-a-b-0.000s-difference.png",
            "hero-0-a-b-0.000s-expected.png",
            "hero-2-0-a-b-0.000s-actual.png",
            "hero-2-0-a-b-0.000s-difference.png",
            "hero-2-0-a-b-0.000s-expected.png",
        ];
        let files = files(&testing::pose(), 1);
        assert_eq!(files.expect("there are some"), expected);
    }

    #[test]
    fn agreement_leaves_no_folder_and_many_disagreements_leave_some_images() {
        let agrees = PoseReport {
            time: None,
            vertices: crate::compare::VertexReport::default(),
            pixels: None,
        };
        assert_eq!(files(&agrees, 3), None);
        let many = files(&testing::pose(), 50).expect("there are some");
        assert_eq!(many.len(), 2 * 3 * MOST_OF_A_TAKE);
    }

    #[test]
    fn a_file_is_not_a_folder_for_images() {
        let file = tempfile::NamedTempFile::new().expect("it can be made");
        let error = Artifacts::new(file.path(), &[])
            .expect_err("it is refused")
            .to_string();
        assert!(error.ends_with("this is a file; name a folder"), "{error}");
    }
}
