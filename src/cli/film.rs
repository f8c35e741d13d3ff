//! `skincheck film`: many images of one model, as a contact sheet, an animation or numbered files.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, ensure};
use clap::{Args as ClapArgs, ValueHint};

use super::backend::BackendArgs;
use super::load::{ModelArgs, default_clip};
use super::look::{DetailArgs, LookArgs, uncover};
use super::number;
use super::output::Target;
use super::part::ShardArgs;
use super::posing::chosen_clips;
use super::report::Console;
use super::skin::{BeforeArgs, SkinArgs};
use crate::backend::{Device, Model};
use crate::check::Shard;
use crate::film::{self, AnimationOptions, Format, caption_strip};
use crate::frame::png;
use crate::import::Clips;
use crate::pose::Times;
use crate::rig::Asset;
use crate::shown;
use crate::units::amount;
use crate::view::{ViewDirection, Viewport};
pub(super) mod framed;
pub(super) mod plan;
pub(super) mod renderer;

use framed::{FramedModel, Subject, Views, above};
use plan::PlannedImage;
use renderer::{FilmRenderer, Layout, labels};

/// An image has a strip for its caption if the strip is at most one in so many parts of its height.
const CAPTION_SHARE: u32 = 4;

/// Draw clips as a contact sheet, an animation or numbered images
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  skincheck film hero.glb -o clips.png
  skincheck film hero.glb --clip Walk -o walk.gif
  skincheck film hero.fbx --clip Walk --fps 30 -o frames/
  skincheck film hero.fbx --all-clips -o frames/ --shard 3/16
  skincheck film hero.glb --clip Walk --views -o walk.gif
  skincheck film hero.glb --orbit -o turntable.apng
  skincheck film --compare old/hero.glb hero.glb -o change.gif
  skincheck film --compare hero.glb hero.glb --engine-after unreal -o unreal.gif")]
pub(super) struct Args {
    /// A .png (contact sheet), .gif or .apng (animation), or a folder ending with / (PNG files)
    ///
    /// A contact sheet that has no room for all clips becomes several files. The PNG files in a folder are numbered.
    #[arg(short, long, value_name = "FILE|FOLDER/", value_hint = ValueHint::AnyPath)]
    output: PathBuf,
    /// An earlier version, drawn on the left with the same camera
    #[arg(long, value_name = "OLD", value_hint = ValueHint::FilePath)]
    compare: Option<PathBuf>,
    #[command(flatten)]
    frames: FrameArgs,
    #[command(flatten)]
    look: LookArgs,
    #[command(flatten)]
    skin: SkinArgs,
    #[command(flatten)]
    before: BeforeArgs,
    #[command(flatten)]
    pub(super) backend: BackendArgs,
    #[command(flatten)]
    shard: ShardArgs,
    #[command(flatten)]
    model: ModelArgs,
}

#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Film")]
struct FrameArgs {
    /// Clips to show, by name or index
    ///
    /// Default: all in a contact sheet, else the first that moves.
    #[arg(long, value_name = "NAME|INDEX", allow_negative_numbers = true)]
    clip: Vec<String>,
    /// Every clip, one after the other
    #[arg(long, conflicts_with = "clip")]
    all_clips: bool,
    /// Sample times of each clip: a number of times, its keys, or seconds such as 0,0.5,1.2s
    ///
    /// N times are spread evenly from the clip's first key to its end; keys are its key times, at most 200. Default: 12 in a contact
    /// sheet of one clip, 6 per clip in one of several; else by --fps.
    #[arg(long, value_name = "N|keys|LIST", value_parser = Times::from_str)]
    times: Option<Times>,
    /// Images per second of an animation or of numbered files
    ///
    /// The last pose of a clip is skipped, so looping clips have no duplicate frame.
    #[arg(long, value_name = "FPS", default_value_t = 24.0, value_parser = number::decimal, allow_negative_numbers = true)]
    fps: f64,
    /// Circle the model by this many degrees (360 without a number)
    ///
    /// A model without clips is shown at rest.
    #[arg(
        long,
        value_name = "DEGREES",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "360",
        value_parser = number::finite,
        allow_negative_numbers = true
    )]
    orbit: Option<f64>,
    /// Four views in each image: front, left, back and three-quarter
    #[arg(long, conflicts_with_all = ["orbit", "camera"])]
    views: bool,
}

