//! Images of findings, for `--artifacts` and for the page of `--report html`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::motion::Room;
use crate::check::{CloseUpImage, FileReport, Plan, PlotImage, Report};
use crate::cli::load::ReadArgs;
use crate::cli::look;
use crate::cli::output::{
    Target, check_image_output, create_folder, image_signature, is_own_image,
};
use crate::cli::report::Console;
use crate::closeup::{CloseUp, Sight, close_ups_and_sights};
use crate::diff::reference::is_reference;
use crate::frame::{Frame, png};
use crate::import::Clips;
use crate::lint::find_rule;
use crate::report::check::Moving;
use crate::report::plot;
use crate::rig::Asset;
use crate::shown;

/// Width and height of each view in an image: in a folder, and on a page alone.
const SIDES: [u32; 2] = [360, 240];

/// Most images of one model and of a run: in a folder, and on a page alone.
const MOST: [[usize; 2]; 2] = [[24, 1000], [8, 120]];

/// Most findings of one model that its moving picture shows.
const MOST_SEEN: usize = 200;

/// Draws findings of all files of `report`.
pub(super) struct Photographer<'a> {
    pub(super) read: &'a ReadArgs,
    /// Knows the originals.
    pub(super) plan: &'a Plan,
    /// The folder for the images, if they are written.
    pub(super) folder: Option<&'a Path>,
    /// Files that must not be overwritten.
    pub(super) inputs: &'a [PathBuf],
    /// The size of the page, if there is one.
    pub(super) page: Option<usize>,
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

    /// Draws all findings, and removes the images that earlier runs wrote of the same models. Warns of a model that cannot
    /// be read or drawn again; it then has no images.
    ///
    /// Returns the models in motion of the page.
    pub(super) fn take_all(&self, report: &mut Report) -> anyhow::Result<Moving> {
        let kind = usize::from(self.folder.is_none());
        let [most_of_file, mut left] = MOST[kind];
        let mut names = BTreeSet::new();
        let mut left_out = 0;
        let mut room = self.page.map(|bytes| Room::new(bytes, report, MOST[kind]));
        for (index, file) in report.files.iter_mut().enumerate() {
            let name = free_name(&file.path, &mut names);
            if file.findings.is_empty() {
                continue;
            }
            left_out += usize::from(left == 0);
            if left == 0 && room.is_none() {
                continue;
            }
            match self.draw(file, SIDES[kind], most_of_file.min(left)) {
                Ok((asset, drawn, sights)) => {
                    left -= drawn.len();
                    file.images = self.write(file, drawn, &name)?;
                    if let Some(room) = &mut room
                        && let Err(error) = room.add(index, file, &asset, &sights)
                    {
                        self.console.warn(format_args!(
                            "{}: not in motion: {}",
                            shown::path(&file.path),
                            shown::causes(error.as_ref())
                        ));
                    }
                }
                Err(error) => self.console.warn(format_args!(
                    "{}: no images: {}",
                    shown::path(&file.path),
                    shown::causes(error.as_ref())
                )),
            }
        }
        self.remove_earlier(report, &names)?;
        if left_out > 0 {
            self.console.warn(format_args!(
                "findings of {left_out} files are not drawn: a run draws at most {}",
                MOST[kind][1]
            ));
        }
        Ok(room.map(Room::fill).unwrap_or_default())
    }

    fn draw(
        &self,
        file: &FileReport,
        side: u32,
        most: usize,
    ) -> anyhow::Result<(Asset, Vec<CloseUp>, Vec<Sight>)> {
        let quiet = Console { quiet: true };
        let mut asset = self.read.load(&file.path, true, Clips::All, quiet)?;
        look::face(&mut asset, None)?;
        let seen = self.page.map_or(0, |_| MOST_SEEN);
        let original = self.original(file, quiet)?;
        let (findings, original) = (&file.findings, original.as_ref());
        let (drawn, sights) = close_ups_and_sights(&asset, original, findings, side, [most, seen])?;
        Ok((asset, drawn, sights))
    }

    /// The model that a file was made from, if there is one.
    fn original(&self, file: &FileReport, console: Console) -> anyhow::Result<Option<Asset>> {
        let path = self.plan.original(&file.path);
        let Some(path) = path.filter(|path| !is_reference(path)) else {
            return Ok(None);
        };
        let mut asset = self.read.load(&path, true, Clips::All, console)?;
        look::face(&mut asset, None)?;
        Ok(Some(asset))
    }

    fn write(
        &self,
        file: &FileReport,
        drawn: Vec<CloseUp>,
        name: &str,
    ) -> anyhow::Result<Vec<(usize, CloseUpImage)>> {
        let images = drawn.into_iter().enumerate().map(|(number, close_up)| {
            let index = close_up.finding;
            let code = file.findings[index].code;
            let png = encode(&close_up.image)?;
            let written = |bytes: &[u8], extension: &str| -> anyhow::Result<Option<PathBuf>> {
                let Some(folder) = self.folder else {
                    return Ok(None);
                };
                let path = folder.join(format!("{name}-{:02}-{code}.{extension}", number + 1));
                self.write_one(&path, bytes)?;
                Ok(Some(path))
            };
            let path = written(&png, "png")?;
            let plot = close_up.plot.map(|plot| {
                let svg = plot::svg(&file.findings[index], &plot);
                let path = written(svg.as_bytes(), "svg")?;
                anyhow::Ok(PlotImage { path, svg })
            });
            let plot = plot.transpose()?;
            Ok((index, CloseUpImage { path, png, plot }))
        });
        images.collect()
    }

    /// Removes the images of earlier runs from the folder.
    ///
    /// * `names` – of the models of this run.
    fn remove_earlier(&self, report: &Report, names: &BTreeSet<String>) -> anyhow::Result<()> {
        let Some(folder) = self.folder.filter(|folder| folder.is_dir()) else {
            return Ok(());
        };
        let images = report.files.iter().flat_map(|file| &file.images);
        let current: BTreeSet<&Path> = images
            .flat_map(|(_, image)| [image.path.as_deref(), image.plot_path()])
            .flatten()
            .collect();
        for entry in folder.read_dir()? {
            let path = entry?.path();
            let is_of_run = model_of(&path).is_some_and(|name| names.contains(name));
            let is_ours = || std::fs::read(&path).is_ok_and(|bytes| is_own_image(&bytes));
            if is_of_run && !current.contains(&*path) && path.is_file() && is_ours() {
                std::fs::remove_file(&path)?;
            }
        }
        Ok(())
    }

    fn write_one(&self, path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
        let folder = path.parent().unwrap_or(Path::new(""));
        create_folder(folder)?;
        check_image_output(path, self.inputs)?;
        Target::from(path).write(bytes)
    }
}

