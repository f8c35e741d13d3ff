//! A model with its cameras: what all images of a film share.

use std::path::Path;

use anyhow::{Context, ensure};

use super::Args;
use super::plan::{self, PlannedImage};
use crate::backend::{Extent, Follow, Model, Scene};
use crate::cli::load::{ModelArgs, file_name};
use crate::cli::look::{DetailArgs, Fit, Fitting, Ground, LookArgs, Shown, face, uncover};
use crate::cli::report::Console;
use crate::cli::skin::SkinArgs;
use crate::frame::Frame;
use crate::import::Clips;
use crate::lint::Settings;
use crate::overlay::{Grid, LegendStrip};
use crate::pose::ModelPose;
use crate::rig::{Asset, ClipId};
use crate::view::{Camera, Framing, Legend, Projection, ViewDirection, Viewport};
use crate::{film, shown};

/// A model, and how it is shown.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct Subject<'a> {
    pub(in crate::cli) asset: &'a Asset,
    /// Its file's name.
    pub(in crate::cli) name: &'a str,
    pub(in crate::cli) model: &'a ModelArgs,
    pub(in crate::cli) look: &'a LookArgs,
    pub(in crate::cli) details: &'a DetailArgs,
    pub(in crate::cli) skin: &'a SkinArgs,
    /// The settings of the rules whose numbers are shown.
    pub(in crate::cli) settings: &'a Settings,
}

/// The cameras of its images.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct Views<'a> {
    /// The views of an image, from top left to bottom right.
    pub(in crate::cli) directions: &'a [ViewDirection],
    /// Whether the camera circles the model.
    pub(in crate::cli) orbits: bool,
    /// The viewport of one view.
    pub(in crate::cli) viewport: Viewport,
    /// The height of the strip for the caption at the top of each image; 0 without one.
    pub(in crate::cli) caption: u32,
    /// For the legend, at the bottom of each image.
    pub(in crate::cli) strip: Option<LegendStrip>,
}

/// The part of an image above the strip for its legend.
pub(in crate::cli) fn above(size: Viewport, strip: Option<LegendStrip>) -> Viewport {
    let strip = strip.map_or(0, |strip| strip.height());
    Viewport {
        height: size.height - strip,
        ..size
    }
}

impl Views<'_> {
    /// Width and height of an image, in pixels.
    ///
    /// * `compares` – whether an earlier version is drawn next to it.
    pub(super) fn image_size(&self, compares: bool) -> [u32; 2] {
        let scale = if self.directions.len() > 1 { 2 } else { 1 };
        let sides = if compares { 2 } else { 1 };
        let strip = self.strip.map_or(0, |strip| strip.height());
        [
            self.viewport.width * scale * sides,
            self.caption + self.viewport.height * scale + strip,
        ]
    }
}

/// A subject with its cameras.
pub(in crate::cli) struct FramedModel<'a> {
    pub(in crate::cli) subject: Subject<'a>,
    pub(in crate::cli) views: Views<'a>,
    shown: Shown<'a>,
    /// The framings of the cameras: one per view; a single one for an orbit; none if each image has its own.
    framings: Vec<Framing>,
    follow: Option<Follow>,
    /// The height of the ground in each clip.
    grounds: Vec<(Option<ClipId>, f64)>,
}

impl<'a> FramedModel<'a> {
    /// * `plan` – the images to be drawn; the cameras fit their whole clips.
    pub(in crate::cli) fn new(
        subject: Subject<'a>,
        views: Views<'a>,
        plan: &[PlannedImage],
        console: Console,
    ) -> anyhow::Result<Self> {
        let asset = subject.asset;
        let show = subject.look.show(asset)?;
        let has_ground = subject.look.has_ground(&show);
        let mut framed = Self {
            subject,
            views,
            shown: Shown::new(
                show,
                asset,
                subject.settings,
                subject.skin,
                || Ok(plan::sampled(plan)),
                subject.model,
            )?,
            framings: Vec::new(),
            follow: None,
            grounds: Vec::new(),
        };
        let clips = plan.chunk_by(|a, b| a.clip == b.clip);
        for part in clips.filter(|_| has_ground) {
            let clip = part[0].clip;
            let of_clip = clip.map(|clip| &asset[clip]);
            let height = framed.extent().ground(of_clip, &part[0].pose(asset)?)?;
            framed.grounds.push((clip, height));
        }
        let fit = subject.look.fit;
        let fitting = Fitting {
            extent: framed.extent(),
            fit,
            clips: plan::clips(plan)
                .into_iter()
                .map(|clip| &asset[clip])
                .collect(),
        };
        if views.orbits {
            let (front, orthographic) = (ViewDirection::Front, Projection::Orthographic);
            let framing = Framing::new(&asset.space, front, orthographic, views.viewport);
            let (framing, follow) = fitting.frame(framing, console)?;
            (framed.framings, framed.follow) = (vec![framing], follow);
        } else if fit != Some(Fit::Pose) {
            for (index, view) in views.directions.iter().enumerate() {
                let framing = framed.framing(*view);
                let framing = if index == 0 {
                    let (framing, follow) = fitting.frame(framing, console)?;
                    framed.follow = follow;
                    framing
                } else {
                    fitting.frame_as(framing, framed.follow)?
                };
                framed.framings.push(framing);
            }
        }
        Ok(framed)
    }

