//! `skincheck render`: poses as PNG files; several poses or models as a folder of them.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use clap::{Args as ClapArgs, ValueHint};

use super::backend::BackendArgs;
use super::film::framed::{FramedModel, Subject, Views, above};
use super::film::plan::{self, MOST, PlannedImage};
use super::film::renderer::{FilmRenderer, Layout};
use super::load::{ModelArgs, ModelsArgs};
use super::look::{DetailArgs, Fit, Fitting, LookArgs, Shown, is_blank, uncover};
use super::output::{Target, check_image_output, create_folder, image_signature, is_own_image};
use super::posing::{PoseArgs, Posed, Wanted};
use super::report::Console;
use super::skin::SkinArgs;
use crate::backend::{Extent, Scene};
use crate::check::Shard;
use crate::closeup;
use crate::frame::{Frame, png, write_file};
use crate::overlay::{Grid, with_strip};
use crate::report::{bake, free_name};
use crate::rig::Asset;
use crate::shown;
use crate::units::{Seconds, seconds};
use crate::view::{Camera, Framing, Show, Viewport};

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
  skincheck render hero.glb --time 0.5 --engine godot -o godot.png

  echo 'joint.LeftArm.rotation_euler_degrees = [0, 0, 80]' > raised.toml
  skincheck render hero.glb --pose raised.toml -o raised.png")]
pub(super) struct Args {
    /// The PNG file, - for standard output, or for several images a folder ending with /
    ///
    /// Default: the model's name in the current folder.
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

pub(super) fn run(args: &Args, console: Console) -> anyhow::Result<()> {
    let models = args.models.each();
    match models.as_slice() {
        [model] if !args.pose.are_several() => args.one(model, console),
        models => render_many(args, models, console),
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
        let mut asset = model.load(true, self.pose.clips(), console)?;
        self.skin
            .emulate(&mut asset, Some(&self.look.show))
            .with_context(|| model.shown())?;
        target.check_inputs(asset.paths())?;
        work.part("drawing");
        let notes = Console {
            quiet: console.quiet || target.path().is_none(),
        };
        uncover(&mut asset, notes).with_context(|| model.shown())?;
        let posed = Self::pose_of(&wanted, model, &asset, console)?;
        let clip = posed.sampled.map(|(clip, _)| clip);
        self.look
            .face(&mut asset, clip, notes)
            .with_context(|| model.shown())?;
        let drawn = self
            .draw(model, &asset, &posed, console)
            .with_context(|| model.shown())?;
        let bytes = png::encode(&drawn.frame, &self.labels(model, &asset, &posed))?;
        work.part("writing");
        target.write(&bytes)?;
        if let Some(path) = target.path() {
            console.note(drawn.note(path, &asset, &posed));
        }
        Ok(())
    }

    fn pose_of(
        wanted: &Wanted<'_>,
        model: &ModelArgs,
        asset: &Asset,
        console: Console,
    ) -> anyhow::Result<Posed> {
        Self::check_drawable(asset).with_context(|| model.shown())?;
        wanted.apply(asset, console).with_context(|| model.shown())
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
        console: Console,
    ) -> anyhow::Result<Drawn> {
        let look = &self.look;
        let shown = model.shown();
        if let Some(overflow) = bake::lost_nodes(&shown, asset, &posed.pose) {
            console.warn(overflow);
        }
        let show = look.show(asset)?;
        let size = look.viewport(SIDE);
        let strip = self
            .details
            .legend_strip(&show, asset, [size.width, size.height]);
        let viewport = above(size, strip);
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
        if let Some(strip) = strip {
            frame = with_strip(&frame, &strip, show.legend(asset).as_ref());
        }
        let grid = ground.grid;
        Ok(Drawn { frame, grid })
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

/// An image with its description.
struct Drawn {
    frame: Frame,
    grid: Option<Grid>,
}

impl Drawn {
    /// A message that `path` was written.
    fn note(&self, path: &Path, asset: &Asset, posed: &Posed) -> String {
        let grid = self.grid.map(|grid| format!(", grid of {grid}"));
        let grid = grid.unwrap_or_default();
        format!("{}: {}{grid}", shown::path(path), posed.describe(asset))
    }
}

/// Draws every pose of every model: `FOLDER/0000.png` and so on of one model, `FOLDER/NAME.png` or `FOLDER/NAME/0000.png` of
/// several.
fn render_many(args: &Args, models: &[ModelArgs], console: Console) -> anyhow::Result<()> {
    let folder = folder(args, models)?;
    let outputs = outputs(models, folder);
    let wanted = args.pose.read()?;
    args.look.check_show()?;
    args.details.check()?;
    for (model, output) in models.iter().zip(&outputs) {
        let work = model.work()?;
        let mut asset = model.load(true, args.pose.clips(), console)?;
        work.part("drawing");
        let job = Job {
            args,
            wanted: &wanted,
            model,
            output,
            console,
        };
        job.run(&mut asset).with_context(|| model.shown())?;
    }
    Ok(())
}

/// The output, which must be a folder.
fn folder<'a>(args: &'a Args, models: &[ModelArgs]) -> anyhow::Result<&'a Path> {
    let what = match models.len() {
        1 => "several poses are".to_owned(),
        count => format!("{count} models are"),
    };
    let Some(path) = &args.output else {
        bail!("{what} several images; name a folder for them with -o FOLDER/");
    };
    let names_folder = path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/");
    ensure!(
        names_folder,
        "-o {}: {what} several images, but this names one file; end it with / to name a folder, or use skincheck film \
        for a contact sheet or an animation",
        shown::path(path)
    );
    Ok(path)
}

/// The output of each model, without an extension: the folder, or with several models one below it for each. Equal names
/// are numbered.
fn outputs(models: &[ModelArgs], folder: &Path) -> Vec<PathBuf> {
    if let [_] = models {
        return vec![folder.to_owned()];
    }
    let mut taken = BTreeSet::new();
    let name = |model: &ModelArgs| free_name(&model.model, &mut taken, str::to_owned);
    models
        .iter()
        .map(name)
        .map(|name| folder.join(name))
        .collect()
}

/// All images of one model.
struct Job<'a> {
    args: &'a Args,
    wanted: &'a Wanted<'a>,
    model: &'a ModelArgs,
    output: &'a Path,
    console: Console,
}

