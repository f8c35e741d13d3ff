//! `skincheck render`: one frame as PNG.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, ensure};
use clap::{Args as ClapArgs, ValueEnum, ValueHint};
use skincheck::backend::{Extent, Scene};
use skincheck::frame::{Frame, png};
use skincheck::overlay;
use skincheck::pose;
use skincheck::report::{overflow, seconds as rounded};
use skincheck::rig::{Asset, NodeId};
use skincheck::shown;
use skincheck::view::{
    Background, Camera, Framing, Projection, Samples, Show, Style, ViewDirection, Viewport,
};

use super::backend::BackendArgs;
use super::load::ModelArgs;
use super::output::Target;
use super::posing::{PoseArgs, Posed, Wanted};
use super::report::Console;
use super::skin::SkinArgs;

/// Draw a model in a pose to a PNG file
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  skincheck render model.fbx --time 1.2 -o out.png
  skincheck render hero.glb --clip Walk --phase 0.25 --camera front --skeleton -o walk.png
  skincheck render hero.glb --pose bind --show weights:Hips -o hips.png
  skincheck render hero.fbx --animation run.fbx --frame 12 --fps 30 -o - > run12.png

  echo 'joint.LeftArm.rotation_euler_degrees = [0, 0, 80]' > raised.toml
  skincheck render hero.glb --pose raised.toml -o raised.png")]
pub(super) struct Args {
    /// The PNG file, or - for standard output (default: the model's name in the current folder)
    #[arg(short, long, value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    #[command(flatten)]
    pose: PoseArgs,
    #[command(flatten)]
    look: LookArgs,
    #[command(flatten)]
    skin: SkinArgs,
    #[command(flatten)]
    backend: BackendArgs,
    #[command(flatten)]
    model: ModelArgs,
}

#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Image")]
struct LookArgs {
    /// View: front, back, left, right, top, three-quarter, or orbit:YAW,PITCH in degrees
    #[arg(long, value_name = "VIEW", default_value = "three-quarter")]
    camera: ViewDirection,
    /// What the camera must fit: the mesh over the whole clip (one camera for all frames), in this pose, or at rest
    #[arg(long, value_enum, default_value_t = Fit::Clip)]
    fit: Fit,
    /// Draw without perspective
    #[arg(long)]
    orthographic: bool,
    /// Width and height in pixels
    #[arg(
        long,
        value_name = "WxH",
        default_value = "1024x1024",
        allow_hyphen_values = true
    )]
    size: Viewport,
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
    show: String,
    /// Draw the joints over the mesh
    #[arg(long)]
    skeleton: bool,
}

/// The keyword of the text chunk that names the program that made an image (PNG specification §11.3.3.2).
const SOFTWARE: &str = "Software";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Fit {
    Clip,
    Pose,
    Rest,
}

pub(super) fn run(args: &Args, console: Console) -> anyhow::Result<()> {
    args.backend.check()?;
    let target = args.target()?;
    let [model, animation] = args.model.inputs();
    target.check(&[model, animation, args.pose.input()])?;
    target.check_extension(&["png"], "the output is PNG")?;
    let on_terminal = target.path().is_none() && io::stdout().is_terminal();
    ensure!(
        !on_terminal,
        "refusing to write PNG data to a terminal; use -o FILE, or pipe the output"
    );
    let wanted = args.pose.single()?;
    args.look.check_show()?;
    let asset = args.model.load(true, args.pose.clips(), console)?;
    target.check_inputs(&asset.files)?;
    let watch = args.model.watch()?;
    let (frame, posed) = args
        .draw(&wanted, &asset, console)
        .with_context(|| args.model.shown())?;
    let picture = png::encode(&frame, &args.labels(&asset, &posed))?;
    drop(watch);
    target.write(&picture)?;
    if let Some(path) = target.path() {
        console.note(format_args!(
            "{}: {}",
            shown::path(path),
            posed.describe(&asset)
        ));
    }
    Ok(())
}

impl Args {
    /// The OpenGL driver it requests.
    pub(in crate::cli) fn driver(&self) -> skincheck::backend::Driver {
        self.backend.driver()
    }

