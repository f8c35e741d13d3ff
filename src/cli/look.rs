//! The arguments for the appearance of an image, the numbers that it shows, and the camera that fits the drawn models.

use std::path::Path;
use std::str::FromStr;

use anyhow::{Context as _, ensure};
use clap::{Args, ValueEnum};

use super::load::ModelArgs;
use super::number::{self, choices};
use super::report::Console;
use super::skin::SkinArgs;
use crate::backend::{self, Extent, Follow};
use crate::closeup::{self, Located, Spot};
use crate::diff::{self, Source};
use crate::frame::Frame;
use crate::import::Clips;
use crate::lint::{Context, Measure, Settings};
use crate::overlay::{self, Grid, Joints, LegendStrip};
use crate::pose::{self, ModelPose};
use crate::rig::{Asset, Clip, ClipId, NodeId, SkinningOptions};
use crate::shown::printable;
use crate::units::{Seconds, SignedAxis};
use crate::view::{
    Background, Camera, Framing, Measured, Projection, Samples, Show, Style, ViewDirection,
    Viewport,
};
use crate::{facing, skinning};

/// What an image shows, and from where.
#[derive(Debug, Args)]
#[command(next_help_heading = "Image")]
pub(super) struct LookArgs {
    /// View: front, back, left, right, top, three-quarter, or orbit:YAW,PITCH in degrees
    #[arg(long, value_name = "VIEW", default_value = "three-quarter")]
    pub(super) camera: ViewDirection,
    /// Direction the character faces, such as -Y (default: inferred)
    ///
    /// +X, -X, +Y, -Y, +Z or -Z. Inferred from feet, face or names of sides (see skincheck inspect), as the clip begins; else a guess, the file format's forward axis.
    #[arg(long, value_name = "AXIS", value_parser = SignedAxis::from_str, allow_hyphen_values = true)]
    pub(super) front: Option<SignedAxis>,
    /// What the camera must fit: the mesh over the whole clip (one camera for all frames), the character over the whole
    /// clip while the camera follows its root, the mesh in this pose, or at rest (default: pose for one image; for several,
    /// clip, or follow if the character would fill less than a tenth of the image)
    #[arg(long, value_enum, hide_short_help = true)]
    pub(super) fit: Option<Fit>,
    /// Draw without perspective
    #[arg(long, hide_short_help = true)]
    orthographic: bool,
    /// Width and height in pixels
    ///
    /// Default: 1024x1024; in a film 512x512, and 256x256 for each image of a contact sheet.
    #[arg(long, value_name = "WxH", allow_hyphen_values = true)]
    pub(super) size: Option<Viewport>,
    /// Background colour: #rrggbb, a name, or transparent
    #[arg(long, value_name = "COLOR", default_value = "#4b4f56")]
    background: Background,
    #[arg(
        long,
        value_name = "WHAT",
        default_value = "lit",
        help = format!("What the colours show: {}", Show::expected())
    )]
    pub(super) show: String,
    /// Draw the joints of skins over the mesh, as of a model without one; all includes helpers and IK targets
    #[arg(
        long,
        value_name = "WHICH",
        value_parser = choices([("skin", Joints::OfSkins), ("all", Joints::All)]),
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "skin"
    )]
    pub(super) skeleton: Option<Joints>,
    /// Draw a grid on the ground, in the model's unit
    #[arg(long)]
    grid: bool,
}

