//! `skincheck render`: poses as PNG files; several poses or models as a folder of them, or several models as a contact sheet.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use clap::{Args as ClapArgs, ValueHint};

use super::backend::BackendArgs;
use super::film::framed::above;
use super::load::{ModelArgs, ModelsArgs};
use super::look::{DetailArgs, Fit, Fitting, LookArgs, Shown, is_blank, uncover};
use super::output::{Target, image_signature, is_own_image};
use super::posing::{PoseArgs, Posed, Wanted};
use super::report::Console;
use super::skin::SkinArgs;
use crate::backend::{Extent, Scene};
use crate::closeup;
use crate::frame::{Frame, png};
use crate::overlay::{Grid, with_strip};
use crate::report::bake;
use crate::rig::Asset;
use crate::shown;
use crate::units::{Seconds, seconds};
use crate::view::{Camera, Framing, Legend, Show, Viewport};

mod several;
mod sheet;

/// Draw models in a pose as PNG files
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  skincheck render model.fbx --time 1.2 -o out.png
  skincheck render hero.glb --clip Walk --time 25% --camera front --skeleton -o walk.png
  skincheck render hero.glb --pose bind --show weights:Hips -o hips.png
  skincheck render hero.glb --time 0.5 --show stretch --legend on -o stretch.png
  skincheck render hero.glb --time 0.5 --mark vertex:Body:1841 --look-at vertex:Body:1841 --zoom 5
  skincheck render hero.fbx --animation run.fbx --frame 12 --fps 30 -o - > run12.png
  skincheck render hero.glb --clip Walk --frame 0..24 -o frames/
  skincheck render *.glb -o pictures/
  skincheck render *.glb --camera front -o all.png
  skincheck render hero.glb --time 0.5 --engine godot -o godot.png

  echo 'joint.LeftArm.rotation_euler_degrees = [0, 0, 80]' > raised.toml
  skincheck render hero.glb --pose raised.toml -o raised.png")]
pub(super) struct Args {
    /// The PNG file, - for standard output, or for several images a folder ending with /
    ///
    /// Several models in one file are a contact sheet, or several if one has no room for all. Default: the model's name in the
    /// current folder.
    #[arg(short, long, value_name = "FILE|-|FOLDER/", value_hint = ValueHint::AnyPath)]
    output: Option<PathBuf>,
    #[command(flatten)]
    pose: PoseArgs,
    #[command(flatten)]
    look: LookArgs,
    #[command(flatten)]
    details: DetailArgs,
    #[command(flatten)]
    skin: SkinArgs,
    #[command(flatten)]
    pub(super) backend: BackendArgs,
    #[command(flatten)]
    models: ModelsArgs,
}

/// Width and height of an image without `--size`, in pixels.
const SIDE: u32 = 1024;

/// The same in a contact sheet.
const CELL_SIDE: u32 = 256;

/// Where an image is drawn to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Size {
    /// A file of its own, with its legend.
    Image,
    /// A contact sheet.
    Cell,
}

pub(super) fn run(args: &Args, console: Console) -> anyhow::Result<()> {
    let models = args.models.each();
    match models.as_slice() {
        [model] if !args.pose.are_several() => args.one(model, console),
        models => match Output::of(args, models)? {
            Output::Folder(folder) => several::run(args, models, folder, console),
            Output::Sheet(file) => sheet::run(args, models, file, console),
        },
    }
}

impl Args {
    /// Draws one pose of one model.
    fn one(&self, model: &ModelArgs, console: Console) -> anyhow::Result<()> {
        let target = self.target(model)?;
        let [file, animation] = model.inputs();
        target.check(&[file, animation, self.pose.input()])?;
        target.check_extension(&["png"], "the output is PNG")?;
        let on_terminal = target.path().is_none() && io::stdout().is_terminal();
        ensure!(
            !on_terminal,
            "refusing to write PNG data to a terminal; use -o FILE, or pipe the output"
        );
        let wanted = self.pose.read()?;
        self.look.check_show()?;
        self.details.check()?;
        let work = model.work()?;
        let notes = Console {
            quiet: console.quiet || target.path().is_none(),
        };
        let mut asset = model.load(true, self.pose.clips(), console)?;
        work.part("drawing");
        let posed = self
            .pose_of(&mut asset, &wanted, [console, notes])
            .with_context(|| model.shown())?;
        target.check_inputs(asset.paths())?;
        let drawn = self
            .draw(model, &asset, &posed, Size::Image, console)
            .with_context(|| model.shown())?;
        let bytes = png::encode(&drawn.frame, &self.labels(model, &asset, &posed))?;
        work.part("writing");
        target.write(&bytes)?;
        if let Some(path) = target.path() {
            console.note(drawn.note(path, &asset, &posed));
        }
        Ok(())
    }