    fn draw(
        &self,
        wanted: &Wanted<'_>,
        asset: &Asset,
        console: Console,
    ) -> anyhow::Result<(Frame, Posed)> {
        let look = &self.look;
        let drawable = asset
            .instances
            .iter()
            .any(|instance| !asset.mesh_of(instance).triangles.is_empty());
        ensure!(
            drawable || look.skeleton,
            "the model has no mesh to draw; --skeleton draws its joints"
        );
        let posed = wanted.apply(asset, console)?;
        let model = self.model.shown();
        if let Some(overflow) = overflow::of_nodes(&model, asset, &posed.pose) {
            console.warn(overflow);
        }
        let camera = self.fit_camera(asset, &posed)?;
        let show = look.show(asset)?;
        look.warn_of_namesakes(show, asset, console);
        if let Some(reason) = show.missing_data(asset) {
            console.warn(format_args!("--show {}: {reason}", look.show));
        }
        let mut device = self.backend.open()?;
        let mut frame = device.load(asset)?.render(&Scene {
            pose: &posed.pose,
            skinning: self.skin.options(),
            camera,
            viewport: look.size,
            style: look.style(show),
        })?;
        if drawable && is_blank(&frame) {
            console.warn(format_args!(
                "{model}: nothing of it is to be seen in the picture"
            ));
        }
        if look.skeleton {
            overlay::draw(&overlay::skeleton(asset, &posed.pose), &camera, &mut frame);
        }
        Ok((frame, posed))
    }

    fn target(&self) -> anyhow::Result<Target> {
        match &self.output {
            Some(path) => Ok(Target::from(path.as_path())),
            None => Target::beside(&self.model.model, "png", is_ours),
        }
    }

    fn fit_camera(&self, asset: &Asset, posed: &Posed) -> anyhow::Result<Camera> {
        let look = &self.look;
        let mut framing = Framing::new(&asset.space, look.camera, look.projection(), look.size);
        let extent = Extent {
            asset,
            skinning: self.skin.options(),
            joints: look.skeleton,
        };
        match (look.fit, posed.sampled) {
            (Fit::Clip, Some((clip, _))) => {
                extent.include_clip(&mut framing, &asset.clips[clip.index()])?;
            }
            (Fit::Rest, _) => {
                extent.include_pose(&mut framing, &pose::model_pose(asset, &pose::rest(asset)))?;
            }
            _ => extent.include_pose(&mut framing, &posed.pose)?,
        }
        Ok(framing.camera())
    }

    /// Text chunks of the image.
    fn labels(&self, asset: &Asset, posed: &Posed) -> Vec<(String, String)> {
        let mut labels = vec![
            (SOFTWARE, format!("skincheck {}", env!("CARGO_PKG_VERSION"))),
            ("Model", self.model.file_name()),
            ("Pose", posed.describe(asset)),
            ("Camera", self.look.camera.to_string()),
        ];
        if let Some((clip, time)) = posed.sampled {
            labels.push(("Clip", asset.clips[clip.index()].name.clone()));
            labels.push(("Time", rounded(time)));
        }
        let own = labels.into_iter().map(|(key, text)| (key.to_owned(), text));
        own.collect()
    }
}

/// Whether nothing was drawn: every pixel is the background.
fn is_blank(frame: &Frame) -> bool {
    let mut pixels = frame.rgba.chunks_exact(4);
    let first = pixels.next();
    frame.depth.iter().all(|depth| *depth >= 1.0) && pixels.all(|pixel| Some(pixel) == first)
}

/// Whether a file holds a picture of our own.
fn is_ours(bytes: &[u8]) -> bool {
    let by_us = |(key, text): &(String, String)| key == SOFTWARE && text.starts_with("skincheck");
    png::decode(bytes).is_ok_and(|picture| picture.text.iter().any(by_us))
}

impl LookArgs {
    fn projection(&self) -> Projection {
        if self.orthographic {
            Projection::Orthographic
        } else {
            Projection::default()
        }
    }

    /// Refuses a `--show` that is wrong for any model.
    fn check_show(&self) -> anyhow::Result<()> {
        let any = |_: &str| -> anyhow::Result<NodeId> { Ok(NodeId(0)) };
        Show::parse(&self.show, any).map(|_| ())
    }

    fn show(&self, asset: &Asset) -> anyhow::Result<Show> {
        let joint = |name: &str| -> anyhow::Result<NodeId> { Ok(pose::find_joint(asset, name)?) };
        Show::parse(&self.show, joint)
    }

    /// Warns that a name that several nodes share means the first of them.
    fn warn_of_namesakes(&self, show: Show, asset: &Asset, console: Console) {
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

    fn style(&self, show: Show) -> Style {
        Style {
            show,
            background: self.background,
            samples: self.samples,
        }
    }
}