/// What a single image shows from close up, and how finely.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Image")]
pub(super) struct DetailArgs {
    /// Explain the colours of --show below the model; auto does so if the image has at least 320 pixels a side
    #[arg(long, value_enum, default_value_t = LegendArg::Auto, hide_short_help = true)]
    legend: LegendArg,
    /// Label the joints with their names, without prefixes such as mixamorig:
    #[arg(long, requires = "skeleton", hide_short_help = true)]
    labels: bool,
    /// Draw a ring around vertex:MESH:INDEX, joint:NAME or x,y,z; may be given several times
    #[arg(long, value_name = "PLACE", value_parser = Spot::from_str, allow_hyphen_values = true, hide_short_help = true)]
    mark: Vec<Spot>,
    /// See the marks through what hides them
    #[arg(long, requires = "mark", hide_short_help = true)]
    pub(super) see_through: bool,
    /// Aim the camera at a location, given as for --mark
    #[arg(long, value_name = "PLACE", value_parser = Spot::from_str, allow_hyphen_values = true, hide_short_help = true)]
    look_at: Option<Spot>,
    /// Enlarge the middle of the image (default: 1)
    #[arg(long, value_name = "FACTOR", value_parser = number::decimal, allow_negative_numbers = true, hide_short_help = true)]
    zoom: Option<f64>,
    /// Samples per pixel: 1 or 4 (default: 4)
    #[arg(
        long,
        value_name = "N",
        value_parser = Samples::from_str,
        allow_negative_numbers = true,
        hide_short_help = true
    )]
    samples: Option<Samples>,
}

/// Whether a legend is drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum LegendArg {
    #[default]
    Auto,
    On,
    Off,
}

/// What a figure stands on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ground {
    /// Along the up axis.
    height: f64,
    pub(super) grid: Option<Grid>,
}

/// What the camera must fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Fit {
    Clip,
    Follow,
    Pose,
    Rest,
}

impl LookArgs {
    /// The requested size, or a square.
    ///
    /// * `side` – of the square, in pixels.
    pub(super) fn viewport(&self, side: u32) -> Viewport {
        self.size.unwrap_or(Viewport {
            width: side,
            height: side,
        })
    }

    /// Lets the views of `asset` start from the front of its figure as `clip` begins; without a clip, in its bind pose. Says so
    /// if that front is a guess.
    pub(super) fn face(
        &self,
        asset: &mut Asset,
        clip: Option<ClipId>,
        console: Console,
    ) -> anyhow::Result<()> {
        if self.front.is_some() {
            return face(asset, self.front);
        }
        let facing = match clip {
            Some(clip) => facing::at_start(asset, &asset[clip]),
            None => facing::of(asset),
        };
        if facing.clue.is_none() && !asset.skins.is_empty() {
            console.note(format_args!(
                "the front, {}, is a guess: nothing in the rig shows one; --front turns the views",
                facing.front
            ));
        }
        face(asset, Some(facing.front))
    }

    /// Without perspective if so requested.
    pub(super) fn projection(&self) -> Projection {
        if self.orthographic {
            Projection::Orthographic
        } else {
            Projection::default()
        }
    }

    /// Refuses a `--show` that is invalid for any model.
    pub(super) fn check_show(&self) -> anyhow::Result<()> {
        let none = |_: &str| -> anyhow::Result<Vec<NodeId>> { Ok(Vec::new()) };
        Show::parse(&self.show, none)?;
        Ok(())
    }

    /// The mode of `--show` for `asset`.
    pub(super) fn show(&self, asset: &Asset) -> anyhow::Result<Show> {
        let joints =
            |names: &str| -> anyhow::Result<Vec<NodeId>> { Ok(pose::find_joints(asset, names)?) };
        Show::parse(&self.show, joints)
    }

    /// Warns if several nodes share a name in `--show`; the first of them is used.
    pub(super) fn warn_of_namesakes(&self, show: &Show, asset: &Asset, console: Console) {
        let [joint] = show.joints() else { return };
        let joints = asset.skeleton.nodes();
        let name = &joints[joint.index()].name;
        let by_name = self.show.split_once(':').is_some_and(|(_, by)| by == name);
        let count = joints.iter().filter(|other| other.name == *name).count();
        if by_name && count > 1 {
            console.warn(format_args!(
                "--show {}: {count} nodes have this name; using #{}, the first. weights:#12 selects a node by its number, which \
                 skincheck inspect --joints shows",
                self.show,
                joint.index(),
            ));
        }
    }

    /// The joints that are drawn: as requested, and those of a model that has nothing else.
    pub(super) fn joints(&self, asset: &Asset) -> Option<Joints> {
        let alone = (!asset.has_triangles()).then_some(Joints::OfSkins);
        self.skeleton.or(alone)
    }