/// The views of `--views`, row by row.
const VIEWS: [ViewDirection; 4] = [
    ViewDirection::Front,
    ViewDirection::Left,
    ViewDirection::Back,
    ViewDirection::ThreeQuarter,
];

/// Width and height of an image without `--size`, in pixels: in an animation and in a contact sheet.
const SIDES: [u32; 2] = [512, 256];

/// Images that a GIF's palette is made for.
const PALETTE_SAMPLES: usize = 8;

/// The most pixels of these images: 128 MiB.
const SAMPLED_PIXELS: u64 = 1 << 25;

/// What is written.
#[derive(Debug)]
enum Kind {
    Sheet(Target),
    Animation(Target, Format),
    Files(PathBuf),
}

pub(super) fn run(args: &Args, console: Console) -> anyhow::Result<()> {
    let kind = Kind::of(&args.output)?;
    ensure!(
        matches!(kind, Kind::Files(_)) || !args.shard.is_given(),
        "--shard splits numbered images, but {} is one file; end -o with / to write a folder",
        shown::path(&args.output)
    );
    let [model, animation] = args.model.inputs();
    if let Kind::Sheet(target) | Kind::Animation(target, _) = &kind {
        target.check(&[model, animation, args.compare.as_deref()])?;
    }
    args.look.check_show()?;
    let work = args.model.work()?;
    let mut asset = args.model.load(true, args.clips(&kind), console)?;
    let later_skin = args.before.later(&args.skin);
    later_skin
        .emulate(&mut asset, Some(&args.look.show))
        .with_context(|| args.model.shown())?;
    let context = || args.model.shown();
    uncover(&mut asset, console).with_context(context)?;
    let plan = args.plan(&asset, &kind, console).with_context(context)?;
    // Two versions that begin turned differently must not look the same.
    let clip = plan[0].clip.filter(|_| args.compare.is_none());
    args.look
        .face(&mut asset, clip, console)
        .with_context(context)?;
    let earlier = framed::earlier(args, console)?;
    work.part("drawing");
    let before = earlier.as_ref().map(|(asset, name)| (asset, name.as_str()));
    let written = args
        .draw(&asset, before, (&kind, &plan), console)
        .with_context(|| args.model.shown())?;
    console.note(written);
    Ok(())
}

impl Kind {
    fn of(output: &Path) -> anyhow::Result<Self> {
        if output.is_dir() || output.as_os_str().as_encoded_bytes().ends_with(b"/") {
            return Ok(Self::Files(output.to_owned()));
        }
        let target = Target::from(output);
        let Some(path) = target.path() else {
            anyhow::bail!("a film cannot go to standard output; name a file or a folder with -o");
        };
        if let Some(format) = Format::of(path) {
            return Ok(Self::Animation(target, format));
        }
        let is_png = path
            .extension()
            .is_some_and(|own| own.eq_ignore_ascii_case("png"));
        ensure!(
            is_png,
            "-o {}: expected .png (contact sheet), .gif or .apng (animation), or a folder ending with / \
            (numbered files)",
            shown::path(path)
        );
        Ok(Self::Sheet(target))
    }
}

impl Args {
    /// The clips that are read.
    fn clips(&self, kind: &Kind) -> Clips {
        match self.frames.clip.as_slice() {
            _ if self.all_clips(kind) => Clips::All,
            [] => default_clip(),
            [clip] => Clips::One(clip.clone()),
            _ => Clips::All,
        }
    }

    fn all_clips(&self, kind: &Kind) -> bool {
        let is_sheet = matches!(kind, Kind::Sheet(_)) && self.frames.clip.is_empty();
        self.frames.all_clips || is_sheet && self.frames.orbit.is_none()
    }