    /// Poses the model, and finds its front.
    ///
    /// * `consoles` – for warnings, and for notes on how it is drawn.
    fn pose_of(
        &self,
        asset: &mut Asset,
        wanted: &Wanted<'_>,
        [console, notes]: [Console; 2],
    ) -> anyhow::Result<Posed> {
        self.skin.emulate(asset, Some(&self.look.show))?;
        uncover(asset, notes)?;
        Self::check_drawable(asset)?;
        let posed = wanted.apply(asset, console)?;
        let clip = posed.sampled.map(|(clip, _)| clip);
        self.look.face(asset, clip, notes)?;
        Ok(posed)
    }

    fn check_drawable(asset: &Asset) -> anyhow::Result<()> {
        let has_nodes = !asset.skeleton.nodes().is_empty();
        ensure!(
            asset.has_triangles() || has_nodes,
            "the model has neither a mesh nor a skeleton to draw"
        );
        Ok(())
    }

    fn draw(
        &self,
        model: &ModelArgs,
        asset: &Asset,
        posed: &Posed,
        size: Size,
        console: Console,
    ) -> anyhow::Result<Drawn> {
        let look = &self.look;
        let shown = model.shown();
        if let Some(overflow) = bake::lost_nodes(&shown, asset, &posed.pose) {
            console.warn(overflow);
        }
        let show = look.show(asset)?;
        let (viewport, strip) = match size {
            Size::Image => {
                let size = look.viewport(SIDE);
                let sides = [size.width, size.height];
                let strip = self.details.legend_strip(&show, asset, sides);
                (above(size, strip), strip)
            }
            Size::Cell => (look.viewport(CELL_SIDE), None),
        };
        let camera = self.fit_camera(asset, posed, viewport, console)?;
        let camera = self.details.aimed(camera, asset, &posed.pose)?;
        look.warn_of_namesakes(&show, asset, console);
        if let Some(reason) = show.missing_data(asset) {
            console.warn(format_args!("--show {}: {reason}", look.show));
        }
        let show = self.measured(show, model, asset, posed)?;
        let mut device = self.backend.open()?;
        let mut drawn = device.load(asset)?;
        let mut render = |camera| {
            drawn.render(&Scene {
                pose: &posed.pose,
                skinning: self.skin.options(),
                camera,
                viewport,
                style: look.style(show.clone(), &self.details),
            })
        };
        let mut frame = render(camera)?;
        if let Some(opened) = self.details.opened(&camera, asset, &posed.pose)? {
            closeup::mix(&mut frame, &render(opened)?);
        }
        if asset.has_triangles() && is_blank(&frame) {
            console.warn(format_args!(
                "{shown}: the image shows nothing of the model"
            ));
        }
        let clip = posed.sampled.map(|(clip, _)| &asset[clip]);
        let height = if look.has_ground(&show) {
            self.extent(asset).ground(clip, &posed.pose)?
        } else {
            0.0
        };
        let ground = look.ground(asset, height, &camera);
        look.finish(
            &show,
            &self.details,
            ground,
            (asset, &posed.pose),
            &camera,
            &mut frame,
        )?;
        let legend = show.legend(asset);
        if let Some(strip) = strip {
            frame = with_strip(&frame, &strip, legend.as_ref());
        }
        Ok(Drawn {
            frame,
            grid: ground.grid,
            legend,
        })
    }

    /// `show` with the numbers of the pose, if it shows any.
    fn measured(
        &self,
        show: Show,
        model: &ModelArgs,
        asset: &Asset,
        posed: &Posed,
    ) -> anyhow::Result<Show> {
        let settings = self.skin.settings();
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
        Shown::new(show, asset, &settings, &self.skin, times, model)?.at(sampled, &posed.pose)
    }

