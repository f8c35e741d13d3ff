//! Draws the images of a film, and combines them.

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::framed::FramedModel;
use super::plan::PlannedImage;
use super::{PALETTE_SAMPLES, SAMPLED_PIXELS};
use crate::backend::Model;
use crate::check::Shard;
use crate::cli::host::ProgressBar;
use crate::cli::output::{check_image_output, create_folder, image_signature};
use crate::cli::report::Console;
use crate::cli::threads;
use crate::film::{self, Animation, AnimationOptions, Format, Sheet, caption, caption_strip};
use crate::frame::{Frame, png, write_file};
use crate::overlay::{with_legend, with_strip, with_strip_above};
use crate::shown;
use crate::view::Legend;

/// A model with its cameras and its renderer, and the version that it is compared with.
pub(in crate::cli) struct FilmRenderer<'a, 's> {
    pub(in crate::cli) model: Box<dyn Model + 'a>,
    /// The renderer of the earlier version.
    pub(in crate::cli) earlier: Option<Box<dyn Model + 'a>>,
    pub(in crate::cli) layout: Layout<'s, 'a>,
    /// The legend, once an image is drawn.
    pub(in crate::cli) legend: Option<Legend>,
}

impl FilmRenderer<'_, '_> {
    /// The files that the models reference.
    pub(super) fn inputs(&self) -> Vec<PathBuf> {
        let before = self.layout.before.map(|before| before.subject.asset);
        let assets = before.into_iter().chain([self.layout.framed.subject.asset]);
        assets.flat_map(crate::rig::Asset::paths).collect()
    }

    /// One part per clip.
    pub(super) fn sheet(&mut self, plan: &[PlannedImage]) -> anyhow::Result<Frame> {
        let asset = self.layout.framed.subject.asset;
        let mut parts = Vec::new();
        for part in plan.chunk_by(|a, b| a.clip == b.clip) {
            let mut images = Vec::new();
            for planned in part {
                images.push((self.draw(planned)?, planned.caption(asset)));
            }
            let (name, clip) = (self.layout.framed.subject.name, part[0].heading(asset));
            let heading = format!("{name}: {clip}{}", self.layout.framed.remarks(&part[0])?);
            parts.push(Sheet { heading, images });
        }
        let sheet = film::sheet(&parts)?;
        // All images share one legend.
        Ok(match &self.legend {
            Some(legend) => with_legend(&sheet, legend),
            None => sheet,
        })
    }

    pub(super) fn animation(
        &mut self,
        format: Format,
        playback: AnimationOptions,
        plan: &[PlannedImage],
    ) -> anyhow::Result<Vec<u8>> {
        let mut samples = Vec::new();
        if format == Format::Gif {
            // Large images have colours enough for a palette each, and must not fill the memory.
            let fits = SAMPLED_PIXELS / u64::from(playback.width) / u64::from(playback.height);
            let count = usize::try_from(fits)?.clamp(1, PALETTE_SAMPLES);
            for planned in plan.iter().step_by(plan.len().div_ceil(count)) {
                samples.push(self.draw(planned)?);
            }
            self.layout.progress.set_position(0);
        }
        let mut animation = Animation::new(format, playback, &samples)?;
        drop(samples);
        for planned in plan {
            animation.add(&self.draw(planned)?)?;
        }
        Ok(animation.finish()?)
    }