    /// Whether anything is drawn on the ground, whose height is costly to find.
    pub(super) fn has_ground(&self, show: &Show) -> bool {
        self.grid || has_shadow(show)
    }

    /// The ground of images by `camera`, with its grid if requested.
    ///
    /// * `height` – see [`Extent::ground`]; any if [nothing](Self::has_ground) is drawn on it.
    pub(super) fn ground(&self, asset: &Asset, height: f64, camera: &Camera) -> Ground {
        Ground {
            height,
            grid: self.grid.then(|| Grid::new(&asset.space, height, camera)),
        }
    }

    /// Adds the overlays: contact shading and a shadow if the surface is lit, the grid, joints, names and marks.
    pub(super) fn finish(
        &self,
        show: &Show,
        details: &DetailArgs,
        ground: Ground,
        (asset, pose): (&Asset, &ModelPose),
        camera: &Camera,
        frame: &mut Frame,
    ) -> anyhow::Result<()> {
        if *show == Show::LIT {
            overlay::contact(camera, frame);
        }
        if let Some(grid) = ground.grid {
            grid.draw(camera, frame);
        }
        if has_shadow(show) {
            overlay::shadow(&asset.space, ground.height, camera, frame);
        }
        if let Some(which) = self.joints(asset) {
            let skeleton = overlay::skeleton(asset, pose, which);
            overlay::draw(&skeleton, camera, frame);
            if details.labels {
                overlay::draw_labels(&skeleton, camera, frame);
            }
        }
        details.draw_marks((asset, pose), camera, frame)
    }

    /// The style of the library.
    pub(super) fn style(&self, show: Show, details: &DetailArgs) -> Style {
        Style {
            show,
            background: self.background,
            samples: details.samples.unwrap_or(Samples::Four),
        }
    }
}

impl DetailArgs {
    /// Refuses a factor that no image shows.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let zoom = self.zoom.unwrap_or(1.0);
        ensure!(
            (0.01..=10_000.0).contains(&zoom),
            "--zoom {zoom}: expected a factor from 0.01 to 10000"
        );
        Ok(())
    }

    /// Whether a legend is wanted below a sheet of images.
    pub(super) fn may_have_legend(&self) -> bool {
        !matches!(self.legend, LegendArg::Off)
    }

    /// The strip for the legend of `show` at the bottom of an image of this width and height; `None` without a legend.
    pub(super) fn legend_strip(
        &self,
        show: &Show,
        asset: &Asset,
        [width, height]: [u32; 2],
    ) -> Option<LegendStrip> {
        let is_wanted = match self.legend {
            LegendArg::Auto => width.min(height) >= overlay::LEAST_SIDE,
            LegendArg::On => true,
            LegendArg::Off => false,
        };
        let legend = show.legend(asset);
        let has_one = legend.is_some() || show.needs_numbers().is_some();
        (is_wanted && has_one).then(|| LegendStrip::inside(legend.as_ref(), [width, height]))
    }

    /// Applies `--look-at` and `--zoom` to the camera that fits the model.
    pub(super) fn aimed(
        &self,
        camera: Camera,
        asset: &Asset,
        pose: &ModelPose,
    ) -> anyhow::Result<Camera> {
        let camera = match &self.look_at {
            None => camera,
            Some(spot) => {
                let positions = positions(&[spot], "--look-at", asset, pose)?;
                positions
                    .iter()
                    .fold(camera, |camera, position| camera.looking_at(*position))
            }
        };
        #[expect(clippy::cast_possible_truncation, reason = "0.01 to 10000")]
        let factor = self.zoom.unwrap_or(1.0) as f32;
        Ok(camera.zoomed(factor))
    }

    /// With `--see-through`, the camera without what is nearer than the marks.
    pub(super) fn opened(
        &self,
        camera: &Camera,
        asset: &Asset,
        pose: &ModelPose,
    ) -> anyhow::Result<Option<Camera>> {
        if !self.see_through {
            return Ok(None);
        }
        let marks: Vec<&Spot> = self.mark.iter().collect();
        let places = positions(&marks, "--mark", asset, pose)?;
        Ok(Some(closeup::cut(camera, &places)))
    }

    /// Draws the rings of `--mark`.
    fn draw_marks(
        &self,
        (asset, pose): (&Asset, &ModelPose),
        camera: &Camera,
        frame: &mut Frame,
    ) -> anyhow::Result<()> {
        let spots: Vec<&Spot> = self.mark.iter().collect();
        let positions = positions(&spots, "--mark", asset, pose)?;
        let labels: Vec<String> = spots.iter().map(|spot| mark_label(spot, asset)).collect();
        let labels = labels.iter().map(String::as_str);
        let marks: Vec<_> = positions.into_iter().zip(labels).collect();
        overlay::draw_marks(&marks, &[], camera, frame);
        Ok(())
    }
}

