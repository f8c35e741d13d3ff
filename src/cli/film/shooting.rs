//! Draws the images of a film, and combines them.

use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use rayon::prelude::*;
use skincheck::backend::Model;
use skincheck::check::Shard;
use skincheck::film::{self, Animation, Format, Reel, Sheet, caption, glyph_side};
use skincheck::frame::{Frame, png, write_file};
use skincheck::overlay::with_legend;
use skincheck::shown;
use skincheck::view::Legend;

use super::PALETTE_SAMPLES;
use super::set::Set;
use super::shots::Shot;
use crate::cli::images::{check_output, signature};
use crate::cli::output::create_folder;
use crate::cli::report::Console;
use crate::cli::threads;

/// A set with its renderer, and the version that it is compared with.
pub(in crate::cli) struct Shooting<'a, 's> {
    pub(in crate::cli) model: Box<dyn Model + 'a>,
    pub(in crate::cli) set: &'s Set<'a>,
    /// The earlier version, drawn on the left.
    pub(in crate::cli) before: Option<Before<'a, 's>>,
    pub(in crate::cli) captions: bool,
    pub(in crate::cli) progress: ProgressBar,
    /// The legend, once an image is drawn.
    pub(in crate::cli) legend: Option<Legend>,
}

/// The earlier version of a model.
pub(in crate::cli) struct Before<'a, 's> {
    pub(in crate::cli) model: Box<dyn Model + 'a>,
    pub(in crate::cli) set: &'s Set<'a>,
}

/// How an animation plays.
#[derive(Debug, Clone, Copy)]
pub(super) struct Speed {
    pub(super) fps: f64,
    pub(super) plays: u16,
}

impl Shooting<'_, '_> {
    /// The files that the models reference.
    pub(super) fn inputs(&self) -> Vec<PathBuf> {
        let before = self.before.as_ref().map(|before| before.set.subject.asset);
        let assets = before.into_iter().chain([self.set.subject.asset]);
        assets.flat_map(|asset| asset.files.clone()).collect()
    }

    /// One part per clip.
    pub(super) fn sheet(&mut self, shots: &[Shot]) -> anyhow::Result<Frame> {
        let asset = self.set.subject.asset;
        let look = self.set.subject.look;
        let mut parts = Vec::new();
        let mut size = [0, 0];
        for part in shots.chunk_by(|a, b| a.clip == b.clip) {
            let mut images = Vec::new();
            for shot in part {
                let text = if self.captions {
                    shot.caption()
                } else {
                    String::new()
                };
                let image = self.draw(shot, false)?;
                size = [image.width, image.height];
                images.push((image, text));
            }
            let (name, clip) = (self.set.subject.name, part[0].heading(asset));
            let heading = format!("{name}: {clip}{}", self.set.remarks(&part[0])?);
            parts.push(Sheet { heading, images });
        }
        let sheet = film::sheet(&parts)?;
        // Images that are too small for a legend share one below.
        let is_missing = look.sheet_has_legend() && !look.has_legend(size[0], size[1]);
        Ok(match self.legend.as_ref().filter(|_| is_missing) {
            Some(legend) => with_legend(&sheet, legend),
            None => sheet,
        })
    }

    pub(super) fn animation(
        &mut self,
        format: Format,
        speed: Speed,
        shots: &[Shot],
    ) -> anyhow::Result<Vec<u8>> {
        let captioned = self.captions;
        let views = self.set.views;
        let scale = if views.directions.len() > 1 { 2 } else { 1 };
        let sides = if self.before.is_some() { 2 } else { 1 };
        let mut samples = Vec::new();
        if format == Format::Gif {
            for shot in shots.iter().step_by(shots.len().div_ceil(PALETTE_SAMPLES)) {
                samples.push(self.draw(shot, captioned)?);
            }
            self.progress.set_position(0);
        }
        let reel = Reel {
            width: views.viewport.width * scale * sides,
            height: views.viewport.height * scale,
            count: u32::try_from(shots.len())?,
            fps: speed.fps,
            plays: speed.plays,
        };
        let mut animation = Animation::new(format, reel, &samples)?;
        drop(samples);
        for shot in shots {
            animation.add(&self.draw(shot, captioned)?)?;
        }
        Ok(animation.finish()?)
    }

    /// Draws some images, encodes and writes them in parallel, and repeats. Returns how many there were.
    ///
    /// * `shard` – the part of the images to draw. Their numbers count all images.
    pub(in crate::cli) fn files(
        &mut self,
        folder: &Path,
        shots: &[Shot],
        shard: Shard,
        console: Console,
    ) -> anyhow::Result<usize> {
        let asset = self.set.subject.asset;
        let all = shots.iter().enumerate();
        let all = all.map(|(index, shot)| (numbered(folder, index), shot));
        let own = shard.part(all.collect(), &vec![1; shots.len()]);
        self.progress.set_length(own.len() as u64);
        let inputs = self.inputs();
        for (path, _) in &own {
            check_output(path, &inputs)?;
        }
        create_folder(folder)?;
        let together = 2 * threads::usual();
        let name = self.set.subject.name;
        let captioned = self.captions;
        for some in own.chunks(together) {
            let frames = some.iter().map(|(_, shot)| self.draw(shot, captioned));
            let frames: Vec<Frame> = frames.collect::<anyhow::Result<_>>()?;
            let write = |((path, shot), frame): (&(PathBuf, &Shot), &Frame)| -> anyhow::Result<()> {
                let pose = format!("{} at {}", shot.heading(asset), shot.caption());
                Ok(write_file(
                    path,
                    &png::encode(frame, &labels(name, Some(pose)))?,
                )?)
            };
            some.par_iter().zip(&frames).try_for_each(write)?;
        }
        let next = numbered(folder, shots.len());
        if next.exists() {
            console.warn(format_args!(
                "{} and later files are from an earlier, longer film; delete them if another program reads the folder",
                shown::path(&next)
            ));
        }
        Ok(own.len())
    }

    fn draw(&mut self, shot: &Shot, captioned: bool) -> anyhow::Result<Frame> {
        let (mut image, legend) = self.set.draw(self.model.as_mut(), shot)?;
        let look = self.set.subject.look;
        look.draw_legend(&mut image, legend.as_ref());
        self.legend = self.legend.take().or(legend);
        let asset = self.set.subject.asset;
        if captioned || self.before.is_some() {
            let missing = super::set::missing_textures(asset);
            let text = format!("{} {}{missing}", shot.heading(asset), shot.caption());
            let text = match &self.before {
                Some(_) => format!("after: {text}"),
                None => text,
            };
            write_caption(&mut image, &text);
        }
        if let Some(before) = &mut self.before {
            let (earlier, note) = shot.of_earlier(asset, before.set.subject.asset);
            let (mut old, _) = before.set.draw(before.model.as_mut(), &earlier)?;
            write_caption(&mut old, &format!("before: {note}"));
            image = film::beside(&old, &image);
        }
        self.progress.inc(1);
        Ok(image)
    }
}

fn write_caption(image: &mut Frame, text: &str) {
    let (width, side) = (image.width, glyph_side(image.width));
    caption(image, text, [0, 0], width, side);
}

/// Text chunks of an image.
pub(super) fn labels(model: &str, pose: Option<String>) -> Vec<(String, String)> {
    let mut labels = vec![signature(), ("Model".to_owned(), model.to_owned())];
    labels.extend(pose.map(|pose| ("Pose".to_owned(), pose)));
    labels
}

fn numbered(folder: &Path, index: usize) -> PathBuf {
    folder.join(format!("{index:04}.png"))
}
