//! Models in motion, for the page of `--report html`: the poses of their findings, within the size of the page.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::check::{FileReport, Report};
use crate::cli::moving::{FRAME, take};
use crate::closeup::{Colors, Posing, Sight};
use crate::lint::{Context, Measure, Settings};
use crate::pose::RangePose;
use crate::report::check::Moving;
use crate::rig::{Asset, NodeId, SkinningOptions};
use crate::units::Seconds;
use crate::view::{Show, ViewDirection};
use crate::viewer::{Contents, Numbers, Packed, Source, Take, shares};

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
    let takes = sources.into_iter().map(|(source, times)| {
        let take = take(
            asset,
            source,
            ViewDirection::default(),
            SkinningOptions::default(),
        )?;
        Ok(take.with(times))
    });
    let takes: Vec<Take> = takes.collect::<anyhow::Result<_>>()?;
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