    /// Makes the cameras of this model and of `other`, which has the same views, fit both models.
    pub(super) fn share(&mut self, other: &mut Self) {
        let metres = |framed: &Self| framed.subject.asset.space.metres_per_unit.unwrap_or(1.0);
        let factor = metres(other) / metres(self);
        for (own, theirs) in self.framings.iter_mut().zip(&mut other.framings) {
            own.merge(&theirs.clone().scaled(factor));
            theirs.merge(&own.clone().scaled(1.0 / factor));
        }
    }

    fn extent(&self) -> Extent<'a> {
        let Subject {
            asset, look, skin, ..
        } = self.subject;
        Extent {
            asset,
            skinning: skin.options(),
            joints: look.joints(asset).is_some(),
        }
    }

    fn framing(&self, view: ViewDirection) -> Framing {
        let Subject { asset, look, .. } = self.subject;
        Framing::new(&asset.space, view, look.projection(), self.views.viewport)
    }

    /// Draws all views of `planned` as one image. Returns it with its legend.
    pub(in crate::cli) fn draw(
        &self,
        model: &mut dyn Model,
        planned: &PlannedImage,
    ) -> anyhow::Result<(Frame, Option<Legend>)> {
        let Subject {
            asset,
            look,
            details,
            skin,
            ..
        } = self.subject;
        let pose = planned.pose(asset)?;
        let show = self.shown.at(planned.sampled(), &pose)?;
        let mut views = Vec::new();
        for index in 0..self.views.directions.len() {
            let camera = self.camera(index, planned, &pose)?;
            let mut frame = model.render(&Scene {
                pose: &pose,
                skinning: skin.options(),
                camera,
                viewport: self.views.viewport,
                style: look.style(show.clone(), details),
            })?;
            let ground = self.ground(planned, &camera);
            look.finish(&show, details, ground, (asset, &pose), &camera, &mut frame)?;
            frame.depth = Vec::new();
            views.push(frame);
        }
        Ok((film::tiled(views), show.legend(asset)))
    }

    fn camera(
        &self,
        index: usize,
        planned: &PlannedImage,
        pose: &ModelPose,
    ) -> anyhow::Result<Camera> {
        let camera = match self.framings.get(index) {
            Some(framing) if !self.views.orbits => framing.camera(),
            framing => {
                let (yaw_degrees, pitch_degrees) = self.views.directions[index].angles();
                let view = ViewDirection::Orbit {
                    yaw_degrees: yaw_degrees + planned.orbit_degrees,
                    pitch_degrees,
                };
                let mut own = self.framing(view);
                match framing.map(Framing::turntable) {
                    Some(points) if !points.is_empty() => own.include(&points),
                    _ => self.extent().include_pose(&mut own, pose)?,
                }
                own.camera()
            }
        };
        let camera = self
            .follow
            .map_or(camera, |follow| follow.camera(&camera, pose));
        self.subject.details.aimed(camera, self.subject.asset, pose)
    }

    fn ground(&self, planned: &PlannedImage, camera: &Camera) -> Ground {
        let mut grounds = self.grounds.iter();
        let own = grounds.find(|(clip, _)| *clip == planned.clip);
        let height = own.map_or(0.0, |(_, height)| *height);
        self.subject.look.ground(self.subject.asset, height, camera)
    }

    /// A message with the size of the grid's squares; empty without a grid.
    pub(in crate::cli) fn remarks(&self, planned: &PlannedImage) -> anyhow::Result<String> {
        let asset = self.subject.asset;
        let camera = self.camera(0, planned, &planned.pose(asset)?)?;
        let grid = self.ground(planned, &camera).grid;
        let grid = grid.map(|grid: Grid| format!(", grid of {grid}"));
        Ok(grid.unwrap_or_default())
    }
}

/// The largest image that GitHub shows within a comment, in bytes.
const MOST_INLINE: usize = 10_000_000;

/// The earlier version of the model and its file's name, if one is to be compared.
pub(super) fn earlier(args: &Args, console: Console) -> anyhow::Result<Option<(Asset, String)>> {
    let Some(path) = &args.compare else {
        return Ok(None);
    };
    ensure!(
        args.backend.gl.is_none(),
        "--compare draws two models at a time, which OpenGL does not; omit --gl"
    );
    // Clips correspond by name, so all of them are read.
    let mut asset = args.model.read.load(path, true, Clips::All, console)?;
    uncover(&mut asset, Console { quiet: true })?;
    face(&mut asset, args.look.front).with_context(|| shown::path(path))?;
    let skin = args.before.over(&args.skin);
    skin.emulate(&mut asset, Some(&args.look.show))
        .with_context(|| shown::path(path))?;
    Ok(Some((asset, file_name(path))))
}

/// Warns of an animation that would not be shown in a pull request.
pub(super) fn warn_of_size(bytes: usize, path: &Path, console: Console) {
    if bytes > MOST_INLINE {
        console.warn(format_args!(
            "{}: {} MB, and GitHub shows at most {} MB within a comment; choose a smaller --size, a lower --fps or \
            fewer --clip",
            shown::path(path),
            bytes.div_ceil(1_000_000),
            MOST_INLINE / 1_000_000
        ));
    }
}