    /// Draws images and writes each to a numbered file. Returns how many there were.
    ///
    /// * `shard` – the part of the images to draw. Their numbers count all images.
    pub(in crate::cli) fn files(
        &mut self,
        folder: &Path,
        plan: &[PlannedImage],
        shard: Shard,
        console: Console,
    ) -> anyhow::Result<usize> {
        let asset = self.layout.framed.subject.asset;
        let all = plan
            .iter()
            .enumerate()
            .map(|(index, planned)| (numbered(folder, index), planned));
        let own = shard.part(all.collect(), &vec![1; plan.len()]);
        self.layout.progress.set_length(own.len() as u64);
        let inputs = self.inputs();
        for (path, _) in &own {
            check_image_output(path, &inputs)?;
        }
        // The first image prepares what the others share. A model that cannot be drawn leaves no folder.
        let parts = own.split_first();
        let first = parts.map(|(first, _)| self.draw(first.1)).transpose()?;
        create_folder(folder)?;
        let name = self.layout.framed.subject.name;
        let write =
            |(path, planned): &(PathBuf, &PlannedImage), frame: &Frame| -> anyhow::Result<()> {
                let pose = format!("{} at {}", planned.heading(asset), planned.caption(asset));
                Ok(write_file(
                    path,
                    &png::encode(frame, &labels(name, Some(pose)))?,
                )?)
            };
        if let Some(((planned, others), first)) = parts.zip(first) {
            write(planned, &first)?;
            if !self.draw_on_threads(others, &write)? {
                for planned in others {
                    write(planned, &self.draw(planned.1)?)?;
                }
            }
        }
        let next = numbered(folder, plan.len());
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
        plan: &[(PathBuf, &PlannedImage)],
        write: &(impl Fn(&(PathBuf, &PlannedImage), &Frame) -> anyhow::Result<()> + Sync),
    ) -> anyhow::Result<bool> {
        let layout = &self.layout;
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
                while let Some(planned) = plan.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let before = before.as_mut().map(|model| &mut **model as &mut dyn Model);
                    let drawn = layout.draw(&mut *model, before, planned.1);
                    if let Err(error) = drawn.and_then(|(frame, _)| write(planned, &frame)) {
                        next.store(plan.len(), Ordering::Relaxed);
                        return Err(error);
                    }
                }
                Ok(())
            };
        // Threads of their own: a thread of rayon's that waits for its part of one image would begin another.
        std::thread::scope(|scope| {
            let start = |models| std::thread::Builder::new().spawn_scoped(scope, || work(models));
            // If no more threads can be started, the existing ones do the work.
            let others: Vec<_> = (1..threads::usual())
                .map_while(|_| start(models()?).ok())
                .collect();
            work(own)?;
            for thread in others {
                thread.join().unwrap_or_else(|panic| resume_unwind(panic))?;
            }
            Ok(true)
        })
    }

    fn draw(&mut self, planned: &PlannedImage) -> anyhow::Result<Frame> {
        let earlier = self
            .earlier
            .as_mut()
            .map(|model| &mut **model as &mut dyn Model);
        let model = &mut *self.model;
        let (image, legend) = self.layout.draw(model, earlier, planned)?;
        self.legend = self.legend.take().or(legend);
        Ok(image)
    }
}

/// What images need besides the models, for any number of threads.
pub(in crate::cli) struct Layout<'s, 'a> {
    pub(in crate::cli) framed: &'s FramedModel<'a>,
    /// The earlier version, drawn on the left.
    pub(in crate::cli) before: Option<&'s FramedModel<'a>>,
    pub(in crate::cli) progress: ProgressBar,
}

impl Layout<'_, '_> {
    /// * `earlier` – the renderer of `before`.
    fn draw(
        &self,
        model: &mut dyn Model,
        earlier: Option<&mut dyn Model>,
        planned: &PlannedImage,
    ) -> anyhow::Result<(Frame, Option<Legend>)> {
        let (mut image, legend) = self.framed.draw(model, planned)?;
        let asset = self.framed.subject.asset;
        if let (Some(before), Some(model)) = (self.before, earlier) {
            let text = format!("{} {}", planned.heading(asset), planned.caption(asset));
            let side_after = side("after", self.framed, before);
            image = self.captioned(image, &format!("{side_after}: {text}"));
            let (earlier, note) = planned.of_earlier(asset, before.subject.asset);
            let (old, _) = before.draw(model, &earlier)?;
            let side = side("before", before, self.framed);
            let old = self.captioned(old, &format!("{side}: {note}"));
            image = film::beside(&old, &image);
        }
        if let Some(strip) = self.framed.views.strip {
            image = with_strip(&image, &strip, legend.as_ref());
        }
        self.progress.inc(1);
        Ok((image, legend))
    }

    /// With a caption at the top: in a strip above the image, or in the image if it is too low for a strip.
    fn captioned(&self, image: Frame, text: &str) -> Frame {
        let mut image = match self.framed.views.caption {
            0 => image,
            height => with_strip_above(&image, height),
        };
        let width = image.width;
        caption(&mut image, text, [0, 0], [width, caption_strip(width)]);
        image
    }
}

/// The caption of one side of a comparison, with the options that the other side lacks: `after, 4 influences`.
fn side(name: &str, own: &FramedModel<'_>, other: &FramedModel<'_>) -> String {
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
