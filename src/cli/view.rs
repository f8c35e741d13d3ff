//! `skincheck view`: a page that shows a model in motion.

use std::iter;
use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::{Args as ClapArgs, ValueHint};
use rayon::prelude::*;

use super::load::ModelArgs;
use super::look::{Sampled, Shown, face, uncover};
use super::moving::{still, take};
use super::number;
use super::output::{self, Target};
use super::posing::chosen_clips;
use super::report::Console;
use super::skin::SkinArgs;
use crate::frame::{Frame, png};
use crate::import::Clips;
use crate::lint::Settings;
use crate::pose::{self, RangePose};
use crate::report::bake;
use crate::report::view::Page;
use crate::rig::{Asset, NodeId};
use crate::shown;
use crate::units::{Seconds, SignedAxis};
use crate::view::{Show, ViewDirection};
use crate::viewer::{Contents, Numbers, SQUARE, Source, Take, shares};

/// Show a model in motion: one page for a browser, to orbit, scrub and click
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  skincheck view hero.glb
  skincheck view hero.fbx --clip Walk -o walk.html
  skincheck view hero.glb --show stretch -o hero.html
  skincheck view new/hero.glb --show distance:old/hero.glb -o change.html")]
pub(super) struct Args {
    /// The HTML file, or - for standard output
    ///
    /// Default: the model's name in the current folder, opened in a browser.
    #[arg(short, long, value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// Clips to show, by name or index (default: all)
    #[arg(long, value_name = "NAME|INDEX", allow_negative_numbers = true)]
    clip: Vec<String>,
    #[arg(
        long,
        value_name = "WHAT",
        default_value = "lit",
        help = format!("What the colours show at first: {}", Show::expected()),
        long_help = format!("What the colours show at first: {}\n\nThe page always has lit, texture, weights, influences, joints, \
            normals, uv, stretch and, over each, wireframe; it has modes that measure each pose, such as volume or \
            distance, only if named here.",
            Show::expected())
    )]
    show: String,
    /// View at first: front, back, left, right, top, three-quarter, or orbit:YAW,PITCH in degrees
    #[arg(long, value_name = "VIEW", default_value = "three-quarter")]
    camera: ViewDirection,
    /// Direction the character faces, such as -Y (default: inferred)
    ///
    /// +X, -X, +Y, -Y, +Z or -Z. Inferred as for render.
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    front: Option<SignedAxis>,
    /// Maximum size of the page, in MB
    ///
    /// To stay below it, clips get fewer frames per second and textures become smaller, and the page says so.
    #[arg(
        long,
        value_name = "MB",
        default_value_t = 20.0,
        value_parser = number::decimal,
        allow_negative_numbers = true,
        hide_short_help = true
    )]
    page_size: f64,
    #[command(flatten)]
    skin: SkinArgs,
    #[command(flatten)]
    model: ModelArgs,
}

/// Sizes of pages, in MB.
const SIZES: std::ops::RangeInclusive<f64> = 0.5..=500.0;

/// The rest pose.
const REST: Source = Source::Range(RangePose::Rest);

/// The most numbers of vertices in one mode: some seconds of measuring.
const MOST_NUMBERS: usize = 1 << 24;

/// The modes that every page has, in the words of `--show`.
const USUAL: [&str; 8] = [
    "lit",
    "texture",
    "weights",
    "influences",
    "joints",
    "normals",
    "uv",
    "stretch",
];

pub(super) fn run(args: &Args, console: Console) -> anyhow::Result<()> {
    let target = match &args.output {
        Some(path) => Target::from(path.as_path()),
        None => Target::beside(&args.model.model, "html", Page::is_ours)?,
    };
    let [model, animation] = args.model.inputs();
    target.check(&[model, animation])?;
    target.check_extension(&["html", "htm"], "the output is HTML")?;
    let budget = args.budget()?;
    Show::parse(&args.show, |_: &str| anyhow::Ok(vec![NodeId(0)]))?;
    let work = args.model.work()?;
    let mut asset = args.model.load(true, Clips::All, console)?;
    let context = || args.model.shown();
    face(&mut asset, args.front).with_context(context)?;
    uncover(&mut asset, console).with_context(context)?;
    args.skin
        .emulate(&mut asset, Some(&args.show))
        .with_context(context)?;
    target.check_inputs(asset.paths())?;
    work.part("computing the page");
    let page = args.page(&asset, budget, console).with_context(context)?;
    work.part("writing the page");
    let html = page.to_html();
    if html.len() > budget {
        console.warn(format_args!(
            "the page is {:.1} MB, more than --page-size {}: geometry is never thinned",
            megabytes(html.len()),
            megabytes(budget)
        ));
    }
    target.write(html.as_bytes())?;
    if let Some(path) = target.path() {
        let size = format!("{:.1} MB", megabytes(html.len()));
        let notes: Vec<&str> = iter::once(size.as_str())
            .chain(page.notes().iter().map(String::as_str))
            .collect();
        console.note(format_args!("{}: {}", shown::path(path), notes.join(", ")));
        if args.output.is_none() {
            output::open_page(path, console);
        }
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "for people")]
fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

