//! The arguments that name a model, reading it, and the time limit of the work on it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueHint};

use super::report::Console;
use super::{number, program};
use crate::check::ConfigChoice;
use crate::check::config::FILE_NAME;
use crate::import::{self, Budget, Clips, Importer};
use crate::paths::real;
use crate::pose;
use crate::rig::{Asset, ImageData, Note};
use crate::shown::{self, escaped};
use crate::work::{Stage, Work};

/// How long a search for models may take.
const LONGEST_SEARCH: Duration = Duration::from_secs(300);

/// Heading of the options that are rarely needed.
const READING: &str = "Reading";

/// The formats of models, for help texts.
macro_rules! model_formats {
    () => {
        "FBX, glTF, COLLADA, MD5, X, B3D, SMD, MS3D, M3D, Ogre XML, MDL, IQM, BVH or OBJ"
    };
}
pub(super) use model_formats;

/// Which file to read, and within which limits.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = None::<&str>)]
pub(super) struct ModelArgs {
    #[arg(value_hint = ValueHint::FilePath, help = model_formats!())]
    pub(super) model: PathBuf,
    #[command(flatten)]
    pub(super) read: ReadArgs,
}

/// Which files to read, and within which limits.
#[derive(Debug, Args)]
#[command(next_help_heading = None::<&str>)]
pub(super) struct ModelsArgs {
    #[arg(required = true, value_name = "MODEL", value_hint = ValueHint::FilePath, help = model_formats!())]
    models: Vec<PathBuf>,
    #[command(flatten)]
    read: ReadArgs,
}

impl ModelsArgs {
    /// Each of them.
    pub(super) fn each(&self) -> Vec<ModelArgs> {
        let models = self.models.iter().map(|model| ModelArgs {
            model: model.clone(),
            read: self.read.clone(),
        });
        models.collect()
    }
}

/// The value of `--importer` for the default importer.
const AUTO: &str = "auto";

/// How to read a file, and within which limits.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = None::<&str>)]
pub(super) struct ReadArgs {
    /// Use the clips of another file; joints are matched by name
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) animation: Option<PathBuf>,
    /// Show the model in this variant of its materials (KHR_materials_variants); inspect lists them
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    variant: Option<String>,
    /// Give a VRM model this facial expression, with a weight from 0 to 1; inspect lists them; may be given several times
    #[arg(long, value_name = "NAME=WEIGHT", value_parser = expression, hide_short_help = true)]
    expression: Vec<(String, f32)>,
    #[command(flatten)]
    pub(super) file: FileArgs,
}

fn expression(text: &str) -> Result<(String, f32), String> {
    let parsed = text.rsplit_once('=').and_then(|(name, weight)| {
        let weight: f32 = weight.parse().ok()?;
        Some((name.to_owned(), weight)).filter(|_| (0.0..=1.0).contains(&weight))
    });
    parsed.ok_or_else(|| "expected a name and a weight from 0 to 1, such as happy=0.7".to_owned())
}

/// With what to read a file, and within which limits.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = None::<&str>)]
pub(super) struct FileArgs {
    /// Importer to read the file with; auto is the first that supports its extension
    #[arg(
        long,
        value_name = "NAME",
        default_value = AUTO,
        value_parser = importer_names(),
        help_heading = READING,
        hide_short_help = true
    )]
    importer: String,
    /// Let models reference files in this folder, for example images and buffers, in addition to their own folder and
    /// that of the nearest skincheck.toml; may be given several times
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = READING, hide_short_help = true)]
    read_from: Vec<PathBuf>,
    /// Time limit of the work on one model (default: 60; for a model of more than 20 MB in proportion, up to 300)
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = number::decimal,
        allow_negative_numbers = true,
        help_heading = READING,
        hide_short_help = true
    )]
    timeout: Option<f64>,
    /// Memory limit of the work on one model (default: 1024; for a model of more than 20 MB in proportion, up to 4096)
    #[arg(
        long,
        value_name = "MIB",
        value_parser = number::mebibytes,
        allow_negative_numbers = true,
        help_heading = READING,
        hide_short_help = true
    )]
    memory: Option<u64>,
}

impl ModelArgs {
    /// Reads the model and prints its importer's notes.
    ///
    /// * `images` – whether to read textures.
    /// * `clips` – the clips to read.
    pub(super) fn load(
        &self,
        images: bool,
        clips: Clips,
        console: Console,
    ) -> anyhow::Result<Asset> {
        self.read.load(&self.model, images, clips, console)
    }