    /// Draws and writes everything; returns what was done.
    ///
    /// * `earlier` – an earlier version of the model and its file's name.
    fn draw(
        &self,
        asset: &Asset,
        earlier: Option<(&Asset, &str)>,
        (kind, plan): (&Kind, &[PlannedImage]),
        console: Console,
    ) -> anyhow::Result<String> {
        let views = self.views(kind, asset)?;
        let pages = self.pages(kind, &views, plan)?;
        let name = self.model.file_name();
        let skins = [self.before.over(&self.skin), self.before.later(&self.skin)];
        let settings = skins.each_ref().map(SkinArgs::settings);
        let details = DetailArgs::default();
        let subject = |asset, name, version: usize| Subject {
            asset,
            name,
            model: &self.model,
            look: &self.look,
            details: &details,
            skin: &skins[version],
            settings: &settings[version],
        };
        let own = subject(asset, &name, 1);
        let mut framed = FramedModel::new(own, views, plan, console)?;
        let mut earlier_framed = match earlier {
            Some((earlier, name)) => {
                let own: Vec<PlannedImage> = plan
                    .iter()
                    .map(|planned| planned.of_earlier(asset, earlier).0)
                    .collect();
                let subject = subject(earlier, name, 0);
                Some(FramedModel::new(subject, views, &own, console)?)
            }
            None => None,
        };
        if let Some(earlier) = &mut earlier_framed {
            framed.share(earlier);
        }
        let mut device = self.backend.open()?;
        let mut other = earlier_framed
            .is_some()
            .then(|| self.backend.open())
            .transpose()?;
        let earlier = match (&earlier_framed, &mut other) {
            (Some(framed), Some(other)) => Some(load(other.as_mut(), framed.subject.asset)?),
            _ => None,
        };
        let mut renderer = FilmRenderer {
            model: load(device.as_mut(), asset)?,
            earlier,
            layout: Layout {
                framed: &framed,
                before: earlier_framed.as_ref(),
                progress: console.progress(plan.len(), "drawing"),
            },
            legend: None,
        };
        let written = self.write(&mut renderer, kind, (plan, &pages), console)?;
        renderer.layout.progress.finish_and_clear();
        let images = amount(plan.len(), "image");
        let images = if written < plan.len() {
            format!("{written} of {images}")
        } else {
            images
        };
        let output = match pages.len() {
            0 | 1 => shown::path(&self.output),
            count => format!(
                "{} to {}, because one sheet has no room for all",
                shown::path(&page(&self.output, 0)),
                shown::path(&page(&self.output, count - 1))
            ),
        };
        Ok(format!(
            "{output}: {images} of {}{}",
            plan::describe(asset, plan),
            framed.remarks(&plan[0])?
        ))
    }

    /// Returns how many of the images were drawn.
    ///
    /// * `pages` – the images of each contact sheet.
    fn write(
        &self,
        renderer: &mut FilmRenderer<'_, '_>,
        kind: &Kind,
        (plan, pages): (&[PlannedImage], &[Range<usize>]),
        console: Console,
    ) -> anyhow::Result<usize> {
        let inputs = &renderer.inputs();
        match kind {
            Kind::Files(folder) => {
                let shard = self.shard.shard()?.unwrap_or(Shard::WHOLE);
                return renderer.files(folder, plan, shard, console);
            }
            Kind::Sheet(target) => {
                let own = |index| Target::from(&*page(&self.output, index));
                let targets: Vec<Target> = match pages {
                    [_] => vec![target.clone()],
                    pages => (0..pages.len()).map(own).collect(),
                };
                for target in &targets {
                    target.check_inputs(inputs)?;
                }
                let labels = labels(renderer.layout.framed.subject.name, None);
                for (target, page) in targets.iter().zip(pages) {
                    let sheet = renderer.sheet(&plan[page.clone()])?;
                    target.write(&png::encode(&sheet, &labels)?)?;
                }
            }
            Kind::Animation(target, format) => {
                target.check_inputs(inputs)?;
                let playback = self.playback(&renderer.layout.framed.views, plan)?;
                let bytes = renderer.animation(*format, playback, plan)?;
                if self.compare.is_some() {
                    framed::warn_of_size(bytes.len(), &self.output, console);
                }
                target.write(&bytes)?;
            }
        }
        Ok(plan.len())
    }

