//! Images of findings, for `--artifacts` and for the page of `--report html`, and their models in motion on that page.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::super::load::ReadArgs;
use super::super::look;
use super::super::moving::{FRAME, take};
use super::super::output::{
    Target, check_image_output, create_folder, image_signature, is_own_image,
};
use super::super::report::Console;
use crate::check::{CloseUpImage, FileReport, PlotImage, Report};
use crate::closeup::{CloseUp, Colors, Posing, Sight, close_ups_and_sights};
use crate::frame::{Frame, png};
use crate::import::Clips;
use crate::lint::{Context, Measure, Settings, find_rule};
use crate::pose::RangePose;
use crate::report::check::Moving;
use crate::report::{free_name, plain_name, plot};
use crate::rig::{Asset, NodeId, SkinningOptions};
use crate::shown;
use crate::units::Seconds;
use crate::view::{Show, ViewDirection};
use crate::viewer::{Contents, Numbers, Packed, Source, Take, shares};

/// Width and height of each view in an image: in a folder, and on a page alone.
const SIDES: [u32; 2] = [360, 240];

/// Most images of one model and of a run: in a folder, and on a page alone.
const MOST: [[usize; 2]; 2] = [[24, 1000], [8, 120]];

/// Most findings of one model that its moving picture shows.
const MOST_SEEN: usize = 200;

/// Draws findings of all files of `report`.
pub(super) struct CloseUpWriter<'a> {
    pub(super) read: &'a ReadArgs,
    /// The folder for the images, if they are written.
    pub(super) folder: Option<&'a Path>,
    /// Files that must not be overwritten.
    pub(super) inputs: &'a [PathBuf],
    /// The size of the page, if there is one.
    pub(super) page: Option<usize>,
    pub(super) console: Console,
}