    /// Begins the work on the model, which has the budget that it needs.
    pub(super) fn work(&self) -> anyhow::Result<Work> {
        let animation = self.read.animation.iter();
        let paths = std::iter::once(&self.model).chain(animation);
        let budget = self.read.file.budget(paths.map(PathBuf::as_path))?;
        Work::on(&self.model, Stage::Main, budget).with_context(|| self.shown())
    }

    /// The input files.
    pub(super) fn inputs(&self) -> [Option<&Path>; 2] {
        [Some(&self.model), self.read.animation.as_deref()]
    }

    /// The importers of this build that support the model's extension, except the one that reads it.
    pub(super) fn other_importers(&self) -> impl Iterator<Item = &'static dyn Importer> {
        let mut all: Vec<&dyn Importer> = import::importers_for(&self.model).collect();
        let wanted = self.read.file.importer();
        let reads = |importer: &&dyn Importer| wanted.is_none_or(|name| importer.name() == name);
        if let Some(index) = all.iter().position(reads) {
            all.remove(index);
        }
        all.into_iter()
    }

    /// The model's path as the user gave it, for the start of an error.
    pub(super) fn shown(&self) -> String {
        shown::path(&self.model)
    }

    /// The model's file name, for messages and images.
    pub(super) fn file_name(&self) -> String {
        file_name(&self.model)
    }
}

/// The last part of a path.
pub(super) fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    shown::unicode(Path::new(name))
}

/// Most notes that are printed; a file may have a hundred thousand.
const MOST_NOTES: usize = 20;

fn tell_notes(model: &Path, notes: &[Note], console: Console) {
    let model = shown::path(model);
    for note in notes.iter().take(MOST_NOTES) {
        console.warn(format_args!("{model}: {}: {}", note.location, note.message));
    }
    if let Some(more @ 1..) = notes.len().checked_sub(MOST_NOTES) {
        console.warn(format_args!(
            "{model}: {more} more notes; skincheck inspect lists all"
        ));
    }
}

impl ReadArgs {
    /// Reads `model` and prints its importer's notes.
    ///
    /// * `images` – whether to read textures.
    /// * `clips` – the clips to read.
    pub(super) fn load(
        &self,
        model: &Path,
        images: bool,
        clips: Clips,
        console: Console,
    ) -> anyhow::Result<Asset> {
        let options = import::Options {
            clips,
            animation: self.animation.clone(),
            variant: self.variant.clone(),
            expressions: self.expression.clone(),
            ..self.file.options(images)?
        };
        read(model, &options, console)
    }
}

impl FileArgs {
    /// The importer that the user names, if any.
    fn importer(&self) -> Option<&str> {
        Some(self.importer.as_str()).filter(|name| *name != AUTO)
    }

    /// The options of the library, with all clips.
    ///
    /// * `images` – whether to read textures.
    pub(super) fn options(&self, images: bool) -> anyhow::Result<import::Options> {
        for folder in &self.read_from {
            let shown = shown::path(folder);
            anyhow::ensure!(
                folder.is_dir(),
                "--read-from {shown}: there is no such folder; name the one that holds the files"
            );
        }
        Ok(import::Options {
            isolation: program::isolation(),
            limits: self.limits()?,
            images,
            importer: self.importer().map(str::to_owned),
            animation: None,
            clips: Clips::All,
            variant: None,
            expressions: Vec::new(),
            read_from: self.read_from.clone(),
            project_file: Some(FILE_NAME),
            decoded: false,
        })
    }

    /// Reads `model` with all clips, and prints its importer's notes.
    ///
    /// * `images` – whether to read textures.
    pub(super) fn load(
        &self,
        model: &Path,
        images: bool,
        console: Console,
    ) -> anyhow::Result<Asset> {
        read(model, &self.options(images)?, console)
    }

    /// How long a search for models may take.
    pub(super) fn search_time(&self) -> anyhow::Result<Duration> {
        Ok(self.limits()?.time.unwrap_or(LONGEST_SEARCH))
    }

    /// The limits of the work on a model.
    pub(super) fn limits(&self) -> anyhow::Result<import::Limits> {
        let time = self.timeout.map(|time| seconds("--timeout", time));
        Ok(import::Limits {
            memory_bytes: self.memory.map(|memory| memory.saturating_mul(1024 * 1024)),
            time: time.transpose()?,
        })
    }

    /// The budget of the work on the models at `paths` together: that of the largest.
    pub(super) fn budget<'a>(
        &self,
        paths: impl Iterator<Item = &'a Path>,
    ) -> anyhow::Result<Budget> {
        let limits = self.limits()?;
        let budgets = paths.map(|path| limits.budget(path));
        let largest = budgets.reduce(|one, other| Budget {
            memory_bytes: one.memory_bytes.max(other.memory_bytes),
            time: one.time.max(other.time),
        });
        Ok(largest.expect("a command names a model"))
    }
}