    /// The images of each contact sheet; none for other kinds. Refuses a film that is too large before anything is drawn.
    fn pages(
        &self,
        kind: &Kind,
        views: &Views<'_>,
        plan: &[PlannedImage],
    ) -> anyhow::Result<Vec<Range<usize>>> {
        match kind {
            // Written one by one.
            Kind::Files(_) => Ok(Vec::new()),
            Kind::Sheet(_) => {
                let parts = plan.chunk_by(|a, b| a.clip == b.clip);
                let counts: Vec<usize> = parts.map(<[PlannedImage]>::len).collect();
                Ok(film::pages(
                    &counts,
                    views.image_size(self.compare.is_some()),
                )?)
            }
            Kind::Animation(_, format) => {
                self.playback(views, plan)?.check(*format)?;
                Ok(Vec::new())
            }
        }
    }

    fn playback(
        &self,
        views: &Views<'_>,
        plan: &[PlannedImage],
    ) -> anyhow::Result<AnimationOptions> {
        let [width, height] = views.image_size(self.compare.is_some());
        Ok(AnimationOptions {
            width,
            height,
            count: u32::try_from(plan.len())?,
            fps: self.frames.fps,
        })
    }

    fn views(&self, kind: &Kind, asset: &Asset) -> anyhow::Result<Views<'_>> {
        let is_sheet = matches!(kind, Kind::Sheet(_));
        let size = self.look.viewport(SIDES[usize::from(is_sheet)]);
        let sides = if self.compare.is_some() { 2 } else { 1 };
        // The images of a contact sheet share a legend.
        let strip = if is_sheet {
            None
        } else {
            let show = self.look.show(asset)?;
            let image = [size.width * sides, size.height];
            DetailArgs::default().legend_strip(&show, asset, image)
        };
        let size = above(size, strip);
        // The two sides of a comparison are named.
        let strip_above = caption_strip(size.width);
        let caption = if self.compare.is_some() && CAPTION_SHARE * strip_above <= size.height {
            strip_above
        } else {
            0
        };
        let size = Viewport {
            height: size.height - caption,
            ..size
        };
        let quarter = || Viewport::new(u64::from(size.width / 2), u64::from(size.height / 2));
        let (directions, viewport) = if self.frames.views {
            (&VIEWS[..], quarter()?)
        } else {
            (std::slice::from_ref(&self.look.camera), size)
        };
        Ok(Views {
            directions,
            orbits: self.frames.orbit.is_some(),
            viewport,
            caption,
            strip,
        })
    }

    fn plan(
        &self,
        asset: &Asset,
        kind: &Kind,
        console: Console,
    ) -> anyhow::Result<Vec<PlannedImage>> {
        let own = &self.frames;
        ensure!(
            own.fps > 0.0 && own.fps <= 1000.0,
            "--fps {}: expected a rate above 0, at most 1000",
            own.fps
        );
        let clips = chosen_clips(asset, &own.clip, self.all_clips(kind), console)?;
        let times = match (&own.times, kind) {
            (Some(times), _) => Some(times.clone()),
            (None, Kind::Sheet(_)) => Some(Times::Even(if clips.len() > 1 { 6 } else { 12 })),
            (None, _) => None,
        };
        let mut plan = plan::of_clips(
            asset,
            &clips,
            times.as_ref(),
            own.times.is_none() && own.orbit.is_none(),
            own.fps,
        )?;
        if clips.is_empty() {
            plan = plan::at_rest(own.orbit.is_some(), matches!(kind, Kind::Sheet(_)), own.fps);
        }
        let limit = plan::MOST;
        let count = plan.len();
        ensure!(
            count <= limit,
            "{count} images are too many; the limit is {limit}; choose a lower --fps, or select clips with --clip"
        );
        plan::spread_orbit(&mut plan, own.orbit.unwrap_or(0.0));
        Ok(plan)
    }
}

/// The file of a contact sheet on several pages: `clips-1.png` and so on.
pub(super) fn page(output: &Path, index: usize) -> PathBuf {
    let mut name = output.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{}.png", index + 1));
    output.with_file_name(name)
}

fn load<'a>(device: &'a mut dyn Device, asset: &'a Asset) -> anyhow::Result<Box<dyn Model + 'a>> {
    Ok(device.load(asset)?)
}
