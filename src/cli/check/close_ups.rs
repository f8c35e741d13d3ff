//! Images of findings, for `--artifacts` and for the page of `--report html`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use skincheck::check::{CloseUpImage, FileReport, Report};
use skincheck::closeup::{CloseUp, close_ups};
use skincheck::frame::{Frame, png};
use skincheck::import::Clips;
use skincheck::shown;

use crate::cli::images::{check_output, signature};
use crate::cli::load::ReadArgs;
use crate::cli::look;
use crate::cli::output::{Target, create_folder};
use crate::cli::report::Console;

/// Width and height of each view in an image: in a folder, and on a page alone.
const SIDES: [u32; 2] = [360, 240];

/// Most images of one model and of a run: in a folder, and on a page alone.
const MOST: [[usize; 2]; 2] = [[24, 1000], [8, 120]];

/// Draws findings of all files of `report`.
pub(super) struct Photographer<'a> {
    pub(super) read: &'a ReadArgs,
    /// The folder for the images, if they are written.
    pub(super) folder: Option<&'a Path>,
    /// Files that must not be overwritten.
    pub(super) inputs: &'a [PathBuf],
    pub(super) console: Console,
}

impl Photographer<'_> {
    /// Refuses a path that cannot be a folder.
    pub(super) fn check(folder: Option<&Path>) -> anyhow::Result<()> {
        if let Some(folder) = folder {
            anyhow::ensure!(
                folder.is_dir() || !folder.exists(),
                "--artifacts {}: this is a file; name a folder",
                shown::path(folder)
            );
        }
        Ok(())
    }

    /// Draws all findings. Warns of a model that cannot be read or drawn again; it then has no images.
    pub(super) fn take_all(&self, report: &mut Report) -> anyhow::Result<()> {
        let kind = usize::from(self.folder.is_none());
        let [most_of_file, mut left] = MOST[kind];
        let mut names = BTreeSet::new();
        let mut left_out = 0;
        let with_findings = report
            .files
            .iter_mut()
            .filter(|file| !file.findings.is_empty());
        for file in with_findings {
            if left == 0 {
                left_out += 1;
                continue;
            }
            match self.draw(file, SIDES[kind], most_of_file.min(left)) {
                Ok(drawn) => {
                    left -= drawn.len();
                    file.images = self.write(file, drawn, &mut names)?;
                }
                Err(error) => self.console.warn(format_args!(
                    "{}: no pictures: {}",
                    shown::path(&file.path),
                    shown::causes(error.as_ref())
                )),
            }
        }
        if left_out > 0 {
            self.console.warn(format_args!(
                "findings of {left_out} files are not drawn: a run draws at most {}",
                MOST[kind][1]
            ));
        }
        Ok(())
    }

    fn draw(&self, file: &FileReport, side: u32, most: usize) -> anyhow::Result<Vec<CloseUp>> {
        let quiet = Console { quiet: true };
        let mut asset = self.read.load(&file.path, true, Clips::All, quiet)?;
        look::face(&mut asset, None)?;
        Ok(close_ups(&asset, &file.findings, side, most)?)
    }

    fn write(
        &self,
        file: &FileReport,
        drawn: Vec<CloseUp>,
        names: &mut BTreeSet<String>,
    ) -> anyhow::Result<Vec<(usize, CloseUpImage)>> {
        let stem = plain(&file.path.file_stem().unwrap_or_default().to_string_lossy());
        let numbered = (2..).map(|number| format!("{stem}-{number}"));
        let mut free = std::iter::once(stem.clone()).chain(numbered);
        let name = free.find(|name| !names.contains(name)).unwrap_or(stem);
        names.insert(name.clone());
        let images = drawn.into_iter().enumerate().map(|(number, close_up)| {
            let index = close_up.finding;
            let code = file.findings[index].code;
            let png = encode(&close_up.image)?;
            let path = self
                .folder
                .map(|folder| folder.join(format!("{name}-{:02}-{code}.png", number + 1)));
            if let Some(path) = &path {
                self.write_one(path, &png)?;
            }
            Ok((index, CloseUpImage { path, png }))
        });
        images.collect()
    }

    fn write_one(&self, path: &Path, png: &[u8]) -> anyhow::Result<()> {
        let folder = path.parent().unwrap_or(Path::new(""));
        create_folder(folder)?;
        check_output(path, self.inputs)?;
        Target::from(path).write(png)
    }
}

fn encode(image: &Frame) -> anyhow::Result<Vec<u8>> {
    Ok(png::encode(image, &[signature()])?)
}

/// `name` with everything but letters and digits replaced by dashes.
fn plain(name: &str) -> String {
    /// The longest part of a file name.
    const MOST: usize = 60;
    let kept = skincheck::shown::beginning(name, MOST)
        .chars()
        .map(|letter| match letter {
            letter if letter.is_alphanumeric() => letter,
            '_' | '.' => letter,
            _ => '-',
        });
    kept.collect()
}