    fn target(&self, model: &ModelArgs) -> anyhow::Result<Target> {
        match &self.output {
            Some(path) => Ok(Target::from(path.as_path())),
            None => Target::beside(&model.model, "png", is_own_image),
        }
    }

    fn extent<'a>(&self, asset: &'a Asset) -> Extent<'a> {
        Extent {
            asset,
            skinning: self.skin.options(),
            joints: self.look.joints(asset).is_some(),
        }
    }

    fn fit_camera(
        &self,
        asset: &Asset,
        posed: &Posed,
        viewport: Viewport,
        console: Console,
    ) -> anyhow::Result<Camera> {
        let look = &self.look;
        let mut framing = Framing::new(&asset.space, look.camera, look.projection(), viewport);
        let extent = self.extent(asset);
        let clip = posed.sampled.map(|(clip, _)| &asset[clip]);
        let is_own = |fit| match fit {
            None | Some(Fit::Pose) => true,
            Some(Fit::Clip | Fit::Follow) => clip.is_none(),
            Some(Fit::Rest) => false,
        };
        if is_own(look.fit) {
            extent.include_pose(&mut framing, &posed.pose)?;
            return Ok(framing.camera());
        }
        let fitting = Fitting {
            extent,
            fit: look.fit,
            clips: clip.into_iter().collect(),
        };
        let (framing, follow) = fitting.frame(framing, console)?;
        let camera = framing.camera();
        Ok(follow.map_or(camera, |follow| follow.camera(&camera, &posed.pose)))
    }

    /// Text chunks of the image.
    fn labels(&self, model: &ModelArgs, asset: &Asset, posed: &Posed) -> Vec<(String, String)> {
        let mut labels = vec![
            ("Model", model.file_name()),
            ("Pose", posed.describe(asset)),
            ("Camera", self.look.camera.to_string()),
        ];
        if let Some((clip, time)) = posed.sampled {
            labels.push(("Clip", asset[clip].name.clone()));
            labels.push(("Time", seconds(time.0)));
        }
        labels.extend(self.skin.engine().map(|engine| ("Engine", engine)));
        let own = labels.into_iter().map(|(key, text)| (key.to_owned(), text));
        std::iter::once(image_signature()).chain(own).collect()
    }
}

/// Where several images go.
enum Output<'a> {
    /// A file for each.
    Folder(&'a Path),
    /// One contact sheet.
    Sheet(&'a Path),
}

impl<'a> Output<'a> {
    fn of(args: &'a Args, models: &[ModelArgs]) -> anyhow::Result<Self> {
        let what = match models.len() {
            1 => "several poses are".to_owned(),
            count => format!("{count} models are"),
        };
        let may_be_sheet = !args.pose.are_several();
        let or_sheet = if may_be_sheet {
            ", or a file for a contact sheet with -o FILE.png"
        } else {
            ""
        };
        let Some(path) = &args.output else {
            bail!("{what} several images; name a folder for them with -o FOLDER/{or_sheet}");
        };
        if path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/") {
            return Ok(Self::Folder(path));
        }
        let extension = path.extension().unwrap_or_default();
        if may_be_sheet && extension.eq_ignore_ascii_case("png") {
            return Ok(Self::Sheet(path));
        }
        let or_sheet = match models {
            _ if may_be_sheet => ", or with .png for a contact sheet",
            [_] => ", or use skincheck film for a contact sheet or an animation",
            _ => "",
        };
        bail!(
            "-o {}: {what} several images, but this names one file; end it with / to name a folder{or_sheet}",
            shown::path(path)
        );
    }
}

/// An image with its description.
struct Drawn {
    frame: Frame,
    grid: Option<Grid>,
    legend: Option<Legend>,
}

impl Drawn {
    /// A message that `path` was written.
    fn note(&self, path: &Path, asset: &Asset, posed: &Posed) -> String {
        let grid = self.grid.map(|grid| format!(", grid of {grid}"));
        let grid = grid.unwrap_or_default();
        format!("{}: {}{grid}", shown::path(path), posed.describe(asset))
    }
}
