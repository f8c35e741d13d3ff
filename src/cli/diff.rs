//! `skincheck diff`: does the model after deform as the model before does?

mod caches;
mod folders;
pub(super) mod importers;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, bail, ensure};
use clap::builder::TypedValueParser;
use clap::{Args as ClapArgs, ValueHint};

use super::load::{FileArgs, config_choice, model_formats};
use super::moving::{FRAME, PAGE_OF_DIFF};
use super::number::{self, choices};
use super::output::ensure_distinct;
use super::part::ShardArgs;
use super::report::{Console, Outcome};
use super::report_target::{ON_STDOUT, ReportTarget, formats, remove_earlier_pages, write_all};
use crate::diff::reference::{Reference, is_reference};
use crate::diff::{self, Accepted, Kind, Only, Options, Settings, Source, Tolerance};
use crate::engines::TargetEngine;
use crate::import::is_point_cache;
use crate::report::Format;
use crate::report::diff::{Compared, Comparison, ImageError, PageImages, Pair};
use crate::rig::{Asset, SkinningOptions};
use crate::shown;
use crate::work::{Stage, Work};
use importers::Importers;

/// Compare two versions of a rig over all clips
///
/// Reports how far apart their surfaces are, where and when, and which stage is at fault.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Axes and units are reconciled as both files state them. Joints, clips and vertices are matched by name, position and \
motion. A reference stores meshes and joints evaluated by another program; `bake` and the \
script for Blender write one. A point cache (PC2, MDD, or Maya's MC or XML) is a reference for one mesh of a model; its \
axes, unit and clip are those that fit best.

With --importers, one file is read by two importers. Nothing is reconciled then: both must say the same.

Models of two folders are paired by path, whatever their extension. A model without a counterpart is a difference.

Examples:
  skincheck diff golden.fbx imported.glb
  skincheck diff before.glb after.glb --tolerance 2mm
  skincheck diff before.glb after.glb --only surface --ignore resampled
  skincheck diff hero.skref hero.glb --align similarity --align time
  skincheck diff scene.pc2 hero.glb --fps 30
  skincheck diff hero.fbx hero.glb --map mixamorig:Hips=Hips --clip-map Take=Walk
  skincheck diff before.glb after.glb --report html=differences.html
  skincheck diff before.glb after.glb --format json | jq '.models[].findings[].message'
  skincheck diff golden exported --report junit=out.xml
  skincheck diff golden exported --shard 3/16
  skincheck diff hero.glb hero.glb --engine-after unreal
  skincheck diff hero.fbx --importers fbx,assimp

Exit codes: 0 the same within the tolerance, 1 different, 2 could not compare (bad arguments, unreadable file).")]
pub(super) struct Args {
    /// The model to compare with, a reference, or a folder of them
    #[arg(
        value_hint = ValueHint::AnyPath,
        long_help = concat!(
            "The model to compare with, a reference, or a folder of them\n\nModels: ",
            model_formats!(),
            "."
        )
    )]
    before: PathBuf,
    /// The model, reference or folder that may have changed
    #[arg(value_hint = ValueHint::AnyPath, required_unless_present = "importers")]
    after: Option<PathBuf>,
    /// Compare BEFORE, read by one importer, with the same file read by another
    ///
    /// Default: the first two that support the file's extension.
    #[arg(
        long,
        value_name = "A,B",
        num_args = 0..=1,
        default_missing_value = "",
        value_parser = Importers::from_str,
        conflicts_with_all = OF_TWO_FILES,
        hide_short_help = true
    )]
    importers: Option<Importers>,
    /// Ignore differences up to 0.1% of the diagonal, 2mm and the like (default: 0.1%)
    #[arg(long, value_name = "N%|Nmm", allow_hyphen_values = true)]
    tolerance: Option<Tolerance>,
    /// Compare after aligning: the whole model in space, or clips in time
    ///
    /// similarity accepts a scale, rotation, mirroring or shift of the whole model; time accepts clips at other times.
    #[arg(long, value_name = "WHAT", value_parser = choices([("similarity", Accepted::Similarity), ("time", Accepted::Time)]))]
    align: Vec<Accepted>,
    /// Report findings of this kind as remarks, such as resampled; may be given several times
    #[arg(long, value_name = "KIND", value_parser = kinds(), hide_possible_values = true)]
    ignore: Vec<Kind>,
    /// Report findings of this kind as differences, such as texture-coordinates; may be given several times
    #[arg(long, value_name = "KIND", value_parser = kinds(), hide_possible_values = true, hide_short_help = true)]
    count: Vec<Kind>,
    /// Count only differences of the deformed surface
    ///
    /// Differences of names, the hierarchy and joints without weights are remarks.
    #[arg(long, value_name = "WHAT", value_parser = choices([("surface", Only::Surface)]))]
    only: Option<Only>,
    /// Compare BEFORE as this engine skins it, such as unreal or unreal:weights=16
    ///
    /// skincheck rules --engines lists engines and options.
    #[arg(long, value_name = "NAME[:OPTION=VALUE,…]", hide_short_help = true)]
    engine_before: Option<TargetEngine>,
    /// Compare AFTER as this engine skins it
    #[arg(long, value_name = "NAME[:OPTION=VALUE,…]", hide_short_help = true)]
    engine_after: Option<TargetEngine>,
    /// Scale AFTER by this factor before comparing
    #[arg(long, value_name = "FACTOR", value_parser = number::decimal, allow_negative_numbers = true, hide_short_help = true)]
    scale: Option<f64>,
    /// Match joint A of BEFORE with joint B of AFTER
    #[arg(long, value_name = "A=B", value_parser = pair)]
    map: Vec<(String, String)>,
    /// Match clip A of BEFORE with clip B of AFTER
    #[arg(long, value_name = "A=B", value_parser = pair)]
    clip_map: Vec<(String, String)>,
    /// Mesh of a point cache or of the model, where several may be meant
    #[arg(
        long,
        value_name = "NAME",
        help_heading = "Point caches",
        hide_short_help = true
    )]
    mesh: Option<String>,
    /// Frames per second of a PC2, which counts frames (default: 24)
    #[arg(long, value_name = "N", value_parser = number::decimal, allow_negative_numbers = true, help_heading = "Point caches", hide_short_help = true)]
    fps: Option<f64>,
    /// Time of the first frame in seconds (default: as stored)
    #[arg(long, value_name = "SECONDS", value_parser = number::finite, allow_negative_numbers = true, help_heading = "Point caches", hide_short_help = true)]
    start: Option<f64>,
    /// Configuration whose table [diff] applies (default: the nearest skincheck.toml above AFTER)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    config: Option<PathBuf>,
    /// Format of the report
    #[arg(long, value_name = "NAME", default_value = "text", value_parser = formats(&ON_STDOUT), help_heading = "Report")]
    format: Format,
    /// Also write a page with images and plots (html=out.html), or a report such as sarif=out.sarif; may be given several times
    #[arg(long = "report", value_name = "NAME=FILE", value_parser = ReportTarget::parse, help_heading = "Report")]
    reports: Vec<ReportTarget>,
    #[command(flatten)]
    shard: ShardArgs,
    #[command(flatten)]
    file: FileArgs,
}

