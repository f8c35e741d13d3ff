//! `skincheck render`: one frame as PNG.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::{Args as ClapArgs, ValueHint};
use skincheck::backend::{Extent, Scene};
use skincheck::frame::{Frame, png};
use skincheck::lint::Settings;
use skincheck::pose;
use skincheck::report::render::Document;
use skincheck::report::{overflow, seconds as rounded};
use skincheck::rig::Asset;
use skincheck::shown;
use skincheck::units::Seconds;
use skincheck::view::{Camera, Framing, Legend, Show};

use super::backend::BackendArgs;
use super::load::ModelArgs;
use super::look::{Fit, LookArgs, SOFTWARE, is_blank, is_ours};
use super::measure::Shown;
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
  skincheck render hero.glb --time 0.5 --show stretch --legend on -o stretch.png
  skincheck render hero.glb --time 0.5 --mark vertex:Body:1841 --look-at vertex:Body:1841 --zoom 5
  skincheck render hero.fbx --animation run.fbx --frame 12 --fps 30 -o - > run12.png

  echo 'joint.LeftArm.rotation_euler_degrees = [0, 0, 80]' > raised.toml
  skincheck render hero.glb --pose raised.toml -o raised.png")]
pub(super) struct Args {
    /// The PNG file, or - for standard output (default: the model's name in the current folder)
    #[arg(short, long, value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// Print what was drawn as JSON, with what each colour means
    #[arg(long)]
    json: bool,
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
    ensure!(
        !args.json || target.path().is_some(),
        "--json and the image cannot both go to standard output; name a file with -o"
    );
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
    let Drawn {
        frame,
        posed,
        show,
        legend,
    } = args
        .draw(&wanted, &asset, console)
        .with_context(|| args.model.shown())?;
    let picture = png::encode(&frame, &args.labels(&asset, &posed))?;
    drop(watch);
    target.write(&picture)?;
    if args.json {
        let document = Document {
            model: &args.model.file_name(),
            output: target.path().unwrap_or(Path::new("-")),
            pose: &posed.describe(&asset),
            clip: posed
                .sampled
                .map(|(clip, _)| asset.clips[clip.index()].name.as_str()),
            time: posed.sampled.map(|(_, time)| time),
            camera: &args.look.camera.to_string(),
            size: [frame.width, frame.height],
            show: show.name(),
            legend: legend.as_ref(),
        };
        Target::Stdout.write(document.to_json().as_bytes())?;
    } else if let Some(path) = target.path() {
        console.note(format_args!(
            "{}: {}",
            shown::path(path),
            posed.describe(&asset)
        ));
    }
    Ok(())
}

/// An image, and what it shows.
struct Drawn {
    frame: Frame,
    posed: Posed,
    show: Show,
    legend: Option<Legend>,
}

impl Args {
    /// The OpenGL driver it requests.
    pub(in crate::cli) fn driver(&self) -> skincheck::backend::Driver {
        self.backend.driver()
    }

    fn draw(&self, wanted: &Wanted<'_>, asset: &Asset, console: Console) -> anyhow::Result<Drawn> {
        let look = &self.look;
        let drawable = asset
            .instances
            .iter()
            .any(|instance| !asset.mesh_of(instance).triangles.is_empty());
        ensure!(
            drawable || look.skeleton.is_some(),
            "the model has no mesh to draw; --skeleton draws its joints"
        );
        let posed = wanted.apply(asset, console)?;
        let model = self.model.shown();
        if let Some(overflow) = overflow::of_nodes(&model, asset, &posed.pose) {
            console.warn(overflow);
        }
        let camera = self.fit_camera(asset, &posed)?;
        let camera = look.aimed(camera, asset, &posed.pose)?;
        let show = look.show(asset)?;
        look.warn_of_namesakes(&show, asset, console);
        if let Some(reason) = show.missing_data(asset) {
            console.warn(format_args!("--show {}: {reason}", look.show));
        }
        let show = self.measured(show, asset, &posed)?;
        let mut device = self.backend.open()?;
        let mut frame = device.load(asset)?.render(&Scene {
            pose: &posed.pose,
            skinning: self.skin.options(),
            camera,
            viewport: look.viewport(SIDE),
            style: look.style(show.clone()),
        })?;
        if drawable && is_blank(&frame) {
            console.warn(format_args!(
                "{model}: nothing of it is to be seen in the picture"
            ));
        }
        look.draw_over(&mut frame, &camera, asset, &posed.pose)?;
        let legend = show.legend(asset);
        look.draw_legend(&mut frame, legend.as_ref());
        Ok(Drawn {
            frame,
            posed,
            show,
            legend,
        })
    }

    /// `show` with the numbers of the pose, if it shows some.
    fn measured(&self, show: Show, asset: &Asset, posed: &Posed) -> anyhow::Result<Show> {
        let settings = Settings::default();
        let sampled = match posed.sampled {
            Some((clip, time)) => (Some(clip), time),
            None => (None, Seconds(0.0)),
        };
        let times = || {
            ensure!(
                posed.sampled.is_some() || posed.is_at_rest(),
                "--show distance compares clips and the rest pose, not --pose bind or a file"
            );
            Ok(vec![sampled])
        };
        let shown = Shown::new(show, asset, &settings, &self.skin, times, &self.model)?;
        shown.at(sampled, &posed.pose)
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
            joints: look.skeleton.is_some(),
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