impl CloseUpWriter<'_> {
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
    pub(super) fn write_all(&self, report: &mut Report) -> anyhow::Result<Moving> {
        let kind = usize::from(self.folder.is_none());
        let [most_of_file, mut left] = MOST[kind];
        let mut names = BTreeSet::new();
        let mut left_out = 0;
        let mut room = self.page.map(|bytes| Room::new(bytes, report, MOST[kind]));
        for (index, file) in report.files.iter_mut().enumerate() {
            let name = free_name(&file.path, &mut names, plain);
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
        let (drawn, sights) = close_ups_and_sights(&asset, &file.findings, side, [most, seen])?;
        Ok((asset, drawn, sights))
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
            let plot = close_up
                .plot
                .map(|plot| {
                    let svg = plot::svg(&file.findings[index], &plot);
                    let path = written(svg.as_bytes(), "svg")?;
                    anyhow::Ok(PlotImage { path, svg })
                })
                .transpose()?;
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

/// `name` as a part of a file name.
fn plain(name: &str) -> String {
    plain_name(name, 60, &['_', '.'])
}

/// About what a finding takes in words.
const WORDS: usize = 1500;

/// About what a close-up takes.
const PICTURE: usize = 40_000;

/// The most numbers of vertices in one mode.
const MOST_NUMBERS: usize = 1 << 21;

/// The room that a page has for models. Each gets an equal part of what is left; a model larger than its part waits for what the
/// others do not use.
pub(super) struct Room {
    left: usize,
    /// Models that are still to come.
    models: usize,
    /// Close-ups that are still to come.
    pictures: usize,
    fitting: BTreeMap<usize, Packed>,
    waiting: Vec<(usize, Packed)>,
}

impl Room {
    /// * `bytes` – the size of the page.
    /// * `most` – close-ups of a model, and of all.
    pub(super) fn new(bytes: usize, report: &Report, [of_file, most]: [usize; 2]) -> Self {
        let counts = report.files.iter().map(|file| file.findings.len());
        let findings: usize = counts.clone().sum();
        let pictures = counts.clone().map(|count| count.min(of_file));
        Self {
            left: bytes.saturating_sub(FRAME + WORDS * findings),
            models: counts.filter(|count| *count > 0).count(),
            pictures: pictures.sum::<usize>().min(most),
            fitting: BTreeMap::new(),
            waiting: Vec::new(),
        }
    }

    /// Adds a model, whose images are drawn.
    ///
    /// * `index` – of the file.
    pub(super) fn add(
        &mut self,
        index: usize,
        file: &FileReport,
        asset: &Asset,
        sights: &[Sight],
    ) -> anyhow::Result<()> {
        let images = file.images.iter();
        let drawn: usize = images.map(|(_, image)| image.png.len() / 3 * 4).sum();
        self.left = self.left.saturating_sub(drawn);
        self.pictures = self.pictures.saturating_sub(file.images.len());
        let share = self.left.saturating_sub(self.pictures * PICTURE) / self.models.max(1);
        self.models = self.models.saturating_sub(1);
        if sights.is_empty() {
            return Ok(());
        }
        let (contents, seen) = contents(asset, sights)?;
        let room = share.saturating_sub(seen.to_string().len());
        let mut packed = contents.pack(room)?;
        let is_large = packed.len() > room;
        if is_large {
            // Its geometry alone is larger; frames and textures get what others have.
            packed = contents.pack(packed.len() + share)?;
        }
        packed.json["sights"] = seen;
        if is_large {
            self.waiting.push((index, packed));
        } else {
            self.left = self.left.saturating_sub(packed.len());
            self.fitting.insert(index, packed);
        }
        Ok(())
    }

    /// Gives the room that is left to the smallest of the models that wait.
    pub(super) fn fill(mut self) -> Moving {
        let mut left_out = 0;
        self.waiting.sort_by_key(|(_, packed)| packed.len());
        for (index, packed) in self.waiting {
            match self.left.checked_sub(packed.len()) {
                Some(left) => {
                    self.left = left;
                    self.fitting.insert(index, packed);
                }
                None => left_out += 1,
            }
        }
        Moving {
            models: self.fitting,
            left_out,
        }
    }
}

/// A model with the takes that its findings are about, and what shows each finding.
fn contents<'a>(asset: &'a Asset, sights: &[Sight]) -> anyhow::Result<(Contents<'a>, Value)> {
    let mut sources: Vec<(Source, Vec<Seconds>)> = Vec::new();
    let mut seen = Map::new();
    for sight in sights {
        let (source, time) = match sight.posing {
            Some(Posing::Clip(clip, time)) => (Source::Clip(clip), Some(time)),
            Some(Posing::Range(range)) => (Source::Range(range), None),
            None => (Source::Range(RangePose::Rest), None),
        };
        let found = sources.iter().position(|(own, _)| *own == source);
        let take = found.unwrap_or(sources.len());
        if found.is_none() {
            sources.push((source, Vec::new()));
        }
        sources[take].1.extend(time);
        seen.insert(sight.finding.to_string(), described(sight, take, time));
    }
    let takes: Vec<Take> = sources
        .into_iter()
        .map(|(source, times)| {
            let take = take(
                asset,
                source,
                ViewDirection::default(),
                SkinningOptions::default(),
            )?;
            Ok(take.with(times))
        })
        .collect::<anyhow::Result<_>>()?;
    let contents = Contents {
        asset,
        skinning: SkinningOptions::default(),
        numbers: numbers(asset, &takes, sights)?,
        takes,
    };
    Ok((contents, Value::Object(seen)))
}

/// What the page's script shows of a finding.
fn described(sight: &Sight, take: usize, time: Option<Seconds>) -> Value {
    json!({
        "take": take,
        "time": time.map(Seconds::get),
        "show": match &sight.colors {
            Colors::Mode(show) => show.name(),
            Colors::Measure(measure) => measure.mode(),
        },
        "joint": sight.joint.map(NodeId::index),
        "camera": {
            "view": sight.camera.view_from_world.to_cols_array(),
            "projection": sight.camera.clip_from_view.to_cols_array(),
            "target": sight.target.to_array(),
        },
        "marks": sight.marked.iter().map(|(instance, own)| json!([instance.index(), own])).collect::<Value>(),
    })
}

/// The numbers that the findings' rules measure.
fn numbers(asset: &Asset, takes: &[Take], sights: &[Sight]) -> anyhow::Result<Vec<Numbers>> {
    let mut measures: Vec<Measure> = Vec::new();
    for sight in sights {
        if let Colors::Measure(measure) = sight.colors
            && !measures.iter().any(|own| own.mode() == measure.mode())
        {
            measures.push(measure);
        }
    }
    let instances = asset.instances.iter();
    let vertices: usize = instances
        .map(|own| asset.mesh_of(own).positions.len())
        .sum();
    let frames: usize = takes.iter().map(|take| take.times.len()).sum();
    let every = (vertices * frames).div_ceil(MOST_NUMBERS).max(1);
    let settings = Settings::default();
    let context = Context::new(asset, "".as_ref(), &settings);
    let measured = measures.into_iter().map(|measure| {
        let (mut of_takes, mut last) = (Vec::new(), None);
        for take in takes {
            let mut rows = Vec::new();
            take.pose(asset, (0..take.times.len()).step_by(every), |_, pose| {
                let show = Show::measuring(
                    measure.mode(),
                    measure.in_pose(&context, pose, SkinningOptions::default())?,
                );
                rows.push(shares(asset, &show));
                last = Some(show);
                anyhow::Ok(())
            })?;
            of_takes.push(rows);
        }
        let show = last.unwrap_or(Show::LIT);
        Ok(Numbers {
            show,
            every,
            of_takes,
        })
    });
    measured.collect()
}
