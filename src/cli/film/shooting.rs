//! Draws the images of a film, and combines them.

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::set::Set;
use super::shots::Shot;
use super::{PALETTE_SAMPLES, SAMPLED_PIXELS};
use crate::backend::Model;
use crate::check::Shard;
use crate::cli::output::{check_image_output, create_folder, image_signature};
use crate::cli::report::Console;
use crate::cli::threads;
use crate::film::{self, Animation, AnimationOptions, Format, Sheet, caption, caption_size};
use crate::frame::{Frame, png, write_file};
use crate::overlay::{with_legend, with_strip, with_strip_above};
use crate::platform::ProgressBar;
use crate::shown;
use crate::view::Legend;

/// A set with its renderer, and the version that it is compared with.
pub(in crate::cli) struct Shooting<'a, 's> {
    pub(in crate::cli) model: Box<dyn Model + 'a>,
    /// The renderer of the earlier version.
    pub(in crate::cli) earlier: Option<Box<dyn Model + 'a>>,
    pub(in crate::cli) scenery: Scenery<'s, 'a>,
    pub(in crate::cli) captions: bool,
    /// The legend, once an image is drawn.
    pub(in crate::cli) legend: Option<Legend>,
}

impl Shooting<'_, '_> {
    /// The files that the models reference.
    pub(super) fn inputs(&self) -> Vec<PathBuf> {
        let before = self.scenery.before.map(|before| before.subject.asset);
        let assets = before.into_iter().chain([self.scenery.set.subject.asset]);
        assets.flat_map(crate::rig::Asset::paths).collect()
    }

    /// One part per clip.
    pub(super) fn sheet(&mut self, shots: &[Shot]) -> anyhow::Result<Frame> {
        let asset = self.scenery.set.subject.asset;
        let look = self.scenery.set.subject.look;
        let mut parts = Vec::new();
        for part in shots.chunk_by(|a, b| a.clip == b.clip) {
            let mut images = Vec::new();
            for shot in part {
                let text = if self.captions {
                    shot.caption()
                } else {
                    String::new()
                };
                let image = self.draw(shot, false)?;
                images.push((image, text));
            }
            let (name, clip) = (self.scenery.set.subject.name, part[0].heading(asset));
            let heading = format!("{name}: {clip}{}", self.scenery.set.remarks(&part[0])?);
            parts.push(Sheet { heading, images });
        }
        let sheet = film::sheet(&parts)?;
        // All images share one legend.
        let legend = self.legend.as_ref();
        Ok(match legend.filter(|_| look.sheet_has_legend()) {
            Some(legend) => with_legend(&sheet, legend),
            None => sheet,
        })
    }

    pub(super) fn animation(
        &mut self,
        format: Format,
        playback: AnimationOptions,
        shots: &[Shot],
    ) -> anyhow::Result<Vec<u8>> {
        let captioned = self.captions;
        let mut samples = Vec::new();
        if format == Format::Gif {
            // Large images have colours enough for a palette each, and must not fill the memory.
            let fits = SAMPLED_PIXELS / u64::from(playback.width) / u64::from(playback.height);
            let count = usize::try_from(fits)?.clamp(1, PALETTE_SAMPLES);
            for shot in shots.iter().step_by(shots.len().div_ceil(count)) {
                samples.push(self.draw(shot, captioned)?);
            }
            self.scenery.progress.set_position(0);
        }
        let mut animation = Animation::new(format, playback, &samples)?;
        drop(samples);
        for shot in shots {
            animation.add(&self.draw(shot, captioned)?)?;
        }
        Ok(animation.finish()?)
    }

