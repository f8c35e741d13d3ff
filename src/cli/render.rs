//! `skincheck render`: one frame as PNG.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::{Args as ClapArgs, ValueHint};
use skincheck::backend::{Extent, Scene};
use skincheck::frame::{Frame, png};
use skincheck::overlay;
use skincheck::pose;
use skincheck::report::{overflow, seconds as rounded};
use skincheck::rig::Asset;
use skincheck::shown;
use skincheck::view::{Camera, Framing};

use super::backend::BackendArgs;
use super::load::ModelArgs;
use super::look::{Fit, LookArgs, SOFTWARE, is_blank, is_ours};
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

/// Width and height of an image without `--size`, in pixels.
const SIDE: u32 = 1024;

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
            viewport: look.viewport(SIDE),
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
        let mut framing = Framing::new(
            &asset.space,
            look.camera,
            look.projection(),
            look.viewport(SIDE),
        );
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
