//! Images of findings, for `--artifacts` and for the page of `--report html`, and their models in motion on that page.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::super::look;
use super::super::moving::{FRAME, still, take};
use super::super::output::{
    Target, check_image_output, create_folder, image_signature, is_own_image,
};
use super::super::report::Console;
use super::choice::{Choice, seen};
use crate::check::{CloseUpImage, FileReport, Report};
use crate::closeup::{CloseUp, Colors, Posing, Sight, close_ups_and_sights};
use crate::finding::Code;
use crate::frame::png;
use crate::import;
use crate::lint::{Context, Measure, Settings, find_rule};
use crate::pose::RangePose;
use crate::report::check::Moving;
use crate::report::{free_name, plain_name};
use crate::rig::{Asset, NodeId, SkinningOptions};
use crate::shown;
use crate::units::Seconds;
use crate::view::{Show, ViewDirection, Viewport};
use crate::viewer::{Contents, Numbers, Source, Take, shares};
use crate::work::{Stage, Work};

/// Width and height of the drawing in an image: in a folder, and on a page alone.
const SIDES: [u32; 2] = [480, 320];

/// Most images of one model and of a run: in a folder, and on a page alone.
const MOST: [[usize; 2]; 2] = [[24, 1000], [8, 80]];

/// Draws findings of all files of `report`.
pub(super) struct CloseUpWriter<'a> {
    /// How models are read, with their textures.
    pub(super) import: &'a import::Options,
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

    /// Removes the images that earlier runs wrote into the folder, so that none looks current, even if this run fails. What
    /// skincheck did not write stays.
    pub(super) fn remove_earlier(folder: Option<&Path>) -> anyhow::Result<()> {
        let Some(folder) = folder.filter(|folder| folder.is_dir()) else {
            return Ok(());
        };
        for entry in folder.read_dir()? {
            let path = entry?.path();
            let is_ours = || std::fs::read(&path).is_ok_and(|bytes| is_own_image(&bytes));
            if is_named_as_image(&path)
                && path.is_file()
                && is_ours()
                && let Err(error) = std::fs::remove_file(&path)
                // Another run may have removed it.
                && error.kind() != ErrorKind::NotFound
            {
                return Err(error.into());
            }
        }
        Ok(())
    }

    /// Draws findings. Warns of a model that cannot be read or drawn again; it then has no images.
    ///
    /// Returns what the page has besides the report.
    pub(super) fn write_all(&self, report: &mut Report) -> anyhow::Result<Moving> {
        let kind = usize::from(self.folder.is_none());
        let mut names = BTreeSet::new();
        let name_of = |file: &FileReport| free_name(&file.path, &mut names, plain);
        let own_names: Vec<String> = report.files.iter().map(name_of).collect();
        let choice = Choice::new(&report.files, MOST[kind], self.folder.is_none());
        let mut undrawn = Vec::new();
        let mut room = self.page.map(|bytes| Room::new(bytes, report, &choice));
        for &index in &choice.order {
            let file = &mut report.files[index];
            let chosen = &choice.drawn[index];
            if chosen.is_empty() && room.is_none() {
                continue;
            }
            let budget = self.import.limits.budget(&file.path);
            let work = match Work::on(&file.path, Stage::Images, budget) {
                Ok(work) => work,
                Err(ended) => {
                    undrawn.push(self.warn(file, "no images", &ended.into()));
                    continue;
                }
            };
            let (asset, drawn, sights) = match self.draw(file, &work, SIDES[kind], chosen) {
                Ok(seen) => seen,
                Err(error) => {
                    undrawn.push(self.warn(file, "no images", &error));
                    continue;
                }
            };
            file.images = self.write(file, drawn, &own_names[index])?;
            if let Some(room) = &mut room
                && let Err(error) = room.add(index, &asset, &sights, &file.settings.settings)
            {
                undrawn.push(self.warn(file, "not in motion", &error));
            }
        }
        let left_out = choice
            .order
            .iter()
            .filter(|file| choice.drawn[**file].is_empty());
        let left_out = left_out.count();
        if left_out > 0 && choice.left_out > 0 {
            self.console.warn(format_args!(
                "findings of {left_out} files are not drawn: a run draws at most {}",
                MOST[kind][1]
            ));
        }
        let mut moving = room.map(|room| room.moving).unwrap_or_default();
        moving.undrawn = undrawn;
        Ok(moving)
    }

    /// Returns the warning, for the page.
    fn warn(&self, file: &FileReport, what: &str, error: &anyhow::Error) -> String {
        let (path, causes) = (shown::path(&file.path), shown::causes(error.as_ref()));
        let warning = format!("{path}: {what}: {causes}");
        self.console.warn(&warning);
        warning
    }

    fn draw(
        &self,
        file: &FileReport,
        work: &Work,
        side: u32,
        chosen: &[usize],
    ) -> anyhow::Result<(Asset, Vec<CloseUp>, Vec<Sight>)> {
        let mut asset = import::load(&file.path, self.import)?;
        work.part("drawing its findings");
        look::face(&mut asset, None)?;
        let seen = self.page.map_or_else(Vec::new, |_| seen(file));
        let settings = &file.settings.settings;
        let lists = [chosen, &seen];
        let (drawn, sights) = close_ups_and_sights(&asset, &file.findings, settings, side, lists)?;
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
            let png = png::encode_small_with(&close_up.image, &[image_signature()])?;
            let code = file.findings[index].code;
            let file_name = format!("{name}-{:02}-{code}.png", number + 1);
            let path = self.folder.map(|folder| folder.join(file_name));
            if let Some(path) = &path {
                self.write_one(path, &png)?;
            }
            Ok((
                index,
                CloseUpImage {
                    path,
                    png,
                    shot: close_up.shot,
                },
            ))
        });
        images.collect()
    }

    fn write_one(&self, path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
        let folder = path.parent().unwrap_or(Path::new(""));
        create_folder(folder)?;
        check_image_output(path, self.inputs)?;
        Target::from(path).write(bytes)
    }
}