impl Job<'_> {
    fn run(&self, asset: &mut Asset) -> anyhow::Result<()> {
        let Args { look, skin, .. } = self.args;
        skin.emulate(asset, Some(&look.show))?;
        Args::check_drawable(asset)?;
        uncover(asset, self.console)?;
        let poses = self.wanted.all(asset, self.console)?;
        let sampled = poses.first().and_then(|posed| posed.sampled);
        look.face(asset, sampled.map(|(clip, _)| clip), self.console)?;
        match poses.as_slice() {
            [posed] if !self.args.pose.are_several() => self.file(asset, posed),
            poses => self.numbered(asset, poses),
        }
    }

    /// Writes one pose to one file.
    fn file(&self, asset: &Asset, posed: &Posed) -> anyhow::Result<()> {
        let mut name = self.output.as_os_str().to_owned();
        name.push(".png");
        let path = PathBuf::from(name);
        check_image_output(&path, &asset.paths())?;
        let drawn = self.args.draw(self.model, asset, posed, self.console)?;
        let bytes = png::encode(&drawn.frame, &self.args.labels(self.model, asset, posed))?;
        let folder = path.parent().unwrap_or(Path::new("."));
        create_folder(folder)?;
        write_file(&path, &bytes)?;
        self.console.note(drawn.note(&path, asset, posed));
        Ok(())
    }

    /// Writes numbered files, as `film` does.
    fn numbered(&self, asset: &Asset, poses: &[Posed]) -> anyhow::Result<()> {
        let sampled = poses.iter().filter_map(|posed| posed.sampled);
        let plan: Vec<PlannedImage> = sampled
            .map(|(clip, time)| PlannedImage::at(clip, time))
            .collect();
        ensure!(
            !plan.is_empty(),
            "the model has no clip, so there is only one pose; omit --frame A..B, --clip and --time"
        );
        ensure!(
            !self.args.details.see_through,
            "--see-through is for one image; omit it, or name one pose"
        );
        ensure!(
            plan.len() <= MOST,
            "{} images are too many; the limit is {MOST}",
            plan.len()
        );
        let name = self.model.file_name();
        let look = &self.args.look;
        let settings = self.args.skin.settings();
        let subject = Subject {
            asset,
            name: &name,
            look,
            details: &self.args.details,
            model: self.model,
            skin: &self.args.skin,
            settings: &settings,
        };
        let size = look.viewport(SIDE);
        let strip =
            self.args
                .details
                .legend_strip(&look.show(asset)?, asset, [size.width, size.height]);
        let views = Views {
            caption: 0,
            directions: std::slice::from_ref(&look.camera),
            orbits: false,
            viewport: above(size, strip),
            strip,
        };
        let framed = FramedModel::new(subject, views, &plan, self.console)?;
        let mut device = self.args.backend.open()?;
        let mut renderer = FilmRenderer {
            model: device.load(asset)?,
            earlier: None,
            layout: Layout {
                framed: &framed,
                before: None,
                progress: self.console.progress(plan.len(), "drawing"),
            },
            legend: None,
        };
        renderer.files(self.output, &plan, Shard::WHOLE, self.console)?;
        renderer.layout.progress.finish_and_clear();
        self.console.note(format_args!(
            "{}: {} images of {}{}",
            shown::path(self.output),
            plan.len(),
            plan::describe(asset, &plan),
            framed.remarks(&plan[0])?
        ));
        Ok(())
    }
}