fn read(model: &Path, options: &import::Options, console: Console) -> anyhow::Result<Asset> {
    let spinner = console.spinner(&format!("reading {}", shown::path(model)));
    let asset = import::load(model, options).and_then(|asset| {
        if shows_default_clip(&asset, options) {
            return Ok(asset);
        }
        let clips = Clips::All;
        import::load(
            model,
            &import::Options {
                clips,
                ..options.clone()
            },
        )
    });
    spinner.finish_and_clear();
    let asset = asset?;
    tell_notes(model, &asset.notes, console);
    if let Some(lines) = missing_images(&asset) {
        console.warn(format_args!("{}: {lines}", shown::path(model)));
    }
    Ok(asset)
}

/// Most images that a warning names after the first.
const MOST_NAMED: usize = 3;

/// What is missing and how it is drawn, in one sentence however many there are: of an image with base colours, if one is
/// missing.
fn missing_images(asset: &Asset) -> Option<String> {
    let base_colors = asset
        .materials
        .iter()
        .filter_map(|own| own.base_color_texture);
    let base_colors: Vec<usize> = base_colors.map(|texture| texture.image.index()).collect();
    let images = asset.images.iter().enumerate();
    let missing = images.filter_map(|(index, image)| match &image.data {
        ImageData::Missing(reason) => Some((base_colors.contains(&index), image, reason)),
        _ => None,
    });
    let missing: Vec<_> = missing.collect();
    let is_drawn = |missing: &&(bool, _, _)| missing.0;
    let (is_drawn, image, reason) = missing.iter().find(is_drawn).or(missing.first())?;
    let name = match &*image.name {
        name if reason.contains(name) => String::new(),
        name => format!(" \"{}\"", escaped(name)),
    };
    let effect = if *is_drawn {
        "drawn as marked clay"
    } else {
        "left out"
    };
    let others = missing
        .iter()
        .filter(|other| !std::ptr::eq(other.1, *image));
    let mut names: Vec<String> = others.map(|other| escaped(&other.1.name)).collect();
    let more = names.len().saturating_sub(MOST_NAMED);
    names.truncate(MOST_NAMED);
    let others = match (names.as_slice(), more) {
        ([], _) => String::new(),
        (names, 0) => format!("; also missing: {}", names.join(", ")),
        (names, more) => format!("; also missing: {} and {more} more", names.join(", ")),
    };
    Some(format!(
        "image{name} is missing and {effect}: {reason}{others}"
    ))
}

/// Requests the default clip. It is mostly the first, so only that one is read at first.
pub(super) fn default_clip() -> Clips {
    Clips::One("default".to_owned())
}

/// Whether `asset` holds the default clip, if that was requested. If the first clip does not move, the others must be read
/// too.
fn shows_default_clip(asset: &Asset, options: &import::Options) -> bool {
    let first = asset.clips.first();
    let is_idle = asset.clips.len() > 1 && first.is_some_and(|clip| pose::idle(clip).is_some());
    options.clips != default_clip() || !is_idle
}

/// The value of `option`, in seconds.
pub(super) fn seconds(option: &str, number: f64) -> anyhow::Result<Duration> {
    let time = Duration::try_from_secs_f64(number).ok();
    let time = time.filter(|time| !time.is_zero());
    time.with_context(|| format!("{option} {number}: expected a number of seconds above 0"))
}

fn importer_names() -> PossibleValuesParser {
    let names = import::IMPORTERS.iter().map(|importer| importer.name());
    PossibleValuesParser::new(std::iter::once(AUTO).chain(names))
}

/// The configuration that `--config` names, that `--no-config` refuses, or the nearest one.
pub(super) fn config_choice(config: Option<&Path>, no_config: bool) -> ConfigChoice {
    match config {
        Some(path) => ConfigChoice::File(path.to_owned()),
        None if no_config => ConfigChoice::None,
        None => ConfigChoice::Nearest,
    }
}

/// Lets models name the files below the folder of the configuration that was chosen, instead of the nearest one's.
pub(super) fn below_config(import: &mut import::Options, config: Option<&Path>, no_config: bool) {
    if no_config || config.is_some() {
        import.project_file = None;
        let config = config.map(real);
        let folder = config.as_deref().and_then(Path::parent);
        import.read_from.extend(folder.map(Path::to_owned));
    }
}