/// Whether a file is named as an image of a finding: `hero-01-W103.png`.
fn is_named_as_image(file: &Path) -> bool {
    let name = file.file_name().and_then(OsStr::to_str);
    let stem = name.and_then(|name| name.strip_suffix(".png"));
    let Some((rest, code)) = stem.and_then(|stem| stem.rsplit_once('-')) else {
        return false;
    };
    let number = rest.rsplit_once('-').map(|(_, number)| number);
    let is_number = number.is_some_and(|own| own.bytes().all(|digit| digit.is_ascii_digit()));
    is_number && find_rule(code).is_some()
}

/// `name` as a part of a file name.
fn plain(name: &str) -> String {
    plain_name(name, 60, &['_', '.'])
}

/// About what a finding takes in words.
const WORDS: usize = 1500;

/// About what a close-up takes.
const PICTURE: usize = 70_000;

/// About what the picture of a model takes.
const SMALL_PICTURE: usize = 7_000;

/// About what the page of a rule takes.
const RULE: usize = 3_000;

/// Width and height of the picture of a model.
const SMALL: Viewport = Viewport {
    width: 112,
    height: 112,
};

/// How many models share what is left of a page: those after them, which are less severe, get less.
const SHARED_BY: usize = 24;

/// The most numbers of vertices in one mode.
const MOST_NUMBERS: usize = 1 << 21;

/// The room that a page has for models, which come in the order of their worst findings. Each gets a part of what is left.
struct Room {
    left: usize,
    /// Models that are still to come.
    models: usize,
    moving: Moving,
}

impl Room {
    /// * `bytes` – the size of the page.
    fn new(bytes: usize, report: &Report, choice: &Choice) -> Self {
        let findings = report.files.iter().flat_map(|file| &file.findings);
        let rules: BTreeSet<Code> = findings.clone().map(|finding| finding.code).collect();
        let pictures: usize = choice.drawn.iter().map(Vec::len).sum();
        let models = choice.order.len();
        let taken = [
            (WORDS, findings.count()),
            (PICTURE, pictures),
            (SMALL_PICTURE, models),
            (RULE, rules.len()),
        ];
        let taken: usize = taken.iter().map(|(size, count)| size * count).sum();
        Self {
            left: bytes.saturating_sub(FRAME + taken),
            models,
            moving: Moving {
                images_left_out: choice.left_out,
                ..Moving::default()
            },
        }
    }

    /// * `index` – of the file.
    fn add(
        &mut self,
        index: usize,
        asset: &Asset,
        sights: &[Sight],
        settings: &Settings,
    ) -> anyhow::Result<()> {
        let share = self.left / self.models.clamp(1, SHARED_BY);
        // Geometry is never thinned, but no model takes the room of many.
        let most = (self.left / 4).max(share);
        self.models = self.models.saturating_sub(1);
        let picture = picture(asset)?;
        self.moving.pictures.insert(index, picture);
        if sights.is_empty() {
            return Ok(());
        }
        let (contents, seen) = contents(asset, sights, settings)?;
        let mut packed = contents.pack(share.saturating_sub(seen.to_string().len()))?;
        packed.json["sights"] = seen;
        if packed.len() <= most {
            self.left -= packed.len();
            self.moving.models.insert(index, packed);
        } else {
            self.moving.left_out += 1;
        }
        Ok(())
    }
}

/// A small picture of a model at rest.
fn picture(asset: &Asset) -> anyhow::Result<Vec<u8>> {
    let (direction, skinning) = (ViewDirection::default(), SkinningOptions::default());
    let rest = take(asset, Source::Range(RangePose::Rest), direction, skinning)?;
    Ok(png::encode_small(&still(asset, &rest, skinning, SMALL)?)?)
}

/// A model with the takes that its findings are about, and what shows each finding.
fn contents<'a>(
    asset: &'a Asset,
    sights: &[Sight],
    settings: &Settings,
) -> anyhow::Result<(Contents<'a>, Value)> {
    let mut sources: Vec<(Source, Vec<Seconds>)> = Vec::new();
    let mut seen = Map::new();
    for sight in sights {
        let (source, time) = match sight.posing {
            Posing::Clip(clip, time) => (Source::Clip(clip), Some(time)),
            Posing::Range(range) => (Source::Range(range), None),
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
        numbers: numbers(asset, &takes, sights, settings)?,
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
        "through": sight.is_hidden,
        "camera": {
            "view": sight.camera.view_from_world.to_cols_array(),
            "projection": sight.camera.clip_from_view.to_cols_array(),
            "target": sight.target.to_array(),
        },
        "marks": sight.marked.iter().map(|(instance, own)| json!([instance.index(), own])).collect::<Value>(),
    })
}

/// The numbers that the findings' rules measure.
fn numbers(
    asset: &Asset,
    takes: &[Take],
    sights: &[Sight],
    settings: &Settings,
) -> anyhow::Result<Vec<Numbers>> {
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
    let context = Context::new(asset, "".as_ref(), settings);
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
