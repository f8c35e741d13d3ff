//! Draws the images of a film, and puts them together.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use indicatif::ProgressBar;
use rayon::prelude::*;
use skincheck::backend::{Model, Scene};
use skincheck::film::{self, Animation, Format, Reel, Sheet, caption, glyph_side};
use skincheck::frame::{Frame, png, write_file};
use skincheck::overlay::with_legend;
use skincheck::pose::ModelPose;
use skincheck::shown;
use skincheck::view::{Camera, Legend, ViewDirection, Viewport};

use super::shots::Shot;
use super::{Args, PALETTE_SAMPLES, Set, software};
use crate::cli::look::{SOFTWARE, is_ours};
use crate::cli::output::Target;
use crate::cli::report::Console;
use crate::cli::threads;

/// A model before the camera.
pub(super) struct Shooting<'a> {
    pub(super) args: &'a Args,
    pub(super) model: Box<dyn Model + 'a>,
    pub(super) set: &'a Set<'a>,
    pub(super) progress: ProgressBar,
    /// What the colours mean; known once an image is drawn.
    pub(super) legend: Option<Legend>,
}

impl Shooting<'_> {
    /// One part per clip.
    pub(super) fn sheet(&mut self, shots: &[Shot]) -> anyhow::Result<Frame> {
        let asset = self.set.asset;
        let mut parts = Vec::new();
        for part in shots.chunk_by(|a, b| a.clip == b.clip) {
            let mut images = Vec::new();
            for shot in part {
                let text = if self.set.captions {
                    shot.caption()
                } else {
                    String::new()
                };
                images.push((self.draw(shot, false)?, text));
            }
            let heading = format!(
                "{}: {}",
                self.args.model.file_name(),
                part[0].heading(asset)
            );
            parts.push(Sheet { heading, images });
        }
        let sheet = film::sheet(&parts)?;
        let Viewport { width, height } = self.set.viewport;
        let look = &self.args.look;
        let is_missing = look.sheet_has_legend() && !look.has_legend(width, height);
        Ok(match self.legend.as_ref().filter(|_| is_missing) {
            Some(legend) => with_legend(&sheet, legend),
            None => sheet,
        })
    }

    pub(super) fn animation(&mut self, format: Format, shots: &[Shot]) -> anyhow::Result<Vec<u8>> {
        let views = self.set.views.len();
        let Viewport { width, height } = self.set.viewport;
        let scale = if views > 1 { 2 } else { 1 };
        let reel = Reel {
            width: width * scale,
            height: height * scale,
            count: u32::try_from(shots.len())?,
            fps: self.args.shots.fps,
            plays: self.args.shots.plays,
        };
        let mut samples = Vec::new();
        if format == Format::Gif {
            for shot in shots.iter().step_by(shots.len().div_ceil(PALETTE_SAMPLES)) {
                samples.push(self.draw(shot, self.set.captions)?);
            }
            self.progress.set_position(0);
        }
        let mut animation = Animation::new(format, reel, &samples)?;
        drop(samples);
        for shot in shots {
            animation.add(&self.draw(shot, self.set.captions)?)?;
        }
        Ok(animation.finish()?)
    }

    /// Draws some images, then encodes and writes them side by side, and so on.
    pub(super) fn files(
        &mut self,
        folder: &Path,
        shots: &[Shot],
        console: Console,
    ) -> anyhow::Result<()> {
        let paths: Vec<PathBuf> = (0..shots.len())
            .map(|index| numbered(folder, index))
            .collect();
        for path in &paths {
            Target::from(path.as_path()).check_inputs(&self.set.asset.files)?;
            let is_foreign = std::fs::read(path).is_ok_and(|bytes| !is_ours(&bytes));
            ensure!(
                !is_foreign,
                "{} exists and was not written by skincheck; choose another folder",
                shown::path(path)
            );
        }
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create the folder {}", shown::path(folder)))?;
        let together = 2 * threads::usual();
        for (shots, paths) in shots.chunks(together).zip(paths.chunks(together)) {
            let frames = shots.iter().map(|shot| self.draw(shot, self.set.captions));
            let frames: Vec<Frame> = frames.collect::<anyhow::Result<_>>()?;
            let write = |(path, (frame, shot)): (&PathBuf, (&Frame, &Shot))| -> anyhow::Result<()> {
                let labels = [
                    (SOFTWARE.to_owned(), software()),
                    ("Model".to_owned(), self.args.model.file_name()),
                    (
                        "Pose".to_owned(),
                        format!("{} at {}", shot.heading(self.set.asset), shot.caption()),
                    ),
                ];
                Ok(write_file(path, &png::encode(frame, &labels)?)?)
            };
            let pairs: Vec<_> = paths.iter().zip(frames.iter().zip(shots)).collect();
            pairs.into_par_iter().try_for_each(write)?;
        }
        let next = numbered(folder, shots.len());
        if next.exists() {
            console.warn(format_args!(
                "{} and later files are from an earlier, longer film; delete them if another program reads the folder",
                shown::path(&next)
            ));
        }
        Ok(())
    }

    fn draw(&mut self, shot: &Shot, captioned: bool) -> anyhow::Result<Frame> {
        let asset = self.set.asset;
        let pose = shot.pose(asset)?;
        let show = self.set.shown.at(shot.sampled(), &pose)?;
        if self.legend.is_none() {
            self.legend = show.legend(asset);
        }
        let mut views = Vec::new();
        for (index, view) in self.set.views.iter().enumerate() {
            let camera = self.camera(index, *view, shot, &pose)?;
            let camera = self.args.look.aimed(camera, asset, &pose)?;
            let mut frame = self.model.render(&Scene {
                pose: &pose,
                skinning: self.args.skin.options(),
                camera,
                viewport: self.set.viewport,
                style: self.args.look.style(show.clone()),
            })?;
            let look = &self.args.look;
            look.draw_over(&mut frame, &camera, asset, &pose)?;
            frame.depth = Vec::new();
            views.push(frame);
        }
        let mut image = film::tiled(views);
        self.args.look.draw_legend(&mut image, self.legend.as_ref());
        if captioned {
            let text = format!("{} {}", shot.heading(asset), shot.caption());
            let (width, side) = (image.width, glyph_side(image.width));
            caption(&mut image, &text, [0, 0], width, side);
        }
        self.progress.inc(1);
        Ok(image)
    }

    fn camera(
        &self,
        index: usize,
        view: ViewDirection,
        shot: &Shot,
        pose: &ModelPose,
    ) -> anyhow::Result<Camera> {
        if let Some(camera) = self.set.cameras.get(index) {
            return Ok(*camera);
        }
        let (yaw_degrees, pitch_degrees) = view.angles();
        let view = ViewDirection::Orbit {
            yaw_degrees: yaw_degrees + shot.turn_degrees,
            pitch_degrees,
        };
        let mut framing = self.args.framing(self.set.asset, view, self.set.viewport);
        if self.set.turntable.is_empty() {
            self.args
                .extent(self.set.asset)
                .include_pose(&mut framing, pose)?;
        } else {
            framing.include(&self.set.turntable);
        }
        Ok(framing.camera())
    }
}

fn numbered(folder: &Path, index: usize) -> PathBuf {
    folder.join(format!("{index:04}.png"))
}