/// Options that do not apply to one file read by two importers.
const OF_TWO_FILES: [&str; 13] = [
    "after",
    "align",
    "engine_before",
    "engine_after",
    "scale",
    "map",
    "clip_map",
    "mesh",
    "fps",
    "start",
    "config",
    "shard",
    "importer",
];

fn kinds() -> impl TypedValueParser<Value = Kind> {
    choices(Kind::ALL.iter().map(|kind| (kind.name(), *kind)))
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (before, after) = text
        .split_once('=')
        .ok_or("expected two names, such as Hips=pelvis")?;
    Ok((before.to_owned(), after.to_owned()))
}

impl Args {
    /// Whether models of two folders are compared.
    pub(super) fn is_of_folders(&self) -> bool {
        let after = self.after.as_deref();
        self.before.is_dir() && after.is_some_and(Path::is_dir)
    }
}

pub(super) fn run(args: &Args, console: Console) -> anyhow::Result<Outcome> {
    remove_earlier_pages(&args.reports)?;
    if let Some(importers) = &args.importers {
        return importers::run(args, importers, console);
    }
    let after = args.after.as_deref().context("name the model after")?;
    let paths = [args.before.as_path(), after];
    if paths.iter().all(|path| path.is_dir()) {
        return folders::run(args, paths, console);
    }
    ensure!(
        !args.shard.is_given(),
        "--shard splits the models of two folders, but {} are single models",
        paths.map(shown::path).join(" and ")
    );
    Ok(Outcome::of_check(compare_files(args, paths, console)))
}

