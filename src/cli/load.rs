//! The arguments that name a model, and reading it.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueHint};
use skincheck::import::{self, Importer};
use skincheck::rig::{Asset, ImageData, Note};
use skincheck::shown::{self, escaped};

use super::number;
use super::report::Console;

/// Heading of the options that seldom matter.
const READING: &str = "Reading";

/// Which file, and how much it may cost to read it.
#[derive(Debug, Args)]
#[command(next_help_heading = None::<&str>)]
pub(super) struct ModelArgs {
    /// The model: FBX, glTF, COLLADA, MD5, X, B3D, SMD, MS3D, M3D, Ogre XML, MDL, IQM, BVH or OBJ
    #[arg(value_hint = ValueHint::FilePath)]
    pub(super) model: PathBuf,
    #[command(flatten)]
    read: ReadArgs,
}

/// No importer in particular.
const AUTO: &str = "auto";

/// How a file is read, and how much that may cost.
#[derive(Debug, Args)]
#[command(next_help_heading = None::<&str>)]
pub(super) struct ReadArgs {
    /// Take the clips of another file; joints are matched by name
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    animation: Option<PathBuf>,
    /// Read the file with this importer; auto takes the first that takes its extension
    #[arg(
        long,
        value_name = "NAME",
        default_value = AUTO,
        value_parser = importer_names(),
        help_heading = READING
    )]
    importer: String,
    /// Give up on a file that takes longer to read
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 60.0,
        value_parser = number::decimal,
        allow_negative_numbers = true,
        help_heading = READING
    )]
    import_timeout: f64,
    /// Give up on a file that needs more memory to read
    #[arg(
        long,
        value_name = "MIB",
        default_value = "4096",
        value_parser = number::from_one::<NonZeroU64>,
        allow_negative_numbers = true,
        help_heading = READING
    )]
    import_memory: NonZeroU64,
}

impl ModelArgs {
    /// Reads the model and passes on what its importer has to say.
    ///
    /// * `images` – whether textures are wanted.
    pub(super) fn load(&self, images: bool, console: Console) -> anyhow::Result<Asset> {
        self.read.load(&self.model, images, console)
    }

    /// The files that are read.
    pub(super) fn inputs(&self) -> [Option<&Path>; 2] {
        [Some(&self.model), self.read.animation.as_deref()]
    }

    /// The importers of this build that take the model's extension, without the one that reads it.
    pub(super) fn other_importers(&self) -> impl Iterator<Item = &'static dyn Importer> {
        let mut all: Vec<&dyn Importer> = import::importers_for(&self.model).collect();
        let wanted = self.read.importer();
        let reads = |importer: &&dyn Importer| wanted.is_none_or(|name| importer.name() == name);
        if let Some(index) = all.iter().position(reads) {
            all.remove(index);
        }
        all.into_iter()
    }

    /// The model's path as the user gave it, to head an error with.
    pub(super) fn shown(&self) -> String {
        shown::path(&self.model)
    }

    /// The model's file name, for people and for pictures.
    pub(super) fn file_name(&self) -> String {
        file_name(&self.model)
    }
}

/// The last part of a path.
pub(super) fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    shown::unicode(Path::new(name))
}

/// Notes that are told one by one; nobody reads more, and a file may have a hundred thousand.
const MOST_NOTES: usize = 20;

fn tell_notes(model: &Path, notes: &[Note], console: Console) {
    let model = shown::path(model);
    for note in notes.iter().take(MOST_NOTES) {
        console.warn(format_args!("{model}: {}: {}", note.place, note.message));
    }
    if let Some(more @ 1..) = notes.len().checked_sub(MOST_NOTES) {
        console.warn(format_args!(
            "{model}: and {more} more; skincheck inspect lists all"
        ));
    }
}

impl ReadArgs {
    /// The one that the user names.
    fn importer(&self) -> Option<&str> {
        Some(self.importer.as_str()).filter(|name| *name != AUTO)
    }

    /// Reads `model` and passes on what its importer has to say.
    ///
    /// * `images` – whether textures are wanted.
    pub(super) fn load(
        &self,
        model: &Path,
        images: bool,
        console: Console,
    ) -> anyhow::Result<Asset> {
        let options = self.options(images)?;
        let spinner = console.spinner(&format!("reading {}", shown::path(model)));
        let asset = import::load(model, &options);
        spinner.finish_and_clear();
        let asset = asset?;
        tell_notes(model, &asset.notes, console);
        for image in &asset.images {
            if let ImageData::Missing(reason) = &image.data {
                let name = escaped(&image.name);
                console.warn(format_args!(
                    "{}: image \"{name}\" is left out: {reason}",
                    shown::path(model)
                ));
            }
        }
        Ok(asset)
    }

    /// The file whose clips are taken, if there is one.
    pub(super) fn animation(&self) -> Option<&Path> {
        self.animation.as_deref()
    }

    /// For the library.
    ///
    /// * `images` – whether textures are wanted.
    pub(super) fn options(&self, images: bool) -> anyhow::Result<import::Options> {
        Ok(import::Options {
            isolation: import::Isolation::by_running_program(),
            limits: self.limits()?,
            images,
            importer: self.importer().map(str::to_owned),
            animation: self.animation.clone(),
        })
    }

    /// What reading may cost.
    pub(super) fn limits(&self) -> anyhow::Result<import::Limits> {
        let time = Duration::try_from_secs_f64(self.import_timeout).ok();
        let time = time.filter(|time| !time.is_zero());
        let time = time.with_context(|| {
            format!(
                "--import-timeout {}: expected a number of seconds above 0",
                self.import_timeout
            )
        })?;
        let memory_bytes = self.import_memory.get().saturating_mul(1024 * 1024);
        Ok(import::Limits { memory_bytes, time })
    }
}

fn importer_names() -> PossibleValuesParser {
    let names = import::IMPORTERS.iter().map(|importer| importer.name());
    PossibleValuesParser::new(std::iter::once(AUTO).chain(names))
}