/// The positions of `spots` in `pose`, in world space.
///
/// * `option` – the option that names them.
fn positions(
    spots: &[&Spot],
    option: &str,
    asset: &Asset,
    pose: &ModelPose,
) -> anyhow::Result<Vec<glam::Vec3>> {
    let located: Vec<Located> = spots
        .iter()
        .map(|spot| {
            let located = spot.locate(asset);
            located.with_context(|| format!("{option} {spot}"))
        })
        .collect::<anyhow::Result<_>>()?;
    let needs_mesh = |one: &Located| matches!(one, Located::Vertex(..));
    let meshes = if located.iter().any(needs_mesh) {
        skinning::deform_positions(asset, pose, &SkinningOptions::default())?
    } else {
        Vec::new()
    };
    let positions = located.iter().map(|one| one.position(pose, &meshes));
    Ok(positions.collect())
}

fn mark_label(spot: &Spot, asset: &Asset) -> String {
    match spot.locate(asset) {
        Ok(Located::Vertex(_, vertex)) => format!("vertex {vertex}"),
        Ok(Located::Joint(joint)) => printable(&asset.skeleton[joint].name),
        Ok(Located::Point(_)) | Err(_) => String::new(),
    }
}

/// Makes the views of `asset` start from `front`, or from the direction that its figure faces.
pub(super) fn face(asset: &mut Asset, front: Option<SignedAxis>) -> anyhow::Result<()> {
    let front = front.unwrap_or_else(|| facing::of(asset).front);
    let up = asset.space.up;
    ensure!(
        up.unit().dot(front.unit()).abs() < 0.5,
        "--front {front}: the model's up axis is {up}; expected an axis perpendicular to it"
    );
    asset.space.front = front;
    Ok(())
}

fn has_shadow(show: &Show) -> bool {
    *show == Show::LIT || *show == Show::CLAY
}

/// Hides the meshes that enclose the figure of `asset` in all poses that are made from now on, and says which.
pub(super) fn uncover(asset: &mut Asset, console: Console) -> anyhow::Result<()> {
    for instance in backend::enclosing(asset)? {
        asset.hidden_instances.push(instance);
        let name = printable(&asset.skeleton[asset[instance].node].name);
        console.note(format_args!(
            "mesh \"{name}\" is not drawn: it encloses the skinned meshes, which would not be seen"
        ));
    }
    Ok(())
}

/// Whether every pixel is the background.
pub(super) fn is_blank(frame: &Frame) -> bool {
    let mut pixels = frame.rgba.chunks_exact(4);
    let first = pixels.next();
    frame.depth.iter().all(|depth| *depth >= 1.0) && pixels.all(|pixel| Some(pixel) == first)
}

/// The requirements on the cameras of one model.
pub(super) struct Fitting<'a> {
    pub(super) extent: Extent<'a>,
    /// `None` makes the camera follow a figure that would otherwise be too small.
    pub(super) fit: Option<Fit>,
    /// If empty, the rest pose is used.
    pub(super) clips: Vec<&'a Clip>,
}