impl Args {
    /// The size of the page in bytes.
    fn budget(&self) -> anyhow::Result<usize> {
        let size = self.page_size;
        ensure!(
            SIZES.contains(&size),
            "--page-size {size}: expected MB from {} to {}",
            SIZES.start(),
            SIZES.end()
        );
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "half a million to half a billion"
        )]
        Ok((size * 1e6) as usize)
    }

    fn page(&self, asset: &Asset, budget: usize, console: Console) -> anyhow::Result<Page> {
        ensure!(
            !asset.skeleton.is_empty(),
            "the model has no nodes, so there is nothing to show"
        );
        let takes = self.takes(asset, console)?;
        let first = self.first(asset, &takes);
        let show = Show::parse(&self.show, |names: &str| {
            anyhow::Ok(pose::find_joints(asset, names)?)
        })?;
        ensure!(
            show.name() != "depth",
            "--show depth: a page has no such mode; skincheck render draws it"
        );
        if let Some(reason) = show.missing_data(asset) {
            console.warn(format_args!("--show {}: {reason}", self.show));
        }
        let still = self.still(asset, &takes[first], console)?;
        let contents = Contents {
            asset,
            skinning: self.skin.options(),
            numbers: self.numbers(asset, &takes)?,
            takes,
        };
        let still = png::encode_small(&still)?;
        // The picture and the program take their part.
        let room = budget.saturating_sub(2 * still.len()).max(budget / 2);
        let mut packed = contents.pack(room)?;
        packed.json["first"] = first.into();
        packed.json["show"] = show.name().into();
        packed.json["joint"] = show.joints().first().map(|joint| joint.index()).into();
        Ok(Page::new(&self.model.file_name(), asset, packed, &still))
    }

    /// The clips, then the poses without one.
    fn takes(&self, asset: &Asset, console: Console) -> anyhow::Result<Vec<Take>> {
        let clips = chosen_clips(asset, &self.clip, self.clip.is_empty(), console)?
            .into_iter()
            .map(Source::Clip);
        let poses = [REST, Source::Bind]
            .into_iter()
            .filter(|source| *source == REST || !asset.skins.is_empty());
        clips
            .chain(poses)
            .map(|source| take(asset, source, self.camera, self.skin.options()))
            .collect()
    }

    /// The take that is shown at first: the clip that other commands choose.
    fn first(&self, asset: &Asset, takes: &[Take]) -> usize {
        let default = pose::default_clip(asset).filter(|_| self.clip.is_empty());
        let wanted = default.map(|default| Source::Clip(default.clip));
        let found = takes.iter().position(|take| Some(take.source) == wanted);
        found.unwrap_or(0)
    }

    /// The first frame, for browsers that cannot draw the model.
    fn still(&self, asset: &Asset, take: &Take, console: Console) -> anyhow::Result<Frame> {
        take.pose(asset, [0], |_, pose| {
            if let Some(overflow) = bake::lost_nodes(&self.model.shown(), asset, pose) {
                console.warn(overflow);
            }
            anyhow::Ok(())
        })?;
        still(asset, take, self.skin.options(), SQUARE)
    }

    /// The numbers of `stretch`, and those of the mode that `--show` names.
    fn numbers(&self, asset: &Asset, takes: &[Take]) -> anyhow::Result<Vec<Numbers>> {
        let word = self.show.split(':').next().unwrap_or_default();
        let named = (!USUAL.contains(&word)).then_some(self.show.as_str());
        let skinned = asset
            .instances
            .iter()
            .any(|instance| instance.skin.is_some());
        let stretch = skinned.then_some("stretch");
        let settings = self.skin.settings();
        let modes = stretch
            .into_iter()
            .chain(named)
            .map(|text| {
                Show::parse(text, |names: &str| {
                    anyhow::Ok(pose::find_joints(asset, names)?)
                })
            })
            .collect::<anyhow::Result<Vec<Show>>>()?
            .into_iter();
        let measured = modes.filter(|show| show.needs_numbers().is_some());
        measured
            .map(|show| self.measured(asset, takes, show, &settings))
            .collect()
    }

    fn measured(
        &self,
        asset: &Asset,
        takes: &[Take],
        mode: Show,
        settings: &Settings,
    ) -> anyhow::Result<Numbers> {
        let vertices: usize = asset
            .instances
            .iter()
            .map(|i| asset.mesh_of(i).positions.len())
            .sum();
        let frames: usize = takes.iter().map(|take| take.times.len()).sum();
        let every = (vertices * frames).div_ceil(MOST_NUMBERS).max(1);
        let sampled = |take: &Take, frame: usize| -> Option<Sampled> {
            match take.source {
                Source::Clip(clip) => Some((Some(clip), take.times[frame])),
                Source::Range(_) => Some((None, Seconds::ZERO)),
                Source::Bind | Source::Stored(_) => None,
            }
        };
        let frames = |take: &Take| (0..take.times.len()).step_by(every);
        let all = || -> anyhow::Result<Vec<Sampled>> {
            let all = takes
                .iter()
                .flat_map(|take| frames(take).filter_map(|frame| sampled(take, frame)));
            Ok(all.collect())
        };
        let shown = Shown::new(mode.clone(), asset, settings, &self.skin, all, &self.model)?;
        let of_take = |take: &Take| -> anyhow::Result<(Vec<Vec<u8>>, Option<Show>)> {
            let (mut rows, mut last) = (Vec::new(), None);
            take.pose(asset, frames(take), |frame, pose| {
                let Some(sampled) = sampled(take, frame) else {
                    rows.push(vec![u8::MAX; vertices]);
                    return Ok(());
                };
                let show = shown.at(sampled, pose)?;
                rows.push(shares(asset, &show));
                last = Some(show);
                anyhow::Ok(())
            })?;
            Ok((rows, last))
        };
        let of_takes: anyhow::Result<Vec<_>> = takes.par_iter().map(of_take).collect();
        let (of_takes, measured): (Vec<_>, Vec<_>) = of_takes?.into_iter().unzip();
        let show = measured.into_iter().flatten().next().unwrap_or(mode);
        Ok(Numbers {
            show,
            every,
            of_takes,
        })
    }
}
