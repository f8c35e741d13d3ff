//! Pictures of disagreements.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use skincheck::compare::pixels::difference;
use skincheck::crosscheck::{Seen, Take};
use skincheck::frame::{Frame, png, write_file};
use skincheck::rig::Asset;

/// A clip that disagrees all along needs no more pictures than these.
const MOST_OF_A_TAKE: usize = 8;

/// A folder of pictures.
#[derive(Debug)]
pub(super) struct Artifacts {
    folder: PathBuf,
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
    /// Paths without their last part: `-expected.png` and so on.
    pub(super) written: Vec<String>,
}

impl Artifacts {
    /// Makes the folder if it is not there.
    pub(super) fn new(folder: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Self {
            folder: folder.to_owned(),
            taken: BTreeSet::new(),
        })
    }

    /// For the pictures of `model`, under a name that no other model has.
    pub(super) fn of_model<'a>(&mut self, model: &Path, asset: &'a Asset) -> Pictures<'a> {
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
        let base = self.folder.join(self.name(take, seen));
        let shown = base.display().to_string();
        let difference = difference(pictures.first, pictures.second, pictures.marks);
        let kinds = [
            ("expected", pictures.first),
            ("actual", pictures.second),
            ("difference", &difference),
        ];
        for (kind, frame) in kinds {
            write(&PathBuf::from(format!("{shown}-{kind}.png")), frame)?;
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

fn write(path: &Path, frame: &Frame) -> anyhow::Result<()> {
    Ok(write_file(path, &png::encode(frame, &[])?)?)
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
