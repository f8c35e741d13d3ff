//! Pictures of disagreements.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use skincheck::compare::pixels::difference;
use skincheck::crosscheck::{Seen, Take};
use skincheck::frame::png;
use skincheck::rig::Asset;
use skincheck::shown;

use crate::cli::output::Target;

/// A clip that disagrees all along needs no more pictures than these.
const MOST_OF_A_TAKE: usize = 8;

/// A folder of pictures.
#[derive(Debug)]
pub(super) struct Artifacts {
    folder: PathBuf,
    /// What must not be written over, whatever the model.
    inputs: Vec<PathBuf>,
    /// Names that models have taken.
    taken: BTreeSet<String>,
}

/// The pictures of one model.
#[derive(Debug)]
pub(super) struct Pictures<'a> {
    folder: PathBuf,
    model: String,
    asset: &'a Asset,
    of_take: (usize, usize),
    /// What must not be written over.
    inputs: Vec<PathBuf>,
    /// Paths without their last part: `-expected.png` and so on.
    pub(super) written: Vec<String>,
}

impl Artifacts {
    /// In a folder that is made with the first picture; what can be no folder is refused.
    ///
    /// * `inputs` – what must not be written over.
    pub(super) fn new(folder: &Path, inputs: &[PathBuf]) -> anyhow::Result<Self> {
        let shown = shown::path(folder);
        ensure!(
            folder.is_dir() || !folder.exists(),
            "--artifacts {shown}: this is a file; name a folder"
        );
        Ok(Self {
            folder: folder.to_owned(),
            inputs: inputs.to_vec(),
            taken: BTreeSet::new(),
        })
    }

    /// For the pictures of `model`, under a name that no other model has.
    ///
    /// * `opened` – the files that it was read from, which must not be written over either.
    pub(super) fn of_model<'a>(
        &mut self,
        model: &Path,
        asset: &'a Asset,
        opened: Vec<PathBuf>,
    ) -> Pictures<'a> {
        let stem = plain(&model.file_stem().unwrap_or_default().to_string_lossy());
        let numbered = (2..).map(|number| format!("{stem}-{number}"));
        let mut names = std::iter::once(stem.clone()).chain(numbered);
        let free = names.find(|name| !self.taken.contains(name));
        let model = free.unwrap_or(stem);
        self.taken.insert(model.clone());
        Pictures {
            folder: self.folder.clone(),
            model,
            asset,
            of_take: (0, 0),
            inputs: self.inputs.iter().cloned().chain(opened).collect(),
            written: Vec::new(),
        }
    }
}

impl Pictures<'_> {
    /// Writes the pictures of a pose on which the paths disagree.
    pub(super) fn add(&mut self, take: &Take, seen: &Seen<'_>) -> anyhow::Result<()> {
        let Some(pictures) = seen.pictures.filter(|_| !seen.report.agrees()) else {
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
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", shown::path(folder)))?;
        let name = self.name(take, seen);
        let shown = shown::path(&folder.join(&name));
        let difference = difference(pictures.first, pictures.second, pictures.marks);
        let kinds = [
            ("expected", pictures.first),
            ("actual", pictures.second),
            ("difference", &difference),
        ];
        let kinds = kinds.map(|(kind, frame)| {
            let path = folder.join(format!("{name}-{kind}.png"));
            (Target::File(path), frame)
        });
        for (target, _) in &kinds {
            target.check_inputs(&self.inputs)?;
        }
        for (target, frame) in kinds {
            target.write(&png::encode(frame, &[])?)?;
        }
        self.written.push(shown);
        Ok(())
    }

    fn name(&self, take: &Take, seen: &Seen<'_>) -> String {
        let take = match take {
            Take::Pose(name, _) => plain(name),
            Take::Clip(clip, _) => plain(&self.asset.clips[clip.index()].name),
        };
        match seen.report.time {
            Some(time) => format!("{}-{}-{take}-{:.3}s", self.model, seen.take, time.get()),
            None => format!("{}-{}-{take}", self.model, seen.take),
        }
    }
}

/// Letters, digits, and dashes for all else: a name in a file may hold slashes.
fn plain(name: &str) -> String {
    /// Names of files end somewhere.
    const MOST: usize = 40;
    let kept = name.chars().take(MOST).map(|letter| match letter {
        letter if letter.is_alphanumeric() => letter,
        '_' => '_',
        _ => '-',
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use skincheck::compare::pixels::Mark;
    use skincheck::crosscheck::{MomentReport, Pictures as Both};
    use skincheck::frame::Frame;
    use skincheck::pose::ModelPose;

    use super::*;
    use crate::cli::crosscheck::testing;

    fn frame(code: u8) -> Frame {
        Frame {
            width: 1,
            height: 1,
            rgba: vec![code, code, code, 255],
            depth: vec![1.0],
        }
    }

    /// The names of the files that come of showing `report` so often; `None` if not even their folder does.
    fn files(report: &MomentReport, times: u32) -> Option<Vec<String>> {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let asset = testing::asset();
        let take = Take::Pose("a/b".into(), ModelPose::default());
        let mut artifacts =
            Artifacts::new(&folder.path().join("new"), &[]).expect("it can be made");
        let (first, second) = (frame(128), frame(64));
        for model in ["x/hero.glb", "y/hero.fbx"] {
            let mut pictures = artifacts.of_model(Path::new(model), &asset, vec![]);
            for k in 0..times {
                let mut report = report.clone();
                report.time = Some(skincheck::units::Seconds(f64::from(k)));
                let pictures_of_both = Both {
                    first: &first,
                    second: &second,
                    marks: &[Mark::Wrong],
                };
                let seen = Seen {
                    take: 0,
                    report: &report,
                    pictures: Some(pictures_of_both),
                };
                pictures.add(&take, &seen).expect("it can be written");
            }
        }
        let Ok(entries) = fs::read_dir(folder.path().join("new")) else {
            return None;
        };
        let names = entries.map(|entry| entry.expect("readable").file_name());
        let mut names: Vec<String> = names
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        names.sort();
        Some(names)
    }

    #[test]
    fn a_disagreement_is_written_as_three_pictures_a_model() {
        let expected = [
            "hero-0-a-b-0.000s-actual.png",
            "hero-0-a-b-0.000s-difference.png",
            "hero-0-a-b-0.000s-expected.png",
            "hero-2-0-a-b-0.000s-actual.png",
            "hero-2-0-a-b-0.000s-difference.png",
            "hero-2-0-a-b-0.000s-expected.png",
        ];
        let files = files(&testing::moment(), 1);
        assert_eq!(files.expect("there are some"), expected);
    }

    #[test]
    fn agreement_leaves_no_folder_and_many_disagreements_leave_some_pictures() {
        let agrees = MomentReport {
            time: None,
            vertices: skincheck::compare::VertexReport::default(),
            pixels: None,
        };
        assert_eq!(files(&agrees, 3), None);
        let many = files(&testing::moment(), 50).expect("there are some");
        assert_eq!(many.len(), 2 * 3 * MOST_OF_A_TAKE);
    }

    #[test]
    fn a_file_is_no_folder_for_pictures() {
        let file = tempfile::NamedTempFile::new().expect("it can be made");
        let error = Artifacts::new(file.path(), &[]).expect_err("it is refused");
        let error = error.to_string();
        assert!(error.ends_with("this is a file; name a folder"), "{error}");
    }
}