/// Returns whether both are the same.
fn compare_files(args: &Args, paths: [&Path; 2], console: Console) -> anyhow::Result<bool> {
    ensure_distinct(args.reports.iter().map(ReportTarget::target))?;
    for target in &args.reports {
        target.target().check(&paths.map(Some))?;
    }
    let options = args.options(Some(paths[1]))?;
    let engines = args.engines();
    let work = work_on(&args.file, paths)?;
    let models = Models {
        paths,
        importers: None,
        sources: args.load_both(paths, engines.each_ref().map(Option::as_ref), console)?,
    };
    let (compared, images) = compare(&models, &options, &work, args.room(), console)?;
    let comparison = Comparison {
        folders: None,
        engines: engines.map(name_of),
        models: vec![Pair::Compared(Box::new(compared))],
        left: 0,
    };
    args.write(&comparison, &images, console)?;
    Ok(comparison.is_same())
}

/// Two models that were read.
struct Models<'a> {
    paths: [&'a Path; 2],
    /// The importers that read them, if both are one file.
    importers: Option<[&'static str; 2]>,
    sources: [Source; 2],
}

/// Begins the work on two models, or on one file that two importers read.
fn work_on(file: &FileArgs, paths: [&Path; 2]) -> anyhow::Result<Work> {
    let what = if paths[0] == paths[1] {
        shown::path(paths[0])
    } else {
        paths.map(shown::path).join(" and ")
    };
    let budget = file.budget(paths.into_iter())?;
    Ok(Work::named(what, Stage::Main, budget)?)
}

/// Compares two models.
///
/// * `room` – for the models in motion of a page, if one is written.
fn compare(
    models: &Models<'_>,
    options: &Options,
    work: &Work,
    room: Option<usize>,
    console: Console,
) -> anyhow::Result<(Compared, PageImages)> {
    let mut options = options.clone();
    options.deadline = work.deadline();
    work.part("comparing");
    let what = match models.importers {
        Some(importers) => format!(
            "{} by {}",
            shown::path(models.paths[0]),
            importers.join(" and ")
        ),
        None => models.paths.map(shown::path).join(" and "),
    };
    let spinner = console.spinner(&format!("comparing {what}"));
    let [before, after] = &models.sources;
    let compared = diff::compare_and_inspect(before, after, &options, |report, posed| {
        room.map(|room| PageImages::draw(report, posed)?.in_motion(report, posed, room))
    });
    spinner.finish_and_clear();
    let (report, images) = compared.with_context(|| what)?;
    let images: Result<Option<PageImages>, ImageError> = images.flatten().transpose();
    let compared = Compared {
        paths: models.paths.map(shown::unicode),
        importers: models.importers,
        report,
    };
    Ok((compared, images?.unwrap_or_default()))
}

/// An engine, for reports.
fn name_of(engine: Option<TargetEngine>) -> Option<String> {
    engine.map(|engine| engine.to_string())
}

/// A reference, or the model that `read` reads, as `engine` skins it.
fn load(
    path: &Path,
    engine: Option<&TargetEngine>,
    read: impl FnOnce(&Path) -> anyhow::Result<Asset>,
) -> anyhow::Result<Source> {
    if is_reference(path) {
        ensure!(
            engine.is_none(),
            "{}: a reference holds vertices that are skinned already, so no engine can be chosen for it",
            shown::path(path)
        );
        let reference = Reference::load(path).with_context(|| shown::path(path))?;
        return Ok(Source::Reference(Box::new(reference)));
    }
    load_model(path, engine, read).map(Source::from)
}

/// The model that `read` reads, as `engine` skins it.
fn load_model(
    path: &Path,
    engine: Option<&TargetEngine>,
    read: impl FnOnce(&Path) -> anyhow::Result<Asset>,
) -> anyhow::Result<Asset> {
    let mut asset = read(path)?;
    if let Some(engine) = engine {
        engine
            .apply(&mut asset)
            .with_context(|| shown::path(path))?;
    }
    Ok(asset)
}

impl Args {
    fn load_both(
        &self,
        paths: [&Path; 2],
        engines: [Option<&TargetEngine>; 2],
        console: Console,
    ) -> anyhow::Result<[Source; 2]> {
        // Only a page shows textures.
        let read = |path: &Path| self.file.load(path, self.room().is_some(), console);
        let cache = match paths.map(is_point_cache) {
            [false, false] => {
                if let Some((option, _)) = self.of_caches().find(|(_, is_given)| *is_given) {
                    bail!("{option} is for a point cache, and neither file is one");
                }
                return Ok([
                    load(paths[0], engines[0], read)?,
                    load(paths[1], engines[1], read)?,
                ]);
            }
            [true, true] => bail!(
                "{} are both point caches; compare each with a model",
                paths.map(shown::path).join(" and ")
            ),
            [is_first, _] => usize::from(!is_first),
        };
        let other = 1 - cache;
        ensure!(
            !is_reference(paths[other]),
            "{}: a point cache is compared with a model, and this is a reference",
            shown::path(paths[other])
        );
        ensure!(
            engines[cache].is_none(),
            "{}: a point cache holds vertices that are skinned already, so no engine can be chosen for it",
            shown::path(paths[cache])
        );
        let mut model = load_model(paths[other], engines[other], read)?;
        let reference = caches::reference(self, paths[cache], &mut model, console)?;
        let mut sources = [Source::Reference(Box::new(reference)), Source::from(model)];
        if cache == 1 {
            sources.reverse();
        }
        Ok(sources)
    }

    /// The options that only a point cache has, and whether they are given.
    fn of_caches(&self) -> impl Iterator<Item = (&'static str, bool)> {
        [
            ("--mesh", self.mesh.is_some()),
            ("--fps", self.fps.is_some()),
            ("--start", self.start.is_some()),
        ]
        .into_iter()
    }

    /// The engines that skin the models, before and after.
    fn engines(&self) -> [Option<TargetEngine>; 2] {
        [self.engine_before.clone(), self.engine_after.clone()]
    }

    /// The room for models in motion, if a page is written.
    fn room(&self) -> Option<usize> {
        let draws = self.reports.iter().any(ReportTarget::is_page);
        draws.then_some(PAGE_OF_DIFF - FRAME)
    }

    /// Writes the reports.
    fn write(
        &self,
        comparison: &Comparison,
        images: &PageImages,
        console: Console,
    ) -> anyhow::Result<()> {
        let write = |format, view| comparison.write(format, view, images);
        write_all(self.format, &self.reports, write, console)
    }

    /// The options for `after`, without a deadline. Without it, no configuration applies.
    fn options(&self, after: Option<&Path>) -> anyhow::Result<Options> {
        Ok(Options {
            settings: self.settings(after)?,
            weights: [&self.engine_before, &self.engine_after].map(|engine| {
                let options = SkinningOptions::default();
                let engine = engine.as_ref();
                engine
                    .map_or(options, |engine| engine.skinning(options))
                    .weights
            }),
            ..Options::default()
        })
    }

    /// The settings of the configuration of `after`, overridden by the command line.
    fn settings(&self, after: Option<&Path>) -> anyhow::Result<Settings> {
        let mut settings = Settings::default();
        if let Some(after) = after {
            let config = config_choice(self.config.as_deref(), false).of(after)?;
            for layer in config.iter().flat_map(|config| config.layers(after)) {
                settings = settings.with(&layer.diff);
            }
        }
        for (option, pairs) in [("--map", &self.map), ("--clip-map", &self.clip_map)] {
            let mut named = BTreeSet::new();
            if let Some((name, _)) = pairs.iter().find(|(name, _)| !named.insert(name)) {
                bail!("{option}: {name:?} is paired twice");
            }
        }
        let settings = settings.with(&Settings {
            tolerance: self.tolerance,
            align: self.align.clone(),
            ignore: self.ignore.iter().copied().collect(),
            count: self.count.iter().copied().collect(),
            only: self.only,
            scale: self.scale,
            joints: self.map.iter().cloned().collect(),
            clips: self.clip_map.iter().cloned().collect(),
            ..Settings::default()
        });
        if let Some(scale) = settings
            .scale
            .filter(|scale| !(*scale > 0.0 && scale.is_finite()))
        {
            bail!("--scale {scale}: expected a number above 0");
        }
        Ok(settings)
    }
}