    /// Draws images and writes each to a numbered file. Returns how many there were.
    ///
    /// * `shard` – the part of the images to draw. Their numbers count all images.
    pub(in crate::cli) fn files(
        &mut self,
        folder: &Path,
        shots: &[Shot],
        shard: Shard,
        console: Console,
    ) -> anyhow::Result<usize> {
        let asset = self.scenery.set.subject.asset;
        let all = shots.iter().enumerate();
        let all = all.map(|(index, shot)| (numbered(folder, index), shot));
        let own = shard.part(all.collect(), &vec![1; shots.len()]);
        self.scenery.progress.set_length(own.len() as u64);
        let inputs = self.inputs();
        for (path, _) in &own {
            check_image_output(path, &inputs)?;
        }
        create_folder(folder)?;
        let name = self.scenery.set.subject.name;
        let write = |(path, shot): &(PathBuf, &Shot), frame: &Frame| -> anyhow::Result<()> {
            let pose = format!("{} at {}", shot.heading(asset), shot.caption());
            Ok(write_file(
                path,
                &png::encode(frame, &labels(name, Some(pose)))?,
            )?)
        };
        if let Some((first, others)) = own.split_first() {
            // The first image prepares what the others share.
            write(first, &self.draw(first.1, self.captions)?)?;
            if !self.draw_on_threads(others, &write)? {
                for shot in others {
                    write(shot, &self.draw(shot.1, self.captions)?)?;
                }
            }
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

    /// Draws and writes images on several threads. Returns whether it did: a backend may draw on one thread only.
    fn draw_on_threads(
        &self,
        shots: &[(PathBuf, &Shot)],
        write: &(impl Fn(&(PathBuf, &Shot), &Frame) -> anyhow::Result<()> + Sync),
    ) -> anyhow::Result<bool> {
        let (scenery, captioned) = (&self.scenery, self.captions);
        let models = || {
            let before = match &self.earlier {
                Some(model) => Some(model.for_thread()?),
                None => None,
            };
            Some((self.model.for_thread()?, before))
        };
        let Some(own) = models() else {
            return Ok(false);
        };
        let next = AtomicUsize::new(0);
        let work =
            |(mut model, mut before): (Box<dyn Model + Send>, Option<Box<dyn Model + Send>>)| {
                while let Some(shot) = shots.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let before = before.as_mut().map(|model| &mut **model as &mut dyn Model);
                    let drawn = scenery.draw(&mut *model, before, shot.1, captioned);
                    if let Err(error) = drawn.and_then(|(frame, _)| write(shot, &frame)) {
                        next.store(shots.len(), Ordering::Relaxed);
                        return Err(error);
                    }
                }
                Ok(())
            };
        // Threads of their own: a thread of rayon's that waits for its part of one image would begin another.
        std::thread::scope(|scope| {
            let start = |models| std::thread::Builder::new().spawn_scoped(scope, || work(models));
            // If no more threads can be started, the existing ones do the work.
            let others = (1..threads::usual()).map_while(|_| start(models()?).ok());
            let others: Vec<_> = others.collect();
            work(own)?;
            for thread in others {
                thread.join().unwrap_or_else(|panic| resume_unwind(panic))?;
            }
            Ok(true)
        })
    }

    fn draw(&mut self, shot: &Shot, captioned: bool) -> anyhow::Result<Frame> {
        let earlier = self.earlier.as_mut();
        let earlier = earlier.map(|model| &mut **model as &mut dyn Model);
        let model = &mut *self.model;
        let (image, legend) = self.scenery.draw(model, earlier, shot, captioned)?;
        self.legend = self.legend.take().or(legend);
        Ok(image)
    }
}

/// What images need besides the models, for any number of threads.
pub(in crate::cli) struct Scenery<'s, 'a> {
    pub(in crate::cli) set: &'s Set<'a>,
    /// The earlier version, drawn on the left.
    pub(in crate::cli) before: Option<&'s Set<'a>>,
    pub(in crate::cli) progress: ProgressBar,
}

impl Scenery<'_, '_> {
    /// * `earlier` – the renderer of `before`.
    fn draw(
        &self,
        model: &mut dyn Model,
        earlier: Option<&mut dyn Model>,
        shot: &Shot,
        captioned: bool,
    ) -> anyhow::Result<(Frame, Option<Legend>)> {
        let (mut image, legend) = self.set.draw(model, shot)?;
        let asset = self.set.subject.asset;
        if captioned || self.before.is_some() {
            let missing = super::set::missing_textures(asset);
            let text = format!("{} {}{missing}", shot.heading(asset), shot.caption());
            let text = match &self.before {
                Some(before) => format!("{}: {text}", side("after", self.set, before)),
                None => text,
            };
            image = self.captioned(image, &text);
        }
        if let (Some(before), Some(model)) = (self.before, earlier) {
            let (earlier, note) = shot.of_earlier(asset, before.subject.asset);
            let (old, _) = before.draw(model, &earlier)?;
            let side = side("before", before, self.set);
            let old = self.captioned(old, &format!("{side}: {note}"));
            image = film::beside(&old, &image);
        }
        if let Some(strip) = self.set.views.strip {
            image = with_strip(&image, &strip, legend.as_ref());
        }
        self.progress.inc(1);
        Ok((image, legend))
    }

    /// With a caption at the top: in a strip above the image, or in the image if it is too low for a strip.
    fn captioned(&self, image: Frame, text: &str) -> Frame {
        let mut image = match self.set.views.caption {
            0 => image,
            height => with_strip_above(&image, height),
        };
        let (width, size) = (image.width, caption_size(image.width));
        caption(&mut image, text, [0, 0], width, size);
        image
    }
}

/// The caption of one side of a comparison, with the options that the other side lacks: `after, 4 influences`.
fn side(name: &str, own: &Set<'_>, other: &Set<'_>) -> String {
    match own.subject.skin.unlike(other.subject.skin) {
        none if none.is_empty() => name.to_owned(),
        options => format!("{name}, {options}"),
    }
}

/// Text chunks of an image.
pub(super) fn labels(model: &str, pose: Option<String>) -> Vec<(String, String)> {
    let mut labels = vec![image_signature(), ("Model".to_owned(), model.to_owned())];
    labels.extend(pose.map(|pose| ("Pose".to_owned(), pose)));
    labels
}

fn numbered(folder: &Path, index: usize) -> PathBuf {
    folder.join(format!("{index:04}.png"))
}