impl Fitting<'_> {
    /// Fits `framing`, which is empty, to all clips. Decides whether the camera follows the figure, and prints the decision.
    pub(super) fn frame(
        &self,
        framing: Framing,
        console: Console,
    ) -> anyhow::Result<(Framing, Option<Follow>)> {
        if self.clips.is_empty() || self.fit == Some(Fit::Rest) {
            return Ok((self.at_rest(framing)?, None));
        }
        let follow = match self.fit {
            Some(Fit::Follow) => Some(Follow::of(self.extent.asset).context(
                "--fit follow: no single node holds all meshes, so the camera cannot follow; choose --fit clip",
            )?),
            Some(_) => None,
            None => {
                let fitted = self.frame_as(framing.clone(), None)?;
                let follow = self.extent.travels(&fitted, &framing, &self.clips)?;
                if follow.is_none() {
                    return Ok((fitted, None));
                }
                console.note(
                    "the camera follows the figure, which would otherwise fill less than a tenth of the image (--fit \
                    clip shows the whole path)",
                );
                follow
            }
        };
        Ok((self.frame_as(framing, follow)?, follow))
    }

    /// As [`frame`](Self::frame), with the decision given.
    pub(super) fn frame_as(
        &self,
        mut framing: Framing,
        follow: Option<Follow>,
    ) -> anyhow::Result<Framing> {
        if self.clips.is_empty() || self.fit == Some(Fit::Rest) {
            return self.at_rest(framing);
        }
        for clip in &self.clips {
            match follow {
                Some(follow) => self
                    .extent
                    .include_clip_followed(&mut framing, clip, follow)?,
                None => self.extent.include_clip(&mut framing, clip)?,
            }
        }
        Ok(framing)
    }

    fn at_rest(&self, mut framing: Framing) -> anyhow::Result<Framing> {
        let asset = self.extent.asset;
        let rest = pose::model_pose(asset, &pose::rest(asset));
        self.extent.include_pose(&mut framing, &rest)?;
        Ok(framing)
    }
}

/// A clip and a time in it; without a clip, the rest pose.
pub(super) type Sampled = (Option<ClipId>, Seconds);

/// The mode of `--show`, with its numbers for each pose.
pub(super) struct Shown<'a> {
    show: Show,
    numbers: Numbers<'a>,
}

/// The source of the numbers.
enum Numbers<'a> {
    None,
    Rule(Box<Context<'a>>, Measure, SkinningOptions),
    Distances(Vec<(Sampled, Measured)>),
}

impl<'a> Shown<'a> {
    /// * `times` – to be shown; distances from a reference are computed now.
    pub(super) fn new(
        show: Show,
        asset: &'a Asset,
        settings: &'a Settings,
        skin: &SkinArgs,
        times: impl FnOnce() -> anyhow::Result<Vec<Sampled>>,
        model: &'a ModelArgs,
    ) -> anyhow::Result<Self> {
        let numbers = match show.needs_numbers() {
            None => Numbers::None,
            Some(reference) => match Measure::of_mode(show.name()) {
                Some(measure) => {
                    let context = Context::new(asset, &model.model, settings);
                    Numbers::Rule(Box::new(context), measure, skin.options())
                }
                None => Numbers::Distances(distances(reference, asset, times()?, model)?),
            },
        };
        Ok(Self { show, numbers })
    }

    /// The mode with the numbers of one pose.
    pub(super) fn at(&self, sampled: Sampled, pose: &ModelPose) -> anyhow::Result<Show> {
        Ok(match &self.numbers {
            Numbers::None => self.show.clone(),
            Numbers::Rule(context, measure, options) => self
                .show
                .measured(measure.in_pose(context, pose, *options)?),
            Numbers::Distances(all) => {
                let own = all.iter().find(|(other, _)| *other == sampled);
                let (_, measured) = own.context("the pose has no distances")?;
                self.show.measured(measured.clone())
            }
        })
    }
}

fn distances(
    reference: &str,
    asset: &Asset,
    times: Vec<Sampled>,
    model: &ModelArgs,
) -> anyhow::Result<Vec<(Sampled, Measured)>> {
    let path = Path::new(reference);
    let quiet = Console { quiet: true };
    let other = model.read.load(path, false, Clips::All, quiet)?;
    let source = Source::from(other);
    let measured = diff::distances(&source, asset, &diff::Options::default(), &times)
        .with_context(|| format!("--show distance:{reference}"))?;
    Ok(times.into_iter().zip(measured).collect())
}
