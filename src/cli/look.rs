//! The arguments that say how an image looks.

use std::str::FromStr;

use anyhow::ensure;
use clap::{Args, ValueEnum};
use skincheck::facing;
use skincheck::frame::{Frame, png};
use skincheck::overlay::{self, Grid};
use skincheck::pose::{self, ModelPose};
use skincheck::rig::{Asset, NodeId};
use skincheck::units::SignedAxis;
use skincheck::view::{
    Background, Camera, Projection, Samples, Show, Style, ViewDirection, Viewport,
};

use super::report::Console;

/// What an image shows, and from where.
#[derive(Debug, Args)]
#[command(next_help_heading = "Image")]
pub(super) struct LookArgs {
    /// View: front, back, left, right, top, three-quarter, or orbit:YAW,PITCH in degrees
    #[arg(long, value_name = "VIEW", default_value = "three-quarter")]
    pub(super) camera: ViewDirection,
    /// Where the figure faces: +X, -X, +Y, -Y, +Z or -Z (default: as its toes, eyes, names and knees show, which skincheck
    /// inspect reports; without a figure, the front of the format)
    #[arg(long, value_name = "AXIS", value_parser = SignedAxis::from_str, allow_hyphen_values = true)]
    front: Option<SignedAxis>,
    /// What the camera must fit: the mesh over the whole clip (one camera for all frames), the figure over the whole clip while
    /// the camera follows its root, the mesh in this pose, or at rest (default: clip, or follow where the figure would get
    /// less than a tenth of the image)
    #[arg(long, value_enum)]
    pub(super) fit: Option<Fit>,
    /// Draw without perspective
    #[arg(long)]
    orthographic: bool,
    /// Width and height in pixels (default: 1024x1024; in a film 512x512, and 256x256 for each image of a contact sheet)
    #[arg(long, value_name = "WxH", allow_hyphen_values = true)]
    pub(super) size: Option<Viewport>,
    /// Background colour: #rrggbb, a name, or transparent
    #[arg(long, value_name = "COLOR", default_value = "#2e3136")]
    background: Background,
    /// Samples per pixel: 1 or 4
    #[arg(
        long,
        value_name = "N",
        default_value = "4",
        value_parser = Samples::from_str,
        allow_negative_numbers = true
    )]
    samples: Samples,
    #[arg(
        long,
        value_name = "WHAT",
        default_value = "lit",
        help = format!("What the colours show: {}", Show::expected())
    )]
    pub(super) show: String,
    /// Draw the joints over the mesh
    #[arg(long)]
    pub(super) skeleton: bool,
    /// Draw a grid on the ground, in the model's unit
    #[arg(long)]
    grid: bool,
}

/// What the camera must fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Fit {
    Clip,
    Follow,
    Pose,
    Rest,
}

/// The keyword of the text chunk that names the program that made an image (PNG specification §11.3.3.2).
pub(super) const SOFTWARE: &str = "Software";

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

    /// Lets the views of `asset` start from the front of its figure.
    pub(super) fn face(&self, asset: &mut Asset) -> anyhow::Result<()> {
        face(asset, self.front)
    }

    /// Without perspective if so requested.
    pub(super) fn projection(&self) -> Projection {
        if self.orthographic {
            Projection::Orthographic
        } else {
            Projection::default()
        }
    }

    /// Refuses a `--show` that is wrong for any model.
    pub(super) fn check_show(&self) -> anyhow::Result<()> {
        let any = |_: &str| -> anyhow::Result<NodeId> { Ok(NodeId(0)) };
        Show::parse(&self.show, any).map(|_| ())
    }

    /// What `--show` means for `asset`.
    pub(super) fn show(&self, asset: &Asset) -> anyhow::Result<Show> {
        let joint = |name: &str| -> anyhow::Result<NodeId> { Ok(pose::find_joint(asset, name)?) };
        Show::parse(&self.show, joint)
    }

    /// Warns that a name that several nodes share means the first of them.
    pub(super) fn warn_of_namesakes(&self, show: Show, asset: &Asset, console: Console) {
        let Some(joint) = show.joint() else { return };
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

    /// The grid of images by `camera`, if one is wanted.
    pub(super) fn grid(&self, asset: &Asset, camera: &Camera) -> Option<Grid> {
        self.grid.then(|| Grid::new(&asset.space, camera))
    }

    /// Adds what no backend draws: contact shading where the surface is lit, the grid, the skeleton.
    pub(super) fn finish(
        &self,
        show: Show,
        grid: Option<Grid>,
        (asset, pose): (&Asset, &ModelPose),
        camera: &Camera,
        frame: &mut Frame,
    ) {
        if show == Show::LIT {
            overlay::contact(camera, frame);
        }
        if let Some(grid) = grid {
            grid.draw(camera, frame);
        }
        if self.skeleton {
            overlay::draw(&overlay::skeleton(asset, pose), camera, frame);
        }
    }

    /// For the library.
    pub(super) fn style(&self, show: Show) -> Style {
        Style {
            show,
            background: self.background,
            samples: self.samples,
        }
    }
}

/// Lets the views of `asset` start from `front`, or from where its figure faces.
pub(super) fn face(asset: &mut Asset, front: Option<SignedAxis>) -> anyhow::Result<()> {
    let front = front.unwrap_or_else(|| facing::of(asset).front);
    let up = asset.space.up;
    ensure!(
        up.unit().dot(front.unit()).abs() < 0.5,
        "--front {front}: the model stands along {up}; expected an axis at a right angle to that"
    );
    asset.space.front = front;
    Ok(())
}

/// Whether nothing was drawn: every pixel is the background.
pub(super) fn is_blank(frame: &Frame) -> bool {
    let mut pixels = frame.rgba.chunks_exact(4);
    let first = pixels.next();
    frame.depth.iter().all(|depth| *depth >= 1.0) && pixels.all(|pixel| Some(pixel) == first)
}

/// Whether a file holds a picture of our own.
pub(super) fn is_ours(bytes: &[u8]) -> bool {
    let by_us = |(key, text): &(String, String)| key == SOFTWARE && text.starts_with("skincheck");
    png::decode(bytes).is_ok_and(|picture| picture.text.iter().any(by_us))
}