/// A name for the images of the model at `path` that is not in `names`, to which it is added.
fn free_name(path: &Path, names: &mut BTreeSet<String>) -> String {
    let stem = plain(&path.file_stem().unwrap_or_default().to_string_lossy());
    let numbered = (2..).map(|number| format!("{stem}-{number}"));
    let mut free = std::iter::once(stem.clone()).chain(numbered);
    let name = free.find(|name| !names.contains(name)).unwrap_or(stem);
    names.insert(name.clone());
    name
}

/// The name of the model in the name of an image, such as `hero` for `hero-01-W103.png`.
fn model_of(image: &Path) -> Option<&str> {
    let name = image.file_name()?.to_str()?;
    let stem = name.strip_suffix(".png").or(name.strip_suffix(".svg"))?;
    let (rest, code) = stem.rsplit_once('-')?;
    let (name, number) = rest.rsplit_once('-')?;
    let is_number = number.bytes().all(|digit| digit.is_ascii_digit());
    (is_number && find_rule(code).is_some()).then_some(name)
}

fn encode(image: &Frame) -> anyhow::Result<Vec<u8>> {
    Ok(png::encode(image, &[image_signature()])?)
}

/// `name` with everything but letters and digits replaced by dashes.
fn plain(name: &str) -> String {
    /// The longest part of a file name.
    const MOST: usize = 60;
    let kept = crate::shown::beginning(name, MOST)
        .chars()
        .map(|letter| match letter {
            letter if letter.is_alphanumeric() => letter,
            '_' | '.' => letter,
            _ => '-',
        });
    kept.collect()
}
